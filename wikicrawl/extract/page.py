"""Turn one page into all that is kept of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wikicrawl.extract.content import Choice, choose_content
from wikicrawl.extract.decode import decode
from wikicrawl.extract.directives import directive_lines
from wikicrawl.extract.embedded import LEAST_PROSE, find_embedded
from wikicrawl.extract.hidden import addressed_comments, smuggled, take_hidden, tell_hidden
from wikicrawl.extract.links import base_of, find_feeds, find_links, find_next, find_signposts
from wikicrawl.extract.markdown import ENGINES, write_markdown
from wikicrawl.extract.metadata import find_metadata
from wikicrawl.extract.normalise import normalise
from wikicrawl.extract.strip import strip_unread
from wikicrawl.extract.structured import has_supplement, supplement
from wikicrawl.extract.text import clean, weigh
from wikicrawl.extract.tree import body_of, parse, text_of
from wikicrawl.extract.unread import write_unread
from wikicrawl.extract.wiki import is_wiki, read_wiki

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from wikicrawl.extract.embedded import Embedded

LITTLE = 2_000  # characters outside links; a page that shows more does not keep its article in scripts

SURE_NAMED, SURE_UNNAMED = 0.8, 0.3  # an article in JSON was the content of 4 in 5 and of 1 in 4 real pages


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
    wiki: dict[str, Any] = field(default_factory=dict)  # what a wiki says of its page; empty elsewhere
    confidence: float = 0.0  # from 0 to 1, that this is the content and all of it
    hidden_text: str = ""  # what the page holds but does not show
    injection_suspect: bool = False  # the hidden text addresses a machine
    robots: list[str] = field(default_factory=list)  # what the page asks of robots, as X-Robots-Tag would say it
    rel_next: str = ""  # what the page calls the next of its list
    signposts: list[str] = field(default_factory=list)  # archives and indexes that it links to


def extract(body: bytes, url: str, *, encoding: str | None = None, engine: str = ENGINES[0]) -> Extraction:
    """Everything of a page; `encoding` is what its header said."""
    return _extract(decode(body, encoding), url, engine)


def to_markdown(html: str | bytes, url: str) -> str:
    """The markdown of a page's main content."""
    tree = parse(decode(html) if isinstance(html, bytes) else html)
    return _content(tree, url, find_metadata(tree, url), ENGINES[0]).markdown


@dataclass(frozen=True, slots=True)
class _Content:
    markdown: str
    images: list[str]
    choice: Choice
    text_chars: int
    wiki: dict[str, Any]
    hidden: list[str]


def _extract(text: str, url: str, engine: str) -> Extraction:
    tree = parse(text)
    meta = find_metadata(tree, url)
    links = find_links(tree, url)
    robots = directive_lines(tree)
    if feeds := find_feeds(tree, url):
        meta["feeds"] = feeds
    rel_next, signposts = find_next(tree, url), find_signposts(tree, url)
    found = _content(tree, url, meta, engine)
    title = meta.pop("title", "")
    hidden_text, injection_suspect = tell_hidden([*addressed_comments(text), *found.hidden])
    return Extraction(
        title=found.wiki.get("displaytitle") or found.wiki.get("title") or title,
        description=meta.pop("description", ""),
        language=meta.pop("language", ""),
        markdown=found.markdown,
        text_hash=hashlib.sha256(" ".join(found.markdown.split()).encode()).hexdigest(),
        links=links,
        images=found.images,
        extractor=found.choice.extractor,
        confidence=found.choice.confidence,
        text_chars=found.text_chars,
        meta={**meta, "chosen": found.choice.reason} if found.choice.reason else meta,
        wiki=found.wiki,
        hidden_text=clean(hidden_text),
        injection_suspect=injection_suspect,
        robots=robots,
        rel_next=rel_next,
        signposts=signposts,
    )


def _content(tree: HtmlElement, url: str, meta: dict[str, Any], engine: str) -> _Content:
    base = base_of(tree, url)
    wiki: dict[str, Any] = {}
    if is_wiki(tree):
        hidden = take_hidden(tree, is_kept=True)  # a wiki's own rules tell what its readers see
        content, wiki = read_wiki(tree, base)
        choice = Choice(content, "wiki", reason="a MediaWiki page says itself where its content is")
    else:
        choice, hidden = _choose(tree, url, meta)
    text_chars = len(text_of(choice.element))
    images = normalise(choice.element, base)
    markdown = write_markdown(choice.element, engine)
    return _Content(clean(markdown), images, choice, text_chars, wiki, [*hidden, *smuggled(markdown)])


def _choose(tree: HtmlElement, url: str, meta: dict[str, Any]) -> tuple[Choice, list[str]]:
    """The content, and the texts that the page hides."""
    scripts = [(script.get("type", ""), script.text) for script in tree.iter("script") if script.text]
    scripts = [(kind, text) for kind, text in scripts if len(text) >= LEAST_PROSE]
    write_unread(body_of(tree))
    hidden = take_hidden(tree)
    choice = choose_content(tree, url, meta.get("types", ()))
    if not scripts and not has_supplement(meta):
        return choice, hidden
    content = text_of(choice.element)
    own = weigh(content) - sum(weigh(text_of(link)) for link in choice.element.iter("a")) if scripts else LITTLE
    found = find_embedded(scripts, meta.get("title", "")) if own < LITTLE else None
    # A list of links is a page of its own, unless the article is the page's by name.
    shown = own if found and found.is_named else weigh(content)
    if found and shown < LITTLE and found.chars > 2 * shown:
        choice, more = _embedded(found, shown)
        return choice, [*hidden, *more]
    if added := supplement(content, meta):
        choice.element.extend(body_of(parse(added)))
        choice = replace(choice, reason=f"{choice.reason}; the rest is from its structured data".lstrip("; "))
    return choice, hidden


def _embedded(found: Embedded, shown_chars: int) -> tuple[Choice, list[str]]:
    tree = parse(found.html)
    hidden = take_hidden(tree)
    body = body_of(tree)
    strip_unread(body)
    reason = f"the page shows {shown_chars} characters and carries {found.chars} of an article in its scripts' JSON"
    return Choice(body, "embedded", SURE_NAMED if found.is_named else SURE_UNNAMED, reason), hidden
