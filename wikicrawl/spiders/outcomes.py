"""Say how the visit of a page ended that brought no content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest, UnsupportedURLSchemeError

from wikicrawl.failures import NO_RESPONSE, reason_of
from wikicrawl.items import LEFT_ALONE, PAUSED, ROBOTS_UNREACHABLE

if TYPE_CHECKING:
    from wikicrawl.items import Page

# What a verdict means for the visit; a page (or a shell that no tier could better) has content instead.
BY_VERDICT = {
    "blocked": "blocked",
    "throttled": "throttled",
    "missing": "missing",
    "failed": "http_error",
    "not_html": "not_html",
    "gone": "gone",
    "private": "private",
    "not_a_page": "not_a_page",
}
DOWNLOAD_ERRORS: tuple[type[Exception], ...] = (*NO_RESPONSE, UnsupportedURLSchemeError)
# A host that answers nobody does not answer for its robots.txt either: that is what became of the page.
UNANSWERED = ("timeout", "dns", "refused", "network")
IGNORED = {
    PAUSED: "throttled",
    LEFT_ALONE: "breaker",
    "(trap)": "trap",
    "robots.txt": "robots",
    "crawl's scope": "offsite",
    "max redirections": "redirects",
    "size": "too_large",
}


def failure_outcome(exception: Exception) -> str:
    if isinstance(exception, UnsupportedURLSchemeError):
        return "scheme"
    if isinstance(exception, IgnoreRequest):
        message = str(exception).lower()
        if ROBOTS_UNREACHABLE in message:
            return next((word for word in UNANSWERED if f"({word})" in message), "robots")
        return next((outcome for sign, outcome in IGNORED.items() if sign in message), "ignored")
    return reason_of(exception) or "network"


def in_words(outcome: str, page: Page) -> str:
    sentences = {
        "blocked": f"the site answered with a bot wall ({page.reason})",
        "throttled": f"the site asked for a pause (HTTP {page.http_status})",
        "missing": f"the page is gone (HTTP {page.http_status})",
        "http_error": f"the site answered HTTP {page.http_status} ({page.reason})",
        "not_html": f"not a web page ({page.reason})",
        "gone": f"the wiki has no such page ({page.reason})",
        "private": f"the wiki lets only its members read this ({page.reason})",
        "not_a_page": f"not a page of the wiki ({page.reason})",
        "offsite": f"led out of the crawl's scope by script, to {page.final_url}",
        "needs_browser": f"the page needs a browser to show its text ({page.reason}), and none was found",
    }
    return sentences[outcome]
