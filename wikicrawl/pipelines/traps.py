"""Learn from each page what its address, its links and its list are worth."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from wikicrawl.items import Page, Visit
from wikicrawl.numbers import number
from wikicrawl.store import open_store
from wikicrawl.traps.lists import position_of
from wikicrawl.traps.sameness import sketch_of
from wikicrawl.urls import Refusal

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from wikicrawl.traps.habits import Lesson, SiteHabits

logger = logging.getLogger(__name__)

KEEP_EVERY = 50  # pages between two writes of the counts; what is decided is written at once


class TrapsPipeline:
    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._store = open_store(settings["STORE_URL"])
        self._is_canonical_obeyed = settings.getbool("TRAPS_CANONICAL")
        self._does_predict = settings.getbool("TRAPS_PREDICT")
        self._forget_seconds = number(settings, "TRAPS_FORGET_DAYS", least=0) * 86_400
        self._unkept = 0
        self._learned: dict[str, SiteHabits] = {}  # by source

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def close_spider(self) -> None:
        for source, habits in self._learned.items():
            if rows := habits.to_keep():
                self._store.kinds.add(source, rows, int(time.time()))
        self._store.close()

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page) or item.visit is None or item.visit.habits is None or item.visit.wiki is not None:
            return item
        page, visit, habits = item, item.visit, item.visit.habits
        if visit.claim is None or visit.outcome:
            # Whoever guessed may be another process, or dead.
            visit.is_beyond = visit.outcome == "missing" and position_of(page.url) is not None
            if habits.lists.end(page.url):
                self._crawler.stats.inc_value("traps/predicted_in_vain")
            return item
        await self._learn(page, visit, habits)
        return item

    async def _learn(self, page: Page, visit: Visit, habits: SiteHabits) -> None:
        assert visit.claim is not None
        sketch = visit.sketch or sketch_of(page.markdown, page.final_url)
        is_first = visit.claim.version == 0
        lesson = habits.learn(page.url, page.final_url, sketch, page.links, is_first=is_first)
        self._follow_list(page, visit, habits, lesson)
        if lesson.same_as is not None and lesson.same_as != page.final_url:
            page.final_url = lesson.same_as
            self._crawler.stats.inc_value("traps/same_page")
        elif target := await self._recall(page, visit):
            page.final_url = target
        elif target := self._canonical(page, visit, habits, sketch.bag):
            page.final_url = target
            self._crawler.stats.inc_value("traps/canonical")
        habits.canonicals.meet(page.final_url, sketch.bag)
        self._tell(lesson)
        self._crawler.stats.inc_value("traps/refused_links", habits.refused_links)
        habits.refused_links = 0
        self._learned[page.source] = habits
        self._unkept += 1
        if self._unkept >= KEEP_EVERY or lesson.closed or lesson.opened or lesson.folded:
            await self._keep(page.source, habits)

    def _follow_list(self, page: Page, visit: Visit, habits: SiteHabits, lesson: Lesson) -> None:
        """The rest of a list is as near as the page, as long as pages of it bring something new."""
        if not lesson.is_new:
            habits.lists.end(page.url)
            return
        named = self._admitted(visit, visit.rel_next)
        onward = habits.lists.onward(page.url, page.links, named)
        following = habits.lists.predict(page.url) if self._does_predict else None
        if following is not None and following not in onward and (following := self._admitted(visit, following)):
            onward.append(following)
            self._crawler.stats.inc_value("traps/predicted")
        visit.onward += onward

    def _admitted(self, visit: Visit, link: str) -> str:
        answer = visit.scope.admit(link) if visit.scope is not None and link else ""
        return "" if isinstance(answer, Refusal) else answer

    def _canonical(self, page: Page, visit: Visit, habits: SiteHabits, bag: int) -> str | None:
        target = self._admitted(visit, visit.meta.get("canonical", "")) if self._is_canonical_obeyed else ""
        if not target or target == page.final_url:
            return None
        return target if habits.canonicals.is_believed(page.final_url, target, bag) else None

    async def _recall(self, page: Page, visit: Visit) -> str | None:
        """The address under which an earlier crawl has kept the page: else the two would take turns."""
        if visit.claim is None or visit.claim.version or visit.claim.interval is None:
            return None
        kept = await self._store.run(self._store.pages.find, page.url, page.source)
        if kept is None or kept.outcome != "redirected" or kept.final_url in (None, page.final_url):
            return None
        target = await self._store.run(self._store.pages.find, str(kept.final_url), page.source)
        return target.url if target is not None and target.text_hash == page.text_hash else None

    def _tell(self, lesson: Lesson) -> None:
        for word, patterns in (("closed", lesson.closed), ("opened", lesson.opened), ("folded", lesson.folded)):
            for pattern in patterns:
                self._crawler.stats.inc_value(f"traps/{word}")
                logger.info(
                    "Addresses like %(pattern)s: %(word)s",
                    {"pattern": pattern, "word": word},
                    extra={"spider": self._crawler.spider},
                )

    async def _keep(self, source: str, habits: SiteHabits) -> None:
        """And take over what other processes have decided."""
        self._unkept = 0
        now = int(time.time())
        rows = habits.to_keep()
        await self._store.run(self._store.kinds.add, source, rows, now)
        since = int(now - self._forget_seconds)
        habits.adopt(await self._store.run(self._store.kinds.decided, source, since=since))
