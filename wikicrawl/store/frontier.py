"""Keep which pages are to be visited and who has claimed them.

Order of locks on PostgreSQL, so that no two transactions wait for one another: the source's row first, by whoever adds
pages or claims them; then page rows, where those of others are skipped if locked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ARRAY, Text, bindparam, case, func, insert, or_, select, true, update

from wikicrawl.store import schema
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.owner import is_dead, owner_name
from wikicrawl.store.schema import page
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from sqlalchemy import ColumnElement, Connection, Engine, Row, Select

    T = TypeVar("T")

__all__ = ["Claim", "Frontier", "Seed", "owner_name"]

# Claims that ended without an outcome. A process dies with all the pages it holds, guilty or not: whoever has died with
# others so often is from then on claimed alone, and parked when that has ended three more processes.
CROWD_DEATHS = 2
MAX_DEATHS = CROWD_DEATHS + 3
BATCH = 500  # bound values in one statement; SQLite before 3.32 allows 999
ALWAYS = 2**62  # later than any visit
REVIVED = ("gone", "excluded")  # outcomes that end a page until it is linked anew
NO_LEASE = {"lease_owner": None, "lease_until": None}


@dataclass(frozen=True, slots=True)
class Seed:
    url: str
    depth: int = 0
    lastmod: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A page leased to `owner`, as it was when it was claimed."""

    id: int
    url: str
    source: str
    depth: int
    attempt: int
    version: int
    text_hash: str
    owner: str
    interval: int | None
    lastmod: int | None


@dataclass(frozen=True, slots=True)
class Discovery:
    """What some seeds would change: pages not yet known, waiting pages that turn out to be nearer, dates of others."""

    new: list[Seed]
    nearer: list[dict[str, int]]
    dated: list[dict[str, int]]
    gone: dict[str, int]  # URL → id of pages that are not visited any more, unless somebody links to them anew

    def __bool__(self) -> bool:
        return bool(self.new or self.nearer or self.dated)


class Frontier:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def add(self, source: str, seeds: Sequence[Seed]) -> int:
        """Make pages known; how many were not. A waiting page that is found nearer moves up."""
        return sum(self._add(source, batch) for batch in batches(seeds))

    def claim(
        self, source: str, *, owner: str, limit: int, now: int, lease_seconds: int, max_pages: int, since: int = ALWAYS
    ) -> list[Claim]:
        """Lease pages to `owner`: first those never admitted, by depth, as far as `max_pages` allows; then those due.

        Pages visited at `since` or later have had their visit: a crawl that takes longer than their interval ends, too.

        Whoever dies holding a lease loses it when it expires. A page that processes keep dying with is claimed alone,
        when nothing else is left, and parked in the end.
        """
        with self._engine.begin() as connection:
            admitted = lock_source(connection, source)
            expired = select(page.c.id, page.c.attempt).where(page.c.source == source, page.c.lease_until < now)
            _take_back(connection, expired, now)
            held = connection.scalars(_held(source, owner)).all()
            if any(attempt > CROWD_DEATHS for attempt in held):
                return []
            new = connection.execute(_waiting(source, min(limit, max_pages - admitted))).all()
            is_unseen = or_(page.c.visited_at.is_(None), page.c.visited_at < since)
            due = connection.execute(
                _due(source, now, limit - len(new), is_unseen, page.c.attempt < CROWD_DEATHS)
            ).all()
            if not (held or new or due):
                due = connection.execute(_due(source, now, 1, is_unseen, page.c.attempt >= CROWD_DEATHS)).all()
            _lease(connection, [*new, *due], owner, now, now + lease_seconds)
            if new:
                admit(connection, source, len(new))
        return [_to_claim(row, source, owner) for row in (*new, *due)]

    def leased(self, source: str) -> int:
        """How many pages are claimed, by any process."""
        with self._reading.connect() as connection:
            return connection.execute(
                select(func.count()).where(page.c.source == source, page.c.lease_until.is_not(None))
            ).scalar_one()

    def renew(self, owner: str, *, now: int, lease_seconds: int) -> int:
        with self._engine.begin() as connection:
            leases = update(page).where(page.c.lease_owner == owner, page.c.lease_until.is_not(None))
            return connection.execute(leases.values(lease_until=now + lease_seconds)).rowcount

    def release(self, owner: str) -> int:
        """Give pages back as if they had not been claimed; they stay admitted."""
        with self._engine.begin() as connection:
            leases = update(page).where(page.c.lease_owner == owner, page.c.lease_until.is_not(None))
            return connection.execute(leases.values(attempt=page.c.attempt - 1, **NO_LEASE)).rowcount

    def reclaim_dead(self, source: str) -> int:
        """Take pages back from processes of this machine that no longer run, without waiting for their leases."""
        leases = page.c.source == source, page.c.lease_until.is_not(None)
        with self._reading.connect() as connection:
            owners = connection.scalars(select(page.c.lease_owner).where(*leases).distinct()).all()
        dead = [owner for owner in owners if is_dead(owner)]
        if not dead:
            return 0
        with self._engine.begin() as connection:
            lock_source(connection, source)
            lost = select(page.c.id, page.c.attempt).where(*leases, page.c.lease_owner.in_(dead))
            return _take_back(connection, lost, int(time.time()))

    def next_due(self, source: str) -> int | None:
        """When the first of the pages visited before is due again."""
        with self._reading.connect() as connection:
            return connection.execute(
                select(func.min(page.c.due)).where(
                    page.c.source == source, page.c.lease_until.is_(None), page.c.due > 0
                )
            ).scalar()

    def _add(self, source: str, seeds: Sequence[Seed]) -> int:
        with self._engine.begin() as connection:
            discovery = discover(connection, source, seeds)
            if not discovery:
                return 0
            lock_source(connection, source)
            return add_pages(connection, source, discovery)


