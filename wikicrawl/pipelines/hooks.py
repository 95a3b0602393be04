"""Call a user's own functions on the way of a page: one before its content is read, one after it is kept."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wikicrawl.hooks import call_hook, load_hook
from wikicrawl.items import Page, Visit

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MARKDOWN = "text/markdown; charset=utf-8"


class TransformPipeline:
    """`PIPELINES_TRANSFORM_HOOK(content, content_type, url)` returns what the content is read from instead of the body.

    HTML is extracted as a page's own would be; other text is the content as it stands; nothing means an empty page.
    Links are those of the body. What the server does not call HTML is given to the hook, too, and kept if it makes
    text of it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        path = crawler.settings.get("PIPELINES_TRANSFORM_HOOK")
        self._hook = load_hook("PIPELINES_TRANSFORM_HOOK", path, called_with="content, content type and URL")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if self._hook is None or not isinstance(item, Page) or item.visit is None or not item.visit.body:
            return item
        page, visit = item, item.visit
        try:
            answer = await call_hook(self._hook, visit.body, visit.content_type, page.final_url)
            if not isinstance(answer, str | bytes):
                raise TypeError(f"it returned {type(answer).__name__} instead of str or bytes")
        except Exception as error:  # whatever the user's function raises is this page's outcome
            _tell_failure(self._crawler, "transform", page, error)
            visit.outcome = page.reason = "hook_failed"
            page.error, visit.body = f"transform hook: {type(error).__name__}: {error}"[:500], b""
            return page
        _take(page, visit, answer)
        return page


class DownstreamPipeline:
    """`PIPELINES_DOWNSTREAM_HOOK(content, content_type, url, fresh)` is told of every finished page.

    The content is the markdown, which is what freshness is decided on; it is empty where the visit brought none.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        path = crawler.settings.get("PIPELINES_DOWNSTREAM_HOOK")
        told = "content, content type, URL and freshness"
        self._hook = load_hook("PIPELINES_DOWNSTREAM_HOOK", path, called_with=told)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if self._hook is None or not isinstance(item, Page) or item.visit is None:
            return item
        url = item.final_url or item.url
        try:
            await call_hook(self._hook, item.markdown.encode(), MARKDOWN, url, item.visit.is_fresh)
        except Exception as error:  # the page is kept; what the user's function does with it is its own affair
            _tell_failure(self._crawler, "downstream", item, error)
        return item


def _take(page: Page, visit: Visit, answer: str | bytes) -> None:
    content = answer.encode(errors="replace") if isinstance(answer, str) else answer
    if visit.outcome == "not_html":
        is_text = isinstance(answer, str) or _is_text(content)
        if not content or not is_text:
            visit.body = b""
            return
        visit.outcome, page.error = "", ""
    visit.transformed = content


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


def _tell_failure(crawler: Crawler, hook: str, page: Page, error: Exception) -> None:
    logger.warning(
        "The %(hook)s hook failed on %(url)s: %(error)s",
        {"hook": hook, "url": page.url, "error": f"{type(error).__name__}: {error}"},
        extra={"spider": crawler.spider},
    )
    crawler.stats.inc_value(f"hooks/failed/{hook}")
