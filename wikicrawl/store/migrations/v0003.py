"""Add hosts to pages, the ledger to sources, and the tables of politeness, freshness and traps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from alembic.operations import Operations

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")
BATCH = 10_000


def upgrade(op: Operations) -> None:
    op.add_column("source", sa.Column("spider", sa.Text, nullable=False, server_default=""))
    op.add_column("source", sa.Column("arguments", sa.JSON, nullable=False, server_default="{}"))
    op.add_column("source", sa.Column("claimed", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("source", sa.Column("returned", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("page", sa.Column("host", sa.Text, nullable=False, server_default=""))
    op.add_column("page", sa.Column("misses", sa.Integer, nullable=False, server_default="0"))
    _fill_hosts(op.get_bind())
    _start_ledger(op.get_bind())
    op.drop_index("page_due", "page")
    is_free = sa.text("lease_until IS NULL AND due IS NOT NULL")
    columns = ["source", "due", "host", "depth", "id"]
    op.create_index("page_due", "page", columns, sqlite_where=is_free, postgresql_where=is_free)
    is_leased = sa.text("lease_until IS NOT NULL")
    columns = ["lease_owner", "host"]
    op.create_index("page_owner", "page", columns, sqlite_where=is_leased, postgresql_where=is_leased)
    _create_host_tables(op)
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("access", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("fetched_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "validator",
        sa.Column("page_id", Id, sa.ForeignKey("page.id"), primary_key=True),
        sa.Column("etag", sa.Text, nullable=False),
        sa.Column("last_modified", sa.Text, nullable=False),
        sa.Column("lastmod", sa.BigInteger),
    )
    _create_lists(op)
    op.create_table(
        "address_kind",
        sa.Column("source", sa.Text, sa.ForeignKey("source.id"), primary_key=True),
        sa.Column("pattern", sa.Text, primary_key=True),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("different", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
    )


def _create_lists(op: Operations) -> None:
    op.create_table(
        "site_list",
        sa.Column("source", sa.Text, sa.ForeignKey("source.id"), primary_key=True),
        sa.Column("url", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("etag", sa.Text, nullable=False, server_default=""),
        sa.Column("last_modified", sa.Text, nullable=False, server_default=""),
        sa.Column("read_at", sa.BigInteger, nullable=False, server_default="0"),
    )


def _create_host_tables(op: Operations) -> None:
    op.create_table(
        "host_lease",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text),
        sa.Column("until", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("pause_until", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("pause_reason", sa.Text, nullable=False, server_default=""),
    )
    is_owned = sa.text("owner IS NOT NULL")
    op.create_index("host_lease_owner", "host_lease", ["owner"], sqlite_where=is_owned, postgresql_where=is_owned)
    op.create_table(
        "breaker",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("openings", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "host_trust",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("confirmed", sa.Float, nullable=False),
        sa.Column("refuted", sa.Float, nullable=False),
        sa.Column("tested_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "soft_404",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("probed_at", sa.BigInteger, nullable=False),
    )


def _fill_hosts(connection: sa.Connection) -> None:
    page = sa.table("page", sa.column("id"), sa.column("url"), sa.column("host"))
    last = 0
    while rows := connection.execute(
        sa.select(page.c.id, page.c.url).where(page.c.id > last).order_by(page.c.id).limit(BATCH)
    ).all():
        last = rows[-1].id
        hosts = [{"page_id": row.id, "name": netloc(row.url)} for row in rows]
        connection.execute(
            sa.update(page).where(page.c.id == sa.bindparam("page_id")).values(host=sa.bindparam("name")), hosts
        )


def _start_ledger(connection: sa.Connection) -> None:
    """What was claimed until now: every visit, and every claim that is held."""
    connection.execute(
        sa.text(
            "UPDATE source SET claimed = "
            "(SELECT count(*) FROM visit JOIN page ON page.id = visit.page_id WHERE page.source = source.id) + "
            "(SELECT count(*) FROM page WHERE page.source = source.id AND page.lease_until IS NOT NULL)"
        )
    )
