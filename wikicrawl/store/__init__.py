"""WHAT WE KEEP: one store for each database and process, with one thread that writes."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from sqlalchemy.exc import DBAPIError

from wikicrawl.store.breakers import Breakers
from wikicrawl.store.engine import connect, parse_url
from wikicrawl.store.frontier import Frontier
from wikicrawl.store.hosts import Hosts
from wikicrawl.store.jobs import Jobs
from wikicrawl.store.kinds import Kinds
from wikicrawl.store.listings import Listings
from wikicrawl.store.lists import Lists
from wikicrawl.store.migrations import migrate
from wikicrawl.store.pages import Pages
from wikicrawl.store.patience import Patience, StoreUnavailable
from wikicrawl.store.robots import Robots
from wikicrawl.store.soft_404 import Soft404s
from wikicrawl.store.sources import Sources
from wikicrawl.store.trust import Trusts
from wikicrawl.store.validators import Validators
from wikicrawl.store.wikis import Wikis

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL

__all__ = ["Store", "StoreUnavailable", "open_store"]

P = ParamSpec("P")
T = TypeVar("T")

_stores: dict[URL, Store] = {}
_lock = threading.Lock()


def open_store(url: str) -> Store:
    """The store of this process for a database, which is created or migrated first; each opening wants one close()."""
    place = parse_url(url)
    with _lock:
        store = _stores.get(place) or Store(place)
        _stores[place] = store
        store._users += 1
        return store


class Store:
    def __init__(self, url: URL) -> None:
        self.url = url
        self._users = 0
        self._calls: dict[object, float] = {}  # under way, and since when
        self.patience = Patience()
        self.engine = connect(url)
        try:
            migrate(self.engine)
        except BaseException:
            self.engine.dispose()
            raise
        # SQLite's writers do not queue fairly: one thread keeps this process from competing with itself.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store")
        self.frontier = Frontier(self.engine)
        self.pages = Pages(self.engine)
        self.hosts = Hosts(self.engine)
        self.breakers = Breakers(self.engine)
        self.robots = Robots(self.engine)
        self.jobs = Jobs(self.engine)
        self.sources = Sources(self.engine)
        self.wikis = Wikis(self.engine)
        self.listings = Listings(self.engine)
        self.lists = Lists(self.engine)
        self.trusts = Trusts(self.engine)
        self.validators = Validators(self.engine)
        self.kinds = Kinds(self.engine)
        self.soft_404s = Soft404s(self.engine)

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a blocking call of the store without stopping the event loop.

        While the database cannot be written to it waits, as long as somebody has the patience; then StoreUnavailable.
        """
        work = partial(call, *args, **kwargs)
        ticket = object()
        self._calls[ticket] = time.monotonic()
        try:
            return await self.patience.keep(lambda: self._in_writer(work), lambda: self._in_writer(self._anew, work))
        finally:
            del self._calls[ticket]

    @property
    def oldest_call_seconds(self) -> float:
        """How long the call that has waited longest is under way; 0 where none is."""
        return time.monotonic() - min(self._calls.values(), default=time.monotonic())

    def run_at_exit(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        """Make a call when no event loop is left, nor anybody to hear that it failed."""
        with suppress(DBAPIError):
            call(*args, **kwargs)

    def _in_writer(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._writer, partial(call, *args, **kwargs))

    def _anew(self, work: Callable[[], T]) -> T:
        """By new connections: one that was opened while the file was read-only stays so."""
        self.engine.dispose()
        return work()

    def close(self) -> None:
        with _lock:
            self._users -= 1
            if self._users > 0:
                return
            del _stores[self.url]
        self._writer.shutdown()
        self.engine.dispose()
