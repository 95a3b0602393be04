"""Name what pipelines and feeds see of a page."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wikicrawl.mediawiki.profile import Wiki
    from wikicrawl.store.frontier import Claim
    from wikicrawl.store.validators import Validator
    from wikicrawl.traps.habits import SiteHabits
    from wikicrawl.traps.sameness import Sketch
    from wikicrawl.urls import Scope


@dataclass
class Visit:
    """What one try at a page needs on its way to the store, and no feed shows."""

    started_at: int
    claim: Claim | None = None
    scope: Scope | None = None
    is_start: bool = False  # the page that the crawl starts with
    outcome: str = ""
    body: bytes = b""
    encoding: str | None = None
    trail: list[dict[str, Any]] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    wiki: Wiki | None = None  # the wiki the page is of
    facts: dict[str, Any] = field(default_factory=dict)  # what the wiki's API says of the page
    max_links: int | None = None  # how many of the page's links are followed; None: all of them
    retry_at: int | None = None  # when to come back, where the page's host said so
    was_asked: bool = True  # False where the visit ended before anything was asked of the host
    robots_tags: list[str] = field(default_factory=list)  # what the answer's headers ask of robots
    validator: Validator | None = None  # what the server gave with the page, to ask it with the next time
    content_type: str = ""  # as the server said
    transformed: bytes | None = None  # what the transform hook made of the body; None: there is no hook
    is_fresh: bool = False  # the page has changed, or brought new links
    habits: SiteHabits | None = None  # what was learned of the source's addresses; None: it is not looked at
    sketch: Sketch | None = None  # the page's text, as it is compared with others
    refusal: str = ""  # why the page was not asked for
    is_beyond: bool = False  # it was a guess at a further page of a list, and is not there
    onward: list[str] = field(default_factory=list)  # the rest of the page's list, or its own other address …
    onward_depth: int = 0  # … and how far away that is
    rel_next: str = ""  # what the page calls the next of its list
    signposts: set[str] = field(default_factory=set)  # archives and indexes that pages of the crawl have named


@dataclass
class Page:
    """One visited page; the fields are the feed's columns, in their order."""

    url: str
    final_url: str = ""
    source: str = ""
    domain: str = ""
    depth: int = 0
    title: str = ""
    description: str = ""
    language: str = ""
    markdown: str = ""
    text_hash: str = ""
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    tier: str = ""
    verdict: str = ""
    reason: str = ""
    http_status: int = 0
    fetched_at: str = ""  # ISO 8601, UTC
    changed: str = ""  # new, changed, same, moved, gone; empty where no content was got
    bytes: int = 0
    extractor: str = ""
    weight: float = 1.0
    source_tier: str = ""
    error: str = ""
    wiki: dict[str, Any] = field(default_factory=dict)  # what a wiki says of its page
    confidence: float = 0.0  # from 0 to 1, that the markdown is the content and all of it
    hidden_text: str = ""  # what the page holds but does not show; not in the markdown
    injection_suspect: bool = False  # the hidden text addresses a machine
    visit: Visit | None = field(default=None, repr=False)


# What a tier says of a page that waits for its turn when the crawl is stopped: it was not tried, and has no outcome.
STOPPING = "the crawl is stopping"
# Signal: no page of the crawl has brought anything for STALL_SECONDS; `cause` is why. Whoever can help, does.
STALLED = object()
# Why a page is postponed without being asked for.
PAUSED = "the host asked for a pause"
LEFT_ALONE = "the host fails and is left alone"

# Outcomes whose page comes back at `Visit.retry_at` where that is known, and keeps its interval.
POSTPONED = frozenset({"throttled", "breaker", "robots"})
# What begins the refusal of a page whose robots.txt cannot be got now: it is due again when that is asked for again.
ROBOTS_UNREACHABLE = "robots.txt cannot be got"

COLUMNS = tuple(column.name for column in fields(Page) if column.name != "visit")

# How a visit ends: exactly one of these for each claimed page.
OUTCOMES = {
    "ok": "content was got and kept (new, changed or the same)",
    "redirected": "led to another page of the site, which has the content",
    "landed": "got on the way, when another page redirected to it",
    "noindex": "a page that asks robots not to keep it; its links are followed unless it asks for that, too",
    "empty": "a page without text",
    "not_html": "not a web page (a PDF, an image, JSON …)",
    "missing": "HTTP 404 or 410, or what the host shows with status 200 for any page that does not exist",
    "gone": "missing time and again, or deleted as its wiki says; it is not visited again unless linked or listed anew",
    "excluded": "no longer belongs to its source's crawl (patterns, scope); it is not visited again",
    "renamed": "has another URL by its source's normalize patterns, and that page is known",
    "private": "the wiki, or this page of it, is for its members only",
    "not_a_page": "a special page, or a title that no page can have; it is not visited again",
    "http_error": "another HTTP error",
    "blocked": "a bot wall that did not clear",
    "throttled": "the site asked for a pause (HTTP 429, 503 with Retry-After, a wiki's maxlag)",
    "breaker": "the host has failed page after page, and is left alone until it is tried again",
    "needs_browser": "the text exists only after script, and no browser was found",
    "offsite": "redirected out of the crawl's scope",
    "robots": "refused by robots.txt, or robots.txt cannot be got now",
    "trap": "not asked for: addresses of its kind have brought nothing new, or it is another page's other address",
    "timeout": "no answer in time",
    "dns": "the host has no address",
    "refused": "the host refused the connection",
    "network": "the connection failed in another way",
    "too_large": "more bytes than DOWNLOAD_MAXSIZE",
    "redirects": "too many redirects",
    "scheme": "redirected to an address that is not http or https",
    "ignored": "another Scrapy component refused the request",
    "extract_timeout": "the worker ran out of time",
    "extract_memory": "the worker ran out of memory",
    "extract_crash": "the worker died",
    "extract_error": "the worker raised an error",
    "hook_failed": "the transform hook raised an error",
    "dropped": "another item pipeline dropped or failed on the page",
    "error": "a bug in a spider callback",
    "parked": "process after process died with this page, three of them alone with it; it is not tried again",
}
