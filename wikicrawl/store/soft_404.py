"""Keep what hosts answer for a page that cannot exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import soft_404

if TYPE_CHECKING:
    from sqlalchemy import Engine


class Soft404s:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def find(self, host: str, *, since: int) -> str | None:
        """The signature of the answer; empty where the host says 404, None where it was not asked since then."""
        query = select(soft_404.c.signature).where(soft_404.c.host == host, soft_404.c.probed_at >= since)
        with self._reading.connect() as connection:
            signature: str | None = connection.execute(query).scalar_one_or_none()
        return signature

    def save(self, host: str, signature: str, now: int) -> None:
        row = {"signature": signature, "probed_at": now}
        with self._engine.begin() as connection:
            statement = insert_into(connection, soft_404).values(host=host, **row)
            connection.execute(statement.on_conflict_do_update(index_elements=[soft_404.c.host], set_=row))