def lock_source(connection: Connection, source: str) -> int:
    """Keep other processes from claiming pages of the source or adding to it; how many pages it has admitted."""
    query = select(schema.source.c.admitted).where(schema.source.c.id == source).with_for_update()
    admitted: int = connection.execute(query).scalar_one()
    return admitted


def admit(connection: Connection, source: str, pages: int) -> None:
    connection.execute(
        update(schema.source).where(schema.source.c.id == source).values(admitted=schema.source.c.admitted + pages)
    )


def discover(connection: Connection, source: str, seeds: Iterable[Seed]) -> Discovery:
    nearest: dict[str, Seed] = {}
    for seed in seeds:
        if seed.url not in nearest or seed.depth < nearest[seed.url].depth:
            nearest[seed.url] = seed
    nearer, dated = [], []
    gone: dict[str, int] = {}
    for urls in batches(list(nearest)):
        for row in connection.execute(known_pages(connection, source, urls)):
            seed = nearest.pop(row.url)
            if row.due == 0 and seed.depth < row.depth:
                nearer.append({"page_id": row.id, "nearer": seed.depth})
            if seed.lastmod is not None and seed.lastmod != row.lastmod:
                dated.append({"page_id": row.id, "date": seed.lastmod})
            if row.due is None and row.outcome in REVIVED:
                gone[row.url] = row.id
    return Discovery(list(nearest.values()), nearer, dated, gone)


def revive(connection: Connection, pages: Sequence[int], now: int) -> None:
    """Visit pages that had ended once more."""
    for ids in batches(pages):
        is_ended = page.c.id.in_(ids), page.c.due.is_(None)
        connection.execute(update(page).where(*is_ended).values(due=now, misses=0))


def known_pages(connection: Connection, source: str, urls: Sequence[str]) -> Select[Any]:
    """The query for those of some URLs that are pages of the source."""
    known = select(page).where(page.c.source == source)
    if connection.dialect.name == "sqlite":
        return known.where(page.c.url.in_(urls))
    # For a list PostgreSQL reads all pages of the source until it has statistics (adding 100,000 took 79 s); one
    # look-up for each URL is what the index is for.
    wanted = func.unnest(bindparam("urls", urls, ARRAY(Text))).table_valued("url", name="wanted").render_derived()
    found = known.where(page.c.url == wanted.c.url).limit(1).lateral("found")
    return select(found).select_from(wanted.join(found, true()))


