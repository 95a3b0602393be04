"""Read a site's sitemaps and feeds: which pages there are, and which have changed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK

from wikicrawl.extract.sitemap import read_sitemap, sitemap_lines
from wikicrawl.items import STOPPING
from wikicrawl.spiders.outcomes import DOWNLOAD_ERRORS
from wikicrawl.store.frontier import Seed
from wikicrawl.store.lists import SiteList
from wikicrawl.urls import Refusal, Scope, canonical

if TYPE_CHECKING:
    from scrapy.http import Response

    from wikicrawl.extract.sitemap import Sitemap
    from wikicrawl.spiders.base import FrontierSpider

logger = logging.getLogger(__name__)

# A sitemap tree may be endless. 500 files of 50 000 URLs hold any site one machine crawls, and real index trees
# are one level deep.
MAX_SITEMAPS = 500
MAX_SITEMAP_DEPTH = 3
MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # the protocol's own limit
NO_MORE = (404, 410)


class ListReader:
    """Reads all lists of one source; those known from earlier runs are asked for only if they have changed."""

    def __init__(self, spider: FrontierSpider, start_url: str) -> None:
        self._spider = spider
        self._store = spider.store
        self._stats = spider.crawler.stats
        self._start_url = start_url
        self._found = 0

    async def read(self) -> bool:
        """Breadth first through index files; enough is ten times the pages that may be visited.

        False where the site may not be asked, because its robots.txt cannot be got now.
        """
        named = await self._named()
        if named is None:
            return False
        source = self._spider.source
        known = {kept.url: kept for kept in await self._store.run(self._store.lists.of, source)}
        waiting = deque((SiteList(link, "lastmod"), 0) for link in named)
        waiting.extend((kept, 0) for kept in known.values())
        seen: set[str] = set()
        while waiting and len(seen) < MAX_SITEMAPS and self._found < 10 * self._spider.max_pages:
            wanted, depth = waiting.popleft()
            url = canonical(wanted.url, self._start_url)
            if isinstance(url, Refusal) or url in seen or not self._is_same_site(url):
                continue
            seen.add(url)
            sitemap = await self._read(known.get(url) or replace(wanted, url=url))
            if sitemap is not None and depth < MAX_SITEMAP_DEPTH:
                waiting.extend((SiteList(index, "lastmod"), depth + 1) for index, _ in sitemap.indexes)
        logger.info(
            "%(found)d new pages from %(files)d sitemaps and feeds of %(url)s",
            {"found": self._found, "files": len(seen), "url": self._start_url},
            extra={"spider": self._spider},
        )
        return True

    async def read_feeds(self, limit: int) -> int:
        """Those that pages of this crawl have named; how many new pages they tell of."""
        kept = await self._store.run(self._store.lists.of, self._spider.source)
        unread = [feed for feed in kept if feed.kind == "feed" and not feed.read_at and self._is_same_site(feed.url)]
        for feed in unread[:limit]:
            await self._read(feed)
        return self._found

    async def _named(self) -> list[str] | None:
        # Not asked for by itself: the robots middleware answers with the one that it keeps.
        robots = await self._download("/robots.txt", {}, {"dont_retry": True})
        if self._spider.settings.getbool("ROBOTSTXT_OBEY") and (robots is None or robots.status >= 500):
            return None
        named = sitemap_lines(robots.text) if isinstance(robots, TextResponse) and robots.status == 200 else []
        return named or ["/sitemap.xml"]

    async def _read(self, wanted: SiteList) -> Sitemap | None:
        """What the list holds; None where it could not be read, or is the same as before."""
        store, source, now = self._store, self._spider.source, int(time.time())
        response = await self._fetch(wanted)
        if response is not None and response.status in NO_MORE:
            await store.run(store.lists.forget, source, wanted.url)
        if response is not None and response.status == 304 and wanted.read_at:
            self._stats.inc_value("site/lists/not_modified")
            await store.run(store.lists.keep, source, replace(wanted, read_at=now))
        if response is None or response.status != 200:
            return None
        sitemap = await asyncio.to_thread(read_sitemap, response.body)
        await self._compare(wanted, sitemap, now)
        etag, modified = ((response.headers.get(name) or b"").decode("latin-1") for name in ("ETag", "Last-Modified"))
        if sitemap.pages or sitemap.indexes:
            await store.run(store.lists.keep, source, replace(wanted, etag=etag, last_modified=modified, read_at=now))
        return sitemap

    async def _compare(self, read: SiteList, sitemap: Sitemap, now: int) -> None:
        seeds = []
        for link, lastmod in sitemap.pages:
            url = self._spider.scope.admit(link, self._start_url)
            if not isinstance(url, Refusal):
                seeds.append(Seed(url, depth=1, lastmod=lastmod))
        lists = self._store.lists
        noted = await self._store.run(lists.compare, self._spider.source, read.kind, seeds, now)
        if read.kind == "feed":
            await self._store.run(lists.doubt, read, seeds, now)
        self._found += noted.new
        self._stats.inc_value("site/sitemap_pages", noted.new)
        self._stats.inc_value("site/lists/moved", noted.moved)

    def _is_same_site(self, url: str) -> bool:
        also = self._spider.scope.also
        answer = Scope(start=self._start_url, kind="subdomains", also=also).admit(url)
        return not isinstance(answer, Refusal) or answer.reason == "media"  # .xml.gz

    async def _fetch(self, wanted: SiteList) -> Response | None:
        headers = {"If-None-Match": wanted.etag, "If-Modified-Since": wanted.last_modified}
        # Sitemaps are what robots.txt names, or is; feeds are pages like others.
        meta = {"dont_obey_robotstxt": wanted.kind != "feed", "download_maxsize": MAX_SITEMAP_BYTES}
        return await self._download(wanted.url, {name: value for name, value in headers.items() if value}, meta)

    async def _download(self, link: str, headers: dict[str, str], meta: dict[str, Any]) -> Response | None:
        url = canonical(link, self._start_url)
        assert isinstance(url, str)
        request = Request(url, callback=NO_CALLBACK, headers=headers, meta=meta)
        try:
            return await self._spider.crawler.engine.download_async(request)
        except DOWNLOAD_ERRORS as error:
            if str(error) == STOPPING:
                raise
            logger.info(
                "No sitemap from %(url)s: %(error)s", {"url": url, "error": error}, extra={"spider": self._spider}
            )
            return None
