"""Claim due pages from the frontier, ask for them, and turn each answer into one Page."""

from __future__ import annotations

import asyncio
import atexit
import logging
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from w3lib.encoding import http_content_type_encoding

from wikicrawl.failures import unless_stopping
from wikicrawl.faults import passing
from wikicrawl.items import OUTCOMES, ROBOTS_UNREACHABLE, STOPPING, Page, Visit
from wikicrawl.mediawiki.profile import from_json, has_contact, is_wikimedia
from wikicrawl.mediawiki.titles import page_rule
from wikicrawl.numbers import number
from wikicrawl.sources import Sources, load_sources
from wikicrawl.spiders.outcomes import BY_VERDICT, failure_outcome, in_words
from wikicrawl.store import Store, StoreUnavailable, open_store
from wikicrawl.store.frontier import Claim, owner_name
from wikicrawl.urls import Refusal, Scope, canonical, netloc, path_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from wikicrawl.mediawiki.profile import Wiki
    from wikicrawl.sources import Source
    from wikicrawl.traps.habits import SiteHabits

logger = logging.getLogger(__name__)

HOST_SECONDS = 2.0  # a host that another process has for now is asked for again so often


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
    _started_at: int
    _owner: str
    _is_empty: asyncio.Event
    _wikis: set[str]  # the APIs of the wikis that are followed
    _sources: Sources
    _lease_seconds: int
    _claim_size: int
    _wait_seconds: float
    _is_over: bool = False
    _at_exit: Callable[[], None]

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
        spider.check()
        spider._lease_seconds = int(number(settings, "STORE_LEASE_SECONDS", least=10))
        spider._claim_size = int(number(settings, "STORE_CLAIM_SIZE", least=1))
        spider._wait_seconds = number(settings, "TIERS_WAIT_SECONDS", least=0)
        spider._started_at = int(time.time())
        spider._owner = owner_name()
        spider.equip()
        spider._sources = load_sources(settings["SOURCES_FILE"])
        spider.store = open_store(settings["STORE_URL"])
        # Kept, because Scrapy tells it once: while we ask the store nobody would listen.
        spider._is_empty = asyncio.Event()
        crawler.signals.connect(spider._is_empty.set, signals.scheduler_empty, weak=False)
        crawler.signals.connect(spider._give_back, signals.spider_closed)
        # A second signal ends Scrapy before it has closed its spiders.
        spider._at_exit = partial(spider.store.run_at_exit, spider.store.frontier.release, spider._owner)
        atexit.register(spider._at_exit)
        return spider

    def check(self) -> None:
        """Refuse what cannot be crawled with these settings."""
        host = netloc(self.scope.start)
        if is_wikimedia(host) and not has_contact(self.settings["USER_AGENT"]):
            raise ValueError(
                f"{host} wants to know who runs a robot: set the environment variable WIKICRAWL_CONTACT to your e-mail "
                "address or a page of yours"
            )

    def equip(self) -> None:
        """Read the settings, and begin without knowledge."""
        self._wikis, self.signposts = set(), set()

    def join(self, other: FrontierSpider) -> None:
        """Ask for pages in another spider's name: with its crawler, its store and its claims."""
        for name in ("crawler", "settings", "store", "_owner", "_sources", "_lease_seconds", "_started_at"):
            setattr(self, name, getattr(other, name))
        self.equip()

    async def prepare(self) -> None:
        """Before the first claim: make the source known and put its first pages into the frontier."""

    async def discover(self) -> None:
        """Beside the crawl, which does not end before it has: look for further pages."""

    async def settle(self, claim: Claim) -> Request | Page:
        """What is asked for a claimed page, or its outcome where nothing is to be asked."""
        return self._request(claim)

    async def replenish(self) -> bool:
        """When nothing is left to be claimed: look for further pages; whether there are any."""
        return False

    async def start(self) -> AsyncIterator[Request | Page]:
        renewing = asyncio.ensure_future(self._renew_claims())
        try:
            await self.recall()
            with unless_stopping():
                await self.prepare()
            async for request in self._requests():
                yield request
        except StoreUnavailable:
            return  # the crawl ends with that as its reason
        finally:
            renewing.cancel()

    async def _requests(self) -> AsyncIterator[Request | Page]:
        """Claim and ask for pages until nothing is due, claimed by anybody, or worth waiting for."""
        frontier, run = self.store.frontier, self.store.run
        discovering = asyncio.ensure_future(self._discover())
        try:
            while True:
                self._is_empty.clear()
                await run(frontier.reclaim_dead, self.source)
                # Asked before the claim: a page finished between the two may have brought links.
                may_end = discovering.done() and not await run(frontier.leased, self.source)
                claims = await self._claim()
                if claims:
                    passing("after_claim")
                for claim in claims:
                    yield await self.settle(claim)
                is_dry = may_end and not claims
                if is_dry and await self.replenish():
                    continue
                held_until = await self._held_until() if is_dry else 0
                if held_until is None:
                    break
                await self._wait(discovering, held_until)
            discovering.result()
        finally:
            discovering.cancel()

    async def parse(self, response: Response) -> AsyncIterator[Page]:
        passing("after_fetch")
        yield self._page(response)

    def failed(self, failure: Failure) -> Iterator[Page]:
        """Errback: a page that brought no response is still one item with one outcome."""
        request: Request = failure.request  # type: ignore[attr-defined]
        page, visit = self._blank(request.meta)
        exception = cast("Exception", failure.value)
        if str(exception) == STOPPING or isinstance(exception, StoreUnavailable):
            return  # it was not tried, and is given back with the other claims
        page.error = str(exception).strip()[:500] or type(exception).__name__
        visit.outcome = failure_outcome(exception)
        page.reason = visit.refusal or visit.outcome
        if ROBOTS_UNREACHABLE in page.error:
            page.reason = "robots_unreachable"
        page.verdict = "error"
        if (retry_at := getattr(exception, "retry_at", None)) is not None:
            visit.retry_at = retry_at
            # One that a redirect has led away was answered by its own host, which may not be left alone at all.
            visit.was_asked = "redirect_times" in request.meta
        yield page

    async def _claim(self) -> list[Claim]:
        if self._is_over:  # the store was slow to answer, and what we hold has been given back
            return []
        doubts = self.store.patience.doubts
        claims = await self.store.run(
            self.store.frontier.claim,
            self.source,
            owner=self._owner,
            limit=self._claim_size,
            now=int(time.time()),
            lease_seconds=self._lease_seconds,
            max_pages=self.max_pages,
            since=self._started_at,
        )
        if doubts == self.store.patience.doubts:
            return claims
        # We may hold pages that we know nothing of. All are given back, and those under way claimed anew: of two
        # results the first is kept.
        await self.store.run(self.store.frontier.release, self._owner)
        return await self._claim()

    async def _held_until(self) -> int | None:
        """When a page may be claimed that its host holds back for now; None where none is worth the wait."""
        until = await self.store.run(
            self.store.frontier.held_until,
            self.source,
            owner=self._owner,
            now=int(time.time()),
            max_pages=self.max_pages,
            since=self._started_at,
        )
        if until is None or until <= time.time() + self._wait_seconds:
            return until
        logger.info(
            "%(source)s: pages are left whose hosts are not to be asked before %(until)s, which is more than "
            "TIERS_WAIT_SECONDS from now; the same crawl goes on with them then",
            {"source": self.source, "until": datetime.fromtimestamp(until, UTC).isoformat()},
            extra={"spider": self},
        )
        return None

    async def _wait(self, discovering: asyncio.Future[None], until: int) -> None:
        """Until the scheduler has nothing left, discovery has ended, or a time has come, if one is given."""
        empty = asyncio.ensure_future(self._is_empty.wait())
        waits: set[asyncio.Future[Any]] = {empty} if discovering.done() else {empty, discovering}
        seconds = max(0.0, until - time.time()) if until else None
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            empty.cancel()

    @asynccontextmanager
    async def start_host(self) -> AsyncIterator[None]:
        """Ask the start URL's host for more than claimed pages: no other process asks it meanwhile."""
        frontier, run, host = self.store.frontier, self.store.run, netloc(self.scope.start)
        while not await run(
            frontier.keep_host, host, owner=self._owner, now=int(time.time()), lease_seconds=self._lease_seconds
        ):
            await asyncio.sleep(HOST_SECONDS)
            await run(frontier.reclaim_dead, self.source)
        try:
            yield
        finally:
            frontier.let_go(host, owner=self._owner)

    async def _discover(self) -> None:
        with unless_stopping(), suppress(StoreUnavailable):  # the next claim meets it, too
            async with self.start_host():
                await self.discover()

    async def _renew_claims(self) -> None:
        with suppress(StoreUnavailable):
            while True:
                await asyncio.sleep(self._lease_seconds / 3)
                await self.store.run(
                    self.store.frontier.renew, self._owner, now=int(time.time()), lease_seconds=self._lease_seconds
                )

    async def _give_back(self) -> None:
        """On a stop in mid-crawl nothing stays claimed."""
        atexit.unregister(self._at_exit)
        self._is_over = True
        with suppress(asyncio.CancelledError, StoreUnavailable):
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
        )
        return Request(
            claim.url,
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
            priority=-claim.depth,
            meta={"visit": visit, "told": told, "tier": self.tier if self.tier != "auto" else told.tier},
        )

    def unasked(self, claim: Claim, outcome: str, reason: str, leads_to: str = "") -> Page:
        """A claimed page whose visit ends before anybody is asked for it."""
        visit = Visit(started_at=int(time.time()), claim=claim, outcome=outcome)
        page, _ = self._blank({"visit": visit, "told": self.told(claim.url)})
        page.final_url, page.reason, page.error = leads_to, reason, OUTCOMES[outcome]
        return page

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
        if page.http_status == 304 and page.verdict == "page":
            visit.outcome, page.text_hash = "ok", visit.claim.text_hash if visit.claim else ""
            return page
        visit.outcome = self._outcome(page, response.meta["tier"])
        visit.scope = self.scope
        visit.content_type = (response.headers.get("Content-Type", b"") or b"").decode("latin-1")
        if visit.outcome:
            page.error = in_words(visit.outcome, page)
            if visit.outcome == "not_html":
                visit.body = response.body  # a transform hook may make text of it
            return page
        visit.body = response.body
        visit.encoding = http_content_type_encoding(visit.content_type)
        visit.robots_tags = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
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

    async def recall(self) -> None:
        """What earlier crawls have learned of the site: the wikis at the start URL's host."""
        told = self.told(self.scope.start)
        for kept in await self.store.run(self.store.wikis.load, netloc(self.scope.start)):
            with suppress(ValueError):  # kept by another version; it is learned again
                if kept.profile and told.mediawiki != "off":
                    self.follow_wiki(from_json(kept.profile))

    def follow_start(self, url: str) -> None:
        """A start URL that redirects to another host takes the crawl there."""
        self.scope = replace(self.scope, also=(*self.scope.also, netloc(url)))
