"""Start or reach, use and leave one Chromium through scrapy-playwright."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from base64 import b64decode
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy.exceptions import DownloadFailedError
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from wikicrawl.tiers.settle import has_moved

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.http.headers import Headers

    from wikicrawl.tiers.options import BrowserOptions
    from wikicrawl.tiers.tab import Tab

START_SECONDS = 30.0  # for driver and browser, on a busy machine
END_SECONDS = 5.0  # to end by itself; then it is killed
PROBE_SECONDS = 3.0  # a browser that works answers in a few milliseconds, a frozen one never
REFUSAL_SECONDS = 2  # for a page that turns out a download; it is refused at once, this is scrapy-playwright's limit
FLAGS = [
    "--disable-gpu",
    "--disable-dev-shm-usage",  # containers have 64 MB there
    "--disable-quic",
    "--no-first-run",
    # nothing leaves but what pages ask for
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Chromium:
    """One browser with its driver. New pages go to one context until that has served its number of them."""

    def __init__(self, crawler: Crawler, options: BrowserOptions, count: Callable[[str], None]) -> None:
        self.served = 0
        self._count = count
        self._options = options
        self._contexts: dict[Tab, str] = {}  # of the open tabs
        self._group = self._driver = 0
        self._handler = ScrapyPlaywrightDownloadHandler(crawler)
        self._handler.config = replace(self._handler.config, **_config(options))
        self._handler.process_request_headers = None  # the browser's own agree with what its scripts see
        for name in ("scrapy-playwright", "playwright"):
            if logging.getLogger(name).level == logging.NOTSET:  # what they report comes to us as an exception too
                logging.getLogger(name).setLevel(logging.CRITICAL)

    @property
    def is_idle(self) -> bool:
        return not self._contexts

    async def start(self) -> None:
        async with asyncio.timeout(START_SECONDS):
            # scrapy-playwright does the first when a crawl starts, where it costs a process of 120 MB even if no page
            # needs a browser, and the second in the time of the first page. Both are private, so requirements.txt
            # fixes the version.
            await self._handler._maybe_launch_in_thread()
            await self._handler._maybe_launch_browser()
            self._devtools = await self._handler.browser.new_browser_cdp_session()
            processes = await self._processes()
        if self._options.endpoint:
            return  # its processes are another machine's, and not ours to end
        group = os.getpgid(next(pid for pid, kind in processes if kind == "browser"))
        if group != os.getpgrp():
            self._group, self._driver = group, _parent(group)

    async def load(self, tab: Tab, url: str, request: Request, *, seconds: float) -> None:
        """Open the URL, as the request would be sent, in a new page, which `tab.watch` is given.

        Returns when the document begins.
        """
        user_agent = self._options.user_agent or _text(request.headers, "User-Agent")
        proxy = _proxy(request)
        self._contexts[tab] = f"{self._generation} {user_agent} {hash(str(proxy))}"  # no password in a name
        self.served += 1
        meta = {
            "playwright": True,
            "playwright_include_page": True,  # we decide what is read of the page, and when
            "playwright_context": self._contexts[tab],
            "playwright_context_kwargs": {**_context_options(self._options), "user_agent": user_agent, "proxy": proxy},
            "playwright_page_init_callback": tab.watch,
            "playwright_page_goto_kwargs": {
                "wait_until": "commit",
                "timeout": seconds * 1000,
                "referer": _text(request.headers, "Referer"),
            },
        }
        try:
            await self._handler.download_request(Request(url, meta=meta))
        except RuntimeError:  # how scrapy-playwright says that a download was refused
            raise DownloadFailedError(f"{url} is a download, not a page") from None
        except PlaywrightError as error:
            # It reads the document too, once it begins, and in vain if the page moves on by itself.
            if not (tab.statuses and has_moved(error)):
                raise

    async def leave(self, tab: Tab, *, seconds: float) -> bool:
        """Close the tab's page, with its context if that is worn out; False if the browser does not answer."""
        context = self._contexts.pop(tab)
        if not tab.is_open:
            return await self.is_alive()
        is_worn_out = context not in self._contexts.values() and not context.startswith(f"{self._generation} ")
        if is_worn_out:
            self._count("recycled")
        try:
            async with asyncio.timeout(seconds):
                await (tab.page.context if is_worn_out else tab.page).close()
        except TimeoutError:
            return False
        except PlaywrightError:
            return True  # gone already
        return True

    async def is_alive(self) -> bool:
        # Twice, because Playwright throws the error of an event listener at whoever calls it next.
        for _ in range(2):
            with suppress(PlaywrightError, TimeoutError):
                await self._processes()
                return True
        return False

    async def memory_mb(self) -> float:
        """What the browser's processes hold, shared pages counted once; 0 where the system does not say."""
        if self._options.endpoint:
            return 0.0
        pids = [pid for pid, _ in await self._processes()]
        return await asyncio.to_thread(lambda: sum(map(_pss_mb, pids)))

    async def close(self) -> None:
        """End our own browser; in one elsewhere, close our contexts."""
        try:
            async with asyncio.timeout(END_SECONDS):
                await self._handler.close()
        except (PlaywrightError, TimeoutError):
            if self._options.endpoint:
                await self._hang_up()
            self.kill()
            if self._driver:
                with suppress(ProcessLookupError):
                    os.kill(self._driver, signal.SIGKILL)

    def kill(self) -> None:
        """End the browser at once; `close` is still to be called, for the driver."""
        if self._group:
            with suppress(ProcessLookupError):
                os.killpg(self._group, signal.SIGKILL)

    async def _hang_up(self) -> None:
        """End the driver alone; a browser closes the contexts of a connection that it has lost."""
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._handler.browser_provider.close()

    @property
    def _generation(self) -> int:
        return self.served // self._options.context_pages

    async def _processes(self) -> list[tuple[int, str]]:
        async with asyncio.timeout(PROBE_SECONDS):
            answer = await self._devtools.send("SystemInfo.getProcessInfo")
        return [(process["id"], process["type"]) for process in answer["processInfo"]]


