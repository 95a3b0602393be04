"""Book claims: who holds which page, and how many claims a source has seen begin and end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import case, insert, select, update

from wikicrawl.store import schema
from wikicrawl.store.claiming import CROWD_DEATHS
from wikicrawl.store.engine import batches
from wikicrawl.store.schema import page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection, Row, Select

    from wikicrawl.store.claiming import Claimant

MAX_DEATHS = CROWD_DEATHS + 5
NO_LEASE = {"lease_owner": None, "lease_until": None}


def lock_source(connection: Connection, source: str) -> int:
    """Keep other processes from claiming pages of the source or adding to it; how many pages it has admitted."""
    return lock_sources(connection, [source])[source]


def admit(connection: Connection, source: str, pages: int) -> None:
    book(connection, source, admitted=pages)


def lock_sources(connection: Connection, sources: Sequence[str]) -> dict[str, int]:
    query = admitted_of(sources).order_by(schema.source.c.id).with_for_update()
    return {row.id: row.admitted for row in connection.execute(query)}


def admitted_of(sources: Sequence[str]) -> Select[str, int]:
    return select(schema.source.c.id, schema.source.c.admitted).where(schema.source.c.id.in_(sources))


def book(connection: Connection, source: str, **counts: int) -> None:
    """Add to what the source counts: admitted pages, and its ledger of claims."""
    row = schema.source.c
    values = {name: row[name] + count for name, count in counts.items()}
    connection.execute(update(schema.source).where(row.id == source).values(values))


def lease_pages(connection: Connection, rows: Sequence[Row[Any]], claimant: Claimant) -> None:
    for ids in batches([row.id for row in rows]):
        connection.execute(
            update(page)
            .where(page.c.id.in_(ids))
            .values(
                lease_owner=claimant.owner,
                lease_until=claimant.until,
                attempt=page.c.attempt + 1,
                due=case((page.c.due == 0, claimant.now), else_=page.c.due),
            )
        )
    claimed = Counter(row.source for row in rows)
    admitted = Counter(row.source for row in rows if row.due == 0)
    for source, count in claimed.items():
        book(connection, source, claimed=count, admitted=admitted[source])


def take_back_expired(connection: Connection, source: str, now: int) -> None:
    expired = select(page.c.id, page.c.attempt).where(page.c.source == source, page.c.lease_until < now)
    take_back(connection, source, expired, now)


def take_back(connection: Connection, source: str, held: Select[int, int], now: int) -> int:
    rows = connection.execute(held.with_for_update(skip_locked=True)).all()
    if not rows:
        return 0
    for ids in batches([row.id for row in rows]):
        connection.execute(update(page).where(page.c.id.in_(ids)).values(NO_LEASE))
    poison = [row for row in rows if row.attempt >= MAX_DEATHS]
    if poison:
        _park(connection, poison, now)
    book(connection, source, returned=len(rows) - len(poison))
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
