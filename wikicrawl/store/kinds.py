"""Keep what was learned of a source's kinds of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import address_kind
from wikicrawl.traps.habits import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine


class Kinds:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def decided(self, source: str, *, since: int) -> list[Row]:
        """Kinds that were closed and addresses that fold; what was decided before `since` is learned anew."""
        is_decided = address_kind.c.source == source, address_kind.c.reason != "", address_kind.c.changed_at >= since
        query = select(address_kind.c.pattern, address_kind.c.reason).where(*is_decided)
        with self._reading.connect() as connection:
            return [Row(row.pattern, row.reason) for row in connection.execute(query)]

    def find(self, source: str, pattern: str) -> Row | None:
        is_it = address_kind.c.source == source, address_kind.c.pattern == pattern
        with self._reading.connect() as connection:
            row = connection.execute(select(address_kind).where(*is_it)).one_or_none()
        return Row(row.pattern, row.reason, row.pages, row.different) if row else None

    def add(self, source: str, rows: Sequence[Row], now: int) -> None:
        """Count pages to those that are kept, which other processes count as well."""
        with self._engine.begin() as connection:
            for row in sorted(rows, key=lambda row: row.pattern):  # in one order, or two processes wait for one another
                counts = {"pages": row.pages, "different": row.different}
                end = {"reason": row.reason, "changed_at": now}
                key = {"source": source, "pattern": clean(row.pattern)}
                statement = insert_into(connection, address_kind).values(**key, **counts, **end)
                more = {name: address_kind.c[name] + count for name, count in counts.items()}
                connection.execute(
                    statement.on_conflict_do_update(
                        index_elements=[address_kind.c.source, address_kind.c.pattern], set_={**more, **end}
                    )
                )
