"""Visit again what is due, of all sources, and end."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from scrapy_spider_metadata import Args

from wikicrawl.numbers import number
from wikicrawl.spiders.arguments import Addresses, Patterns, Replacements, without_scrapyds
from wikicrawl.spiders.base import FrontierSpider
from wikicrawl.spiders.site import SiteArguments, SiteSpider
from wikicrawl.spiders.wiki import WikiArguments, WikiSpider
from wikicrawl.store.frontier import Seed
from wikicrawl.urls import Scope, netloc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from wikicrawl.items import Page
    from wikicrawl.store.frontier import Claim
    from wikicrawl.store.sources import KeptSource

logger = logging.getLogger(__name__)

NO_LIMIT = 2**31 - 1  # what start URLs bring is bounded by the claims of each run
HOOKS = {
    "page_hook": "TIERS_BROWSER_PAGE_HOOK",
    "transform_hook": "PIPELINES_TRANSFORM_HOOK",
    "downstream_hook": "PIPELINES_DOWNSTREAM_HOOK",
}


class RecrawlArguments(BaseModel):
    """What `scrapy crawl recrawl` takes by `-a name=value`."""

    model_config = ConfigDict(extra="forbid")

    n_claims: int = Field(100, ge=1, title="Pages", description="The most pages that are visited in this run.")
    n_concurrent: int = Field(10, ge=1, title="At a time", description="How many pages are asked for at a time.")
    start_urls: Addresses = Field(
        (), title="Start URLs", description="One a line or a JSON list; made known as sources where they are not."
    )
    normalize: Replacements = Field((), title="Normalize", description="Rewrites of URLs for the start URLs' sources.")
    include: Patterns = Field((), title="Include", description="Patterns for the start URLs' sources.")
    exclude: Patterns = Field((), title="Exclude", description="Patterns for the start URLs' sources.")
    page_hook: str = Field("", title="Page hook", description="Import path; as TIERS_BROWSER_PAGE_HOOK.")
    transform_hook: str = Field("", title="Transform hook", description="Import path; as PIPELINES_TRANSFORM_HOOK.")
    downstream_hook: str = Field("", title="Downstream hook", description="Import path; as PIPELINES_DOWNSTREAM_HOOK.")

    @model_validator(mode="after")
    def _patterns_are_of_start_urls(self) -> RecrawlArguments:
        if not self.start_urls and self.patterns:
            raise ValueError(
                f"{', '.join(self.patterns)}: only with start_urls; other sources keep what scrapy crawl site was given"
            )
        for url in self.start_urls:
            Scope(start=url, include=self.include, exclude=self.exclude, normalize=self.normalize)
        return self

    @property
    def patterns(self) -> dict[str, Any]:
        """Those that are given."""
        return {name: value for name in ("normalize", "include", "exclude") if (value := getattr(self, name))}


class RecrawlSpider(Args[RecrawlArguments], FrontierSpider):
    """Each source is asked by the spider that crawls it, with what that was given the last time."""

    name = "recrawl"
    source = ""  # all of them
    max_pages = max_depth = 0  # each source has its own
    _lists_seconds: int
    _renewing: asyncio.Future[None] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **without_scrapyds(kwargs))
        self.job_id: str | None = kwargs.get("_job")
        self._crawls: dict[str, FrontierSpider] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.settings.set("CONCURRENT_REQUESTS", spider.args.n_concurrent, priority="spider")
        for argument, setting in HOOKS.items():
            if path := getattr(spider.args, argument):
                crawler.settings.set(setting, path, priority="cmdline")
        spider._lists_seconds = int(number(crawler.settings, "SCHEDULE_LISTS_SECONDS", least=0))
        return spider

    def check(self) -> None:
        """Whose pages are asked for is not known yet; the tiers refuse what must not be asked."""

    async def start(self) -> AsyncIterator[Request | Page]:
        store, now = self.store, int(time.time())
        await self._add_start_urls(now)
        self._renewing = asyncio.ensure_future(self._renew_claims())
        due = await store.run(store.sources.due, now, self.args.n_claims)
        for source in due:
            await store.run(store.frontier.reclaim_dead, source)
        unread = await store.run(store.sources.unread, now - self._lists_seconds, self.args.n_claims)
        await self._prepare([*due, *unread])
        claims = await self._claim()
        await self._prepare(claim.source for claim in claims)
        logger.info("%(claims)d pages are visited again", {"claims": len(claims)}, extra={"spider": self})
        for claim in claims:
            yield await self._crawls[claim.source].settle(claim)

    async def _claim(self) -> list[Claim]:
        """All pages of this run: what one source leaves, the next claim gives to others."""
        claims: list[Claim] = []
        while len(claims) < self.args.n_claims:
            more = await self.store.run(
                self.store.frontier.claim_anywhere,
                owner=self._owner,
                limit=self.args.n_claims - len(claims),
                now=int(time.time()),
                lease_seconds=self._lease_seconds,
                since=self._started_at,
            )
            if not more:
                break
            claims += more
        return claims

    async def _give_back(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
        await super()._give_back()

    async def _add_start_urls(self, now: int) -> None:
        sources, frontier = self.store.sources, self.store.frontier
        for url in self.args.start_urls:
            source = netloc(url)
            kept = await self.store.run(sources.find, source)
            if kept is None or kept.spider != "wiki":  # a wiki knows its pages itself
                told = {"url": kept.url, **kept.arguments} if kept is not None else _unlimited(url)
                told = SiteArguments(**told | self.args.patterns).model_dump(mode="json")
                await self.store.run(sources.ensure, source, url, now, spider="site", arguments=told)
            await self.store.run(frontier.add, source, [Seed(url)])

    async def _prepare(self, sources: Iterable[str]) -> None:
        """Let the spiders of sources look at lists and revisions, which tell what need not be visited."""
        turns = asyncio.Semaphore(self.args.n_concurrent)
        wanted = [source for source in dict.fromkeys(sources) if source not in self._crawls]
        await asyncio.gather(*(self._prepare_one(source, turns) for source in wanted))

    async def _prepare_one(self, source: str, turns: asyncio.Semaphore) -> None:
        async with turns:
            kept = await self.store.run(self.store.sources.find, source)
            assert kept is not None
            crawl = self._crawls[source] = self._crawl_of(kept)
            await crawl.recall()
            if not await self._keep_host(crawl):
                return  # another process asks it now, or it is paused
            try:
                if not isinstance(crawl, WikiSpider) or not await self._was_asked(kept):
                    await crawl.prepare()
                    await crawl.discover()
            finally:
                self.store.frontier.let_go(netloc(crawl.scope.start), owner=self._owner)

    async def _keep_host(self, crawl: FrontierSpider) -> bool:
        frontier, host, now = self.store.frontier, netloc(crawl.scope.start), int(time.time())
        if await self.store.run(frontier.free_at, host, owner=self._owner, now=now) > now:
            return False
        return await self.store.run(
            frontier.keep_host, host, owner=self._owner, now=now, lease_seconds=self._lease_seconds
        )

    async def _was_asked(self, kept: KeptSource) -> bool:
        """Whether a wiki has told of its changes of late; else it is asked now."""
        now = int(time.time())
        if kept.seeded_at is not None and now - kept.seeded_at < self._lists_seconds:
            return True
        await self.store.run(self.store.sources.mark_seeded, kept.id, now)
        return False

    def _crawl_of(self, kept: KeptSource) -> FrontierSpider:
        """The spider that crawls a source, in this one's name."""
        try:
            crawl = _spider_of(kept)
        except ValidationError as error:
            logger.warning(
                "What %(source)s was crawled with cannot be read, so its start URL alone counts: %(error)s",
                {"source": kept.id, "error": error},
                extra={"spider": self},
            )
            self.crawler.stats.inc_value("recrawl/unreadable")
            crawl = SiteSpider(url=kept.url, source=kept.id)
        crawl.join(self)
        return crawl


def _unlimited(url: str) -> dict[str, Any]:
    return {"url": url, "max_pages": NO_LIMIT, "max_depth": NO_LIMIT}


def _spider_of(kept: KeptSource) -> FrontierSpider:
    arguments = {"url": kept.url, **kept.arguments, "source": kept.id}
    if kept.spider == "wiki":
        return WikiSpider(**WikiArguments(**arguments).model_dump())
    return SiteSpider(**SiteArguments(**arguments).model_dump())
