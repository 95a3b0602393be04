"""Keep what was learned about a host: the tier its path patterns need, its cookies, the pause it asked for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, select

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import host, host_lease, host_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine


DELAY = "delay"  # why a host is paused that has asked for nothing, but was asked for a page a moment ago


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

    def pause(self, name: str, until: int, reason: str) -> None:
        """Nobody asks the host before `until`; a longer pause that is known already stays as it is."""
        with self._engine.begin() as connection:
            statement = insert_into(connection, host_lease).values(
                host=clean(name), pause_until=until, pause_reason=reason
            )
            is_later = statement.excluded.pause_until > host_lease.c.pause_until
            later = {
                column: case((is_later, statement.excluded[column]), else_=host_lease.c[column])
                for column in ("pause_until", "pause_reason")
            }
            connection.execute(statement.on_conflict_do_update(index_elements=[host_lease.c.host], set_=later))

    def paused_until(self, name: str) -> int:
        """0 where no pause is known."""
        query = select(host_lease.c.pause_until).where(host_lease.c.host == clean(name))
        with self._reading.connect() as connection:
            return connection.execute(query).scalar() or 0
