"""Ask robots.txt before each page, and keep the answer for a day."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from wikicrawl.failures import NO_ANSWER, reason_of
from wikicrawl.items import ROBOTS_UNREACHABLE
from wikicrawl.numbers import number
from wikicrawl.robots import access_of, product_token, read_rules, to_text
from wikicrawl.store import open_store
from wikicrawl.store.robots import KeptRobots
from wikicrawl.urls import origin_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.items import Visit
    from wikicrawl.robots import Access, Rules

logger = logging.getLogger(__name__)

MAX_REDIRECTS = 5  # the RFC's number, to other hosts too; one that leads on is taken for absent
# One that cannot be got for so long is taken for absent, as the RFC allows: else a site that answers it with an error
# for ever and its pages with pages could never be crawled.
PATIENCE_SECONDS = 30 * 24 * 3600
GAP_SECONDS = 7 * 24 * 3600  # after a longer time in which nobody asked, the patience begins anew
MAX_KNOWN = 200  # files held as rules; the largest takes 20 MB, an ordinary one some kilobytes
PRIORITY = 1000  # before every page
REASONS = {
    "robots": "error: robots.txt forbids the page",
    "robots_unreachable": "error: robots.txt cannot be got now (HTTP 429 or 5xx, no answer), so nothing may be",
}
STATUS = {"rules": 200, "allow": 404, "wait": 503}


@dataclass(frozen=True, slots=True)
class _Known:
    kept: KeptRobots
    rules: Rules | None

    def is_wait(self, now: int) -> bool:
        return self.kept.access == "wait" and now - self.kept.fetched_at < PATIENCE_SECONDS


class RobotsMiddleware:
    """By RFC 9309, with the settings and `meta["dont_obey_robotstxt"]` of Scrapy's own.

    A request for robots.txt itself, if it has no callback, is answered with the one that is kept.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        self._token = product_token(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        self._keep_seconds = int(number(settings, "TIERS_ROBOTS_SECONDS", least=60))
        self._retry_seconds = int(number(settings, "TIERS_ROBOTS_RETRY_SECONDS", least=1))
        self._max_delay = number(settings, "TIERS_MAX_CRAWL_DELAY_SECONDS", least=0)
        self._store = open_store(settings["STORE_URL"])
        self._known: dict[str, _Known] = {}
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._delays: dict[str, float] = {}  # seconds that hosts ask for between two requests, by download slot

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        # After AutoThrottle, which has connected before: extensions are made before middlewares.
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def spider_closed(self) -> None:
        self._store.close()

    def response_downloaded(self, request: Request) -> None:
        """AutoThrottle lowers delays, and knows nothing of those that robots.txt asks for."""
        self._hold_delay(request.meta.get("download_slot", ""))

    async def process_request(self, request: Request) -> Response | None:
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith(("http://", "https://")):
            return None
        known = await self._find(origin_of(request.url))
        if request.callback is NO_CALLBACK and urlparse_cached(request).path == "/robots.txt":
            return TextResponse(
                request.url, status=STATUS[known.kept.access], body=known.kept.body, encoding="utf-8", request=request
            )
        if known.is_wait(_now()):
            self._refuse(request, f"{ROBOTS_UNREACHABLE} ({known.kept.reason})", retry_at=known.kept.expires_at)
        if known.rules is not None:
            self._keep_delay(urlparse_cached(request).hostname or "", known.rules.delay_seconds)
            if not known.rules.allow(request.url):
                self._refuse(request, "Forbidden by robots.txt")
        return None

    def _refuse(self, request: Request, message: str, *, retry_at: int | None = None) -> NoReturn:
        visit: Visit | None = request.meta.get("visit")
        if visit is not None:
            visit.retry_at, visit.was_asked = retry_at, retry_at is None
        logger.debug(
            "%(message)s: %(url)s",
            {"message": message, "url": request.url},
            extra={"spider": self._crawler.spider},
        )
        self._crawler.stats.inc_value("tiers/robots_skipped")
        raise IgnoreRequest(message)

    async def _find(self, origin: str) -> _Known:
        async with self._asking[origin]:  # many pages may be the first of their host
            known = self._known.pop(origin, None)
            if known is None or not self._is_fresh(known.kept):
                known = await self._load(origin)
            self._known[origin] = known
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]
            return known

    async def _load(self, origin: str) -> _Known:
        kept = await self._store.run(self._store.robots.load, origin)
        if kept is None or not self._is_fresh(kept):
            kept = await self._fetch(origin, kept)
            self._crawler.stats.inc_value(f"tiers/robots/{kept.access}")
            await self._store.run(self._store.robots.save, origin, kept)
        if kept.access != "rules":
            return _Known(kept, None)
        return _Known(kept, await asyncio.to_thread(read_rules, kept.body, self._token))

    def _is_fresh(self, kept: KeptRobots) -> bool:
        return 0 < kept.expires_at - _now() <= self._keep_seconds  # more is left only if the clock was set back

    async def _fetch(self, origin: str, before: KeptRobots | None) -> KeptRobots:
        meta = {"dont_obey_robotstxt": True, "redirect_ttl": MAX_REDIRECTS}
        request = Request(f"{origin}/robots.txt", callback=NO_CALLBACK, dont_filter=True, priority=PRIORITY, meta=meta)
        try:
            response = await self._crawler.engine.download_async(request)
        except NO_ANSWER as error:
            return self._wait(origin, reason_of(error), before)
        except IgnoreRequest as error:
            if "max redirections" in str(error):
                return self._keep("allow", "redirects")
            if "DOWNLOAD_MAXSIZE" in str(error):  # once decompressed
                return self._wait(origin, "too_large", before)
            raise  # another component refuses the host, and so its pages
        access, reason = access_of(response.status), f"status_{response.status}"
        if access == "wait":
            return self._wait(origin, reason, before)
        return self._keep(access, reason, to_text(response.body) if access == "rules" else "")

    def _keep(self, access: Access, reason: str, body: str = "") -> KeptRobots:
        now = _now()
        return KeptRobots(access, reason, body, now, now + self._keep_seconds)

    def _wait(self, origin: str, reason: str, before: KeptRobots | None) -> KeptRobots:
        """Not now: it is asked for again after as long as it has been away, within limits."""
        now = _now()
        is_still = before is not None and before.access == "wait" and 0 <= now - before.expires_at < GAP_SECONDS
        since = before.fetched_at if before is not None and is_still else now
        seconds = min(max(now - since, self._retry_seconds), self._keep_seconds)
        logger.info(
            "%(origin)s/robots.txt cannot be got (%(reason)s): it is asked for again in %(seconds)d s",
            {"origin": origin, "reason": reason, "seconds": seconds},
            extra={"spider": self._crawler.spider},
        )
        return KeptRobots("wait", reason, "", since, now + seconds)

    def _keep_delay(self, slot: str, seconds: float) -> None:
        seconds = min(seconds, self._max_delay)
        if seconds <= self._delays.get(slot, 0.0):
            return
        self._delays[slot] = seconds
        told = self._crawler.engine.downloader.per_slot_settings  # of slots to come: Scrapy drops idle ones
        own = {"delay": self._crawler.settings.getfloat("DOWNLOAD_DELAY"), **told.get(slot, {})}
        told[slot] = {**own, "delay": max(seconds, own["delay"]), "jitter": 0}
        self._hold_delay(slot)

    def _hold_delay(self, name: str) -> None:
        slot = self._crawler.engine.downloader.slots.get(name)
        if slot is not None and name in self._delays:
            slot.delay, slot.jitter = max(slot.delay, self._delays[name]), 0.0


def _now() -> int:
    return int(time.time())
