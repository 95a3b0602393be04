"""Ask a server whether a page has changed before asking for the page."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from scrapy import signals

from wikicrawl.numbers import number
from wikicrawl.store import open_store
from wikicrawl.store.trust import place_of
from wikicrawl.store.validators import Validator, opaque

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.items import Visit
    from wikicrawl.store.trust import Trust

FLAG = "not_modified"  # on responses that stand for the page as it is kept
HEADERS = ("If-None-Match", "If-Modified-Since")
# Of a site that has not shown yet that its tags change with its pages, every n-th page is got whole.
UNPROVEN_EVERY = 3
REASONS = {FLAG: "page: the server says that it is as it was at the last visit (HTTP 304)"}


class ConditionalMiddleware:
    """Stands just inside the tiers, so that it knows that a page is asked of the server itself.

    Only content got so has validators: those of a shell say nothing of what script makes of it. A server whose tags
    stay although its pages change is found out by those that are got whole all the same, and asked no more.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._test_every = int(number(crawler.settings, "TIERS_ETAG_TEST_EVERY", least=1))
        self._store = open_store(crawler.settings["STORE_URL"])
        self._asked: dict[str, int] = {}  # place → candidates so far

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def spider_closed(self) -> None:
        self._store.close()

    async def process_request(self, request: Request) -> None:
        visit: Visit | None = request.meta.get("visit")
        if visit is None or visit.claim is None:
            return
        for name in HEADERS:  # of an earlier try, before a redirect or for another tier
            request.headers.pop(name, None)
        visit.validator = None
        is_other = "redirect_urls" in request.meta or request.meta.get("tiers_browser")
        if is_other or not visit.claim.version or not visit.claim.text_hash:
            return
        known = await self._store.run(self._store.validators.find, visit.claim.id)
        if known and await self._may_ask(request.url):
            _ask_with(request, known)
            visit.validator = known

    async def process_response(self, request: Request, response: Response) -> Response:
        visit: Visit | None = request.meta.get("visit")
        if visit is None or visit.claim is None or request.meta.get("tiers_browser"):
            return response
        if response.status == 304 and visit.validator is not None:
            step = {"tier": "http", "verdict": "page", "reason": FLAG, "status": 304, "chars": 0, "bytes": 0}
            request.meta["tiers_trail"].append(step)
            self._crawler.stats.inc_value("tiers/not_modified")
            return response.replace(flags=[*response.flags, FLAG])
        visit.validator = None if "redirect_urls" in request.meta else _validator(response)
        return response

    async def _may_ask(self, url: str) -> bool:
        place = place_of(url)
        trust = await self._store.run(self._store.trusts.find, place, "etag")
        if trust.is_refuted:
            self._crawler.stats.inc_value("tiers/etag/refuted")
            return False
        every = self._every(trust)
        # From anywhere in the row: runs of a few pages each would else never come to a test.
        count = self._asked.get(place, random.randrange(every)) + 1  # noqa: S311 - no secret
        self._asked[place] = count
        is_test = count % every == 0
        self._crawler.stats.inc_value("tiers/etag/tested", int(is_test))
        return not is_test

    def _every(self, trust: Trust) -> int:
        return self._test_every if trust.is_proven else min(UNPROVEN_EVERY, self._test_every)


def _ask_with(request: Request, known: Validator) -> None:
    if known.etag:
        plain = opaque(known.etag)
        is_plain = plain == known.etag.removeprefix("W/")
        request.headers["If-None-Match"] = known.etag if is_plain else f"{known.etag}, {plain}"
    if known.last_modified:
        request.headers["If-Modified-Since"] = known.last_modified


def _validator(response: Response) -> Validator:
    etag, modified = (response.headers.get(name) or b"" for name in ("ETag", "Last-Modified"))
    return Validator(etag.decode("latin-1").strip(), modified.decode("latin-1").strip())
