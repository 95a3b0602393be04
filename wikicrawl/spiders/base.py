"""Claim due pages from the frontier, ask for them, and turn each answer into one Page."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from w3lib.encoding import http_content_type_encoding

from wikicrawl.items import STOPPING, Page, Visit
from wikicrawl.mediawiki.profile import from_json, has_contact, is_wikimedia
from wikicrawl.mediawiki.titles import page_rule
from wikicrawl.numbers import number
from wikicrawl.sources import Sources, load_sources
from wikicrawl.store import Store, open_store
from wikicrawl.store.frontier import Claim, owner_name
from wikicrawl.traps.folding import MAX_REMEMBERED
from wikicrawl.traps.habits import SiteHabits
from wikicrawl.urls import Refusal, Scope, canonical, netloc, path_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from wikicrawl.mediawiki.profile import Wiki
    from wikicrawl.sources import Source

# What a verdict means for the visit; a page (or a shell that no tier could better) has content instead.
BY_VERDICT = {
    "blocked": "blocked",
    "throttled": "throttled",
    "missing": "missing",
    "failed": "http_error",
    "not_html": "not_html",
    "gone": "gone",
    "private": "private",
    "not_a_page": "not_a_page",
}
FAILURES: dict[type[Exception], str] = {
    DownloadTimeoutError: "timeout",
    CannotResolveHostError: "dns",
    DownloadConnectionRefusedError: "refused",
    DownloadCancelledError: "too_large",
    UnsupportedURLSchemeError: "scheme",
}
DOWNLOAD_ERRORS: tuple[type[Exception], ...] = (*FAILURES, DownloadFailedError, ResponseDataLossError, IgnoreRequest)
IGNORED = {
    "(trap)": "trap",
    "robots.txt": "robots",
    "crawl's scope": "offsite",
    "max redirections": "redirects",
    "size": "too_large",
}


class FrontierSpider(Spider):
    """A spider whose queue and seen-set are one table; it ends when nothing is due or claimed."""

    source: str
    scope: Scope
    max_pages: int
    max_depth: int
    max_links: int = 0
    tier: str = "auto"
    job_id: str | None = None
    store: Store
    habits: SiteHabits | None = None  # what was learned of the source's addresses
    signposts: set[str]  # archives and indexes that its pages have named
    feeds: set[str]
    _started_at: int
    _owner: str
    _is_empty: asyncio.Event
    _wikis: set[str]  # the APIs of the wikis that are followed
    _sources: Sources
    _lease_seconds: int
    _claim_size: int

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        contact, agent = settings["WIKICRAWL_CONTACT"], settings["USER_AGENT"]
        if contact and contact not in agent:
            settings.set("USER_AGENT", f"{agent} (+{contact})", priority="spider")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        if is_wikimedia(netloc(spider.scope.start)) and not has_contact(settings["USER_AGENT"]):
            raise ValueError(
                f"{netloc(spider.scope.start)} wants to know who runs a robot: set the environment variable "
                "WIKICRAWL_CONTACT to your e-mail address or a page of yours"
            )
        spider._lease_seconds = int(number(settings, "STORE_LEASE_SECONDS", least=10))
        spider._claim_size = int(number(settings, "STORE_CLAIM_SIZE", least=1))
        spider._started_at = int(time.time())
        spider._owner = owner_name()
        spider._wikis = set()
        spider.signposts, spider.feeds = set(), set()
        spider._sources = load_sources(settings["SOURCES_FILE"])
        spider.store = open_store(settings["STORE_URL"])
        # Kept, because Scrapy tells it once: while we ask the store nobody would listen.
        spider._is_empty = asyncio.Event()
        crawler.signals.connect(spider._is_empty.set, signals.scheduler_empty, weak=False)
        crawler.signals.connect(spider._give_back, signals.spider_closed)
        return spider

    async def prepare(self) -> None:
        """Before the first claim: make the source known and put its first pages into the frontier."""

    async def discover(self) -> None:
        """Beside the crawl, which does not end before it has: look for further pages."""

    async def replenish(self) -> bool:
        """When nothing is left to be claimed: look for further pages; whether there are any."""
        return False

    async def start(self) -> AsyncIterator[Request]:
        frontier, run = self.store.frontier, self.store.run
        await self._recall_wikis()
        await self.prepare()
        await run(frontier.reclaim_dead, self.source)
        discovering = asyncio.ensure_future(self.discover())
        renewing = asyncio.ensure_future(self._renew_claims())
        try:
            while True:
                self._is_empty.clear()
                # Asked before the claim: a page finished between the two may have brought links.
                may_end = discovering.done() and not await run(frontier.leased, self.source)
                claims = await self._claim()
                for claim in claims:
                    yield self._request(claim)
                if may_end and not claims:
                    if await self.replenish():
                        continue
                    break
                await self._wait(discovering)
            discovering.result()
        finally:
            discovering.cancel()
            renewing.cancel()

    async def parse(self, response: Response) -> AsyncIterator[Page]:
        yield self._page(response)

    def failed(self, failure: Failure) -> Iterator[Page]:
        """Errback: a page that brought no response is still one item with one outcome."""
        request: Request = failure.request  # type: ignore[attr-defined]
        page, visit = self._blank(request.meta)
        exception = cast("Exception", failure.value)
        if str(exception) == STOPPING:
            return  # it was not tried, and is given back with the other claims
        page.error = str(exception).strip()[:500] or type(exception).__name__
        visit.outcome = failure_outcome(exception)
        page.reason = visit.refusal or visit.outcome
        page.verdict = "error"
        yield page

    async def _claim(self) -> list[Claim]:
        return await self.store.run(
            self.store.frontier.claim,
            self.source,
            owner=self._owner,
            limit=self._claim_size,
            now=int(time.time()),
            lease_seconds=self._lease_seconds,
            max_pages=self.max_pages,
            since=self._started_at,
        )

    async def _wait(self, discovering: asyncio.Future[None]) -> None:
        """Until the scheduler has nothing left, or discovery has ended."""
        empty = asyncio.ensure_future(self._is_empty.wait())
        waits: set[asyncio.Future[Any]] = {empty} if discovering.done() else {empty, discovering}
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        empty.cancel()

    async def _renew_claims(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            await self.store.run(
                self.store.frontier.renew, self._owner, now=int(time.time()), lease_seconds=self._lease_seconds
            )

    async def _give_back(self) -> None:
        """On a stop in mid-crawl nothing stays claimed."""
        with suppress(asyncio.CancelledError):
            await self.store.run(self.store.frontier.release, self._owner)
        self.store.close()

    def _request(self, claim: Claim) -> Request:
        told = self.told(claim.url)
        max_links = 0 if claim.depth >= self.max_depth else self.max_links or None
        visit = Visit(
            started_at=int(time.time()),
            claim=claim,
            scope=self.scope,
            is_start=self.is_start(claim),
            max_links=max_links,
            habits=self.habits,
            # A list goes on as far away as links are still followed, and comes after what is nearer.
            onward_depth=min(claim.depth + 1, max(claim.depth, self.max_depth - 1)),
            signposts=self.signposts,
            feeds=self.feeds,
        )
        return Request(
            claim.url,
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
            priority=-claim.depth,
            meta={"visit": visit, "told": told, "tier": self.tier if self.tier != "auto" else told.tier},
        )

    def is_start(self, claim: Claim) -> bool:
        """Whether the crawl goes where this page leads, even out of its scope."""
        return claim.depth == 0

    def told(self, url: str) -> Source:
        """What sources.yml says of a page."""
        return self._sources.of(netloc(url), path_of(url))

    def _blank(self, meta: dict[str, Any]) -> tuple[Page, Visit]:
        visit: Visit = meta["visit"]
        claim = visit.claim
        assert claim is not None
        visit.trail = meta.get("tiers_trail", [])
        page = Page(
            url=claim.url,
            source=claim.source,
            domain=netloc(claim.url),
            depth=claim.depth,
            tier=visit.trail[-1]["tier"] if visit.trail else "",
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            weight=meta["told"].weight,
            source_tier=meta["told"].source_tier,
            visit=visit,
        )
        return page, visit

    def _page(self, response: Response) -> Page:
        page, visit = self._blank(response.meta)
        step = visit.trail[-1]
        page.verdict, page.reason = step["verdict"], step["reason"]
        page.http_status, page.bytes = response.status, step["bytes"]
        visit.wiki, visit.facts = response.meta.get("wiki"), response.meta.get("wiki_facts", {})
        if visit.wiki is not None:
            self.follow_wiki(visit.wiki)
        landed = canonical(response.url)
        page.final_url = page.url if isinstance(landed, Refusal) or landed == page.url else self.scope.folded(landed)
        visit.outcome = self._outcome(page, response.meta["tier"])
        visit.scope = self.scope
        if visit.outcome:
            page.error = _in_words(visit.outcome, page)
            return page
        visit.body = response.body
        content_type = response.headers.get("Content-Type", b"") or b""
        visit.encoding = http_content_type_encoding(content_type.decode("latin-1"))
        return page

    def _outcome(self, page: Page, asked_tier: str) -> str:
        """Empty where the response has content to be extracted."""
        if page.verdict in BY_VERDICT:
            return BY_VERDICT[page.verdict]
        if page.verdict == "shell" and page.tier == "http" and asked_tier != "http":
            return "needs_browser"
        if page.final_url == page.url or not isinstance(self.scope.admit(page.final_url), Refusal):
            return ""
        if page.visit is None or not page.visit.is_start:  # a script led the browser there
            return "offsite"
        self.follow_start(page.final_url)
        return ""

    def follow_wiki(self, wiki: Wiki) -> None:
        """On a wiki, follow its articles by their one address, and nothing else of it."""
        if wiki.api in self._wikis:
            return
        self._wikis.add(wiki.api)
        rule = page_rule(wiki, namespaces=frozenset(self.namespaces_of(wiki)))
        self.scope = replace(self.scope, rules=(*self.scope.rules, rule), also=(*self.scope.also, *wiki.hosts))

    def namespaces_of(self, wiki: Wiki) -> list[int]:
        """Which pages of a wiki are followed: those it calls its content."""
        return list(wiki.content_namespaces)

    async def recall_habits(self) -> None:
        """What earlier crawls, and other processes, have learned of the source's addresses."""
        if not self.settings.getbool("TRAPS_ENABLED"):
            return
        since = int(time.time() - number(self.settings, "TRAPS_FORGET_DAYS", least=0) * 86_400)
        self.habits = SiteHabits()
        self.habits.adopt(await self.store.run(self.store.kinds.decided, self.source, since=since))
        if self.habits.folding.rules:
            kept = await self.store.run(self.store.pages.addresses, self.source, limit=MAX_REMEMBERED)
            self.habits.folding.meet(reversed(kept))
        self.scope = replace(self.scope, habits=self.habits)

    async def _recall_wikis(self) -> None:
        """The wikis that earlier crawls have learned at the start URL's host."""
        told = self.told(self.scope.start)
        for kept in await self.store.run(self.store.wikis.load, netloc(self.scope.start)):
            with suppress(ValueError):  # kept by another version; it is learned again
                if kept.profile and told.mediawiki != "off":
                    self.follow_wiki(from_json(kept.profile))

    def follow_start(self, url: str) -> None:
        """A start URL that redirects to another host takes the crawl there."""
        self.scope = replace(self.scope, also=(*self.scope.also, netloc(url)))


def failure_outcome(exception: Exception) -> str:
    for kind, outcome in FAILURES.items():
        if isinstance(exception, kind):
            return outcome
    if isinstance(exception, IgnoreRequest):
        message = str(exception).lower()
        return next((outcome for sign, outcome in IGNORED.items() if sign in message), "ignored")
    return "network"


def _in_words(outcome: str, page: Page) -> str:
    sentences = {
        "blocked": f"the site answered with a bot wall ({page.reason})",
        "throttled": f"the site asked for a pause (HTTP {page.http_status})",
        "missing": f"the page is gone (HTTP {page.http_status})",
        "http_error": f"the site answered HTTP {page.http_status} ({page.reason})",
        "not_html": f"not a web page ({page.reason})",
        "gone": f"the wiki has no such page ({page.reason})",
        "private": f"the wiki lets only its members read this ({page.reason})",
        "not_a_page": f"not a page of the wiki ({page.reason})",
        "offsite": f"led out of the crawl's scope by script, to {page.final_url}",
        "needs_browser": f"the page needs a browser to show its text ({page.reason}), and none was found",
    }
    return sentences[outcome]
