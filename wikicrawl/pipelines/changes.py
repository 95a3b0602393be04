"""Say whether a page is new, changed or the same as at the last visit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wikicrawl.items import Page

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler


class ChangesPipeline:
    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, Page) and item.text_hash and item.visit and item.visit.claim:
            item.changed = has_changed(item.visit.claim.text_hash, item.text_hash)
            self._stats.inc_value(f"changes/{item.changed}")
        return item


def has_changed(old_hash: str, new_hash: str) -> str:
    if not old_hash:
        return "new"
    return "same" if old_hash == new_hash else "changed"
