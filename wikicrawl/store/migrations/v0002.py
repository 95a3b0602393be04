"""Create the tables of wikis: their profiles, their listings, and their pages as listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade(op: Operations) -> None:
    op.create_table(
        "wiki",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("api", sa.Text, primary_key=True),
        sa.Column("profile", sa.JSON, nullable=False),
        sa.Column("learned_at", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="up"),
        sa.Column("state_until", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
    )
    op.create_table(
        "wiki_listing",
        sa.Column("source", sa.Text, sa.ForeignKey("source.id"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("pages", sa.BigInteger, nullable=False),
        sa.Column("swept_at", sa.BigInteger, nullable=False),
        sa.Column("changes_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "wiki_page",
        sa.Column("page_id", Id, sa.ForeignKey("page.id"), primary_key=True),
        sa.Column("listing", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("pageid", sa.BigInteger, nullable=False),
        sa.Column("revid", sa.BigInteger, nullable=False),
        sa.Column("touched", sa.BigInteger, nullable=False),
        sa.Column("got_revid", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("swept_at", sa.BigInteger, nullable=False),
    )
    op.create_index("wiki_page_listing", "wiki_page", ["source", "listing", "swept_at"])
