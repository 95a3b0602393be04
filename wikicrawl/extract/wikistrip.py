"""Take out of a wiki page's content what its readers would not call the article."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.hidden import DISCLOSED, DISCLOSED_ROLES
from wikicrawl.extract.hiding import hiding_style
from wikicrawl.extract.strip import UNREAD, UNREAD_TAGS, name_words
from wikicrawl.extract.tree import classes

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# By class. MediaWiki's own names, those of the templates that nearly every wiki copies from Wikipedia, and Fandom's.
FURNITURE = {
    "edit links": "mw-editsection mw-editsection-like editsection mw-ui-icon-edit",
    "boxes of links to other articles": "navbox navbox-styles navbar vertical-navbox portal-bar portalbox",
    "links to sister sites": "sistersitebox side-box mbox-small authority-control",
    "notes on the article's state": "ambox tmbox ombox cmbox fmbox imbox dmbox metadata stub topicon mw-indicators",
    "contents": "toc tocleft tocright toc-mobile toctogglecheckbox",
    "doubts of single sentences": "Inline-Template Template-Fact",
    "errors for editors": "mw-ext-cite-error cs1-maint cs1-hidden-error",
    "hidden by styles": "sortkey shortdescription searchaux geo-nondefault geo-multi-punct mw-empty-elt katex-html",
    "handles, written by script or for it": "mw-collapsible-toggle mw-collapsible-toggle-li collapseButton NavToggle "
    "collapsible-toggle gallerycarousel magnify lazy-image-placeholder mw-highlight-copy-button CategoryTreeToggle",
    "tabs, whose labels the panels have": "wds-tabs__wrapper wds-tabs tabber__header tabber__tabs tabbernav "
    "pi-section-navigation pi-image-collection-tabs",
    "not for paper": "noprint",
    "around the content of old skins": "printfooter catlinks mw-jump-link",
    "advertisements": "gpt-ad ad-slot ad-slot-placeholder",
}
CLASSES = frozenset(name for names in FURNITURE.values() for name in names.split())
# The boxes beside an article, "part of a series"; elsewhere the first word alone names any box at a side.
SIDEBAR = frozenset({"sidebar", "nomobile"})
IDS = frozenset({"toc", "siteSub", "contentSub", "jump-to-nav", "catlinks"})
# Forms and drawings are never written by authors; here no page stands in an unclosed one, for a parser closed them.
TAGS = ("form", "button", "svg", "dialog")
# The panels of the Tabber extension, TabberNeue, Fandom's tabber, and portable infoboxes new and old.
PANELS = frozenset(
    {"tabbertab", "tabber__panel", "wds-tab__content", "pi-section-content", "pi-image-collection-tab-content"}
)
# Hidden until a click: panels, the body of a collapsed frame, the images of a slide show.
SHOWN_BY_SCRIPT = PANELS | {"NavContent", "gallerybox"}
# The rows that MediaWiki's script hides while a table or list is collapsed.
COLLAPSED_ROWS = {"tr": "table", "li": "ul ol"}

DROPPED = "wikicrawl-dropped"  # no page has it; one stroke at the end keeps the time linear


def drop_unread(content: HtmlElement) -> None:
    """Drop what no browser shows as text; the image in a <noscript> stays where no script would load one."""
    etree.strip_tags(content, *UNREAD_TAGS)
    etree.strip_elements(content, *UNREAD, with_tail=False)
    for element in list(content.iter("noscript")):
        element.tag = "span" if _has_image(element) and not _has_twin(element) else DROPPED
    drop(content)


def drop_furniture(content: HtmlElement) -> None:
    """Drop what is named in the table above and what is hidden, unless a click shows it."""
    for element in content.iterdescendants():
        if element.tag in TAGS or (element.attrib and (_is_furniture(element) or _is_hidden(element))):
            element.tag = DROPPED
    drop(content)


def drop(content: HtmlElement) -> None:
    """Take all elements out that have been given the tag DROPPED."""
    etree.strip_elements(content, DROPPED, with_tail=False)


def _has_twin(element: HtmlElement) -> bool:
    """Whether the image that a script would load stands right before or behind."""
    before, after = element.getprevious(), element.getnext()
    is_behind = before is not None and not (before.tail or "").strip() and before.tag != DROPPED
    is_before = after is not None and not (element.tail or "").strip() and after.tag != "noscript"
    return (is_behind and _has_image(before)) or (is_before and _has_image(after))


def _has_image(element: HtmlElement) -> bool:
    return next(element.iter("img"), None) is not None


def _is_furniture(element: HtmlElement) -> bool:
    names = classes(element)
    if names and (not CLASSES.isdisjoint(names) or SIDEBAR.issubset(names)):
        return True
    return element.get("role") == "navigation" or element.get("id") in IDS


def _is_hidden(element: HtmlElement) -> bool:
    style = element.get("style")
    if element.get("hidden") is None and not (style and hiding_style(style)):
        return False
    is_disclosed = element.get("role") in DISCLOSED_ROLES or not DISCLOSED.isdisjoint(name_words(element))
    return not is_disclosed and SHOWN_BY_SCRIPT.isdisjoint(classes(element)) and not _is_collapsed_row(element)


def _is_collapsed_row(element: HtmlElement) -> bool:
    holders = COLLAPSED_ROWS.get(element.tag, "").split()
    holder = next(element.iterancestors(*holders), None) if holders else None
    return holder is not None and "mw-collapsible" in classes(holder)
