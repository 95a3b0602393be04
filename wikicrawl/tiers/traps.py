"""End a page whose address is a trap, or another page's other address, before it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from scrapy import Request

    from wikicrawl.items import Visit

REASONS = {
    "same": "trap: pages with such addresses were the same to the word as others",
    "alike": "trap: pages with such addresses differed from others in numbers and dates at most",
    "folded": "trap: another address of a page that is known by the one it was met with first",
}


class TrapsMiddleware:
    """A page that has been got before, or that the crawl started with, is always asked for."""

    def process_request(self, request: Request) -> None:
        visit: Visit | None = request.meta.get("visit")
        if visit is None or visit.habits is None or visit.claim is None or visit.scope is None:
            return
        if visit.claim.version or visit.is_start or "redirect_urls" in request.meta or "tiers_trail" in request.meta:
            return
        url = visit.claim.url
        folded = visit.scope.folded(url)
        if folded != url:
            visit.refusal, visit.onward, visit.onward_depth = "folded", [folded], visit.claim.depth
            raise IgnoreRequest(f"not a page of its own (trap): another address of {folded}")
        reason = visit.habits.budget.reason(url)
        if reason and visit.habits.budget.refuses(url):
            visit.refusal = reason
            raise IgnoreRequest("addresses of its kind have brought nothing new (trap)")
