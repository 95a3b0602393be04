"""Get each page by the cheapest tier that yields a real page."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError, IgnoreRequest, ResponseDataLossError
from scrapy.http.request import NO_CALLBACK
from w3lib.encoding import http_content_type_encoding

from wikicrawl.mediawiki.profile import has_contact, is_wikimedia
from wikicrawl.numbers import number
from wikicrawl.store import open_store
from wikicrawl.tiers import conditional
from wikicrawl.tiers.choose import TierMemory
from wikicrawl.tiers.judge import Verdict, judge
from wikicrawl.tiers.mediawiki import FLAG, Fallback, MediaWikiTier
from wikicrawl.tiers.options import BrowserOptions
from wikicrawl.tiers.pauses import Pauses
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# A browser goes another way to the page, so it may get one that failed over HTTP. A host that has no address or
# refuses connections answers nobody, and a page refused by robots is refused to every tier.
WORTH_A_BROWSER = {DownloadTimeoutError: "timeout", ResponseDataLossError: "data_loss", DownloadFailedError: "network"}
# Reasons beside those of the judge.
REASONS = {
    "rendered": "page: signs of a shell, but the browser has done what script does",
    "no_gain": "page: signs of a shell, but for pages like it a browser gave no more text",
    "timeout": "error: no answer in time; the browser is tried",
    "data_loss": "error: the answer was cut short; the browser is tried",
    "network": "error: the connection failed; the browser is tried",
    "refused": "error: the request was refused, or failed in a way no browser betters",
    "no_api": "refused: no wiki API is known for the page",
}
# What earlier attempts over HTTP left in meta and a browser page must start without.
HTTP_META = ("retry_times", "redirect_times", "redirect_urls", "redirect_reasons", "redirect_ttl", "download_latency")


class TierMiddleware:
    """A wiki's API, else HTTP first and a browser on evidence; every step goes to `meta["tiers_trail"]`.

    `meta["tier"]` asks for one tier (auto, api, http, browser). Requests without a callback (robots.txt, sitemaps,
    media) pass untouched.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._gain = number(settings, "TIERS_GAIN", least=0)
        self._browser_pages = int(number(settings, "TIERS_BROWSER_PAGES", least=1))
        options = BrowserOptions.from_settings(settings)
        self._has_contact = has_contact(settings["USER_AGENT"])
        self._has_browser = settings.getbool("TIERS_BROWSER") and options.browser is not None
        self._store = open_store(settings["STORE_URL"])
        self._memory = TierMemory.from_settings(self._store, settings)
        self._wiki = MediaWikiTier(crawler, self._store)
        self._pauses = Pauses.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def spider_opened(self) -> None:
        if not self._has_browser and self._crawler.settings.getbool("TIERS_BROWSER"):
            logger.warning(
                "No browser was found: pages that need one end as needs_browser. Install Chromium (scrapy browser "
                "--install), or set TIERS_BROWSER_EXECUTABLE or TIERS_BROWSER_ENDPOINT.",
                extra={"spider": self._crawler.spider},
            )
            self._count("tiers/no_browser")

    def spider_closed(self) -> None:
        self._store.close()

    async def process_request(self, request: Request) -> Response | None:
        if is_wikimedia(netloc(request.url)) and not self._has_contact:
            raise IgnoreRequest(f"{netloc(request.url)} wants to know who runs a robot: set WIKICRAWL_CONTACT")
        if "wiki_query" in request.meta:
            return await self._wiki.answer(request)
        if request.callback is NO_CALLBACK or "tiers_trail" in request.meta:
            return None
        request.meta["tiers_trail"] = []
        answer = await self._wiki.get(request)
        if isinstance(answer, Fallback):
            self._fall_back(request, {"tier": "api", "verdict": "refused", "reason": answer.reason}, to="http")
        elif answer is not None:
            return answer
        await self._choose(request)
        return None

    async def _choose(self, request: Request) -> None:
        asked = request.meta.get("tier", "auto")
        wants_browser = asked == "browser" or (asked == "auto" and await self._memory.choose(request.url) == "browser")
        if wants_browser and self._has_browser:
            self._send_to_browser(request)
        elif not request.cookies and (cookies := await self._memory.cookies(request.url)):
            request.cookies = {cookie["name"]: cookie["value"] for cookie in cookies}
            request.meta["tiers_cleared"] = True

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        trail = request.meta.get("tiers_trail")
        if trail is None or FLAG in response.flags:
            if trail:
                self._count(f"tiers/verdict/api/{trail[-1]['verdict']}")
                self._postpone(request)
            return response
        if conditional.FLAG in response.flags:
            return response
        tier = "browser" if request.meta.get("tiers_browser") else "http"
        verdict = _judge(response)
        if verdict.kind == "shell":
            verdict = await self._reconsider(tier, verdict, response)
        if verdict.kind == "missing" and self._wiki.is_page(request):
            verdict = replace(verdict, kind="gone")
        if verdict.kind == "page" and not await self._wiki.look(request, response):
            verdict = replace(verdict, kind="private", reason="readapidenied")
        step = _step(tier, verdict, response)
        self._count(f"tiers/verdict/{tier}/{verdict.kind}")
        if tier == "http" and verdict.kind == "blocked" and (rescued := await self._rescue(request, step)):
            return rescued
        if tier == "http" and verdict.kind in ("shell", "blocked") and self._may_use_browser(request):
            return self._escalate(request, step, response)
        trail.append(step)
        self._postpone(request)
        if tier == "browser":
            await self._learn(request, response, verdict)
        elif verdict.kind == "page":
            await self._memory.vote(response.url, "http")
        return response

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:
        trail = request.meta.get("tiers_trail")
        if trail is None:
            return None
        reason = next((word for kind, word in WORTH_A_BROWSER.items() if isinstance(exception, kind)), "")
        tier = "browser" if request.meta.get("tiers_browser") else "http"
        step = {"tier": tier, "verdict": "error", "reason": reason or "refused"}
        if reason and tier == "http" and self._may_use_browser(request):
            return self._escalate(request, step, None)
        trail.append(step)
        return None

    def _postpone(self, request: Request) -> None:
        """A page that its host wants later is due when the pause is over."""
        visit = request.meta.get("visit")
        if visit is not None and request.meta["tiers_trail"][-1]["verdict"] == "throttled":
            visit.retry_at = self._pauses.until(netloc(request.url))

    async def _reconsider(self, tier: str, verdict: Verdict, response: Response) -> Verdict:
        """A shell that a browser did not better, or that is what the browser made, is the page."""
        if tier == "browser" and verdict.text_chars:
            return replace(verdict, kind="page", reason="rendered")
        if tier == "http" and await self._memory.is_known_static(response.url, verdict.reason):
            return replace(verdict, kind="page", reason="no_gain")
        return verdict

    async def _rescue(self, request: Request, step: dict[str, Any]) -> Response | None:
        """A wiki that refuses its HTML may still answer by its API, which costs less than a browser."""
        if any(earlier["tier"] == "api" for earlier in request.meta["tiers_trail"]):
            return None
        place = len(request.meta["tiers_trail"])
        rescued = await self._wiki.rescue(request)
        if rescued is not None:
            self._fall_back(request, step, to="api", place=place)
            self._count(f"tiers/verdict/api/{request.meta['tiers_trail'][-1]['verdict']}")
        return rescued

    def _may_use_browser(self, request: Request) -> bool:
        return self._has_browser and request.meta.get("tier", "auto") in ("auto", "api")

    def _escalate(self, request: Request, step: dict[str, Any], response: Response | None) -> Request:
        self._fall_back(request, step, to="browser")
        url = response.url if response is not None else request.url
        browser_request = request.replace(url=url, dont_filter=True)
        for key in HTTP_META:
            browser_request.meta.pop(key, None)
        if response is not None and 200 <= response.status < 300:
            browser_request.meta["tiers_handover"] = response
        self._send_to_browser(browser_request)
        return browser_request

    def _send_to_browser(self, request: Request) -> None:
        slot = f"browser:{netloc(request.url)}"
        # Browser pages take seconds; in a slot of their own they do not hold up the host's HTTP pages. The handler
        # counts both towards the host.
        self._crawler.engine.downloader.per_slot_settings.setdefault(slot, {"concurrency": self._browser_pages})
        request.meta.update(
            tiers_browser=True,
            download_slot=slot,
            autothrottle_dont_adjust_delay=True,
            dont_cache=True,  # the cache knows the URL's HTTP answer only
            dont_retry=True,  # the browser itself repeats what is worth it
        )

    async def _learn(self, request: Request, response: Response, verdict: Verdict) -> None:
        """Vote by what the browser gained over HTTP; a failed fetch is not a vote."""
        before = next((step for step in request.meta["tiers_trail"] if step["tier"] == "http"), None)
        if verdict.kind != "page" or before is None:
            return
        if before["verdict"] == "blocked":
            if cookies := response.meta.get("tiers_cookies"):
                await self._memory.keep_cookies(response.url, cookies)
            if not cookies or request.meta.get("tiers_cleared"):
                await self._memory.vote(request.url, "browser")
        elif before["verdict"] == "shell":
            if verdict.text_chars > before["chars"] * (1 + self._gain):
                await self._memory.vote(request.url, "browser")
            else:
                await self._memory.vote_no_gain(request.url, before["reason"])

    def _fall_back(self, request: Request, step: dict[str, Any], *, to: str, place: int | None = None) -> None:
        trail = request.meta["tiers_trail"]
        trail.insert(len(trail) if place is None else place, step | {"to": to})
        fallback = {"url": request.url, "from": step["tier"], "to": to, "reason": step["reason"]}
        logger.info(
            "tier_fallback %(url)s from %(from)s to %(to)s: %(reason)s",
            fallback,
            extra={"spider": self._crawler.spider, "event": "tier_fallback", **fallback},
        )
        self._count(f"tiers/escalated/{step['reason']}")

    def _count(self, stat: str) -> None:
        self._crawler.stats.inc_value(stat)


def _judge(response: Response) -> Verdict:
    headers = {str(name).lower(): str(value) for name, value in response.headers.to_unicode_dict().items()}
    return judge(
        response.body,
        status=response.status,
        headers=headers,
        encoding=http_content_type_encoding(headers.get("content-type")),
    )


def _step(tier: str, verdict: Verdict, response: Response) -> dict[str, Any]:
    return {
        "tier": tier,
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "status": response.status,
        "chars": verdict.text_chars,
        "bytes": len(response.body),
    }
