"""Fill a page with what is on it: markdown, metadata, links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wikicrawl.extract.worker import ExtractFailed, Workers
from wikicrawl.items import OUTCOMES, Page, Visit
from wikicrawl.numbers import number

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler


class ExtractPipeline:
    """Parses in worker processes, so that no page can stop the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        self._workers = Workers(
            processes=int(number(settings, "EXTRACT_PROCESSES", least=1)),
            seconds=number(settings, "EXTRACT_SECONDS", least=0.1),
            cpu_seconds=number(settings, "EXTRACT_CPU_SECONDS", least=0.1),
            memory_bytes=int(number(settings, "EXTRACT_MEMORY_MB", least=256)) * 1024 * 1024,
            engine=settings["MARKDOWN_ENGINE"],
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def close_spider(self) -> None:
        self._workers.close()

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page) and item.visit is not None and item.visit.body:
            await self._fill(item, item.visit)
        return item

    async def _fill(self, page: Page, visit: Visit) -> None:
        body, visit.body = visit.body, b""
        try:
            found = await self._workers.extract(body, page.final_url, visit.encoding)
        except ExtractFailed as failure:
            visit.outcome = page.reason = failure.reason
            page.error = f"{OUTCOMES[failure.reason]} {failure.detail}".strip()
            self._stats.inc_value(f"extract/{failure.reason}")
            return
        page.title, page.description, page.language = found.title, found.description, found.language
        page.markdown, page.text_hash, page.extractor = found.markdown, found.text_hash, found.extractor
        page.images = found.images
        page.links = visit.scope.sift(found.links) if visit.scope else found.links
        visit.meta = found.meta
        if not page.markdown:
            visit.outcome, page.error, page.text_hash = "empty", "the page has no text", ""
        self._stats.inc_value(f"extract/{found.extractor or 'none'}")
