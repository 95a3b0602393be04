"""Keep the sites that are crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import source

if TYPE_CHECKING:
    from sqlalchemy import Engine


class Sources:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def ensure(self, source_id: str, url: str, now: int) -> None:
        """Make a source known; pages can be added to no other."""
        with self._engine.begin() as connection:
            statement = insert_into(connection, source).values(id=source_id, url=url, created_at=now)
            connection.execute(statement.on_conflict_do_nothing())

    def admitted(self, source_id: str) -> int:
        """How many pages count towards max_pages."""
        with self._reading.connect() as connection:
            pages: int = connection.execute(select(source.c.admitted).where(source.c.id == source_id)).scalar_one()
        return pages

    def seeded_at(self, source_id: str) -> int | None:
        """When its sitemaps were last read."""
        with self._reading.connect() as connection:
            at: int | None = connection.execute(select(source.c.seeded_at).where(source.c.id == source_id)).scalar_one()
        return at

    def mark_seeded(self, source_id: str, now: int) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(source).where(source.c.id == source_id).values(seeded_at=now))
