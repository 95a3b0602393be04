"""End a redirect that leaves the crawl's scope before the other host is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

from wikicrawl.urls import Refusal

if TYPE_CHECKING:
    from scrapy import Request

    from wikicrawl.items import Visit


class ScopeMiddleware:
    """The start URL alone may lead elsewhere: a site that has moved is crawled where it is now."""

    def process_request(self, request: Request) -> None:
        visit: Visit | None = request.meta.get("visit")
        if "redirect_urls" not in request.meta or visit is None or visit.scope is None:
            return
        if visit.is_start:
            return
        answer = visit.scope.admit(request.url)
        if isinstance(answer, Refusal):
            raise IgnoreRequest(f"redirected out of the crawl's scope ({answer.reason}), to {request.url}")
