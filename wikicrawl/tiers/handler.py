"""Send each request by its tier, at the pace its host is due over all of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakValueDictionary

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached

from wikicrawl.items import PAUSED, STALLED, STOPPING
from wikicrawl.numbers import number
from wikicrawl.tiers.breaker import BreakerMiddleware
from wikicrawl.tiers.pauses import Pauses, Postponed
from wikicrawl.tiers.stop import Stop
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.tiers.browser import Browser

TICK_SECONDS = 0.5  # how soon a pause notices that the crawl is being stopped
HAND_OVER_SECONDS = 1.0  # shorter delays are over before another process can have claimed a page


class TierDownloadHandler:
    """Requests with `meta["tiers_browser"]` go to the browser, all others over HTTP."""

    lazy = True  # Scrapy only logs what a handler refuses at start; the tier middleware refuses the same by name
    _of_crawler: ClassVar[WeakValueDictionary[Crawler, TierDownloadHandler]] = WeakValueDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._pauses = Pauses.of(crawler)
        self._pace = Pace(crawler, self._pauses)
        self._browser: Browser | None = None
        self._http = HTTP11DownloadHandler(crawler)
        self._is_closed = False
        self._downloads: set[asyncio.Future[Response]] = set()
        crawler.signals.connect(self._stalled, STALLED)
        self._stop = Stop(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TierDownloadHandler:
        """Scrapy asks once for each scheme; one browser and one pace serve them all."""
        handler = cls._of_crawler.get(crawler) or cls(crawler)
        cls._of_crawler[crawler] = handler
        return handler

    async def download_request(self, request: Request) -> Response:
        with self._stop.ending():
            return await self._in_turn(request)

    async def _in_turn(self, request: Request) -> Response:
        async with self._pace.turn(request) as sent:
            response = await self._send(request, sent)
            await self._pace.hand_over(request)
            # Here, because Scrapy's retry middleware repeats a request before other components of ours see its answer.
            if await self._pauses.note(response, netloc(request.url)) > self._pauses.patience_seconds:
                request.meta["dont_retry"] = True
            return response

    async def _send(self, request: Request, sent: Callable[[], None]) -> Response:
        if request.meta.get("tiers_browser"):
            return await self._start_browser().fetch(request, on_send=sent)
        sent()
        breaker = self._crawler.get_downloader_middleware(BreakerMiddleware)
        try:
            response = await self._download(request)
        except Exception as error:
            if breaker is not None:
                await breaker.note_try(request, error)
            raise
        if breaker is not None:
            await breaker.note_try(request, response)
        return response

    async def _download(self, request: Request) -> Response:
        """Over HTTP, unless a stall has us give up what is on its way."""
        download = asyncio.ensure_future(self._http.download_request(request))
        self._downloads.add(download)
        try:
            return await download
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is None or caller.cancelling():
                raise
            raise DownloadTimeoutError(f"{request.url} was given up: no page of the crawl got an answer") from None
        finally:
            self._downloads.discard(download)

    def _stalled(self, cause: str) -> None:
        if cause == "browser" and self._browser is not None:
            self._browser.recycle()
        elif cause in ("network", "host"):
            for download in list(self._downloads):
                download.cancel()

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._stop.close()
        if self._browser is not None:
            await self._browser.close()
        await self._http.close()
        self._pauses.close()

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
    sent_in: str = ""  # the download slot of the request sent last
    delay: float = 0.0  # that was due after it


class Pace:
    """A host's concurrency, delay and pauses, kept over all tiers; and the number of pages in the browser."""

    def __init__(self, crawler: Crawler, pauses: Pauses) -> None:
        self._crawler = crawler
        self._pauses = pauses
        self._concurrency = crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self._delay = crawler.settings.getfloat("DOWNLOAD_DELAY")
        self._free_pages = int(number(crawler.settings, "TIERS_BROWSER_PAGES", least=1))
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        self._changed = asyncio.Event()

    async def hand_over(self, request: Request) -> None:
        """After the last request to a host, keep when its delay is over: another process may ask it next."""
        name = netloc(request.url)
        host, slot = self._hosts[name], self._slot(request)
        is_last = host.active <= 1 and (slot is None or len(slot.active) <= 1)
        if is_last and host.delay >= HAND_OVER_SECONDS:
            await self._pauses.hand_over(name, host.sent_at + host.delay - monotonic())

    @asynccontextmanager
    async def turn(self, request: Request) -> AsyncIterator[Callable[[], None]]:
        """Wait for the request's turn; what this yields is to be called when the request is sent."""
        name = netloc(request.url)
        host = self._hosts[name]
        await self._pauses.load(name)
        in_browser = bool(request.meta.get("tiers_browser"))
        await self._await_turn(request, host, in_browser=in_browser)
        host.active += 1
        host.sending = request
        self._free_pages -= in_browser

        def sent() -> None:
            if host.sending is request:
                host.sending = None
                host.sent_at, host.sent_in = monotonic(), request.meta.get("download_slot", "")
                slot = self._slot(request)
                host.delay = slot.delay if slot else self._told_delay(request)
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
            await self._rest(request)
            slot = self._slot(request)
            is_full = host.active >= (slot.concurrency if slot else self._concurrency)
            seconds = host.sent_at + self._gap(host, slot, request) - monotonic()
            if is_full or host.sending or (in_browser and not self._free_pages):
                await self._changed.wait()
            elif seconds > 0:
                await asyncio.sleep(seconds)
            else:
                return

    async def _rest(self, request: Request) -> None:
        """Wait for the end of a short pause; a long one ends the visit, and so does a host that is left alone."""
        name = netloc(request.url)
        if breaker := self._crawler.get_downloader_middleware(BreakerMiddleware):
            breaker.check(request)
        while seconds := self._pauses.seconds(name):
            if seconds > self._pauses.patience_seconds:
                raise Postponed(name, self._pauses.until(name), PAUSED)
            if not self._crawler.crawling:
                raise IgnoreRequest(STOPPING)
            await asyncio.sleep(min(seconds, TICK_SECONDS))

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _slot(self, request: Request) -> Slot | None:
        """The host's slot for HTTP requests: its delay is the one that AutoThrottle moves."""
        url = urlparse_cached(request)
        slots = self._crawler.engine.downloader.slots
        return slots.get(url.netloc) or slots.get(url.hostname or "")

    def _told_delay(self, request: Request) -> float:
        """Of a host that has had no HTTP request for a while, so that Scrapy has dropped its slot."""
        told = self._crawler.engine.downloader.per_slot_settings.get(urlparse_cached(request).hostname or "", {})
        return float(told.get("delay", self._delay))

    def _gap(self, host: _Host, slot: Slot | None, request: Request) -> float:
        if slot is None:
            return self._told_delay(request)
        if request.meta.get("tiers_browser") or host.sent_in != request.meta.get("download_slot", ""):
            return slot.delay
        # Scrapy has spaced the requests of one slot already, give or take the jitter. What is left to prevent is that
        # one which waited for another tier's is followed at once.
        return slot.delay * max(0.0, 1 - slot.jitter)
