"""Notice that a crawl stands still, say why, and do what helps or end it."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import time
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from wikicrawl.items import STALLED, Page
from wikicrawl.numbers import number
from wikicrawl.store import open_store
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 5.0  # for the store or the resolver to say something when all is well
MAX_ENDED = 100  # pages remembered since the last that brought something
NETWORK = frozenset({"network", "dns", "timeout", "refused"})  # outcomes of pages that nobody answered
REFUSED = frozenset({"blocked", "throttled", "breaker", "http_error"})  # and of those that were answered in vain
CAUSES = {
    "database": "calls of the store do not return",
    "browser": "pages hang in the browser, which is replaced",
    "network": "no host can be reached; what is on its way is given up",
    "host": "the one host that is asked does not answer; what is on its way is given up",
    "blocked": "hosts refuse us or fail; with `STALL_USER_AGENTS` or `STALL_PROXIES` the next one is taken",
    "extraction": "pages hang in worker processes, which are replaced",
}


@dataclass(frozen=True)
class Sight:
    """What can be seen of a crawl in which no page has brought anything for a while."""

    store_seconds: float = 0.0  # that the oldest call of the store has taken
    asked: frozenset[str] = frozenset()  # hosts with requests under way
    paused: frozenset[str] = frozenset()  # hosts that have asked for a pause
    in_browser: int = 0  # requests under way in the browser
    items: int = 0  # pages in the pipelines
    ended: dict[str, str] = field(default_factory=dict)  # pages that ended in vain: host → outcome
    has_route: bool = True  # to one of the hosts asked


def name_cause(sight: Sight, stall_seconds: float) -> str:
    """One of CAUSES, or `paused` for a crawl that does what it was asked to."""
    signs = (
        (sight.store_seconds > stall_seconds / 2, "database"),
        (bool(sight.asked) and sight.asked <= sight.paused, "paused"),
        (sight.in_browser > 0, "browser"),
        (sight.items > 0 and not sight.asked, "extraction"),
        (not sight.has_route, "network"),
        (bool(REFUSED & set(sight.ended.values())), "blocked"),
        (len(sight.asked | sight.ended.keys()) > 1, "network"),
    )
    return next((cause for is_so, cause in signs if is_so), "host")


class StallMonitor:
    """A page that got an answer worth something is progress; every STALL_SECONDS without one is a round."""

    def __init__(self, crawler: Crawler) -> None:
        self._seconds = number(crawler.settings, "STALL_SECONDS", least=0)
        self._rounds = int(number(crawler.settings, "STALL_ROUNDS", least=0))
        if not self._seconds or getattr(crawler.spider, "source", None) is None:
            raise NotConfigured
        self._crawler = crawler
        self._store = open_store(crawler.settings["STORE_URL"])
        self._ended: dict[str, str] = {}
        self._round = 0
        self._progress_at = monotonic()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        monitor = cls(crawler)
        crawler.signals.connect(monitor.spider_opened, signals.spider_opened)
        crawler.signals.connect(monitor.spider_closed, signals.spider_closed)
        for ending in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(monitor.page_ended, ending)
        return monitor

    def spider_opened(self) -> None:
        self._progress_at = monotonic()
        self._watching = asyncio.ensure_future(self._watch())

    def spider_closed(self) -> None:
        self._watching.cancel()
        self._store.close()

    def page_ended(self, item: Any) -> None:
        if not isinstance(item, Page) or item.visit is None:
            return
        if item.visit.outcome in NETWORK | REFUSED:
            if len(self._ended) < MAX_ENDED:
                self._ended[item.domain] = item.visit.outcome
            return
        self._begin_anew()
        self._round = 0

    def _begin_anew(self) -> None:
        self._progress_at = monotonic()
        self._ended.clear()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(max(0.1, self._progress_at + self._seconds - monotonic()))
            if monotonic() - self._progress_at >= self._seconds:
                await self._look()

    async def _look(self) -> None:
        sight = await self._see()
        cause = "" if sight is None else name_cause(sight, self._seconds)
        if cause == "paused":
            logger.info("No page for %(seconds)g s: waiting for the end of pauses", self._words, extra=self._extra)
        elif cause:
            await self._act(cause)
        self._begin_anew()

    async def _act(self, cause: str) -> None:
        self._round += 1
        self._crawler.stats.inc_value(f"stall/{cause}")
        logger.warning(
            "No page for %(seconds)g s, round %(round)d of %(rounds)d: %(cause)s, that is, %(meaning)s",
            {**self._words, "round": self._round, "cause": cause, "meaning": CAUSES[cause]},
            extra=self._extra,
        )
        await self._crawler.signals.send_catch_log_async(STALLED, cause=cause)
        if self._round > self._rounds:
            engine = self._crawler.engine
            assert engine is not None
            # Not awaited: it ends when we have.
            self._closing = asyncio.ensure_future(engine.close_spider_async(reason=f"stalled_{cause}"))

    async def _see(self) -> Sight | None:
        """None where nothing is under way: such a crawl waits for what is due, or is about to end."""
        if (store_seconds := self._store.oldest_call_seconds) > self._seconds / 2:
            return Sight(store_seconds)
        engine = self._crawler.engine
        assert engine is not None
        requests: set[Request] = engine.downloader.active
        items = engine.scraper.slot.itemproc_size if engine.scraper.slot else 0
        if not requests and not items:
            return None
        asked = frozenset(netloc(request.url) for request in requests)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                paused = await self._paused()
        except TimeoutError:
            return Sight(math.inf)
        return Sight(
            asked=asked,
            paused=paused,
            in_browser=sum(bool(request.meta.get("tiers_browser")) for request in requests),
            items=items,
            ended=dict(self._ended),
            has_route=not asked or any([await _has_route(host) for host in sorted(asked)[:3]]),
        )

    async def _paused(self) -> frozenset[str]:
        resting = await self._store.run(self._store.breakers.resting, int(time.time()))
        return frozenset(host.host for host in resting if host.state == "paused")

    @property
    def _words(self) -> dict[str, Any]:
        return {"seconds": self._seconds, "rounds": self._rounds}

    @property
    def _extra(self) -> dict[str, Any]:
        return {"spider": self._crawler.spider}


async def _has_route(host: str) -> bool:
    """Whether the host has an address and the machine a way to it; nothing is sent but what the resolver sends."""
    name, _, port = host.partition(":") if host.count(":") == 1 else (host.strip("[]"), "", "")
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(name, port or 80, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError, TimeoutError):
        return False
    return any(_can_reach(family, address) for family, _, _, _, address in found)


def _can_reach(family: int, address: Any) -> bool:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect(address)  # of a datagram socket: it asks the routing table, and nobody else
    except OSError:
        return False
    return True
