"""Name the tables; times are Unix seconds, and what the rows mean is said here."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
)

metadata = MetaData()

# SQLite numbers rows by itself only where the key is called INTEGER.
Id = BigInteger().with_variant(Integer, "sqlite")

source = Table(
    "source",
    metadata,
    Column("id", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("admitted", Integer, nullable=False, server_default="0"),  # pages counted towards max_pages
    Column("created_at", BigInteger, nullable=False),
    Column("seeded_at", BigInteger),  # when its sitemaps were last read
)

# The row of the frontier: narrow, because every claim and every finished page rewrites it.
page = Table(
    "page",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source", Text, ForeignKey("source.id"), nullable=False),
    Column("url", Text, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("due", BigInteger, server_default="0"),  # 0: never admitted to a crawl; NULL: never again
    Column("interval", BigInteger),  # seconds; NULL: never visited
    Column("lastmod", BigInteger),  # as the sitemap says
    Column("state", Text, nullable=False, server_default="open"),  # open, parked, alias (of the page at final_url)
    Column("lease_owner", Text),
    Column("lease_until", BigInteger),
    Column("attempt", Integer, nullable=False, server_default="0"),  # claims since the last outcome
    Column("version", Integer, nullable=False, server_default="0"),  # of the current content; 0: none
    Column("text_hash", Text, nullable=False, server_default=""),
    Column("final_url", Text),
    Column("visited_at", BigInteger),
    Column("outcome", Text, nullable=False, server_default=""),  # of the latest visit
    UniqueConstraint("source", "url", name="page_identity"),
)
_is_free = and_(page.c.lease_until.is_(None), page.c.due.is_not(None))
_is_leased = page.c.lease_until.is_not(None)
# In the order of a claim, so that nothing is sorted: guarded by the query plans in test_store_frontier.
Index(
    "page_due", page.c.source, page.c.due, page.c.depth, page.c.id,
    sqlite_where=_is_free, postgresql_where=_is_free,
)  # fmt: skip
Index("page_lease", page.c.source, page.c.lease_until, sqlite_where=_is_leased, postgresql_where=_is_leased)

# The content of a page, one row whenever it changed.
version = Table(
    "version",
    metadata,
    Column("page_id", Id, ForeignKey("page.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("final_url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("markdown", Text, nullable=False),
    Column("text_hash", Text, nullable=False),
    Column("links", JSON, nullable=False),
    Column("images", JSON, nullable=False),
    Column("meta", JSON, nullable=False),
    Column("tier", Text, nullable=False),
    Column("extractor", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("http_status", Integer, nullable=False),
    Column("fetched_at", BigInteger, nullable=False),
)

# One try at a page and its one outcome.
visit = Table(
    "visit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("page_id", Id, ForeignKey("page.id"), nullable=False, index=True),
    Column("job", Text, nullable=False, index=True),
    Column("attempt", Integer, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("finished_at", BigInteger, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("tier", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("http_status", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("trail", JSON, nullable=False),
    Column("error", Text, nullable=False),
)

host = Table(
    "host",
    metadata,
    Column("name", Text, primary_key=True),
    Column("cookies", JSON, nullable=False),
    Column("cookies_at", BigInteger, nullable=False),
)

# Votes for the tier that the pages of a host's path pattern need.
host_pattern = Table(
    "host_pattern",
    metadata,
    Column("host", Text, primary_key=True),
    Column("pattern", Text, primary_key=True),
    Column("browser", Float, nullable=False),
    Column("http", Float, nullable=False),
    Column("voted_at", BigInteger, nullable=False),
)

# What a host's wikis said of themselves. A host that was looked at in vain has one row without an API.
wiki = Table(
    "wiki",
    metadata,
    Column("host", Text, primary_key=True),
    Column("api", Text, primary_key=True),
    Column("profile", JSON, nullable=False),
    Column("learned_at", BigInteger, nullable=False),
    Column("state", Text, nullable=False, server_default="up"),  # up, down, private
    Column("state_until", BigInteger, nullable=False, server_default="0"),  # then it is tried again
    Column("reason", Text, nullable=False, server_default=""),
)

# A list of pages that a wiki is asked for again and again: all of a namespace, the members of a category.
wiki_listing = Table(
    "wiki_listing",
    metadata,
    Column("source", Text, ForeignKey("source.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("pages", BigInteger, nullable=False),
    Column("swept_at", BigInteger, nullable=False),
    Column("changes_at", BigInteger, nullable=False),  # up to here its recent changes are known
)

# A page as a listing last showed it.
wiki_page = Table(
    "wiki_page",
    metadata,
    Column("page_id", Id, ForeignKey("page.id"), primary_key=True),
    Column("listing", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("pageid", BigInteger, nullable=False),
    Column("revid", BigInteger, nullable=False),
    Column("touched", BigInteger, nullable=False),
    Column("got_revid", BigInteger, nullable=False, server_default="0"),  # of the visit that brought its content last
    Column("changed_at", BigInteger, nullable=False),  # when a sweep last saw it differ
    Column("swept_at", BigInteger, nullable=False),  # the beginning of the last sweep that saw it
    Index("wiki_page_listing", "source", "listing", "swept_at"),
)

job = Table(
    "job",
    metadata,
    Column("id", Text, primary_key=True),
    Column("spider", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("arguments", JSON, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("finished_at", BigInteger),
    Column("reason", Text, nullable=False, server_default=""),
    Column("stats", JSON(none_as_null=True)),  # NULL until the end
    Index("ix_job_source", "source", "started_at"),
)