def add_pages(connection: Connection, source: str, discovery: Discovery) -> int:
    """How many pages are new; the caller has locked the source."""
    if discovery.nearer:
        is_farther = page.c.id == bindparam("page_id"), page.c.due == 0, page.c.depth > bindparam("nearer")
        connection.execute(update(page).where(*is_farther).values(depth=bindparam("nearer")), discovery.nearer)
    if discovery.dated:
        is_dated = page.c.id == bindparam("page_id")
        connection.execute(update(page).where(is_dated).values(lastmod=bindparam("date")), discovery.dated)
    if not discovery.new:
        return 0
    rows = [
        {"source": source, "url": seed.url, "host": netloc(seed.url), "depth": seed.depth, "lastmod": seed.lastmod}
        for seed in discovery.new
    ]
    statement = insert_into(connection, page).on_conflict_do_nothing()
    return connection.execute(statement, rows, execution_options={"preserve_rowcount": True}).rowcount


def _waiting(source: str, limit: int) -> Select[Any]:
    """Never admitted, breadth first."""
    is_waiting = page.c.source == source, page.c.lease_until.is_(None), page.c.due == 0
    return _claimable(limit).where(*is_waiting).order_by(page.c.host, page.c.depth, page.c.id)


def _held(source: str, owner: str) -> Select[int]:
    is_held = page.c.source == source, page.c.lease_until.is_not(None), page.c.lease_owner == owner
    return select(page.c.attempt).where(*is_held)


def _due(source: str, now: int, limit: int, *conditions: ColumnElement[bool]) -> Select[Any]:
    is_due = page.c.source == source, page.c.lease_until.is_(None), page.c.due > 0, page.c.due <= now
    return _claimable(limit).where(*is_due, *conditions).order_by(page.c.due, page.c.host, page.c.depth, page.c.id)


def _claimable(limit: int) -> Select[Any]:
    columns = (
        page.c.id, page.c.url, page.c.depth, page.c.attempt, page.c.version, page.c.text_hash, page.c.interval,
        page.c.lastmod,
    )  # fmt: skip
    return select(*columns).limit(max(0, limit)).with_for_update(skip_locked=True)


def _lease(connection: Connection, rows: Sequence[Row[Any]], owner: str, now: int, until: int) -> None:
    for ids in batches([row.id for row in rows]):
        connection.execute(
            update(page)
            .where(page.c.id.in_(ids))
            .values(
                lease_owner=owner,
                lease_until=until,
                attempt=page.c.attempt + 1,
                due=case((page.c.due == 0, now), else_=page.c.due),
            )
        )


def _take_back(connection: Connection, leases: Select[int, int], now: int) -> int:
    rows = connection.execute(leases.with_for_update(skip_locked=True)).all()
    for ids in batches([row.id for row in rows]):
        connection.execute(update(page).where(page.c.id.in_(ids)).values(NO_LEASE))
    poison = [row for row in rows if row.attempt >= MAX_DEATHS]
    if poison:
        _park(connection, poison, now)
    return len(rows)


def _park(connection: Connection, rows: Sequence[Row[int, int]], now: int) -> None:
    for ids in batches([row.id for row in rows]):
        values = {"state": "parked", "outcome": "parked", "due": None, "attempt": 0}
        connection.execute(update(page).where(page.c.id.in_(ids)).values(values))
    died = {"job": "", "reason": "died", "tier": "", "verdict": "", "http_status": 0, "bytes": 0, "trail": []}
    times = {"started_at": now, "finished_at": now}
    error = f"{MAX_DEATHS} processes ended without an outcome while they had this page"
    connection.execute(
        insert(schema.visit),
        [
            {"page_id": row.id, "attempt": row.attempt, "outcome": "parked", "error": error, **died, **times}
            for row in rows
        ],
    )


def _to_claim(row: Row[Any], source: str, owner: str) -> Claim:
    return Claim(
        id=row.id,
        url=row.url,
        source=source,
        depth=row.depth,
        attempt=row.attempt + 1,
        version=row.version,
        text_hash=row.text_hash,
        owner=owner,
        interval=row.interval,
        lastmod=row.lastmod,
    )


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))
