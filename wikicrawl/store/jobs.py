"""Keep which crawls ran, with what arguments, and how they ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import job

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Engine


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    spider: str
    source: str
    arguments: dict[str, Any]
    started_at: int
    finished_at: int | None  # None: it runs, or it died
    reason: str
    stats: dict[str, Any] | None


class Jobs:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def start(self, job_id: str, *, spider: str, source: str, arguments: Mapping[str, Any], now: int) -> None:
        """A job started again under its old id begins anew: scrapyd lets callers choose the id."""
        row = {"spider": spider, "source": source, "arguments": clean(arguments), "started_at": now}
        anew = {**row, "finished_at": None, "reason": "", "stats": None}
        with self._engine.begin() as connection:
            statement = insert_into(connection, job).values(id=job_id, **anew)
            connection.execute(statement.on_conflict_do_update(index_elements=[job.c.id], set_=anew))

    def finish(self, job_id: str, *, reason: str, stats: Mapping[str, Any], now: int) -> None:
        end = {"finished_at": now, "reason": reason, "stats": clean(stats)}
        with self._engine.begin() as connection:
            connection.execute(update(job).where(job.c.id == job_id).values(end))

    def latest(self, source: str) -> Job | None:
        with self._reading.connect() as connection:
            return latest_job(connection, source)


def latest_job(connection: Connection, source: str) -> Job | None:
    query = select(job).where(job.c.source == source).order_by(job.c.started_at.desc()).limit(1)
    row = connection.execute(query).mappings().one_or_none()
    return Job(**row) if row else None
