"""Find the links of a page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from wikicrawl.urls import Refusal, canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

# The richest of 480 real pages has 1 369; one of 100 000 is a trap or a dump and must not flood the frontier.
MAX_LINKS = 10_000
ATTRIBUTE = {"a": "href", "area": "href", "link": "href", "iframe": "src", "form": "action"}
ROOTED = re.compile(r"/(?![/\\])|https?://", re.I)  # lead to the same place from every page of a server
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
MAX_FEEDS = 10
FOLLOWED_RELS = frozenset({"next", "canonical"})


def find_links(tree: HtmlElement, url: str) -> list[str]:
    """The page's links in canonical form and document order, each once; what is no http(s) URL is left out."""
    base = base_of(tree, url)
    root = base[: base.find("/", 8) + 1]
    links: dict[str, None] = {}
    for raw in dict.fromkeys(_raw_links(tree)):
        # The menus of a site are the same on every page; so written, they are parsed once.
        link = _canonical(raw, root) if ROOTED.match(raw) else canonical(raw, base)
        if isinstance(link, Refusal):
            continue
        links[link] = None
        if len(links) == MAX_LINKS:
            break
    return list(links)


_canonical = lru_cache(maxsize=20_000)(canonical)


def find_feeds(tree: HtmlElement, url: str) -> list[str]:
    """The RSS and Atom feeds that the page names in its head."""
    base = base_of(tree, url)
    named = (
        canonical(link.get("href"), base)
        for link in tree.iter("link")
        if link.get("href")
        and link.get("type", "").strip().lower() in FEED_TYPES
        and "alternate" in link.get("rel", "").lower().split()
    )
    return list(dict.fromkeys(feed for feed in named if not isinstance(feed, Refusal)))[:MAX_FEEDS]


def base_of(tree: HtmlElement, url: str) -> str:
    """The URL against which the page's relative links are meant."""
    for element in tree.iter("base"):
        href = element.get("href")
        if href is not None:
            base = canonical(href, url)
            return url if isinstance(base, Refusal) else base  # browsers, too, ignore a bad first one for good
    return url


def _raw_links(tree: HtmlElement) -> Iterator[str]:
    for element in tree.iter(*ATTRIBUTE):
        raw = element.get(ATTRIBUTE[element.tag])
        if raw and _is_followed(element):  # an empty one means this page again
            yield raw


def _is_followed(element: HtmlElement) -> bool:
    if element.tag == "form":
        return element.get("method", "").strip().lower() in {"", "get"}
    if element.tag == "link":
        return not FOLLOWED_RELS.isdisjoint(element.get("rel", "").lower().split())
    return True
