"""Create the tables: sources, the frontier with its pages, versions and visits, hosts and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade(op: Operations) -> None:
    _create_version_number(op)
    _create_frontier(op)
    _create_content(op)
    _create_visits(op)
    _create_hosts(op)
    _create_jobs(op)


def _create_version_number(op: Operations) -> None:
    version = op.create_table("alembic_version", sa.Column("version_num", sa.String(32), primary_key=True))
    op.bulk_insert(version, [{"version_num": ""}])


def _create_frontier(op: Operations) -> None:
    op.create_table(
        "source",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("admitted", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("seeded_at", sa.BigInteger),
    )
    op.create_table(
        "page",
        sa.Column("id", Id, primary_key=True),
        sa.Column("source", sa.Text, sa.ForeignKey("source.id"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("due", sa.BigInteger, server_default="0"),
        sa.Column("interval", sa.BigInteger),
        sa.Column("lastmod", sa.BigInteger),
        sa.Column("state", sa.Text, nullable=False, server_default="open"),
        sa.Column("lease_owner", sa.Text),
        sa.Column("lease_until", sa.BigInteger),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
        sa.Column("text_hash", sa.Text, nullable=False, server_default=""),
        sa.Column("final_url", sa.Text),
        sa.Column("visited_at", sa.BigInteger),
        sa.Column("outcome", sa.Text, nullable=False, server_default=""),
        sa.UniqueConstraint("source", "url", name="page_identity"),
    )
    is_free = sa.text("lease_until IS NULL AND due IS NOT NULL")
    is_leased = sa.text("lease_until IS NOT NULL")
    op.create_index(
        "page_due", "page", ["source", "due", "depth", "id"], sqlite_where=is_free, postgresql_where=is_free
    )
    op.create_index("page_lease", "page", ["source", "lease_until"], sqlite_where=is_leased, postgresql_where=is_leased)


def _create_content(op: Operations) -> None:
    op.create_table(
        "version",
        sa.Column("page_id", Id, sa.ForeignKey("page.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("final_url", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("markdown", sa.Text, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("links", sa.JSON, nullable=False),
        sa.Column("images", sa.JSON, nullable=False),
        sa.Column("meta", sa.JSON, nullable=False),
        sa.Column("tier", sa.Text, nullable=False),
        sa.Column("extractor", sa.Text, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("http_status", sa.Integer, nullable=False),
        sa.Column("fetched_at", sa.BigInteger, nullable=False),
    )


def _create_visits(op: Operations) -> None:
    op.create_table(
        "visit",
        sa.Column("id", Id, primary_key=True),
        sa.Column("page_id", Id, sa.ForeignKey("page.id"), nullable=False),
        sa.Column("job", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("tier", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("http_status", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("trail", sa.JSON, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
    )
    op.create_index("ix_visit_page_id", "visit", ["page_id"])
    op.create_index("ix_visit_job", "visit", ["job"])


def _create_hosts(op: Operations) -> None:
    op.create_table(
        "host",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("cookies", sa.JSON, nullable=False),
        sa.Column("cookies_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "host_pattern",
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("pattern", sa.Text, primary_key=True),
        sa.Column("browser", sa.Float, nullable=False),
        sa.Column("http", sa.Float, nullable=False),
        sa.Column("voted_at", sa.BigInteger, nullable=False),
    )


def _create_jobs(op: Operations) -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("spider", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("arguments", sa.JSON, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("stats", sa.JSON),
    )
    op.create_index("ix_job_source", "job", ["source", "started_at"])
