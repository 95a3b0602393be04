"""Crawl one website: its start URL, its sitemaps, and its links, breadth first."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator
from scrapy_spider_metadata import Args

from wikicrawl.numbers import number
from wikicrawl.schedule import Policy
from wikicrawl.spiders.arguments import Address, Patterns, Replacements, without_scrapyds
from wikicrawl.spiders.base import FrontierSpider
from wikicrawl.spiders.lists import ListReader
from wikicrawl.store.frontier import Claim, Seed
from wikicrawl.traps.folding import MAX_REMEMBERED
from wikicrawl.traps.habits import SiteHabits
from wikicrawl.urls import Refusal, Scope, netloc

if TYPE_CHECKING:
    from scrapy import Request

    from wikicrawl.items import Page

logger = logging.getLogger(__name__)


# Refusals that other arguments bring about; a page of another host is in the frontier because somebody put it there.
EXCLUDING = ("not_included", "excluded", "path")


class SiteArguments(BaseModel):
    """What `scrapy crawl site` takes by `-a name=value`."""

    model_config = ConfigDict(extra="forbid")

    url: Address = Field(title="Start URL", description="Where the crawl starts; https:// where no scheme is given.")
    max_pages: int = Field(100, ge=1, title="Pages", description="The most pages of the source that are visited.")
    max_depth: int = Field(3, ge=0, title="Depth", description="Links away from the start URL; 0 is that page alone.")
    max_links: int = Field(0, ge=0, title="Links", description="How many links of a page are followed; 0 is all.")
    scope: Literal["host", "subdomains", "path"] = Field(
        "host", title="Scope", description="The site is its host, also its subdomains, or the start URL's folder."
    )
    include: Patterns = Field(
        (), title="Include", description="Regular expressions, one a line or a JSON list; a URL must match one."
    )
    exclude: Patterns = Field(
        (), title="Exclude", description="Regular expressions, one a line or a JSON list; a URL must match none."
    )
    normalize: Replacements = Field(
        (),
        title="Normalize",
        description='Rewrites of URLs: "pattern => replacement" a line, or a JSON list of {"pattern", "replace"}.',
    )
    sitemap: bool = Field(True, title="Sitemaps", description="Whether sitemaps are read for pages.")
    tier: Literal["auto", "api", "http", "browser"] = Field(
        "auto", title="Tier", description="auto: the cheapest way that works; or the way that is tried first."
    )
    source: str = Field("", title="Source", description="The name the pages are kept under; empty: the host.")

    @model_validator(mode="after")
    def _patterns_compile(self) -> SiteArguments:
        self.to_scope()
        return self

    def to_scope(self) -> Scope:
        return Scope(
            start=self.url, kind=self.scope, include=self.include, exclude=self.exclude, normalize=self.normalize
        )


class SiteSpider(Args[SiteArguments], FrontierSpider):
    name = "site"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **without_scrapyds(kwargs))
        self.job_id: str | None = kwargs.get("_job")
        arguments = self.args
        self.start_url = arguments.url
        self.scope = arguments.to_scope()
        self.max_pages, self.max_depth, self.max_links = arguments.max_pages, arguments.max_depth, arguments.max_links
        self.tier = arguments.tier
        folder = urlsplit(arguments.url).path.rstrip("/") if arguments.scope == "path" else ""
        self.source = arguments.source or netloc(arguments.url) + folder
        self._may_look = False  # whether archives and feeds are looked into when the queue runs dry

    def is_start(self, claim: Claim) -> bool:
        return claim.url == self.start_url

    def equip(self) -> None:
        super().equip()
        self._policy = Policy.from_settings(self.settings)
        self._lists_seconds = int(number(self.settings, "SCHEDULE_LISTS_SECONDS", least=0))
        self._retest_every = int(number(self.settings, "SCHEDULE_RETEST_EVERY", least=2))
        self._max_signposts = int(number(self.settings, "SITE_SIGNPOSTS", least=0))

    async def recall(self) -> None:
        await super().recall()
        await self._recall_habits()
        start = await self.store.run(self.store.pages.find, self.start_url, self.source)
        if start is not None and start.final_url and isinstance(self.scope.admit(start.final_url), Refusal):
            self.follow_start(start.final_url)

    async def _recall_habits(self) -> None:
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

    async def prepare(self) -> None:
        store, now = self.store, int(time.time())
        told = self.args.model_dump(mode="json")
        await store.run(store.sources.ensure, self.source, self.start_url, now, spider=self.name, arguments=told)
        await store.run(store.frontier.add, self.source, [Seed(self.start_url)])
        seeded_at = await store.run(store.sources.seeded_at, self.source)
        is_due = seeded_at is None or now - seeded_at >= self._lists_seconds
        self._may_look = is_due and self.max_depth > 0 and self._max_signposts > 0
        if self._has_lists and seeded_at is not None:
            # Before anything is claimed: the lists tell which of the pages that are due need no visit.
            if is_due:
                await self._read_lists(now)
            await self._rest(now)

    async def discover(self) -> None:
        if self._has_lists and await self.store.run(self.store.sources.seeded_at, self.source) is None:
            await self._read_lists(int(time.time()))

    async def replenish(self) -> bool:
        """Look once into archives and feeds that pages have named, and whose own links nobody has followed."""
        store, now = self.store, int(time.time())
        if not self._may_look or await store.run(store.sources.admitted, self.source) >= self.max_pages:
            return False
        self._may_look = False
        async with self.start_host():
            found = await ListReader(self, self.start_url).read_feeds(self._max_signposts)
        found += await self._follow_signposts()
        await store.run(store.sources.mark_seeded, self.source, now)
        self.crawler.stats.inc_value("site/signpost_pages", found)
        logger.info(
            "The queue has run dry: %(found)d new pages by the archives, indexes and feeds that %(url)s names",
            {"found": found, "url": self.start_url},
            extra={"spider": self},
        )
        return found > 0

    async def _follow_signposts(self) -> int:
        """An archive becomes a page whose links are followed; of one that was got too far away they are known."""
        store, seeds = self.store, []
        for link in sorted(self.signposts)[: self._max_signposts]:
            url = self.scope.admit(link)
            if isinstance(url, Refusal):
                continue
            kept = await store.run(store.pages.find, url, self.source)
            if kept is None:
                seeds.append(Seed(url, depth=self.max_depth - 1))
            elif kept.depth >= self.max_depth:
                seeds += [Seed(link, depth=self.max_depth) for link in self.scope.sift(kept.links)]
        return await store.run(store.frontier.add, self.source, seeds)

    @property
    def _has_lists(self) -> bool:
        return self.args.sitemap and self.max_depth > 0

    async def _read_lists(self, now: int) -> None:
        async with self.start_host():
            is_read = await ListReader(self, self.start_url).read()
        if is_read:
            await self.store.run(self.store.sources.mark_seeded, self.source, now)

    async def _rest(self, now: int) -> None:
        """Put off what the lists call unchanged; not where one of them could not be read."""
        lists = await self.store.run(self.store.lists.of, self.source)
        if not lists or any(now - kept.read_at > self._lists_seconds for kept in lists):
            return
        rested = await self.store.run(
            self.store.lists.rest, self.source, now=now, policy=self._policy, retest_every=self._retest_every
        )
        self.crawler.stats.inc_value("site/lists/rested", rested)

    async def settle(self, claim: Claim) -> Request | Page:
        """A page that belongs to the crawl no longer, or under another URL, since it was given other patterns."""
        url = self.scope.told.admit(claim.url)
        if url == claim.url or self.is_start(claim):
            return self._request(claim)
        if isinstance(url, Refusal):
            is_excluded = url.reason in EXCLUDING
            return self.unasked(claim, "excluded", url.reason) if is_excluded else self._request(claim)
        renamed = await self.store.run(self.store.pages.rename, claim, url)
        if renamed is not None:
            self.crawler.stats.inc_value("site/renamed")
            return self._request(renamed)
        return self.unasked(claim, "renamed", "normalize", leads_to=url)
