"""Keep what was learned about a host: the tier its path patterns need, and the cookies it gave."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import host, host_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine


@dataclass(frozen=True, slots=True)
class PatternVotes:
    browser: float
    http: float
    voted_at: int


@dataclass(frozen=True, slots=True)
class HostMemory:
    patterns: dict[str, PatternVotes] = field(default_factory=dict)
    cookies: list[dict[str, Any]] = field(default_factory=list)
    cookies_at: int | None = None


class Hosts:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def load(self, name: str) -> HostMemory:
        """What is known of a host; empty where nothing is."""
        with self._reading.connect() as connection:
            known = connection.execute(select(host).where(host.c.name == name)).one_or_none()
            votes = connection.execute(select(host_pattern).where(host_pattern.c.host == name)).all()
        patterns = {row.pattern: PatternVotes(row.browser, row.http, row.voted_at) for row in votes}
        if known is None:
            return HostMemory(patterns)
        return HostMemory(patterns, known.cookies, known.cookies_at)

    def save_pattern(self, name: str, pattern: str, votes: PatternVotes) -> None:
        key = {"host": clean(name), "pattern": clean(pattern)}
        with self._engine.begin() as connection:
            statement = insert_into(connection, host_pattern).values(**key, **asdict(votes))
            connection.execute(
                statement.on_conflict_do_update(
                    index_elements=[host_pattern.c.host, host_pattern.c.pattern], set_=asdict(votes)
                )
            )

    def save_cookies(self, name: str, cookies: Sequence[dict[str, Any]], now: int) -> None:
        row = {"cookies": clean(cookies), "cookies_at": now}
        with self._engine.begin() as connection:
            statement = insert_into(connection, host).values(name=name, **row)
            connection.execute(statement.on_conflict_do_update(index_elements=[host.c.name], set_=row))
