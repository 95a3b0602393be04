"""Fill a page with what is on it: markdown, metadata, links."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from wikicrawl.extract.directives import read_directives
from wikicrawl.extract.page import Extraction
from wikicrawl.extract.worker import ExtractFailed, Workers
from wikicrawl.items import OUTCOMES, STALLED, Page, Visit
from wikicrawl.mediawiki.page import with_credits
from wikicrawl.mediawiki.titles import url_of
from wikicrawl.numbers import number
from wikicrawl.pipelines.soft_404 import Soft404
from wikicrawl.robots import product_token

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from wikicrawl.extract.directives import Directives

SHOWN = ("displaytitle", "sections")
META_ROBOTS = ("obey", "ignore")
# Whether a transform hook gave HTML; what has no such tag is text, or markdown, and kept as it is.
HTML = re.compile(rb"<(?:!doctype|html|body|main|article|section|div|p|h[1-6]|ul|ol|table|pre|br)\b", re.IGNORECASE)


class ExtractPipeline:
    """Parses in worker processes, so that no page can stop the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        if settings["EXTRACT_META_ROBOTS"] not in META_ROBOTS:
            told = settings["EXTRACT_META_ROBOTS"]
            raise ValueError(f"EXTRACT_META_ROBOTS is {told!r}; it must be one of {', '.join(META_ROBOTS)}")
        self._is_obedient = settings["EXTRACT_META_ROBOTS"] == "obey"
        self._robot = product_token(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        self._workers = Workers(
            processes=int(number(settings, "EXTRACT_PROCESSES", least=1)),
            seconds=number(settings, "EXTRACT_SECONDS", least=0.1),
            cpu_seconds=number(settings, "EXTRACT_CPU_SECONDS", least=0.1),
            memory_bytes=int(number(settings, "EXTRACT_MEMORY_MB", least=256)) * 1024 * 1024,
            engine=settings["MARKDOWN_ENGINE"],
        )
        self._soft_404 = Soft404(crawler, self._workers)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.stalled, STALLED)
        return pipeline

    async def stalled(self, cause: str) -> None:
        if cause == "extraction":
            await self._workers.restart()

    def close_spider(self) -> None:
        self._workers.close()
        self._soft_404.close()

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page) and item.visit is not None and item.visit.body:
            if item.visit.outcome:
                item.visit.body = b""
            else:
                await self._fill(item, item.visit)
        return item

    async def _fill(self, page: Page, visit: Visit) -> None:
        body, visit.body = visit.body, b""
        try:
            found = await self._extract(body, page, visit)
        except ExtractFailed as failure:
            visit.outcome = page.reason = failure.reason
            page.error = f"{OUTCOMES[failure.reason]} {failure.detail}".strip()
            self._stats.inc_value(f"extract/{failure.reason}")
            return
        page.title, page.description, page.language = found.title, found.description, found.language
        page.markdown, page.text_hash, page.extractor = found.markdown, found.text_hash, found.extractor
        page.images, page.confidence = found.images, found.confidence
        page.hidden_text, page.injection_suspect = found.hidden_text, found.injection_suspect
        page.links = visit.scope.sift(found.links) if visit.scope else found.links
        visit.meta, visit.rel_next = found.meta, found.rel_next
        if found.wiki or visit.wiki:
            self._fill_wiki(page, visit, found)
        if not page.markdown and not visit.outcome:
            visit.outcome, page.error, page.text_hash = "empty", "the page has no text", ""
        if self._is_obedient:
            self._obey(page, visit, read_directives([*visit.robots_tags, *found.robots], self._robot))
        if page.links and not found.wiki:  # a wiki lists its pages itself
            visit.signposts.update(found.signposts)
        self._stats.inc_value(f"extract/{found.extractor or 'none'}")
        self._stats.inc_value("extract/injection_suspects", int(found.injection_suspect))
        if not visit.outcome:
            await self._soft_404.judge(page, visit)

    def _obey(self, page: Page, visit: Visit, asked: Directives) -> None:
        if asked.nofollow:
            page.links, visit.rel_next = [], ""
            self._stats.inc_value("extract/nofollow")
        if asked.noindex and not visit.outcome:
            visit.outcome, page.reason = "noindex", asked.noindex
            page.error = f"the page asks robots not to keep it ({asked.noindex})"
            page.title = page.description = page.markdown = page.text_hash = page.hidden_text = ""
            page.images, page.wiki, visit.meta = [], {}, {}
            self._stats.inc_value("extract/noindex")

    async def _extract(self, body: bytes, page: Page, visit: Visit) -> Extraction:
        """Links are always those of the body; the content is what a transform hook made of it, where there is one."""
        if visit.transformed is None:
            return await self._workers.extract(body, page.final_url, visit.encoding)
        is_html = page.verdict != "not_html"
        found = await self._workers.extract(body, page.final_url, visit.encoding) if is_html else Extraction()
        if HTML.search(visit.transformed):
            content = await self._workers.extract(visit.transformed, page.final_url, "utf-8")
            return replace(content, links=found.links, robots=found.robots)
        text = visit.transformed.decode("utf-8", "replace").strip()
        text_hash = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
        return replace(found, markdown=text, text_hash=text_hash, extractor="hook", confidence=1.0)

    def _fill_wiki(self, page: Page, visit: Visit, found: Extraction) -> None:
        """What the API says of a page goes before what its HTML shows, but for what readers see."""
        shown = {name: found.wiki[name] for name in SHOWN if name in found.wiki}
        page.wiki = {**found.wiki, **visit.facts, **shown}
        if visit.wiki is None:
            return
        # Of a page that it shows to its members only, a wiki shows "Login required".
        if page.wiki.get("namespace", 0) < 0:
            visit.outcome = page.verdict = "private"
            page.reason, page.error = "special", f"the wiki showed “{page.title}” instead of the page"
            page.markdown = page.text_hash = ""
            page.wiki, page.links = {}, []
            return
        if (title := page.wiki.get("title")) and not visit.facts:
            page.final_url = url_of(visit.wiki, title)  # a redirect of a wiki's answers with its target's HTML
        page.wiki = with_credits(page.wiki, visit.wiki)
