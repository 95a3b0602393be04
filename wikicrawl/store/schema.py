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
    Column("spider", Text, nullable=False, server_default=""),  # that crawls it …
    Column("arguments", JSON, nullable=False, server_default="{}"),  # … and what it was given the last time
    # The ledger: every claim is a visit, still held, or returned (given back, or taken back from the dead).
    Column("claimed", BigInteger, nullable=False, server_default="0"),
    Column("returned", BigInteger, nullable=False, server_default="0"),
)

# The row of the frontier: narrow, because every claim and every finished page rewrites it.
page = Table(
    "page",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source", Text, ForeignKey("source.id"), nullable=False),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False, server_default=""),  # with its port, where it has one of its own
    Column("depth", Integer, nullable=False),
    Column("due", BigInteger, server_default="0"),  # 0: never admitted to a crawl; NULL: never again
    Column("interval", BigInteger),  # seconds; NULL: never visited
    Column("lastmod", BigInteger),  # as the sitemap says, or a feed where no sitemap does
    Column("state", Text, nullable=False, server_default="open"),  # open, parked, alias (of the page at final_url)
    Column("lease_owner", Text),
    Column("lease_until", BigInteger),
    Column("attempt", Integer, nullable=False, server_default="0"),  # claims since the last outcome
    Column("version", Integer, nullable=False, server_default="0"),  # of the current content; 0: none
    Column("text_hash", Text, nullable=False, server_default=""),
    Column("final_url", Text),
    Column("visited_at", BigInteger),
    Column("outcome", Text, nullable=False, server_default=""),  # of the latest visit
    Column("misses", Integer, nullable=False, server_default="0"),  # visits in a row that found it missing
    UniqueConstraint("source", "url", name="page_identity"),
)
_is_free = and_(page.c.lease_until.is_(None), page.c.due.is_not(None))
_is_leased = page.c.lease_until.is_not(None)
# In the order of a claim, so that nothing is sorted: guarded by the query plans in test_store_frontier. By host, so
# that the next host is one step away however many pages this one has.
Index(
    "page_due", page.c.source, page.c.due, page.c.host, page.c.depth, page.c.id,
    sqlite_where=_is_free, postgresql_where=_is_free,
)  # fmt: skip
Index("page_lease", page.c.source, page.c.lease_until, sqlite_where=_is_leased, postgresql_where=_is_leased)
Index("page_owner", page.c.lease_owner, page.c.host, sqlite_where=_is_leased, postgresql_where=_is_leased)

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

# Who may ask a host: one process at a time, and nobody before `pause_until`.
host_lease = Table(
    "host_lease",
    metadata,
    Column("host", Text, primary_key=True),
    Column("owner", Text),
    Column("until", BigInteger, nullable=False, server_default="0"),
    Column("pause_until", BigInteger, nullable=False, server_default="0"),
    Column("pause_reason", Text, nullable=False, server_default=""),
)
_is_owned = host_lease.c.owner.is_not(None)
Index("host_lease_owner", host_lease.c.owner, sqlite_where=_is_owned, postgresql_where=_is_owned)

# Whether a host is left alone because it failed: closed (it is asked), open (it is not), half_open (by one page).
breaker = Table(
    "breaker",
    metadata,
    Column("host", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("until", BigInteger, nullable=False),  # while open: when it is tried again
    Column("failures", Integer, nullable=False),  # in a row
    Column("openings", Integer, nullable=False),  # in a row, without a success in between
    Column("reason", Text, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
)

# How often what a host says of its pages' changes was right: the kinds are lastmod (of sitemaps), feed and etag. Large
# hosts have parts of different make, so a host is here with the first folder of its pages, where they have one.
host_trust = Table(
    "host_trust",
    metadata,
    Column("host", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("confirmed", Float, nullable=False),
    Column("refuted", Float, nullable=False),
    Column("tested_at", BigInteger, nullable=False),
)

# What a host answers for a page that cannot exist.
soft_404 = Table(
    "soft_404",
    metadata,
    Column("host", Text, primary_key=True),
    Column("signature", Text, nullable=False),  # empty: it says 404, as it should
    Column("probed_at", BigInteger, nullable=False),
)

# A robots.txt as it was got, by scheme, host and port.
robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("access", Text, nullable=False),  # rules, allow (there is none), wait (not now)
    Column("reason", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("fetched_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

# What a page's server gave to ask with whether it has changed.
validator = Table(
    "validator",
    metadata,
    Column("page_id", Id, ForeignKey("page.id"), primary_key=True),
    Column("etag", Text, nullable=False),
    Column("last_modified", Text, nullable=False),
    Column("lastmod", BigInteger),  # what lists said of the page when it was visited
)

# A list of a site's pages with the dates of their changes: a sitemap or a feed.
site_list = Table(
    "site_list",
    metadata,
    Column("source", Text, ForeignKey("source.id"), primary_key=True),
    Column("url", Text, primary_key=True),
    Column("kind", Text, nullable=False),  # lastmod (a sitemap) or feed
    Column("etag", Text, nullable=False, server_default=""),
    Column("last_modified", Text, nullable=False, server_default=""),
    Column("read_at", BigInteger, nullable=False, server_default="0"),  # 0: never
)

# How many pages of a kind of address have been got, and how many of them differed; `reason` once it is a trap.
address_kind = Table(
    "address_kind",
    metadata,
    Column("source", Text, ForeignKey("source.id"), primary_key=True),
    Column("pattern", Text, primary_key=True),
    Column("pages", Integer, nullable=False),
    Column("different", Integer, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("changed_at", BigInteger, nullable=False),
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
