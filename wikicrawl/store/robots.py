"""Keep robots.txt files as they were got."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import robots

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from wikicrawl.robots import Access


@dataclass(frozen=True, slots=True)
class KeptRobots:
    """A robots.txt, or why there is none; what it is worth ends at `expires_at`."""

    access: Access  # rules, allow (there is none), wait (it cannot be got now)
    reason: str
    body: str
    fetched_at: int  # where it cannot be got: since when
    expires_at: int


class Robots:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def load(self, origin: str) -> KeptRobots | None:
        """The robots.txt of scheme, host and port, also one that has expired; None where it was never asked for."""
        with self._reading.connect() as connection:
            row = connection.execute(select(robots).where(robots.c.origin == origin)).one_or_none()
        return KeptRobots(row.access, row.reason, row.body, row.fetched_at, row.expires_at) if row else None

    def save(self, origin: str, kept: KeptRobots) -> None:
        row = clean(asdict(kept))
        with self._engine.begin() as connection:
            statement = insert_into(connection, robots).values(origin=clean(origin), **row)
            connection.execute(statement.on_conflict_do_update(index_elements=[robots.c.origin], set_=row))
