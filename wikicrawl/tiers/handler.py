"""Send each request by its tier, at the pace its host is due over both of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakValueDictionary

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.utils.httpobj import urlparse_cached

from wikicrawl.numbers import number
from wikicrawl.tiers.stop import Stop

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.tiers.browser import Browser


class TierDownloadHandler:
    """Requests with `meta["tiers_browser"]` go to the browser, all others over HTTP."""

    lazy = True  # Scrapy only logs what a handler refuses at start; the tier middleware refuses the same by name
    _of_crawler: ClassVar[WeakValueDictionary[Crawler, TierDownloadHandler]] = WeakValueDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._pace = Pace(crawler)
        self._browser: Browser | None = None
        self._http = HTTP11DownloadHandler(crawler)
        self._is_closed = False
        self._stop = Stop(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TierDownloadHandler:
        """Scrapy asks once for each scheme; one browser and one pace serve them all."""
        handler = cls._of_crawler.get(crawler) or cls(crawler)
        cls._of_crawler[crawler] = handler
        return handler

    async def download_request(self, request: Request) -> Response:
        with self._stop.ending():
            return await self._download(request)

    async def _download(self, request: Request) -> Response:
        async with self._pace.turn(request) as sent:
            if request.meta.get("tiers_browser"):
                return await self._start_browser().fetch(request, on_send=sent)
            sent()
            return await self._http.download_request(request)

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._stop.close()
        if self._browser is not None:
            await self._browser.close()
        await self._http.close()

    def _start_browser(self) -> Browser:
        if self._browser is None:
            from wikicrawl.tiers.browser import Browser  # noqa: PLC0415 - Playwright takes 0.1 s, and most crawls none of it

            self._browser = Browser(self._crawler)
        return self._browser


@dataclass
class _Host:
    active: int = 0
    sending: Request | None = None  # has its turn and is not on its way yet
    sent_at: float = float("-inf")
    sent_by_browser: bool = False


class Pace:
    """A host's concurrency and delay, kept over both tiers; and the number of pages in the browser."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._concurrency = crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self._delay = crawler.settings.getfloat("DOWNLOAD_DELAY")
        self._free_pages = int(number(crawler.settings, "TIERS_BROWSER_PAGES", least=1))
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def turn(self, request: Request) -> AsyncIterator[Callable[[], None]]:
        """Wait for the request's turn; what this yields is to be called when the request is sent."""
        host = self._hosts[urlparse_cached(request).netloc]
        in_browser = bool(request.meta.get("tiers_browser"))
        await self._await_turn(request, host, in_browser=in_browser)
        host.active += 1
        host.sending = request
        self._free_pages -= in_browser

        def sent() -> None:
            if host.sending is request:
                host.sending = None
                host.sent_at, host.sent_by_browser = monotonic(), in_browser
                self._wake()

        try:
            yield sent
        finally:
            sent()
            host.active -= 1
            self._free_pages += in_browser
            self._wake()

    async def _await_turn(self, request: Request, host: _Host, *, in_browser: bool) -> None:
        # Nothing is held while something else is waited for: a host with a long delay must not keep a browser page
        # from the others, nor a busy browser a host from its HTTP requests.
        while True:
            slot = self._slot(request)
            is_full = host.active >= (slot.concurrency if slot else self._concurrency)
            seconds = host.sent_at + self._gap(host, slot, in_browser=in_browser) - monotonic()
            if is_full or host.sending or (in_browser and not self._free_pages):
                await self._changed.wait()
            elif seconds > 0:
                await asyncio.sleep(seconds)
            else:
                return

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _slot(self, request: Request) -> Slot | None:
        """The host's slot for HTTP requests: its delay is the one that AutoThrottle moves."""
        url = urlparse_cached(request)
        slots = self._crawler.engine.downloader.slots
        return slots.get(url.netloc) or slots.get(url.hostname or "")

    def _gap(self, host: _Host, slot: Slot | None, *, in_browser: bool) -> float:
        if slot is None:
            return self._delay
        if in_browser or host.sent_by_browser:
            return slot.delay
        # Scrapy has spaced these already, give or take the jitter. What is left to prevent is that one which waited
        # for a browser page is followed at once.
        return slot.delay * max(0.0, 1 - slot.jitter)
