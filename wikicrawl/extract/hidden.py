"""Take out of a page the text that it holds but does not show."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from lxml.etree import XPath, strip_elements

from wikicrawl.extract.hiding import TAKEN_BACK, hiding_names, hiding_style
from wikicrawl.extract.orders import find_order, is_order
from wikicrawl.extract.strip import FURNITURE_ROLES, FURNITURE_TAGS, FURNITURE_WORDS, name_words
from wikicrawl.extract.tree import body_of, class_values, classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml.html import HtmlElement

# Text for screen readers, by the names that the common style libraries and content systems give it.
UNSEEN_CLASS = re.compile(
    r"(?<![\w-])(?:(?:\w{1,4}-)?(?:sr-only|visually-?hidden|hidden-?visually)|screen-?reader(?:-?(?:text|only))?"
    r"|element-invisible|a11y-hidden|assistive-text|off-?screen)(?![\w-])",
    re.I,
)

# What opens on a click is meant to be read.
DISCLOSED_WORDS = "accordion accordions collapse collapsible expandable tab tabs tabpanel toggle faq answer spoiler"
DISCLOSED = frozenset(DISCLOSED_WORDS.split())
DISCLOSED_ROLES = frozenset({"tabpanel", "region"})
HANDLES = XPath('descendant-or-self::*[self::button or self::summary or @aria-expanded or @role="button"]')

MARKED = XPath('descendant::*[@hidden or @aria-hidden="true" or @style]')
UNSEEN_TAGS = frozenset({"template", "noscript"})
CONTROLS = XPath("descendant::*/@aria-controls", smart_strings=False)
TEXTS = XPath("descendant::text()[not(parent::script or parent::style)]", smart_strings=False)
RESET = XPath('descendant::*[contains(@style, "font-size") or contains(@style, "visible")]')
DROPPED = "wikicrawl-hidden"  # no page has it
# Invisible twins of ASCII, of which the flag of Scotland has five, and selectors, of which a sign has one.
TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{8,}")

LEAST_PAGE = 300  # characters; a page that shows itself by script, as a whole, has more, and more than half of all
MAX_HIDDEN = 5_000  # characters kept; menus and forms fill far more on the pages of shops, and tell nothing
MAX_ORDER = 2_000  # characters; what addresses a machine comes to the point
BEFORE_ORDER = 200
MAX_COMMENTS = 500
MAX_HANDLE = 300  # characters; a question to click on is shorter, and any part of a page may hold a button


def take_hidden(tree: HtmlElement, *, is_kept: bool = False) -> list[str]:
    """Drop what no reader sees and no click discloses; its texts, in order. `is_kept` only reads them."""
    body = body_of(tree)
    controlled = {name for value in _strings(CONTROLS, body) for name in value.split()}
    names = hiding_names(tree)
    half = cache(lambda: len(_read(body)) / 2)
    gone: dict[HtmlElement, str] = {}
    within: set[HtmlElement] = set()  # something that is gone already
    for element in _candidates(body, names):
        way = _way(element, names)
        if not way or element in within:
            continue
        text = _read(element)
        if not _is_spared(way, text, half) and not (way not in UNSEEN_TAGS and _is_disclosed(element, controlled)):
            gone[element] = text
            within.update(element.iterdescendants())
    if not is_kept:
        _drop(body, gone)
    return [text for text in gone.values() if text]


def _drop(body: HtmlElement, elements: Iterable[HtmlElement]) -> None:
    """In one stroke, for time linear in their number; but not noscript, whose images the content may need."""
    for element in elements:
        if element.tag != "noscript":
            element.tag = DROPPED
    strip_elements(body, DROPPED, with_tail=False)


def addressed_comments(page: str) -> list[str]:
    """The comments of a page that give orders; all others are notes of those who made it."""
    found, end = [], 0
    for _ in range(MAX_COMMENTS):
        start = page.find("<!--", end)
        end = page.find("-->", start)
        if start < 0 or end < 0:
            break
        if is_order(comment := page[start + 4 : end]):
            found.append(" ".join(comment.split()))
    return found


def smuggled(text: str) -> list[str]:
    """What is written in invisible characters, as plain letters."""
    units = text.encode("utf-16-le", "surrogatepass")
    if b"\x40\xdb" not in units and b"\xfe" not in units:  # none of them is there, which takes a tenth of the time
        return []
    tags = ["".join(chr(ord(char) - 0xE0000) for char in run) for run in TAGS.findall(text)]
    runs = (bytes(_selected(ord(char)) for char in run) for run in SELECTORS.findall(text))
    return [*tags, *(run.decode("utf-8", "ignore") for run in runs)]


def _selected(code: int) -> int:
    """The number of a variation selector, from 0 to 255."""
    return code - 0xFE00 if code < 0x10000 else code - 0xE0100 + 16


def tell_hidden(texts: Iterable[str]) -> tuple[str, bool]:
    """The texts on lines of their own within the limit, orders first, and whether there are any."""
    orders, others = [], []
    for text in dict.fromkeys(texts):
        if order := find_order(text):
            orders.append(text[max(order.start() - BEFORE_ORDER, 0) :][:MAX_ORDER])
        else:
            others.append(text)
    return "\n".join([*orders, *others])[:MAX_HIDDEN].rstrip(), bool(orders)


def _candidates(body: HtmlElement, names: dict[str, str]) -> list[HtmlElement]:
    """What may be hidden, in order."""
    found: set[HtmlElement] = {*MARKED(body), *body.iter(*UNSEEN_TAGS)}  # type: ignore[misc]
    styled = {name[1:] for name in names if name[0] == "."}
    ids = {name[1:] for name in names if name[0] == "#"}
    unseen = {value for value in class_values(body) if _is_unseen(value) or not styled.isdisjoint(value.split())}
    if unseen or ids:
        found.update(one for one in body.iterdescendants() if one.get("class") in unseen or one.get("id") in ids)
    return [element for element in body.iterdescendants() if element in found] if found else []


@lru_cache(maxsize=20_000)
def _is_unseen(value: str) -> bool:
    """Whether a class attribute is one of text for screen readers."""
    return UNSEEN_CLASS.search(value) is not None


def _way(element: HtmlElement, names: dict[str, str]) -> str:
    """How the element is hidden: a tag, an attribute or a property of its style; '' if it is not."""
    if element.tag in UNSEEN_TAGS:
        return str(element.tag)
    hidden = element.get("hidden")
    # Streamed pages carry their finished parts hidden, under these ids, until a script moves them.
    if hidden is not None and hidden.lower() != "until-found" and not element.get("id", "").startswith("S:"):
        return "hidden"
    if element.get("aria-hidden") == "true":
        return "aria-hidden"
    style = element.get("style")
    if style:
        parent = element.getparent()
        way = hiding_style(style, parent.get("style", "") if parent is not None else "")
        if way and not (way in {"font-size", "visibility"} and RESET(element)):
            return way
    return "class" if _is_unseen(element.get("class", "")) else _name_way(element, names)


def _name_way(element: HtmlElement, names: dict[str, str]) -> str:
    """How the page's style sheets hide the element; "sheet" where scripts and other sheets often show it again."""
    own = (*(f".{name}" for name in classes(element)), f"#{element.get('id')}")
    way = next((names[name] for name in own if name in names), "")
    return "sheet" if way in TAKEN_BACK else way


