"""Turn one page into all that is kept of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wikicrawl.extract.content import choose_content
from wikicrawl.extract.links import base_of, find_links
from wikicrawl.extract.markdown import ENGINES, write_markdown
from wikicrawl.extract.metadata import find_metadata
from wikicrawl.extract.normalise import normalise
from wikicrawl.extract.text import clean
from wikicrawl.extract.tree import decode, parse

if TYPE_CHECKING:
    from lxml.html import HtmlElement


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a page holds; every string is fit for any database, feed and reader."""

    title: str = ""
    description: str = ""
    language: str = ""
    markdown: str = ""
    text_hash: str = ""
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    extractor: str = ""
    text_chars: int = 0
    meta: dict[str, Any] = field(default_factory=dict)


def extract(body: bytes, url: str, *, encoding: str | None = None, engine: str = ENGINES[0]) -> Extraction:
    """Everything of a page; `encoding` is what its header said."""
    return _extract(decode(body, encoding), url, engine)


def to_markdown(html: str | bytes, url: str) -> str:
    """The markdown of a page's main content."""
    text = decode(html) if isinstance(html, bytes) else html
    tree = parse(text)
    return _content(tree, text, url, find_metadata(tree, url), ENGINES[0])[0]


def _extract(text: str, url: str, engine: str) -> Extraction:
    tree = parse(text)
    meta = find_metadata(tree, url)
    links = find_links(tree, url)
    markdown, images, extractor, text_chars = _content(tree, text, url, meta, engine)
    return Extraction(
        title=meta.pop("title", ""),
        description=meta.pop("description", ""),
        language=meta.pop("language", ""),
        markdown=markdown,
        text_hash=hashlib.sha256(" ".join(markdown.split()).encode()).hexdigest(),
        links=links,
        images=images,
        extractor=extractor,
        text_chars=text_chars,
        meta=meta,
    )


def _content(
    tree: HtmlElement, text: str, url: str, meta: dict[str, Any], engine: str
) -> tuple[str, list[str], str, int]:
    base = base_of(tree, url)
    content, extractor = choose_content(tree, text, url, meta.get("types", ()))
    text_chars = len(" ".join(content.text_content().split()))
    images = normalise(content, base)
    return clean(write_markdown(content, engine)), images, extractor, text_chars
