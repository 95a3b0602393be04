"""Tell from a page, or from its address alone, that a wiki is behind it."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wikicrawl.urls import Refusal, canonical, netloc

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where wikis have their API, the most common first: Fandom and wiki.gg, Wikimedia and Debian, older installations.
PATHS = ("/api.php", "/w/api.php", "/wiki/api.php", "/mediawiki/api.php")

HEAD_BYTES = 100_000  # the links stand in the head, which styles may make long
MAX_TAG = 2_000  # bytes; a page of tags without end must not be searched for each of them
EDIT_URI = re.compile(rb"\brel=[\"']?EditURI\b", re.I)
HREF = re.compile(rb"\bhref=[\"']?([^\"'\s>]+)", re.I)
GENERATOR = re.compile(rb"\bcontent=[\"']?MediaWiki\b", re.I)
NAMED_GENERATOR = re.compile(rb"\bname=[\"']?generator\b", re.I)
API = re.compile(r"/api\.php5?$")  # WordPress has an EditURI, too: its xmlrpc.php
WIKI_PATH = re.compile(r"/wiki/|/index\.php(?:/|$)|/w/|/mediawiki/", re.I)
WIKI_HOST = re.compile(r"(?:^|\.)(?:[\w-]*wiki[\w-]*|fandom|gamepedia|miraheze|wikitide)\.", re.I)
LANGUAGE = re.compile(r"/[a-z]{2,3}(?:-[a-z]{2,4})?(?=/)")


def api_named_by(body: bytes, url: str) -> str | None:
    """The API that a page's head names, or None; '' for a wiki's page that names none.

    One on another host is not believed: it would let any page choose whom we ask.
    """
    head = body[:HEAD_BYTES]
    if b"EditURI" not in head and b"MediaWiki" not in head:  # so MediaWiki writes them; every page is asked
        return None
    for link in _tags(head, b"<link", EDIT_URI):
        href = HREF.search(link)
        if href is None:
            continue
        named = canonical(unescape(href[1].decode("utf-8", "replace")), url)
        api = named.partition("?")[0] if isinstance(named, str) else ""
        if API.search(api) and bare_host(netloc(api)) == bare_host(netloc(url)):
            return api
    is_wiki = any(NAMED_GENERATOR.search(tag) for tag in _tags(head, b"<meta", GENERATOR))
    return "" if is_wiki else None


def looks_like_wiki(url: str) -> bool:
    parts = urlsplit(url)
    is_titled = parts.path.endswith("/index.php") and "title=" in parts.query
    return is_titled or bool(WIKI_PATH.search(parts.path) or WIKI_HOST.search(parts.netloc))


def likely_apis(url: str) -> list[str]:
    """Where the API of a wiki with this page may be; under the path of its language first, where it has one."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    language = LANGUAGE.match(parts.path)
    own = [f"{language[0]}/api.php"] if language else []
    urls = (canonical(origin + path) for path in (*own, *PATHS))
    return [url for url in urls if not isinstance(url, Refusal)]


def _tags(head: bytes, beginning: bytes, sign: re.Pattern[bytes]) -> Iterator[bytes]:
    """The tags of a kind in which a sign stands."""
    for found in sign.finditer(head):
        start = head.rfind(b"<", max(0, found.start() - MAX_TAG), found.start())
        if start >= 0 and head[start : start + len(beginning)].lower() == beginning:
            yield head[start : head.find(b">", found.end(), found.end() + MAX_TAG)]


def bare_host(host: str) -> str:
    """A host without what marks its mobile or its www form: those are one site."""
    labels = [label for label in host.split(".") if label not in ("www", "m")]
    return ".".join(labels)