def _is_spared(way: str, text: str, half: Callable[[], float]) -> bool:
    """Whether this is the page itself, hidden until a script has run; never so if it gives orders and little else."""
    if way not in TAKEN_BACK and way != "sheet":
        return False
    is_page = way == "sheet" or (len(text) > LEAST_PAGE and len(text) > half())
    return is_page and (len(text) > MAX_ORDER or not is_order(text))


def _is_disclosed(element: HtmlElement, controlled: set[str]) -> bool:
    role = element.get("role")
    if role in FURNITURE_ROLES or element.tag in FURNITURE_TAGS:
        return False
    words = name_words(element)
    if role in DISCLOSED_ROLES or not DISCLOSED.isdisjoint(words) or "mw-collapsible" in element.get("class", ""):
        return True
    if not FURNITURE_WORDS.isdisjoint(words):
        return False
    parent = element.getparent()
    if element.get("id") in controlled or (parent is not None and not DISCLOSED.isdisjoint(name_words(parent))):
        return True
    before = element.getprevious()
    return (
        before is not None
        and before.tag not in FURNITURE_TAGS
        and bool(HANDLES(before))
        and len(_read(before)) <= MAX_HANDLE
    )


def _read(element: HtmlElement) -> str:
    return " ".join(" ".join(_strings(TEXTS, element)).split())


def _strings(path: XPath, element: HtmlElement) -> list[str]:
    return path(element)  # type: ignore[return-value]
