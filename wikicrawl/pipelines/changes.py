"""Say whether a page is new, changed, moved, gone or the same as at the last visit."""

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
        if not isinstance(item, Page) or item.visit is None or item.visit.claim is None:
            return item
        if item.text_hash:
            item.changed = has_changed(item.visit.claim.text_hash, item.text_hash)
            if item.visit.claim.text_hash and item.final_url != item.url:
                item.changed = "moved"
        elif item.visit.outcome == "gone" and item.visit.claim.version:
            item.changed = "gone"
        if item.changed:
            self._stats.inc_value(f"changes/{item.changed}")
        return item


def has_changed(old_hash: str, new_hash: str) -> str:
    if not old_hash:
        return "new"
    return "same" if old_hash == new_hash else "changed"
