"""Count what the store holds, source by source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import and_, case, func, select, text

from wikicrawl.store.jobs import Job, latest_job
from wikicrawl.store.schema import page, source, visit

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(slots=True)
class SourceStatus:
    id: str
    url: str
    admitted: int  # pages that have been claimed, or landed on, at least once
    last_job: Job | None
    states: dict[str, int] = field(default_factory=dict)  # pages by state
    outcomes: dict[str, int] = field(default_factory=dict)  # pages by the outcome of their latest visit
    owners: dict[str, int] = field(default_factory=dict)  # leased pages by who holds them
    visited: int = 0
    never_visited: int = 0
    versions: int = 0
    due_now: int = 0  # of those admitted
    next_due: int | None = None
    claimed: int = 0  # claims of all time …
    returned: int = 0  # … and those of them that ended without an outcome: given back, or taken back from the dead
    visits: dict[str, int] = field(default_factory=dict)  # of all time, by outcome

    @property
    def pages(self) -> int:
        return self.visited + self.never_visited

    @property
    def leased(self) -> int:
        return sum(self.owners.values())

    @property
    def accounted(self) -> int:
        """Claims of which it is known what became of them: all, or something is wrong."""
        return sum(self.visits.values()) + self.leased + self.returned


def read_status(connection: Connection, now: int) -> list[SourceStatus]:
    if connection.dialect.name == "postgresql":  # all that is read is of one moment, as it is in SQLite
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    sources = {
        row.id: SourceStatus(
            row.id,
            row.url,
            row.admitted,
            latest_job(connection, row.id),
            claimed=row.claimed,
            returned=row.returned,
        )
        for row in connection.execute(select(source).order_by(source.c.id))
    }
    _count_pages(connection, sources, now)
    leases = select(page.c.source, page.c.lease_owner, func.count().label("pages")).where(
        page.c.lease_until.is_not(None)
    )
    for row in connection.execute(leases.group_by(page.c.source, page.c.lease_owner)):
        sources[row.source].owners[row.lease_owner] = row.pages
    visits = select(page.c.source, visit.c.outcome, func.count().label("visits")).join_from(visit, page)
    for row in connection.execute(visits.group_by(page.c.source, visit.c.outcome)):
        sources[row.source].visits[row.outcome] = row.visits
    return list(sources.values())


def _count_pages(connection: Connection, sources: dict[str, SourceStatus], now: int) -> None:
    """In one pass over the table."""
    is_free = page.c.lease_until.is_(None)
    is_due = and_(is_free, page.c.due > 0, page.c.due <= now)
    groups = select(
        page.c.source,
        page.c.state,
        page.c.outcome,
        func.count().label("pages"),
        func.count(page.c.visited_at).label("visited"),
        func.sum(page.c.version).label("versions"),  # they are numbered from 1
        func.sum(case((is_due, 1), else_=0)).label("due_now"),
        func.min(case((and_(is_free, page.c.due > 0), page.c.due))).label("next_due"),
    ).group_by(page.c.source, page.c.state, page.c.outcome)
    for row in connection.execute(groups):
        status = sources[row.source]
        _raise(status.states, row.state, row.pages)
        if row.outcome:
            _raise(status.outcomes, row.outcome, row.pages)
        status.visited += row.visited
        status.never_visited += row.pages - row.visited
        status.versions += row.versions
        status.due_now += row.due_now
        status.next_due = min(filter(None, (status.next_due, row.next_due)), default=None)


def _raise(counts: dict[str, int], name: str, by: int) -> None:
    counts[name] = counts.get(name, 0) + by
