"""Read what a wiki page says of itself around its content."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from wikicrawl.extract.footnotes import MARK
from wikicrawl.extract.marks import unshield
from wikicrawl.extract.normalise import HEADINGS
from wikicrawl.extract.text import UNFIT, line
from wikicrawl.extract.tree import body_of, by_id, classes

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_TITLE = 1_000
MAX_URL = 2_000
MAX_LIST = 1_000
NAMESPACE = re.compile(r"ns-(-?\d{1,5})")
INTERWIKI = re.compile(r"interwiki-(\S+)")
DECODER = json.JSONDecoder()
# The settings that MediaWiki gives its scripts, and the types of those read here.
SETTINGS = {
    "wgPageName": str,
    "wgArticleId": int,
    "wgRevisionId": int,
    "wgCurRevisionId": int,
    "wgNamespaceNumber": int,
    "wgCategories": list,
    "wgRedirectedFrom": str,
    "wgInternalRedirectTargetUrl": str,
}


UNFIT_LETTER = re.compile(f"[{UNFIT}]")


def page_facts(tree: HtmlElement, base: str) -> dict[str, Any]:
    """Those of the head and the skin; only those found."""
    settings = _settings(tree)
    hidden = _category_links(tree, "mw-hidden-catlinks")
    shown = [_title(name) for name in settings.get("wgCategories", ()) if isinstance(name, str)]
    facts = {
        "title": _title(settings.get("wgPageName", "")),
        "pageid": settings.get("wgArticleId"),
        "revid": settings.get("wgRevisionId") or settings.get("wgCurRevisionId"),
        "namespace": settings.get("wgNamespaceNumber", _namespace(tree)),
        "categories": [name for name in shown or _category_links(tree, "mw-normal-catlinks") if name not in hidden],
        "hidden_categories": hidden,
        "langlinks": _language_links(tree, base),
        "redirected_from": _title(settings.get("wgRedirectedFrom", "")),
        "redirected_to_fragment": line(settings.get("wgInternalRedirectTargetUrl", "").partition("#")[2], MAX_TITLE),
        "permalink": _permalink(tree, base),
        "license": _licence(tree, base),
    }
    return {name: value for name, value in facts.items() if value or (name == "namespace" and value == 0)}


def section_facts(content: HtmlElement) -> list[dict[str, Any]]:
    """The headings that can be linked to."""
    sections: list[dict[str, Any]] = []
    for heading in content.iter(*HEADINGS):
        headline = next((part for part in heading.iter("span") if "mw-headline" in classes(part)), heading)
        anchor = headline.get("id", "")
        title = plain_text(heading)
        if anchor and title and len(sections) < MAX_LIST:
            sections.append({"level": int(heading.tag[1]), "title": title, "anchor": line(anchor, MAX_TITLE)})
    return sections


def plain_text(element: HtmlElement) -> str:
    """The text on one line, without footnotes."""
    marks = [mark for mark in element.iter("span") if MARK in classes(mark)]
    texts = {mark: mark.text for mark in marks}
    for mark in marks:
        mark.text = None
    text = line(unshield(element.text_content()), MAX_TITLE)
    for mark, label in texts.items():
        mark.text = label
    return text


def _title(name: str) -> str:
    """A title as the wiki has it, to the letter: it is the page's address, too."""
    title = " ".join(name[:MAX_TITLE].replace("_", " ").split())
    return "" if UNFIT_LETTER.search(title) else title


def _settings(tree: HtmlElement) -> dict[str, Any]:
    """Read value by value: around these stands JavaScript as often as JSON."""
    settings: dict[str, Any] = {}
    for script in tree.iter("script"):
        text = script.text or ""
        if '"wgPageName":' not in text:
            continue
        for name, kind in SETTINGS.items():
            at = text.find(f'"{name}":')
            try:
                value = DECODER.raw_decode(text, at + len(name) + 3)[0] if at >= 0 else None
            except (ValueError, RecursionError):
                continue
            if isinstance(value, kind) and not isinstance(value, bool):
                settings[name] = value
        break
    return settings


def _namespace(tree: HtmlElement) -> int | None:
    matches = filter(None, map(NAMESPACE.fullmatch, classes(body_of(tree))))
    return next((int(match[1]) for match in matches), None)


def _links(tree: HtmlElement, name: str) -> list[HtmlElement]:
    """The links in the element of this id."""
    place = by_id(tree, name)
    return [] if place is None else list(islice(place.iter("a"), MAX_LIST))


def _category_links(tree: HtmlElement, name: str) -> list[str]:
    links = (link for link in _links(tree, name) if next(link.iterancestors("li"), None) is not None)
    return [line(link.text_content(), MAX_TITLE) for link in links]


def _absolute(url: str, base: str) -> str:
    try:
        return line(urljoin(base, url), MAX_URL)
    except ValueError:  # what is no address at all
        return ""


def _language_links(tree: HtmlElement, base: str) -> list[dict[str, str]]:
    items = (item for item in tree.iter("li") if "interlanguage-link" in classes(item))
    return [_language_link(item, link, base) for item in islice(items, MAX_LIST) for link in islice(item.iter("a"), 1)]


def _language_link(item: HtmlElement, link: HtmlElement, base: str) -> dict[str, str]:
    code = INTERWIKI.search(item.get("class", ""))
    tooltip = link.get("title", "")  # the title, a dash and the name of the language
    values = {
        "language": code[1] if code else link.get("lang", ""),
        "title": line(link.get("data-title") or tooltip.rpartition(" – ")[0] or tooltip, MAX_TITLE),
        "url": _absolute(link.get("href", ""), base),
    }
    return {name: value for name, value in values.items() if value}


def _permalink(tree: HtmlElement, base: str) -> str:
    footers = (link for element in tree.iter("div") if "printfooter" in classes(element) for link in element.iter("a"))
    links = (link.get("href", "") for link in (*_links(tree, "t-permalink"), *islice(footers, 1)))
    return next((_absolute(link, base) for link in links if "oldid=" in link), "")


def _licence(tree: HtmlElement, base: str) -> dict[str, str]:
    urls = [link.get("href", "") for link in tree.iter("link") if "license" in link.get("rel", "").lower().split()]
    links = [link for link in _links(tree, "footer-info-copyright") if link.get("href", "") in urls[:1] or not urls]
    url = next(iter(urls), links[0].get("href", "") if links else "")
    text = line(links[0].text_content(), MAX_TITLE) if links else ""
    values = {"url": _absolute(url, base) if url else "", "text": text}
    return {name: value for name, value in values.items() if value}
