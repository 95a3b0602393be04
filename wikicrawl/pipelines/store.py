"""Keep each visited page: one transaction, one outcome."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import DropItem

from wikicrawl.items import POSTPONED, Page, Visit
from wikicrawl.schedule import Policy
from wikicrawl.store import StoreUnavailable, open_store
from wikicrawl.store.frontier import Claim, Seed
from wikicrawl.store.pages import Content, Finished, Outcome
from wikicrawl.store.validators import Validator
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from wikicrawl.store.pages import StoredPage


# Most links of a page are those of every page of its site; asking the frontier about them again takes as long as all
# else that finishing a page does. 100,000 are some 20 MB.
MAX_TOLD = 100_000


FEED_DEPTH = 1  # deeper pages name the feeds of their own comments
# What is kept of a page that its server says is unchanged.
RECALLED = ("title", "description", "language", "markdown", "links", "images", "extractor")
KEPT_IN_META = ("wiki", "confidence", "hidden_text", "injection_suspect")  # columns without one of their own


class StorePipeline:
    """Finishes the claim a page came with; a page without one passes by.

    Whatever happens to an item on its way (an exception, a drop by another pipeline), its claim ends in an outcome.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._store = open_store(settings["STORE_URL"])
        self._endings: set[asyncio.Future[None]] = set()
        self._fed: set[str] = set()  # feeds that the store has been told of
        self._told: dict[str, int] = {}  # links that the frontier has been told of, and how deep
        self._policy = Policy.from_settings(settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.item_lost, signals.item_error)
        crawler.signals.connect(pipeline.item_lost, signals.item_dropped)
        crawler.signals.connect(pipeline.callback_failed, signals.spider_error)
        return pipeline

    def close_spider(self) -> None:
        self._store.close()

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page) or item.visit is None or item.visit.claim is None:
            return item
        page, visit = item, item.visit
        is_redirect = bool(page.text_hash) and page.final_url != page.url
        visit.outcome = visit.outcome or ("redirected" if is_redirect else "ok")
        try:
            finished = await self._finish(page, visit, item.visit.claim)
        except StoreUnavailable as error:
            visit.claim = None  # it stays without an outcome, and is visited again by the next crawl
            raise DropItem(f"the store could not take {page.url}: {error}", log_level="DEBUG") from None
        self._count(page, visit, finished)
        if finished is not None:
            await self._complete(page, visit, finished)
        if finished is None:
            raise DropItem(f"late result, another process has this page: {page.url}", log_level="DEBUG")
        if is_redirect and not finished.changed and page.changed != "moved":
            raise DropItem(f"{page.url} leads to a page that is already kept: {page.final_url}", log_level="DEBUG")
        return page

    async def _finish(self, page: Page, visit: Visit, claim: Claim) -> Finished | None:
        has_content = visit.outcome in ("ok", "redirected")
        depth = claim.depth + 1
        links = [link for link in page.links[: visit.max_links] if self._told.get(link, depth + 1) > depth]
        finished = await self._store.run(
            self._store.pages.finish,
            claim,
            _outcome(page, visit, self._job),
            content=_content(page, visit) if has_content else None,
            links=[
                *(Seed(link, depth=depth) for link in links),
                *(Seed(link, visit.onward_depth) for link in visit.onward),
            ],
            landed=page.final_url if visit.outcome in ("redirected", "renamed") else None,
            policy=self._policy,
            is_counted=_is_counted(visit),
            validator=_validator(page, visit),
        )
        if finished is not None:
            visit.outcome, visit.is_fresh = finished.outcome, finished.is_fresh
            self._told.update(dict.fromkeys(links, depth))
            if len(self._told) > MAX_TOLD:
                self._told.clear()
        return finished

    async def _complete(self, page: Page, visit: Visit, finished: Finished) -> None:
        """Tell readers what only the store knows, and the store what only this page tells."""
        if visit.outcome == "gone" and page.changed != "gone" and finished.version:
            page.changed = "gone"
            self._crawler.stats.inc_value(f"changes/{page.changed}")
        if page.http_status == 304:
            stored = await self._store.run(self._store.pages.find, page.url, page.source)
            if stored is not None:
                _recall(page, stored)
        feeds = [url for url in visit.meta.get("feeds", ()) if netloc(url) == page.domain]
        if feeds and page.depth <= FEED_DEPTH and not self._fed.issuperset(feeds):
            self._fed.update(feeds)
            await self._store.run(self._store.lists.add_feeds, page.source, feeds)

    @property
    def _job(self) -> str:
        return getattr(self._crawler.spider, "job_id", None) or ""

    def _count(self, page: Page, visit: Visit, finished: Finished | None) -> None:
        stats = self._crawler.stats
        if finished is None:
            stats.inc_value("store/late")
            return
        stats.inc_value(f"store/outcome/{visit.outcome}")
        stats.inc_value("store/pages", int(finished.changed != ""))
        stats.inc_value(f"store/tier/{page.tier or 'none'}")
        stats.inc_value("store/bytes", page.bytes)
        stats.inc_value("store/new_links", finished.new_links)

    async def item_lost(self, item: Any, **_: Any) -> None:
        if isinstance(item, Page) and item.visit is not None:
            await self._end_lost(item, item.visit, "dropped")

    def callback_failed(self, failure: Failure, response: Response | None, **_: Any) -> None:
        visit: Visit | None = response.meta.get("visit") if response is not None else None
        if visit is not None and visit.claim is not None:
            page = Page(url=visit.claim.url, error=f"{type(failure.value).__name__}: {failure.value}")
            # Scrapy does not wait for who hears this signal; the crawl does, because the page stays claimed till then.
            ending = asyncio.ensure_future(self._end_lost(page, visit, "error"))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    async def _end_lost(self, page: Page, visit: Visit, outcome: str) -> None:
        """Finishing is guarded by the lease, so a page that was finished before it got lost stays as it is."""
        if visit.claim is None:
            return
        visit.outcome = outcome
        try:
            finished = await self._finish(page, visit, visit.claim)
        except StoreUnavailable:
            return
        if finished is not None:
            self._count(page, visit, finished)


