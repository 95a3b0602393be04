"""Let a crawl that is stopped end in seconds, whatever its requests wait for."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from twisted.python.failure import Failure

from wikicrawl.items import STOPPING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scrapy.crawler import Crawler

# Most pages under way come sooner, and are kept. With what a browser takes to close its page and itself, a stop stays
# under the ten seconds that supervisors allow: guarded by tests/crash.
GRACE_SECONDS = 3.0
TICK_SECONDS = 0.25


class Stop:
    """Drops requests that have not been sent at once, and those under way after a while; their pages are given back."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._downloads: set[asyncio.Task[Any]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._is_over = False

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Around a download: ends it when the crawl stops."""
        if not self._crawler.engine.running:
            raise IgnoreRequest(STOPPING)
        if self._watching is None:
            self._watching = asyncio.ensure_future(self._watch())
        download = asyncio.current_task()
        assert download is not None
        self._downloads.add(download)
        try:
            yield
        except asyncio.CancelledError:
            if not self._is_over:
                raise
            download.uncancel()
            raise IgnoreRequest(STOPPING) from None
        finally:
            self._downloads.discard(download)

    def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        while self._crawler.engine.running:  # noqa: ASYNC110 - Scrapy has no signal for the beginning of a stop
            await asyncio.sleep(TICK_SECONDS)
        ends = monotonic() + GRACE_SECONDS
        while monotonic() < ends:
            self._drop_waiting()
            await asyncio.sleep(TICK_SECONDS)
        self._is_over = True
        for download in self._downloads:
            download.cancel()

    def _drop_waiting(self) -> None:
        """A host with a long delay would have them wait, and the stop with them."""
        for slot in self._crawler.engine.downloader.slots.values():
            while slot.queue:
                _, waiting = slot.queue.popleft()
                waiting.errback(Failure(IgnoreRequest(STOPPING)))  # type: ignore[no-untyped-call]
