"""Read what a page says about itself."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from wikicrawl.extract.text import line
from wikicrawl.urls import Refusal, canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

MAX_TITLE = 1_000
MAX_DESCRIPTION = 5_000
MAX_NAME = 300
MAX_KEYWORDS = 50
MAX_JSON = 1_000_000  # characters of JSON-LD read; shops inline whole catalogues
MAX_ENTITIES = 1_000

# For each field the names that carry it, best first, over <meta name|property|itemprop|http-equiv>.
TITLE = ("og:title", "twitter:title", "dc.title", "dcterms.title")
DESCRIPTION = ("description", "og:description", "twitter:description", "dc.description", "dcterms.description")
LANGUAGE = ("content-language", "dc.language", "language", "og:locale")
PUBLISHED = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "dc.date.issued",
    "dcterms.created",
    "dc.date",
    "date",
    "pubdate",
    "publishdate",
    "parsely-pub-date",
    "sailthru.date",
)
MODIFIED = ("article:modified_time", "datemodified", "og:updated_time", "dcterms.modified", "last-modified", "lastmod")
AUTHOR = ("author", "article:author", "dc.creator", "parsely-author", "sailthru.author", "twitter:creator")
KEYWORDS = ("keywords", "news_keywords", "article:tag", "parsely-tags")

LANGUAGE_TAG = re.compile(r"([a-zA-Z]{2,3})(?:[-_]([a-zA-Z0-9]{2,8}))*")
DAY_FIRST = ("%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d", "%Y%m%d")
# One page may be several things; these say what its text is about.
CONTENT_TYPE = re.compile(
    r"Article|Posting|Report|Product|Recipe|Course|Event|FAQPage|QAPage|WebPage|VideoObject|Book|HowTo|SoftwareApplication"
)

FORUM = re.compile(r"discourse|phpbb|vbulletin|xenforo|mybb|flarum|nodebb|invision|simple machines", re.I)

Entity = dict[str, Any]


def find_metadata(tree: HtmlElement, url: str) -> dict[str, Any]:
    """Title, description, language, canonical, published, modified, author, keywords and types: only those found."""
    metas = _metas(tree)
    entities = [entity for entity in _entities(tree) if CONTENT_TYPE.search(" ".join(_types(entity)))]
    found = {
        "title": _title(tree, metas, entities),
        "description": line(_first(metas, DESCRIPTION) or _value(entities, "description"), MAX_DESCRIPTION),
        "language": _language(tree, metas, entities),
        "canonical": _canonical(tree, metas, url),
        "published": _date(_first(metas, PUBLISHED)) or _date(_value(entities, "datePublished")),
        "modified": _date(_first(metas, MODIFIED)) or _date(_value(entities, "dateModified")),
        "author": _author(metas, entities),
        "keywords": _keywords(metas, entities),
        "types": _kinds(metas, entities),
    }
    return {name: value for name, value in found.items() if value}


def _metas(tree: HtmlElement) -> dict[str, list[str]]:
    metas: dict[str, list[str]] = {}
    for meta in tree.iter("meta"):
        content = meta.get("content")
        if not content:
            continue
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            name = meta.get(attribute)
            if name:
                metas.setdefault(name.strip().lower(), []).append(content)
                break
    return metas


def _first(metas: dict[str, list[str]], names: tuple[str, ...]) -> str:
    for name in names:
        for content in metas.get(name, ()):
            if content.strip():
                return content
    return ""


def _title(tree: HtmlElement, metas: dict[str, list[str]], entities: list[Entity]) -> str:
    for element in tree.iter("title"):
        parent = element.getparent()
        if parent is not None and parent.tag in {"head", "html", "body"}:  # not the one of a drawing
            title = line(element.text_content(), MAX_TITLE)
            if title:
                return title
    title = line(_first(metas, TITLE) or _value(entities, "headline"), MAX_TITLE)
    if title:
        return title
    headings = (line(heading.text_content(), MAX_TITLE) for heading in tree.iter("h1"))
    return next((heading for heading in headings if heading), "")


def _language(tree: HtmlElement, metas: dict[str, list[str]], entities: list[Entity]) -> str:
    declared = tree.get("lang") or tree.get("xml:lang") or _first(metas, LANGUAGE) or _value(entities, "inLanguage")
    match = LANGUAGE_TAG.match(declared.strip())
    if not match:
        return ""
    language, *rest = match[0].replace("_", "-").split("-")
    return "-".join([language.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])


def _canonical(tree: HtmlElement, metas: dict[str, list[str]], url: str) -> str:
    hrefs = [link.get("href", "") for link in tree.iter("link") if "canonical" in link.get("rel", "").lower().split()]
    for href in (*hrefs, _first(metas, ("og:url",))):
        found = canonical(href, url) if href else None
        if found and not isinstance(found, Refusal):
            return found
    return ""


def _author(metas: dict[str, list[str]], entities: list[Entity]) -> str:
    names = [_first(metas, AUTHOR), _value(entities, "author")]
    return next((line(name, MAX_NAME) for name in names if name.strip() and "://" not in name), "")


def _keywords(metas: dict[str, list[str]], entities: list[Entity]) -> list[str]:
    raw = [content for name in KEYWORDS for content in metas.get(name, ())]
    if not raw:
        raw = [_value(entities, "keywords")]
    words = (line(word, MAX_NAME) for content in raw for word in re.split("[,;]", content))
    return list(dict.fromkeys(word for word in words if word))[:MAX_KEYWORDS]


def _kinds(metas: dict[str, list[str]], entities: list[Entity]) -> list[str]:
    """What the page calls itself: schema.org's types, OpenGraph's, forum software."""
    kinds = [line(kind, MAX_NAME) for entity in entities for kind in _types(entity)]
    og = "article" if "article:published_time" in metas else line(_first(metas, ("og:type",)), MAX_NAME).lower()
    if og:
        kinds.append(f"og:{og.removeprefix('og:')}")
    if FORUM.search(_first(metas, ("generator",))):
        kinds.append("forum")
    return list(dict.fromkeys(kinds))[:MAX_KEYWORDS]


def _date(raw: str) -> str:
    """An ISO 8601 date or time of what may be one in many ways; empty when it is none."""
    raw = raw.strip()[:64]
    if not raw:
        return ""
    try:
        moment: datetime | None = datetime.fromisoformat(raw)
    except ValueError:
        moment = _odd_date(raw)
    if moment is None or not 1990 <= moment.year <= datetime.now(UTC).year + 2:
        return ""
    return moment.isoformat(timespec="seconds") if ":" in raw else moment.date().isoformat()


def _odd_date(raw: str) -> datetime | None:
    for form in DAY_FIRST:
        try:
            return datetime.strptime(raw, form)
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(raw)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _entities(tree: HtmlElement) -> Iterator[Entity]:
    """JSON-LD objects, nested graphs included."""
    left = MAX_JSON
    pending: list[Any] = []
    for script in tree.iter("script"):
        if script.get("type", "").strip().lower() != "application/ld+json" or not script.text:
            continue
        left -= len(script.text)
        if left < 0:
            break
        try:
            pending.append(json.loads(script.text, strict=False))
        except (ValueError, RecursionError):  # hand-written JSON is often broken
            continue
    for _ in range(MAX_ENTITIES):
        if not pending:
            return
        node = pending.pop(0)
        if isinstance(node, list):
            pending[:0] = node[:MAX_ENTITIES]
        elif isinstance(node, dict):
            yield node
            pending.extend(node[key] for key in ("@graph", "mainEntity", "mainEntityOfPage") if key in node)


def _types(entity: Entity) -> list[str]:
    kind = entity.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return [name.rsplit("/", 1)[-1] for name in kinds if isinstance(name, str)]


def _value(entities: list[Entity], name: str) -> str:
    """The first non-empty value of a property as text: a string, a thing's name, or several of them."""
    for entity in entities:
        values = entity.get(name)
        texts = [_text(value) for value in (values if isinstance(values, list) else [values])]
        text = ", ".join(text for text in texts if text.strip())
        if text:
            return text
    return ""


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("name")
    return value if isinstance(value, str) else ""