def _is_counted(visit: Visit) -> bool:
    """Whether the page takes a place among those that may be visited; one that is still to be asked for keeps it."""
    if visit.outcome == "robots":
        return visit.retry_at is not None
    if visit.outcome == "trap" or visit.is_beyond:
        return False
    return visit.outcome != "breaker" or visit.was_asked


def _outcome(page: Page, visit: Visit, job: str) -> Outcome:
    return Outcome(
        name=visit.outcome,
        reason=page.reason,
        tier=page.tier,
        verdict=page.verdict,
        http_status=page.http_status,
        bytes=page.bytes,
        trail=visit.trail,
        error=page.error,
        started_at=visit.started_at,
        finished_at=int(time.time()),
        job=job,
        retry_at=visit.retry_at if visit.outcome in POSTPONED or not visit.was_asked else None,
        was_asked=visit.was_asked,
    )


def _recall(page: Page, stored: StoredPage) -> None:
    for name in RECALLED:
        setattr(page, name, getattr(stored, name))
    for name in KEPT_IN_META:
        setattr(page, name, stored.meta.get(name, getattr(page, name)))


def _validator(page: Page, visit: Visit) -> Validator | None:
    """What the server can be asked with the next time; nothing where it did not give the content itself."""
    if visit.outcome != "ok":
        return None
    is_servers = page.tier == "http" and page.verdict == "page" and visit.validator is not None
    return visit.validator if is_servers else Validator()


def _content(page: Page, visit: Visit) -> Content:
    return Content(
        final_url=page.final_url,
        title=page.title,
        description=page.description,
        language=page.language,
        markdown=page.markdown,
        text_hash=page.text_hash,
        links=page.links,
        images=page.images,
        meta=visit.meta | {name: value for name in KEPT_IN_META if (value := getattr(page, name))},
        tier=page.tier,
        extractor=page.extractor,
        bytes=page.bytes,
        http_status=page.http_status,
    )
