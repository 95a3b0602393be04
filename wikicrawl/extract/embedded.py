"""Find the article that a page carries in its scripts' JSON only."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from wikicrawl.extract.devalue import Revived, is_flat
from wikicrawl.extract.richtext import as_blocks, render
from wikicrawl.extract.text import weigh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A megabyte takes 10 ms to read, and the main process may have to; no state of an article page comes near.
MAX_JSON = 1_000_000  # characters
MAX_NODES = 50_000
MAX_DEPTH = 40
MAX_ASSIGNED = 20  # states tried per script
# Characters of an article that has the page's title, and of any other. Of 480 real pages 20 carry 500 characters of
# prose in JSON. With the title and 1,000 of them four of five were the page's content; shorter ones told of shipping,
# and those without the title were other articles or offers of the site as often as not.
LEAST_PROSE = 1_000
LEAST_UNNAMED = 2_000
PROSE = 60  # a sentence; labels, names and prices are shorter

# window.__NUXT__ = {…}, window["__APOLLO_STATE__"] = {…}, window.__DATA__ = JSON.parse("…")
ASSIGNED = re.compile(
    r"""(?:window|self|globalThis)(?:\.|\[["'])\w{1,60}(?:["']\])?\s*=\s*(?:JSON\.parse\(\s*)?(?=[\[{"'])"""
)
ANGULAR = {"&q;": '"', "&l;": "<", "&g;": ">", "&s;": "'", "&a;": "&"}  # how Angular writes its state, & last
# Keys, without underscores and in lower case, that carry the text of an article.
BODY_KEYS = (
    "body content html text articlebody bodyhtml bodytext contenthtml htmlcontent maincontent rendered raw richtext "
    "description longdescription descriptionhtml story copy paragraphs blocks sections value document article data "
    "contentraw bodyraw introduction intro lead abstract summary"
)
BODY = frozenset(BODY_KEYS.split())
# What stands below these is no article of this page: words of the interface, parts of the frame, other articles.
ASIDE = re.compile(
    r"i18n|intl|locale|translat|messages|dictionar|lang|strings|labels|phrases|cookie|consent|gdpr|privacy|legal|terms"
    r"|footer|header|nav|menu|config|setting|theme|feature|flags|env|schema|related|recommend|similar|teaser|popular"
    r"|trending|latest|comment|repl(?:y|ies)|review|newsletter|banner|seo|meta|query|error|users?$|authors?$|viewer|ads?$",
    re.I,
)
# A thing among others in a list that has an address or a price of its own is not what this page is about.
ITEM = frozenset({"slug", "url", "href", "link", "permalink", "path", "uri", "price", "sku", "handle"})
CATALOGUE = 3  # such things make a list of them
# An object with one of these is, in a list, a part of what holds the list.
SECTION = frozenset(
    {"type", "_type", "__typename", "component", "_component", "kind", "blockType", "layout", "acf_fc_layout"}
)
CODE_TYPES = frozenset({"", "text/javascript", "application/javascript", "module"})
LEAST_TITLE = 8  # characters; "Home" and "News" are in many titles
TITLE = ("headline", "title", "name")
TAG = re.compile(r"<[^>]{0,1000}>")
MARKUP = re.compile(r"</(?:p|div|h[1-6]|li|ul|ol|section|article|span|a|strong|em|b)>|<br", re.I)
SENTENCE = re.compile(r"[^\W\d_][^\W\d_]?[\"'”’»)]*[.!?…](?:\s|$|[\"'”<])|[。！？।۔]")
CODE = re.compile(r"[{};]\s*[\w.#-]+\s*[:({]|^\s*(?:https?:|data:|/|[\w+/=]{80})")


@dataclass(frozen=True, slots=True)
class Embedded:
    """An article as HTML, how many characters of text it has (see `weigh`), and whether its title is in the page's."""

    html: str
    chars: int
    is_named: bool


@dataclass(slots=True)
class _Owner:
    """An object of the JSON, and the prose that stands in it."""

    title: str = ""
    pieces: dict[str, str] = field(default_factory=dict)  # plain text -> HTML
    weight: int = 0

    def is_named(self, title: str) -> bool:
        return len(self.title) >= LEAST_TITLE and self.title.lower() in title


@dataclass(frozen=True, slots=True)
class _Node:
    value: Any
    key: str
    owner: _Owner
    depth: int
    is_listed: bool = False


def find_embedded(scripts: Iterable[tuple[str, str]], title: str = "") -> Embedded | None:
    """The longest article of all states, if one has the page's title the longest of those.

    `scripts` are the types and texts of the page's scripts.
    """
    title = title.lower()
    owners = [owner for state in _states(scripts) for owner in _owners(state) if owner.weight >= LEAST_PROSE]
    owners = [owner for owner in owners if owner.is_named(title) or owner.weight >= LEAST_UNNAMED]
    if not owners:
        return None
    best = max(owners, key=lambda owner: (owner.is_named(title), owner.weight))
    heading = f"<h1>{escape(best.title)}</h1>" if best.title else ""
    return Embedded(heading + "".join(best.pieces.values()), best.weight, best.is_named(title))


def _states(scripts: Iterable[tuple[str, str]]) -> Iterator[Any]:
    left = MAX_JSON
    for named, text in scripts:
        kind = named.strip().lower()
        if kind.endswith("importmap") or len(text) < LEAST_PROSE:
            continue
        left -= len(text)
        if left < 0:
            return
        if kind.endswith("json"):
            yield from _read(text, 0)
        elif kind in CODE_TYPES:
            for match in islice(ASSIGNED.finditer(text), MAX_ASSIGNED):
                yield from _read(text, match.end())


def _read(text: str, start: int) -> Iterator[Any]:
    if "&q;" in text:
        for name, char in ANGULAR.items():
            text = text.replace(name, char)
    try:
        state, _ = json.JSONDecoder(strict=False).raw_decode(text, start or len(text) - len(text.lstrip()))
        if isinstance(state, str):
            state = json.loads(state, strict=False)
    except (ValueError, RecursionError):  # a script, not data; or broken
        return
    yield Revived(state).root if is_flat(state) else state


def _owners(state: Any) -> list[_Owner]:
    """What each object of a state holds; the sections of a page leave theirs to what holds the list of them."""
    owners: list[_Owner] = []
    pending = [_Node(state, "", _Owner(), 0)]
    for _ in range(MAX_NODES):
        if not pending:
            break
        node = pending.pop()
        if isinstance(node.value, str):
            _take(node.owner, node.key, node.value)
        elif node.depth < MAX_DEPTH and isinstance(node.value, dict | list):
            pending.extend(_children(node, owners))
    return owners


def _children(node: _Node, owners: list[_Owner]) -> list[_Node]:
    """Last first, for they are taken from the end."""
    value, owner, depth = node.value, node.owner, node.depth + 1
    if blocks := as_blocks(value):
        _take(owner, node.key, render(blocks))
        return []
    if isinstance(value, list):
        is_catalogue = sum(isinstance(child, dict) and not ITEM.isdisjoint(child) for child in value) >= CATALOGUE
        return (
            [] if is_catalogue else [_Node(child, node.key, owner, depth, is_listed=True) for child in reversed(value)]
        )
    if not node.is_listed or SECTION.isdisjoint(value):
        owner = _Owner(_title(value) or owner.title)
        owners.append(owner)
    return [_Node(child, key, owner, depth) for key, child in reversed(value.items()) if not ASIDE.search(key)]


def _take(owner: _Owner, key: str, text: str) -> None:
    """Keep a string under one of the keys for text, if it is prose."""
    if len(text) < PROSE or key.replace("_", "").replace("-", "").lower() not in BODY:
        return
    if text.lstrip()[:1] in {"{", "["}:  # JSON once more, as Gatsby passes Contentful's
        text = "".join(render(as_blocks(state)) for state in _read(text, 0))
    plain = " ".join(TAG.sub(" ", text).split())
    if is_prose(plain) and plain not in owner.pieces:
        owner.pieces[plain] = text if MARKUP.search(text) else _paragraphs(text)
        owner.weight += weigh(plain)


def is_prose(plain: str) -> bool:
    """Whether a text is made of sentences."""
    return weigh(plain) >= PROSE and not CODE.search(plain[:500]) and SENTENCE.search(plain) is not None


def _title(value: dict[str, Any]) -> str:
    titles = (value.get(key) for key in TITLE)
    return next((" ".join(TAG.sub(" ", title).split())[:300] for title in titles if isinstance(title, str)), "")


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part.strip())}</p>" for part in re.split(r"\n\s*\n", text) if part.strip())
