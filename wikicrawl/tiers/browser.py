"""Get a page through a real browser."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import HtmlResponse

from wikicrawl.tiers.chromium import Chromium
from wikicrawl.tiers.options import BrowserOptions
from wikicrawl.tiers.render import render
from wikicrawl.tiers.settle import is_gone
from wikicrawl.tiers.tab import WIRE_HEADERS, Tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# Kept back at the end of a page's time, once for reading what is there and once for closing the page.
RESERVE_SECONDS = 2.0
HANDOVER_SECONDS = 3.0  # for a document that we answer ourselves; then it is fetched
WEIGH_PAGES = 10  # so often is the browser's memory measured
COOKIE_FIELDS = ("name", "value", "domain", "path", "expires")
NETWORK_ERRORS = {
    "ERR_NAME_NOT_RESOLVED": CannotResolveHostError,
    "ERR_CONNECTION_REFUSED": DownloadConnectionRefusedError,
    "ERR_CONNECTION_TIMED_OUT": DownloadTimeoutError,
    "ERR_TIMED_OUT": DownloadTimeoutError,
}


@dataclass(frozen=True)
class _Order:
    request: Request
    handover: Response | None
    on_send: Callable[[], None]

    @property
    def url(self) -> str:
        return self.request.url if self.handover is None else self.handover.url


class Browser:
    """Chromium when it is needed: started at the first page, replaced when it is dead or has grown too large."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._options = BrowserOptions.from_settings(crawler.settings)
        self._starting = asyncio.Lock()
        self._chromium: Chromium | None = None  # the one that new pages go to
        self._running: set[Chromium] = set()  # with it, those that finish their last pages
        self._endings: set[asyncio.Task[None]] = set()
        self._weighed_at = 0

    async def fetch(self, request: Request, on_send: Callable[[], None] = lambda: None) -> HtmlResponse:
        """Get a page; what goes wrong is one of Scrapy's download errors.

        `on_send` is called when the browser asks for the document. `meta["tiers_handover"]`, a response got over HTTP,
        is taken out and given to the browser in place of the origin's. `meta["tiers_cookies"]` is set to the cookies
        of a challenge that was passed.
        """
        if self._options.browser is None:
            raise DownloadFailedError("No browser was found; install Chromium or set TIERS_BROWSER_EXECUTABLE")
        self._count("pages")
        order = _Order(request, request.meta.pop("tiers_handover", None), on_send)
        return await self._fetch(order, self._options.timeout_seconds)

    def recycle(self) -> None:
        """End the browser at once, whatever its pages are doing; the next page starts another."""
        for chromium in list(self._running):
            self._count("killed")
            chromium.kill()
            self._end(chromium)

    async def close(self) -> None:
        for chromium in list(self._running):
            self._end(chromium)
        await asyncio.gather(*self._endings)

    async def _fetch(self, order: _Order, seconds: float, *, is_retry: bool = False) -> HtmlResponse:
        chromium = await self._current()
        ends_at = monotonic() + seconds
        reserve = min(RESERVE_SECONDS, seconds / 4)
        tab = Tab(
            deadline=ends_at - 2 * reserve,
            block_media=self._options.block_media,
            handover=order.handover,
            on_send=order.on_send,
            count=self._count,
        )
        try:
            async with asyncio.timeout(seconds - reserve):
                return await self._visit(chromium, tab, order)
        except TimeoutError:
            self._count("timeouts")
            most = self._options.timeout_seconds
            raise DownloadTimeoutError(f"{order.url} took the browser longer than {most:g} s") from None
        except PlaywrightError as error:
            is_refused = order.handover is not None and not tab.statuses and not is_gone(error)
            if is_retry or not (is_refused or is_gone(error)):
                raise _download_error(error, order.url) from None
        finally:
            await self._leave(chromium, tab, seconds=reserve)
        self._count("retried")
        if not await chromium.is_alive():
            self._end(chromium)
        if is_refused:
            order = replace(order, handover=None)
        return await self._fetch(order, max(0.0, ends_at - monotonic()), is_retry=True)

    async def _visit(self, chromium: Chromium, tab: Tab, order: _Order) -> HtmlResponse:
        seconds = HANDOVER_SECONDS if order.handover is not None else self._options.timeout_seconds
        await chromium.load(tab, order.url, order.request, seconds=seconds)
        if not tab.statuses:
            raise DownloadFailedError(f"{order.url} gave the browser no document")
        rendering = await render(tab, self._options)
        if not tab.page.url.startswith(("http://", "https://")):
            raise DownloadFailedError(f"{order.url} led the browser to {tab.page.url}")
        if rendering.is_cleared:
            cookies = [dict(cookie) for cookie in await tab.page.context.cookies(tab.page.url)]
            order.request.meta["tiers_cookies"] = [{key: cookie[key] for key in COOKIE_FIELDS} for cookie in cookies]
        return _response(order.request, tab, rendering.body)

    async def _leave(self, chromium: Chromium, tab: Tab, *, seconds: float) -> None:
        if not await chromium.leave(tab, seconds=seconds):
            self._count("killed")
            chromium.kill()
            self._end(chromium)
        elif chromium is not self._chromium and chromium.is_idle:
            self._end(chromium)

    async def _current(self) -> Chromium:
        async with self._starting:
            if self._chromium and await self._is_too_large(self._chromium):
                self._count("restarted")
                retired, self._chromium = self._chromium, None
                if retired.is_idle:
                    self._end(retired)
            if self._chromium is None:
                self._chromium = await self._start()
            return self._chromium

    async def _is_too_large(self, chromium: Chromium) -> bool:
        if chromium.served - self._weighed_at < WEIGH_PAGES:
            return False
        self._weighed_at = chromium.served
        try:
            return await chromium.memory_mb() > self._options.max_mb
        except (PlaywrightError, TimeoutError):
            return False  # it is dead, as the next page will find out

    async def _start(self) -> Chromium:
        chromium = Chromium(self._crawler, self._options, self._count)
        self._running.add(chromium)
        self._weighed_at = 0
        try:
            await chromium.start()
        except (PlaywrightError, TimeoutError) as error:
            self._end(chromium)
            self._count("not_started")
            problem = "cannot be reached (TIERS_BROWSER_ENDPOINT)" if self._options.endpoint else "did not start"
            logger.warning(
                "The browser %(browser)s %(problem)s: %(error)s",
                {"browser": self._options.browser, "problem": problem, "error": error or "no answer in time"},
                extra={"spider": self._crawler.spider},
            )
            raise DownloadFailedError(f"The browser {self._options.browser} {problem}") from None
        return chromium

    def _end(self, chromium: Chromium) -> None:
        if chromium not in self._running:
            return
        self._running.discard(chromium)
        if chromium is self._chromium:
            self._chromium = None
        ending = asyncio.create_task(chromium.close())
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    def _count(self, stat: str) -> None:
        self._crawler.stats.inc_value(f"tiers/browser/{stat}")


def _response(request: Request, tab: Tab, body: bytes) -> HtmlResponse:
    headers = {name: value for name, value in tab.answer.headers.items() if name not in WIRE_HEADERS}
    media_type = headers.get("content-type", "text/html").partition(";")[0].strip()
    headers["content-type"] = f"{media_type}; charset=utf-8"  # of the DOM, whatever the origin's bytes were
    return HtmlResponse(
        tab.page.url,
        status=tab.answer.status,
        headers={name: value.split("\n") for name, value in headers.items()},  # Playwright's way to repeat a header
        body=body,
        encoding="utf-8",
        flags=["browser"],
        request=request,
    )


def _download_error(error: PlaywrightError, url: str) -> Exception:
    message = error.message.partition("\n")[0]
    kind = next((kind for word, kind in NETWORK_ERRORS.items() if word in message), DownloadFailedError)
    if isinstance(error, PlaywrightTimeout):
        kind = DownloadTimeoutError
    return kind(f"{url}: {message}")