def _config(options: BrowserOptions) -> dict[str, Any]:
    """What we want other than scrapy-playwright would have it."""
    return {
        "launch_options": {
            "executable_path": options.executable,
            "args": FLAGS,
            "chromium_sandbox": os.geteuid() != 0,  # Chromium refuses to sandbox for root
            "timeout": START_SECONDS * 1000,
            # the crawl closes the browser when it has stopped; a signal to the whole group must not
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
        },
        "startup_context_kwargs": {},
        "max_pages_per_context": 1_000_000,  # counted by our own download handler; this count goes wrong on a crash
        "download_timeout_secs": REFUSAL_SECONDS,
        "target_closed_max_retries": 0,  # retrying is up to us
        **_remote(options.endpoint),
    }


def _remote(endpoint: str) -> dict[str, Any]:
    if not endpoint:
        return {}
    limit = {"timeout": START_SECONDS * 1000}
    if endpoint.startswith("http") or "/devtools/" in endpoint:
        return {"cdp_url": endpoint, "cdp_kwargs": limit}
    return {"connect_url": endpoint, "connect_kwargs": limit}


def _context_options(options: BrowserOptions) -> dict[str, Any]:
    return {
        "viewport": options.viewport,
        "extra_http_headers": options.headers,
        "ignore_https_errors": not options.verify_certificates,
        "accept_downloads": False,
        "service_workers": "block",  # their requests would pass by the routes of the page
    }


def _proxy(request: Request) -> dict[str, str] | None:
    """The one that Scrapy's middleware has found in the request's meta or in the environment."""
    server = request.meta.get("proxy")
    if not server:
        return None
    proxy = {"server": server, "bypass": "<-loopback>"}  # also for what a browser would ask of this machine directly
    scheme, _, credentials = (_text(request.headers, "Proxy-Authorization") or "").partition(" ")
    if scheme == "Basic":
        user, _, password = b64decode(credentials).decode("latin-1").partition(":")
        proxy |= {"username": user, "password": password}
    return proxy


def _text(headers: Headers, name: str) -> str | None:
    value = headers.get(name)
    return value.decode("latin-1") if value else None


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _pss_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
