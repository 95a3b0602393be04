"""Choose the pages of a claim: of hosts that may be asked, those never visited before those due."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Integer, Text, and_, bindparam, literal, select, tuple_

from wikicrawl.store.leases import FREE, find_access
from wikicrawl.store.schema import page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Connection, Row, ScalarSelect, Select

    from wikicrawl.store.leases import Access

    Place = tuple[int, str, int, int]  # of a page in the order in which pages are due

# Claims that ended without an outcome. A process dies with all the pages it holds, guilty or not: a page that has died
# with others so often is claimed alone from then on, last of all, and parked after three deaths that it alone can have
# caused. Parked after the first of these, 29 of 3,000 innocent pages were when 200 processes were killed at random.
CROWD_DEATHS = 2
MAX_DEATHS = CROWD_DEATHS + 3
MAX_HOSTS = 16  # that new pages are taken from: CONCURRENT_REQUESTS of them, so that none is waited for
STEPS = 64  # hosts looked at in one statement
LOOKED_AT = 20  # due pages that a claim looks at, for each that it may take
LEAST_LOOK = 50  # pages in one statement
START: Place = (1, "", -1, 0)  # before the first page that is due


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims, when, until when, and which visits count as done."""

    owner: str
    now: int
    until: int
    since: int


class Choice:
    """The pages that one claim takes, of hosts that may be asked."""

    def __init__(self, connection: Connection, claimant: Claimant, held: Sequence[Row[Any]]) -> None:
        self._connection = connection
        self._owner, self._now, self._since = claimant.owner, claimant.now, claimant.since
        self._held = {(row.source, row.host) for row in held}
        self._busy = Counter(row.host for row in held)  # pages that the process has, with those that it takes
        self._access: dict[str, Access] = {}
        self._suspect: Row[Any] | None = None  # of the pages that processes keep dying with the one with fewest deaths
        self._leaves_pages = False  # to the process that has their host

    def last_resort(self, sources: Iterable[str]) -> list[Row[Any]]:
        """A page that processes keep dying with, where no process has or may have any other page of the sources.

        It waits for all others, so that whoever is killed by chance is hardly ever killed with it alone.
        """
        if self._suspect is None or self._leaves_pages or self._busy.total():
            return []
        given = {"sources": list(sources), "owner": self._owner}
        return [] if self._connection.execute(OTHERS_HELD, given).first() else [self._suspect]

    def take_new(self, source: str, limit: int, after: str) -> tuple[list[Row[Any]], str]:
        """Pages never admitted, as many of each host and breadth first, from the host behind `after`; the last host."""
        hosts = self._open_hosts(source, min(limit, MAX_HOSTS), after)
        rows: list[Row[Any]] = []
        rich = []
        for number, host in enumerate(hosts):
            share = -(-(limit - len(rows)) // (len(hosts) - number))
            found = self._take_of(source, host, share)
            rows += found
            rich += [(host, share)] if len(found) == share else []
        for host, share in rich:  # hosts with many pages give for those with few
            rows += self._take_of(source, host, limit - len(rows), share)
        is_round = len(hosts) < min(limit, MAX_HOSTS)  # no host was left out
        return rows, "" if is_round else hosts[-1]

    def take_due(self, source: str, limit: int, after: Place) -> tuple[list[Row[Any]], Place | None]:
        """Pages due, the longest overdue first, and from where to look on; None where all have been looked at."""
        rows: list[Row[Any]] = []
        end: Place | None = after
        for chunk, end in look_at_due(self._connection, source, self._now, limit, after):  # noqa: B007
            rows += self._take_fitting(chunk, limit - len(rows))
            if len(rows) == limit:
                return rows, after
        return rows, end

    def _open_hosts(self, source: str, limit: int, after: str) -> list[str]:
        """Hosts that the process has, and then the next that may be asked, once round.

        Its own first: whoever moved on would have all hosts in the end, and other processes none.
        """
        own = sorted(host for its_source, host in self._held if its_source == source)
        self.find_access(own)
        found = [host for host in own if self._may_ask(host) and self._has_new(source, host)]
        for first, last in ((after, None), ("", after)):
            for hosts in waiting_hosts(self._connection, source, first, last):
                self.find_access(hosts)
                others = [host for host in hosts if host not in own]
                found += filter(self._may_ask, others)
                self._leave(others)
                if len(found) >= limit:
                    return found[:limit]
        return found[:limit]

    def _has_new(self, source: str, host: str) -> bool:
        return self._connection.execute(HAS_NEW, {"source": source, "host": host}).first() is not None

    def _take_of(self, source: str, host: str, limit: int, offset: int = 0) -> Sequence[Row[Any]]:
        if limit <= 0 or not self._may_ask(host):
            return []
        count = 1 if self._access[host].is_probe else limit
        given = {"source": source, "host": host, "count": count, "offset": offset}
        rows = self._connection.execute(OF_HOST, given).all()
        self._busy[host] += len(rows)
        return rows

    def _take_fitting(self, rows: Sequence[Row[Any]], limit: int) -> list[Row[Any]]:
        self.find_access({row.host for row in rows})
        fitting: list[Row[Any]] = []
        for row in rows:
            if len(fitting) == limit or is_visited(row, self._since):
                continue
            is_suspect, may_ask = row.attempt >= CROWD_DEATHS, self._may_ask(row.host)
            if is_suspect and may_ask:
                self._suspect = min(self._suspect or row, row, key=lambda suspect: suspect.attempt)
            elif may_ask:
                fitting.append(row)
                self._busy[row.host] += 1
            elif not is_suspect:
                self._leave([row.host])
        return fitting

    def find_access(self, hosts: Iterable[str]) -> None:
        """Learn how hosts may be asked, those of several sources at once."""
        unknown = set(hosts) - self._access.keys()
        if unknown:
            found = find_access(self._connection, unknown, self._owner, self._now)
            self._access.update({host: found.get(host, FREE) for host in unknown})

    def _leave(self, hosts: Iterable[str]) -> None:
        """Note that pages of hosts are another's to visit, where one of these has them."""
        self._leaves_pages = self._leaves_pages or any(self._access[host].is_taken for host in hosts)

    def _may_ask(self, host: str) -> bool:
        access = self._access[host]
        return access.free_at <= self._now and not (access.is_probe and self._busy[host])


def is_visited(row: Row[Any], since: int) -> bool:
    """Whether a crawl that began at `since` has had the page.

    Times are whole seconds: of a page visited in that very one it is told by when it is due. What was due at the
    beginning, or has been made due since its visit, has not been had.
    """
    visited_at: int = row.visited_at or 0
    if visited_at != since:
        return visited_at > since
    is_as_scheduled: bool = row.due == visited_at + (row.interval or 0)
    return is_as_scheduled and row.due > since


def waiting_hosts(connection: Connection, source: str, after: str, to: str | None = None) -> Iterator[Sequence[str]]:
    """The hosts of pages never admitted, some at a time; each is one step in the index, however many pages it has."""
    while after != to:
        walk = WALK if to is None else WALK_TO
        hosts = connection.scalars(walk, {"source": source, "after": after, "to": to}).all()
        yield hosts
        if len(hosts) < STEPS:
            return
        after = hosts[-1]


def look_at_due(
    connection: Connection, source: str, now: int, limit: int, after: Place
) -> Iterator[tuple[Sequence[Row[Any]], Place | None]]:
    """Pages due, some at a time and no more than a claim may look at, each time with the place of the last.

    None in its place is the end: the last part has been looked at.
    """
    size = max(limit, LEAST_LOOK)
    for _ in range(LOOKED_AT):
        place = dict(zip(("due", "host", "depth", "id"), after, strict=True))
        rows = connection.execute(DUE, {"source": source, "now": now, "count": size, **place}).all()
        if len(rows) < size:
            yield rows, None
            return
        after = rows[-1].due, rows[-1].host, rows[-1].depth, rows[-1].id
        yield rows, after


def _pages() -> Select[Any]:
    return select(
        page.c.id, page.c.source, page.c.url, page.c.host, page.c.depth, page.c.due, page.c.attempt, page.c.version,
        page.c.text_hash, page.c.interval, page.c.lastmod, page.c.visited_at,
    )  # fmt: skip


def _walk(*, has_end: bool) -> Select[str]:
    step = select(_next_host(bindparam("after", type_=Text), has_end).label("host"), literal(1).label("number"))
    walk = step.cte("walk", recursive=True)
    is_on = walk.c.host.is_not(None), walk.c.number < STEPS
    walk = walk.union_all(select(_next_host(walk.c.host, has_end), walk.c.number + 1).where(*is_on))
    return select(walk.c.host).where(walk.c.host.is_not(None))


def _next_host(after: ColumnElement[str], has_end: bool) -> ScalarSelect[str]:
    following = select(page.c.host).where(IS_WAITING, page.c.host > after)
    if has_end:
        following = following.where(page.c.host <= bindparam("to"))
    return following.order_by(page.c.host).limit(1).scalar_subquery()


# Built once: a claim of a hundred pages executes some fifty statements, and building one takes longer than SQLite needs
# to answer it.
COUNT = bindparam("count", type_=Integer)
IS_FREE = and_(page.c.source == bindparam("source"), page.c.lease_until.is_(None))
IS_WAITING = and_(IS_FREE, page.c.due == 0)
IS_OF_HOST = and_(IS_WAITING, page.c.host == bindparam("host"))
IN_ORDER = page.c.due, page.c.host, page.c.depth, page.c.id
IS_BEHIND = tuple_(*IN_ORDER) > tuple_(*(bindparam(column.name, type_=column.type) for column in IN_ORDER))
WALK, WALK_TO = _walk(has_end=False), _walk(has_end=True)
HAS_NEW = select(page.c.id).where(IS_OF_HOST).limit(1)
OF_HOST = (
    _pages()
    .where(IS_OF_HOST)
    .order_by(page.c.depth, page.c.id)
    .limit(COUNT)
    .offset(bindparam("offset", type_=Integer))
    .with_for_update(skip_locked=True)
)
OTHERS_HELD = (
    select(page.c.id)
    .where(page.c.source.in_(bindparam("sources", expanding=True)), page.c.lease_until.is_not(None))
    .where(page.c.lease_owner != bindparam("owner"), page.c.attempt <= CROWD_DEATHS)
    .limit(1)
)
DUE = _pages().where(IS_FREE, page.c.due <= bindparam("now"), IS_BEHIND).order_by(*IN_ORDER).limit(COUNT)
