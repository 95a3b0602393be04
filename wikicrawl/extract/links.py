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
# What sites call the pages that lead to all others, and how their addresses end.
SIGNPOST_TEXT = re.compile(
    r"(?:html |full )?(?:site ?maps?|(?:(?:post|article|news|blog) )?archives?|site index|index a.z|a.z index"
    r"|(?:see |view |browse )?all (?:posts|articles|pages|entries|stories|news|issues|topics)|older (?:posts|entries)"
    r"|archiv|alle (?:beiträge|artikel)|seitenübersicht|plan du site|tous les articles|mapa del sitio|mapa do site"
    r"|mappa del sito)",
    re.IGNORECASE,
)
SIGNPOST_PATH = re.compile(
    r"/(?:site-?_?map|archives?|all-?posts|all-?articles|site-?index|archiv)(?:\.\w{2,5})?/?$", re.IGNORECASE
)
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
MAX_SIGNPOSTS = 20
MAX_WORDS = 100  # characters


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


def find_next(tree: HtmlElement, url: str) -> str:
    """What the page calls the next of its list; empty where it calls nothing so."""
    base = base_of(tree, url)
    for element in tree.iter("a", "link"):
        if "next" in element.get("rel", "").lower().split() and (raw := element.get("href")):
            link = canonical(raw, base)
            return "" if isinstance(link, Refusal) else link
    return ""


def find_signposts(tree: HtmlElement, url: str) -> list[str]:
    """Archives, site maps and indexes of all pages that the page links to."""
    named = (
        raw
        for element in tree.iter("a")
        if (raw := element.get("href"))
        and (SIGNPOST_PATH.search(raw.partition("?")[0]) or SIGNPOST_TEXT.fullmatch(_words(element)))
    )
    return _addresses(named, base_of(tree, url))


def find_feeds(tree: HtmlElement, url: str) -> list[str]:
    """The RSS and Atom feeds that the page's head names."""
    named = (
        raw
        for element in tree.iter("link")
        if (raw := element.get("href"))
        and element.get("type", "").strip().lower() in FEED_TYPES
        and "alternate" in element.get("rel", "").lower().split()
    )
    return _addresses(named, base_of(tree, url))


def _addresses(raw_links: Iterator[str], base: str) -> list[str]:
    found = (canonical(raw, base) for raw in raw_links)
    return list(dict.fromkeys(link for link in found if not isinstance(link, Refusal)))[:MAX_SIGNPOSTS]


def _words(element: HtmlElement) -> str:
    text = ""
    for part in element.itertext():
        text += part
        if len(text) > MAX_WORDS:  # too long for a name; an anchor that is never closed holds the rest of the page
            break
    return " ".join(text.split())


_canonical = lru_cache(maxsize=20_000)(canonical)


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
