"""Tell which failures of a database pass, and wait for them to."""

from __future__ import annotations

import asyncio
import sqlite3
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeVar

    T = TypeVar("T")

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 5.0
TICK_SECONDS = 0.5  # so soon a waiting call notices that nobody wants it any more

# What the operator can do about a failure that passes.
REMEDIES = {
    "full": "free space on its disk",
    "read_only": "make its file and folder writable",
    "io": "see to its disk",
    "busy": "end the process that keeps it locked",
    "down": "start its server, or see to the network",
}
SQLITE_REASONS = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_IOERR: "io",
    sqlite3.SQLITE_CANTOPEN: "io",
    sqlite3.SQLITE_PROTOCOL: "busy",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
}
POSTGRESQL_REASONS = {"53100": "full", "25006": "read_only", "58030": "io", "40P01": "busy", "55P03": "busy"}


class StoreUnavailable(Exception):  # noqa: N818 - a state of the world, not a bug
    """The store could not be reached for as long as it is waited for; nothing of the call is in it."""


class Watcher(Protocol):
    """Who hears of outages."""

    def is_waiting(self) -> bool:
        """False once nobody needs the store any more."""

    def store_lost(self, reason: str, error: str) -> None: ...

    def store_back(self, seconds: float) -> None: ...

    def store_given_up(self) -> None: ...


def passing_reason(error: DBAPIError) -> str:
    """Why the database cannot do its work now, as one of REMEDIES; empty where waiting will not help."""
    if isinstance(error.orig, sqlite3.Error):
        code = getattr(error.orig, "sqlite_errorcode", None)
        return "" if code is None else SQLITE_REASONS.get(code & 0xFF, "")
    state = getattr(error.orig, "sqlstate", None) or ""
    if state in POSTGRESQL_REASONS:
        return POSTGRESQL_REASONS[state]
    return "down" if isinstance(error, OperationalError | InterfaceError) or error.connection_invalidated else ""


class Patience:
    """One outage at a time: the call that met it tries again and again, and all others wait for it."""

    def __init__(self) -> None:
        self.seconds = 0.0  # how long an outage may take; nobody waits before somebody watches
        self.watchers: list[Watcher] = []
        self.doubts = 0  # calls that a server may have done without living to say so
        self._over: asyncio.Event | None = None  # while there is an outage

    async def keep(self, attempt: Callable[[], Awaitable[T]], again: Callable[[], Awaitable[T]]) -> T:
        """The result of `attempt`, or of `again` when an outage is over."""
        make = attempt
        while True:
            while self._over is not None:
                await self._over.wait()
                make = again
            try:
                return await make()
            except DBAPIError as error:
                if not (reason := passing_reason(error)):
                    raise
                problem = error
                self.doubts += reason == "down"
            if self._over is None:
                return await self._outlast(again, problem)

    async def _outlast(self, again: Callable[[], Awaitable[T]], error: DBAPIError) -> T:
        self._over = asyncio.Event()
        began, wait = monotonic(), FIRST_WAIT_SECONDS
        try:
            while await self._rest(min(wait, began + self.seconds - monotonic())):
                try:
                    result = await again()
                except DBAPIError as problem:
                    if not (reason := passing_reason(problem)):
                        raise
                    error = problem
                    if wait == FIRST_WAIT_SECONDS:  # what has passed by now is told to nobody
                        self._tell("store_lost", reason, _in_one_line(problem))
                    wait = min(2 * wait, LONGEST_WAIT_SECONDS)
                else:
                    if wait > FIRST_WAIT_SECONDS:
                        self._tell("store_back", monotonic() - began)
                    return result
            self.seconds = 0.0
            self._tell("store_given_up")
            raise StoreUnavailable(_in_one_line(error)) from error
        finally:
            over, self._over = self._over, None
            over.set()

    def _tell(self, news: str, *words: object) -> None:
        for watcher in list(self.watchers):
            getattr(watcher, news)(*words)

    async def _rest(self, seconds: float) -> bool:
        """False where there is no time left, or nobody who waits."""
        if seconds <= 0:
            return False
        ends = monotonic() + seconds
        while (left := ends - monotonic()) > 0:
            if not any(watcher.is_waiting() for watcher in self.watchers):
                return False
            await asyncio.sleep(min(left, TICK_SECONDS))
        return True


def _in_one_line(error: DBAPIError) -> str:
    return " ".join(str(error.orig).split())
