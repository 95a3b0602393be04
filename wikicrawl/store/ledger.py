"""Book claims: who holds which page, and how many claims a source has seen begin and end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, case, insert, select, update

from wikicrawl.store import schema
from wikicrawl.store.claiming import MAX_DEATHS
from wikicrawl.store.engine import batches
from wikicrawl.store.schema import page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sqlalchemy import Connection, Row, Select

    from wikicrawl.store.claiming import Claimant

NO_LEASE = {"lease_owner": None, "lease_until": None}


def lock_source(connection: Connection, source: str) -> int:
    """Keep other processes from claiming pages of the source or adding to it; how many pages it has admitted."""
    return lock_sources(connection, [source])[source]


def admit(connection: Connection, source: str, pages: int) -> None:
    book(connection, {source: pages}, "admitted")


def lock_sources(connection: Connection, sources: Sequence[str]) -> dict[str, int]:
    query = admitted_of(sources).order_by(schema.source.c.id).with_for_update()
    return {row.id: row.admitted for row in connection.execute(query)}


def admitted_of(sources: Sequence[str]) -> Select[str, int]:
    return select(schema.source.c.id, schema.source.c.admitted).where(schema.source.c.id.in_(sources))


def book(connection: Connection, counts: Mapping[str, int], *columns: str) -> None:
    """Add to what sources count: admitted pages, and the ledger of their claims."""
    row = schema.source.c
    values = {column: row[column] + bindparam("count") for column in columns}
    given = [{"source": source, "count": count} for source, count in sorted(counts.items()) if count]
    if given:
        connection.execute(update(schema.source).where(row.id == bindparam("source")).values(values), given)


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
    book(connection, Counter(row.source for row in rows), "claimed")
    book(connection, Counter(row.source for row in rows if row.due == 0), "admitted")


def take_back_expired(connection: Connection, sources: Sequence[str], now: int) -> None:
    is_expired = page.c.source.in_(sources), page.c.lease_until < now
    take_back(connection, select(page.c.id, page.c.source, page.c.attempt).where(*is_expired), now)


def take_back(connection: Connection, held: Select[Any], now: int) -> int:
    """Of sources that the caller has locked."""
    rows = connection.execute(held.with_for_update(skip_locked=True)).all()
    if not rows:
        return 0
    for ids in batches([row.id for row in rows]):
        connection.execute(update(page).where(page.c.id.in_(ids)).values(NO_LEASE))
    poison = [row for row in rows if row.attempt >= MAX_DEATHS]
    if poison:
        _park(connection, poison, now)
    book(connection, Counter(row.source for row in rows if row.attempt < MAX_DEATHS), "returned")
    return len(rows)


def _park(connection: Connection, rows: Sequence[Row[Any]], now: int) -> None:
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
