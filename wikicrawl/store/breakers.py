"""Keep which hosts are left alone because they failed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.hosts import DELAY
from wikicrawl.store.schema import breaker, host_lease

if TYPE_CHECKING:
    from sqlalchemy import Engine


@dataclass(frozen=True, slots=True)
class Circuit:
    """Whether a host is asked: closed (it is), open (it is not, before `until`), half_open (by one page)."""

    state: str = "closed"
    until: int = 0
    failures: int = 0
    openings: int = 0
    reason: str = ""
    changed_at: int = 0


@dataclass(frozen=True, slots=True)
class Resting:
    """A host that is left alone; `state` is paused, open or half_open."""

    host: str
    state: str
    until: int
    reason: str


class Breakers:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def load(self, host: str) -> Circuit:
        columns = [column for column in breaker.c if column.name != "host"]
        with self._reading.connect() as connection:
            row = connection.execute(select(*columns).where(breaker.c.host == clean(host))).one_or_none()
        return Circuit(**row._mapping) if row else Circuit()

    def save(self, host: str, circuit: Circuit) -> None:
        row: dict[str, Any] = asdict(circuit)
        with self._engine.begin() as connection:
            statement = insert_into(connection, breaker).values(host=clean(host), **row)
            connection.execute(statement.on_conflict_do_update(index_elements=[breaker.c.host], set_=row))

    def resting(self, now: int, host: str | None = None) -> list[Resting]:
        """Hosts that are left alone, because they failed or asked for a pause: all of them, or the one named."""
        pauses = select(host_lease).where(host_lease.c.pause_until > now, host_lease.c.pause_reason != DELAY)
        circuits = select(breaker).where(breaker.c.state != "closed")
        if host is not None:
            pauses, circuits = pauses.where(host_lease.c.host == host), circuits.where(breaker.c.host == host)
        with self._reading.connect() as connection:
            found = [
                Resting(row.host, "paused", row.pause_until, row.pause_reason) for row in connection.execute(pauses)
            ]
            found += [Resting(row.host, row.state, row.until, row.reason) for row in connection.execute(circuits)]
        return sorted(found, key=lambda resting: (resting.host, resting.state))
