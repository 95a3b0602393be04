"""Compare the dates in a site's sitemaps and feeds with what is kept, and make due what has moved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, or_, select, tuple_, update

from wikicrawl.schedule import next_interval
from wikicrawl.store import trust
from wikicrawl.store.claiming import IN_ORDER, START
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.frontier import Seed, add_pages, batches, discover, known_pages, lock_source
from wikicrawl.store.schema import page, site_list, validator
from wikicrawl.store.trust import has_moved, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Engine, Row

    from wikicrawl.schedule import Policy
    from wikicrawl.store.claiming import Place

BATCH = 500  # pages in one transaction
MAX_FEEDS = 10  # of one source; blogs have one for the comments of each post besides
SETTLED = ("ok", "landed")  # visits after which a page that has not moved has nothing new to give


@dataclass(frozen=True, slots=True)
class SiteList:
    url: str
    kind: str  # lastmod (a sitemap) or feed
    etag: str = ""
    last_modified: str = ""
    read_at: int = 0  # 0: never


@dataclass(frozen=True, slots=True)
class Noted:
    new: int  # pages that were not known
    moved: int  # visited pages whose date has moved and which are due for it


class Lists:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def of(self, source: str) -> list[SiteList]:
        query = select(site_list).where(site_list.c.source == source).order_by(site_list.c.url)
        with self._reading.connect() as connection:
            rows = connection.execute(query).all()
        return [SiteList(row.url, row.kind, row.etag, row.last_modified, row.read_at) for row in rows]

    def add_feeds(self, source: str, urls: Sequence[str]) -> None:
        is_feed = site_list.c.source == source, site_list.c.kind == "feed"
        with self._engine.begin() as connection:
            known = connection.execute(select(func.count()).where(*is_feed)).scalar_one()
            rows = [{"source": source, "url": url, "kind": "feed"} for url in urls[: max(0, MAX_FEEDS - known)]]
            if rows:
                connection.execute(insert_into(connection, site_list).on_conflict_do_nothing(), rows)

    def keep(self, source: str, read: SiteList) -> None:
        row = {"etag": read.etag, "last_modified": read.last_modified, "read_at": read.read_at}
        with self._engine.begin() as connection:
            statement = insert_into(connection, site_list).values(source=source, url=read.url, kind=read.kind, **row)
            key = [site_list.c.source, site_list.c.url]
            connection.execute(statement.on_conflict_do_update(index_elements=key, set_=row))

    def forget(self, source: str, url: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(site_list).where(site_list.c.source == source, site_list.c.url == url))

    def compare(self, source: str, kind: str, entries: Sequence[Seed], now: int) -> Noted:
        """Make the pages of a list known with their dates; those that have moved are due where that is believed."""
        new = moved = 0
        for batch in batches(entries):
            with self._engine.begin() as connection:
                lock_source(connection, source)
                noted = _compare(connection, source, kind, batch, now)
            new, moved = new + noted.new, moved + noted.moved
        return Noted(new, moved)

    def doubt(self, read: SiteList, entries: Sequence[Seed], now: int) -> None:
        """A feed whose oldest entry is newer than its last reading has dropped some in between."""
        dates = [entry.lastmod for entry in entries if entry.lastmod is not None]
        if not read.read_at or not dates or min(dates) <= read.read_at:
            return
        with self._engine.begin() as connection:
            places = sorted({place_of(entry.url) for entry in entries})
            trusts = trust.load(connection, places)
            for place in places:
                known = trusts.get((place, read.kind), trust.UNKNOWN)
                trust.note(connection, (place, read.kind), known, confirmed=0, refuted=1, now=now)

    def rest(self, source: str, *, now: int, policy: Policy, retest_every: int) -> int:
        """Put off pages that are due and, as lists that are believed say, the same as at their visit.

        Every n-th is left due all the same: its visit tells whether the lists are still right.
        """
        rested, last = 0, START
        while rows := self._due(source, now, last):
            last = rows[-1].due, rows[-1].host, rows[-1].depth, rows[-1].id
            with self._engine.begin() as connection:
                trusts = trust.load(connection, {place_of(row.url) for row in rows})
                later = [
                    _later(row, now, policy)
                    for row in rows
                    if _is_unmoved(row, trusts) and hash((row.id, row.visited_at)) % retest_every
                ]
                if later:
                    is_free = page.c.id == bindparam("page_id"), page.c.lease_until.is_(None)
                    values: dict[str, Any] = {"due": bindparam("at"), "interval": bindparam("seconds")}
                    connection.execute(update(page).where(*is_free).values(values), later)
            rested += len(later)
        return rested

    def _due(self, source: str, now: int, last: Place) -> Sequence[Row[Any]]:
        columns: tuple[ColumnElement[Any], ...] = (
            *IN_ORDER, page.c.url, page.c.lastmod, page.c.visited_at, page.c.interval,
            validator.c.lastmod.label("seen"),
        )  # fmt: skip
        is_due = page.c.source == source, page.c.lease_until.is_(None), page.c.due <= now
        is_kept = tuple_(*IN_ORDER) > last, page.c.outcome.in_(SETTLED), page.c.visited_at.is_not(None)
        query = (
            select(*columns)
            .join_from(page, validator, validator.c.page_id == page.c.id, isouter=True)
            .where(*is_due, *is_kept)
            .order_by(*IN_ORDER)
            .limit(BATCH)
        )
        with self._reading.connect() as connection:
            return connection.execute(query).all()


def _compare(connection: Connection, source: str, kind: str, entries: Sequence[Seed], now: int) -> Noted:
    trusts = trust.load(connection, {place_of(entry.url) for entry in entries})
    if kind == "feed":  # where a sitemap gives dates, a feed names new pages only: two sets of dates contradict
        entries = [
            replace(entry, lastmod=None) if (place_of(entry.url), "lastmod") in trusts else entry for entry in entries
        ]
    dated = {entry.url: entry.lastmod for entry in entries if entry.lastmod is not None}
    trust.ensure(connection, {place_of(url) for url in dated}, kind, now)
    moved, listed_again = [], []
    for row in connection.execute(known_pages(connection, source, list(dated))).all() if dated else ():
        if not has_moved(row.lastmod, dated[row.url], row.visited_at):
            continue
        if row.outcome == "gone":
            listed_again.append({"page_id": row.id, "at": now})
        elif trusts.get((place_of(row.url), kind), trust.UNKNOWN).is_proven:
            moved.append({"page_id": row.id, "at": now})
    new = add_pages(connection, source, discover(connection, source, entries))
    _wake(connection, [*moved, *listed_again])
    return Noted(new, len(moved) + len(listed_again))


def _wake(connection: Connection, pages: Sequence[dict[str, int]]) -> None:
    if not pages:
        return
    is_asleep = or_(page.c.due.is_(None), page.c.due > bindparam("at"))
    is_wanted = page.c.id == bindparam("page_id"), page.c.state == "open", page.c.due.is_distinct_from(0), is_asleep
    connection.execute(update(page).where(*is_wanted).values(due=bindparam("at"), misses=0), list(pages))


def _is_unmoved(row: Row[Any], trusts: dict[trust.Key, trust.Trust]) -> bool:
    place = place_of(row.url)
    kind = trust.governing(trusts, place, row.lastmod)
    return bool(kind) and trusts[place, kind].is_proven and not has_moved(row.seen, row.lastmod, row.visited_at)


def _later(row: Row[Any], now: int, policy: Policy) -> dict[str, int]:
    seconds = next_interval(policy, row.interval, is_fresh=False)
    return {"page_id": row.id, "at": now + seconds, "seconds": seconds}
