"""Keep which pages are to be visited and who has claimed them.

Order of locks on PostgreSQL, so that no two transactions wait for one another: rows of sources first, by whoever adds
pages or claims them, and of several in the order of their names; then those of hosts; then those of pages, where those
of others are skipped if locked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ARRAY, Text, bindparam, func, select, true, update

from wikicrawl.store import leases
from wikicrawl.store.claiming import CROWD_DEATHS, START, Choice, Claimant, is_visited, look_at_due, waiting_hosts
from wikicrawl.store.engine import batches, insert_into, reading
from wikicrawl.store.ledger import (
    NO_LEASE,
    admit,
    admitted_of,
    book,
    lease_pages,
    lock_source,
    lock_sources,
    take_back,
    take_back_expired,
)
from wikicrawl.store.owner import is_dead, owner_name
from wikicrawl.store.ranking import NO_LIMIT, Rank, rank_sources
from wikicrawl.store.schema import page
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from sqlalchemy import Connection, Engine, Row, Select

    from wikicrawl.store.claiming import Place

__all__ = ["NO_LEASE", "Claim", "Frontier", "Seed", "admit", "batches", "lock_source", "owner_name"]

MAX_SOURCES = 16  # of which pages are claimed in one transaction
ALWAYS = 2**62  # later than any visit
REVIVED = ("gone", "excluded")  # outcomes that end a page until it is linked anew


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
        # Where this process has got to: after which host new pages are looked for, where due pages have not been looked
        # at yet, and after which source. Forgetting it costs fairness, and no page.
        self._last_host: dict[str, str] = {}
        self._places: dict[str, Place] = {}
        self._last_source = ""
        self._kept_hosts: dict[str, set[str]] = {}

    def add(self, source: str, seeds: Sequence[Seed]) -> int:
        """Make pages known; how many were not. A waiting page that is found nearer moves up."""
        return sum(self._add(source, batch) for batch in batches(seeds))

    def claim(
        self, source: str, *, owner: str, limit: int, now: int, lease_seconds: int, max_pages: int, since: int = ALWAYS
    ) -> list[Claim]:
        """Lease pages to `owner`: first those never admitted, by depth, as far as `max_pages` allows; then those due.

        Their hosts are leased with them. Pages of hosts that are leased to others, have asked for a pause or have
        failed are left where they are; a host that is tried again after a failure gives one page at a time.

        Pages visited at `since` or later have had their visit: a crawl that takes longer than their interval ends, too.

        Whoever dies holding a lease loses it when it expires. A page that two processes have died with is claimed
        alone, when nobody has anything else to do, and parked when that has ended three more.
        """
        places = [Rank(source, max_pages)]
        return self._claim(places, limit, Claimant(owner, now, now + lease_seconds, since), is_last_resort=True)

    def claim_anywhere(
        self, *, owner: str, limit: int, now: int, lease_seconds: int, since: int = ALWAYS
    ) -> list[Claim]:
        """Lease pages of all sources: first of those with pages never admitted, then of the longest overdue.

        Of each as many as of the next, as far as it has them; never more new ones than its last crawl was to visit.
        """
        claimant = Claimant(owner, now, now + lease_seconds, since)
        self._take_back_everywhere(now)
        with self._reading.connect() as connection:
            ranks = rank_sources(connection, now, self._last_source)
        groups = [ranks[start : start + MAX_SOURCES] for start in range(0, len(ranks), MAX_SOURCES)]
        claims: list[Claim] = []
        for group in groups:
            claims += self._claim(group, limit - len(claims), claimant, is_last_resort=False)
            if len(claims) == limit:
                return claims
        for group in groups:
            if not claims:
                claims = self._claim(group, 1, claimant, is_last_resort=True)
        return claims

    def leased(self, source: str) -> int:
        """How many pages are claimed, by any process."""
        with self._reading.connect() as connection:
            return connection.execute(
                select(func.count()).where(page.c.source == source, page.c.lease_until.is_not(None))
            ).scalar_one()

    def held_until(
        self, source: str, *, owner: str, now: int, max_pages: int = NO_LIMIT, since: int = ALWAYS
    ) -> int | None:
        """When the first page may be claimed that is only held back by its host, paused, failed or leased to another.

        `now` where claims have not looked at all pages yet; None where nothing is held back.
        """
        if source in self._places:
            return now
        with self._reading.connect() as connection:
            admitted = connection.execute(admitted_of([source])).one().admitted
            hosts = {host for hosts in waiting_hosts(connection, source, "") for host in hosts}
            if admitted >= max_pages:
                hosts = set()
            for rows, _ in look_at_due(connection, source, now, 0, START):
                hosts |= {row.host for row in rows if not is_visited(row, since)}
            access = leases.find_access(connection, hosts, owner, now)
        return min((host.free_at for host in access.values() if host.free_at > now), default=None)

    def free_at(self, host: str, *, owner: str, now: int) -> int:
        """When a host may be asked that is leased to another, paused or failing; else a time that has passed."""
        with self._reading.connect() as connection:
            return leases.find_access(connection, [host], owner, now).get(host, leases.FREE).free_at

    def keep_host(self, host: str, *, owner: str, now: int, lease_seconds: int) -> bool:
        """Lease a host for other requests than those for claimed pages; False where it is leased to another."""
        with self._engine.begin() as connection:
            is_ours = bool(leases.lease_hosts(connection, [host], owner, now=now, until=now + lease_seconds))
        if is_ours:
            self._kept_hosts.setdefault(owner, set()).add(host)
        return is_ours

    def let_go(self, host: str, *, owner: str) -> None:
        """The opposite of `keep_host`; others may have the host after the next claim that finds it idle."""
        self._kept_hosts.get(owner, set()).discard(host)

    def renew(self, owner: str, *, now: int, lease_seconds: int) -> int:
        with self._engine.begin() as connection:
            leases.renew_hosts(connection, owner, now + lease_seconds)
        with self._engine.begin() as connection:
            held = update(page).where(page.c.lease_owner == owner, page.c.lease_until.is_not(None))
            return connection.execute(held.values(lease_until=now + lease_seconds)).rowcount

    def release(self, owner: str) -> int:
        """Give pages back as if they had not been claimed; they stay admitted."""
        is_held = page.c.lease_owner == owner, page.c.lease_until.is_not(None)
        with self._reading.connect() as connection:
            sources = set(connection.scalars(select(page.c.source).where(*is_held)))
        released = 0
        for source in sources:
            with self._engine.begin() as connection:
                lock_source(connection, source)
                held = update(page).where(*is_held, page.c.source == source)
                count = connection.execute(held.values(attempt=page.c.attempt - 1, **NO_LEASE)).rowcount
                book(connection, {source: count}, "returned")
            released += count
        with self._engine.begin() as connection:
            leases.give_up_all(connection, owner)
        self._kept_hosts.pop(owner, None)
        return released

    def reclaim_dead(self, source: str) -> int:
        """Take pages and hosts back from processes of this machine that no longer run, before their leases expire."""
        is_held = page.c.source == source, page.c.lease_until.is_not(None)
        with self._reading.connect() as connection:
            owners = set(connection.scalars(select(page.c.lease_owner).where(*is_held)))
            owners |= leases.host_owners(connection)
        dead = [owner for owner in owners if is_dead(owner)]
        if not dead:
            return 0
        with self._engine.begin() as connection:
            lock_source(connection, source)
            lost = select(page.c.id, page.c.source, page.c.attempt).where(*is_held, page.c.lease_owner.in_(dead))
            count = take_back(connection, lost, int(time.time()))
        with self._engine.begin() as connection:
            for owner in sorted(dead):
                leases.give_up_all(connection, owner)
        return count

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

    def _claim(self, ranks: Sequence[Rank], limit: int, claimant: Claimant, *, is_last_resort: bool) -> list[Claim]:
        """Of each source the same share, in one transaction; a suspect only as the last resort."""
        with self._engine.begin() as connection:
            admitted = lock_sources(connection, [rank.source for rank in ranks])
            take_back_expired(connection, list(admitted), claimant.now)
            held = connection.execute(_held(claimant.owner)).all()
            if any(row.attempt > CROWD_DEATHS for row in held):
                return []
            leases.give_up_idle(connection, claimant.owner, self._kept_hosts.get(claimant.owner, ()))
            choice = Choice(connection, claimant, held)
            choice.find_access(rank.host for rank in ranks if rank.host)
            rows: list[Row[Any]] = []
            for number, rank in enumerate(ranks):
                share = -(-(limit - len(rows)) // (len(ranks) - number))
                rows += self._take(choice, rank.source, share, rank.max_pages - admitted[rank.source])
            if is_last_resort and not rows:
                rows = choice.last_resort(admitted)
            hosts = {row.host for row in rows}
            ours = leases.lease_hosts(connection, hosts, claimant.owner, now=claimant.now, until=claimant.until)
            rows = [row for row in rows if row.host in ours]
            lease_pages(connection, rows, claimant)
        self._last_source = rows[-1].source if rows else self._last_source
        return [_to_claim(row, claimant.owner) for row in rows]

    def _take(self, choice: Choice, source: str, limit: int, room: int) -> list[Row[Any]]:
        rows: list[Row[Any]] = []
        if min(limit, room) > 0:
            rows, self._last_host[source] = choice.take_new(source, min(limit, room), self._last_host.get(source, ""))
        if len(rows) == limit:
            return rows
        due, place = choice.take_due(source, limit - len(rows), self._places.pop(source, START))
        if place is not None:
            self._places[source] = place
        return rows + due

    def _take_back_everywhere(self, now: int) -> None:
        with self._reading.connect() as connection:
            sources = set(connection.scalars(select(page.c.source).where(page.c.lease_until < now)))
        for source in sources:
            with self._engine.begin() as connection:
                lock_source(connection, source)
                take_back_expired(connection, [source], now)


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


def _held(owner: str) -> Select[Any]:
    columns = select(page.c.attempt, page.c.source, page.c.host)
    return columns.where(page.c.lease_owner == owner, page.c.lease_until.is_not(None))


def _to_claim(row: Row[Any], owner: str) -> Claim:
    return Claim(
        id=row.id,
        url=row.url,
        source=row.source,
        depth=row.depth,
        attempt=row.attempt + 1,
        version=row.version,
        text_hash=row.text_hash,
        owner=owner,
        interval=row.interval,
        lastmod=row.lastmod,
    )
