"""Keep the sites that are crawled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import exists, func, or_, select, update

from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.ranking import rank_sources
from wikicrawl.store.schema import site_list, source, wiki_listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Engine


@dataclass(frozen=True, slots=True)
class KeptSource:
    """A source, the spider that crawls it, and what that was given the last time."""

    id: str
    url: str
    spider: str
    arguments: dict[str, Any]
    seeded_at: int | None


class Sources:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def ensure(
        self, source_id: str, url: str, now: int, *, spider: str = "", arguments: Mapping[str, Any] | None = None
    ) -> None:
        """Make a source known; pages can be added to no other. What its spider is given replaces what it was."""
        with self._engine.begin() as connection:
            told = {"spider": spider, "arguments": dict(arguments or {})}
            statement = insert_into(connection, source).values(id=source_id, url=url, created_at=now, **told)
            if not spider:
                connection.execute(statement.on_conflict_do_nothing())
                return
            connection.execute(statement.on_conflict_do_update(index_elements=[source.c.id], set_=told))

    def find(self, source_id: str) -> KeptSource | None:
        with self._reading.connect() as connection:
            row = connection.execute(select(source).where(source.c.id == source_id)).one_or_none()
        return KeptSource(row.id, row.url, row.spider, row.arguments, row.seeded_at) if row else None

    def due(self, now: int, limit: int) -> list[str]:
        """Sources that have pages to visit, in the order in which pages are claimed."""
        with self._reading.connect() as connection:
            return [rank.source for rank in rank_sources(connection, now, "")[:limit]]

    def unread(self, before: int, limit: int) -> list[str]:
        """Sources with lists that were last read before a time, the longest ago first."""
        is_listed = or_(
            exists().where(site_list.c.source == source.c.id), exists().where(wiki_listing.c.source == source.c.id)
        )
        read_at = func.coalesce(source.c.seeded_at, 0)
        query = select(source.c.id).where(is_listed, read_at <= before).order_by(read_at, source.c.id).limit(limit)
        with self._reading.connect() as connection:
            return list(connection.scalars(query))

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
