"""Crawl one website: its start URL, its sitemaps, and its links, breadth first."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from scrapy import Request
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy_spider_metadata import Args

from wikicrawl.extract.sitemap import read_sitemap, sitemap_lines
from wikicrawl.items import STOPPING
from wikicrawl.spiders.arguments import Address, Patterns, as_list, without_scrapyds
from wikicrawl.spiders.base import DOWNLOAD_ERRORS, FrontierSpider
from wikicrawl.store.frontier import Seed
from wikicrawl.urls import Refusal, Scope, canonical, netloc

if TYPE_CHECKING:
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# A sitemap tree may be endless. 500 files of 50 000 URLs hold any site one machine crawls, and real index trees
# are one level deep.
MAX_SITEMAPS = 500
MAX_SITEMAP_DEPTH = 3
MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # the protocol's own limit


def _as_replacement(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"pattern", "replace"}:
        return (value["pattern"], value["replace"])
    if isinstance(value, str) and "=>" in value:
        pattern, _, replacement = value.partition("=>")
        return (pattern.strip(), replacement.strip())
    return value


Replacement = Annotated[tuple[str, str], BeforeValidator(_as_replacement)]


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
    normalize: Annotated[tuple[Replacement, ...], BeforeValidator(as_list)] = Field(
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

    async def prepare(self) -> None:
        store = self.store
        await store.run(store.sources.ensure, self.source, self.start_url, int(time.time()))
        await store.run(store.frontier.add, self.source, [Seed(self.start_url)])
        start = await store.run(store.pages.find, self.start_url, self.source)
        if start is not None and start.final_url and isinstance(self.scope.admit(start.final_url), Refusal):
            self.follow_start(start.final_url)

    async def discover(self) -> None:
        sources = self.store.sources
        now = int(time.time())
        seeded_at = await self.store.run(sources.seeded_at, self.source)
        if not self.args.sitemap or self.max_depth == 0 or self._is_recent(seeded_at, now):
            return
        if await self._read_sitemaps():
            await self.store.run(sources.mark_seeded, self.source, now)

    def _is_recent(self, seeded_at: int | None, now: int) -> bool:
        return seeded_at is not None and now - seeded_at < self.settings.getint("SCHEDULE_NEW_SECONDS")

    async def _read_sitemaps(self) -> bool:
        """Breadth first through index files; enough is ten times the pages that may be visited.

        False where the site may not be asked, because its robots.txt cannot be got now.
        """
        # Not asked for by itself: the robots middleware answers with the one that it keeps.
        robots = await self._download("/robots.txt", {"dont_retry": True})
        if self.settings.getbool("ROBOTSTXT_OBEY") and (robots is None or robots.status >= 500):
            return False
        named = sitemap_lines(robots.text) if isinstance(robots, TextResponse) and robots.status == 200 else []
        waiting = deque((url, 0) for url in named or ["/sitemap.xml"])
        seen: set[str] = set()
        found = 0
        while waiting and len(seen) < MAX_SITEMAPS and found < 10 * self.max_pages:
            link, depth = waiting.popleft()
            url = canonical(link, self.start_url)
            if isinstance(url, Refusal) or url in seen or not self._is_same_site(url):
                continue
            seen.add(url)
            response = await self._fetch(url)
            if response is None:
                continue
            sitemap = await asyncio.to_thread(read_sitemap, response.body)
            if depth < MAX_SITEMAP_DEPTH:
                waiting.extend((index, depth + 1) for index, _ in sitemap.indexes)
            found += await self._add(sitemap.pages)
        logger.info(
            "%(found)d new pages from %(files)d sitemaps of %(url)s",
            {"found": found, "files": len(seen), "url": self.start_url},
            extra={"spider": self},
        )
        self.crawler.stats.inc_value("site/sitemap_pages", found)
        return True

    async def _add(self, entries: list[tuple[str, int | None]]) -> int:
        seeds = []
        for link, lastmod in entries:
            url = self.scope.admit(link, self.start_url)
            if not isinstance(url, Refusal):
                seeds.append(Seed(url, depth=1, lastmod=lastmod))
        return await self.store.run(self.store.frontier.add, self.source, seeds)

    def _is_same_site(self, url: str) -> bool:
        answer = Scope(start=self.start_url, kind="subdomains", also=self.scope.also).admit(url)
        return not isinstance(answer, Refusal) or answer.reason == "media"  # .xml.gz

    async def _fetch(self, link: str) -> Response | None:
        meta = {"dont_obey_robotstxt": True, "download_maxsize": MAX_SITEMAP_BYTES}
        response = await self._download(link, meta)
        return response if response is not None and response.status == 200 else None

    async def _download(self, link: str, meta: dict[str, Any]) -> Response | None:
        url = canonical(link, self.start_url)
        assert isinstance(url, str)
        try:
            return await self.crawler.engine.download_async(Request(url, callback=NO_CALLBACK, meta=meta))
        except DOWNLOAD_ERRORS as error:
            if str(error) == STOPPING:  # the sitemaps are for the next crawl to read
                raise asyncio.CancelledError from None
            logger.info("No sitemap from %(url)s: %(error)s", {"url": url, "error": error}, extra={"spider": self})
            return None
