"""Take out of a page what is not read: code, navigation and other furniture."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


UNREAD = _set(
    "script style template iframe object applet canvas audio video map input select textarea datalist "
    "link meta base head frame frameset param"
)
# Empty in HTML, but libxml2 puts what follows into them.
UNREAD_TAGS = ("embed", "track", "keygen")
# Not read either, but where their end tag is missing the whole page may stand in them.
UNREAD_IF_SMALL = _set("button svg dialog")

FURNITURE_TAGS = _set("nav footer aside menu")
FURNITURE_ROLES = _set(
    "navigation banner contentinfo search dialog alertdialog menu menubar toolbar complementary alert tablist"
)
# Words of class and id names. Chosen on 480 real pages of seven kinds: what is so named is mostly unwanted there, while
# dropping what builders call widget, hidden or user cost more than it gained.
FURNITURE_WORDS = _set(
    "cookie cookies consent gdpr colophon copyright disclaimer subscribe subscription newsletter signup login "
    "register share sharing sharethis sharedaddy addtoany social socials pinterest facebook twitter linkedin "
    "instagram whatsapp breadcrumb breadcrumbs footer footnav nav navbar navigation menu megamenu mainmenu "
    "submenu hamburger masthead topbar skip editsection sitemap utility toolbar switcher pagination pager "
    "pagenav paging popup modal popover flyout drawer offcanvas lightbox tooltip toast snackbar notification "
    "notifications infobar announcement banner minicart wishlist sidebar related recommended recommendation "
    "recommendations suggested suggestions trending teaser upsell upsells crosssell promo promos promotion "
    "advert advertisement advertising ads ad sponsor sponsored outbrain taboola feedback rating ratings review "
    "reviews signature actions btn buttons form search sort filters facets screen sr visually noprint printonly "
    "bio byline tags similar latest popular readmore partner "
    # The same in German, French, Spanish and Italian, where a word has no second meaning.
    "fusszeile brotkrumen teilen partager compartir condividi werbung publicite publicidad pubblicita suche "
    "buscador"
)
# And what is so named about an article: readers' comments, who wrote it and when, what it is filed under.
ARTICLE_WORDS = _set(
    "comment comments commentlist respond disqus kommentare commentaires comentarios commenti author tag meta"
)
# An element with a greater share of the page's own text is not furniture, whatever it is called.
FURNITURE_SHARE = 0.3
FURNITURE_TAG_SHARE = 0.5
# When more than this would go by names alone, the names mean something else on this page.
LOST_SHARE = 0.8

LEAST_LEFT = 20  # characters; a page of links is better than no page
IMAGE_CHARS = 40  # what an image weighs
NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class Weights:
    """How many characters of text each element holds, and how many of them in links."""

    def __init__(self, root: HtmlElement) -> None:
        self.root = root
        self.chars: dict[HtmlElement, int] = {}
        self.links: dict[HtmlElement, int] = {}
        chars, links = self.chars, self.links
        for element in reversed(list(root.iter())):
            text = element.text
            own = chars.get(element, 0) + (len(text.strip()) if text else 0)
            if element.tag == "img":
                own = IMAGE_CHARS
            chars[element] = own
            linked = links.get(element, 0)
            if element.tag == "a":
                linked = own - IMAGE_CHARS * sum(1 for _ in element.iter("img"))
            links[element] = linked
            parent = element.getparent()
            if parent is not None:
                tail = element.tail
                chars[parent] = chars.get(parent, 0) + own + (len(tail.strip()) if tail else 0)
                links[parent] = links.get(parent, 0) + linked

    def prose(self, element: HtmlElement) -> int:
        """Characters outside links."""
        return self.chars[element] - self.links[element]

    def drop(self, element: HtmlElement) -> None:
        """Take the element out of the tree and out of its ancestors' weights."""
        self.forget(element)
        element.drop_tree()

    def forget(self, element: HtmlElement) -> None:
        chars, links = self.chars[element], self.links[element]
        parent = element.getparent()
        while parent is not None and parent in self.chars:
            self.chars[parent] -= chars
            self.links[parent] -= links
            parent = parent.getparent()


def strip_unread(body: HtmlElement) -> Weights:
    """Drop what a browser does not show as text; weigh what is left. Hidden text has been taken out before."""
    etree.strip_tags(body, *UNREAD_TAGS)
    for element in list(body.iter(*UNREAD)):
        element.drop_tree()
    weights = Weights(body)
    total = weights.chars[body]
    for element in list(body.iter("noscript")):
        _resolve_noscript(element, weights, holds_page=weights.chars[element] > max(500, total / 2))
    for element in list(body.iter(*UNREAD_IF_SMALL)):
        if weights.chars[element] > max(300, total * 0.4):
            element.tag = "div"
        else:
            weights.drop(element)
    return weights


def strip_furniture(weights: Weights, *, is_article: bool) -> tuple[int, float]:
    """Drop page furniture, unless that is all there is; on a page that is no article, comments are content.

    Returns the characters outside links that the tags left, and the share of them that names alone would have taken,
    where that is too much to believe; else 0.
    """
    shown = max(weights.prose(weights.root), 1)
    _drop_all(weights, _furniture(weights, shown, frozenset(), share=FURNITURE_TAG_SHARE))
    own = weights.prose(weights.root)
    words = FURNITURE_WORDS | ARTICLE_WORDS if is_article else FURNITURE_WORDS
    named = _furniture(weights, shown, words, share=FURNITURE_SHARE)
    lost = sum(weights.prose(element) for element in named) / max(own, 1)
    if lost > LOST_SHARE:
        return own, lost
    _drop_all(weights, named)
    return own, 0.0


def _drop_all(weights: Weights, elements: list[HtmlElement]) -> None:
    if weights.chars[weights.root] - sum(weights.chars[element] for element in elements) < LEAST_LEFT:
        return
    for element in elements:
        weights.drop(element)


def name_words(element: HtmlElement) -> frozenset[str]:
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return _words(names) if len(names) > 2 else frozenset()


@lru_cache(maxsize=20_000)
def _words(names: str) -> frozenset[str]:
    return frozenset(word.lower() for word in NAME_PART.findall(names[:500]))


def _furniture(weights: Weights, own: int, words: frozenset[str], *, share: float) -> list[HtmlElement]:
    found = []
    pending = [weights.root]
    while pending:
        parent = pending.pop()
        for element in parent:
            if not weights.chars[element]:
                continue
            if _is_furniture(element, parent, words) and _is_small(element, weights, own * share):
                found.append(element)
            else:
                pending.append(element)
    return found


def _is_furniture(element: HtmlElement, parent: HtmlElement, words: frozenset[str]) -> bool:
    tag = element.tag
    if tag in {"main", "article"}:
        return False
    if words:
        # A quotation is content, even one that is named after the network it comes from.
        return tag != "blockquote" and not words.isdisjoint(name_words(element))
    return (
        tag in FURNITURE_TAGS
        or element.get("role") in FURNITURE_ROLES
        or (tag == "header" and parent.tag in {"body", "div"})
    )


def _is_small(element: HtmlElement, weights: Weights, limit: float) -> bool:
    if weights.prose(element) > limit:
        return False
    # A page's head line is no furniture.
    return element.tag in FURNITURE_TAGS or next(element.iter("h1"), None) is None


def _resolve_noscript(element: HtmlElement, weights: Weights, *, holds_page: bool) -> None:
    """Keep a page that is written twice, and the image behind a lazy one; drop the rest."""
    image = next(element.iter("img"), None)
    parent = element.getparent()
    before = element.getprevious()
    if holds_page:
        element.tag = "div"
    elif image is None or parent is None:
        weights.drop(element)
    elif before is not None and before.tag == "img":
        before.set("data-src", image.get("src", ""))
        before.set("alt", before.get("alt") or image.get("alt", ""))
        weights.drop(element)
    else:
        weights.forget(element)
        image.tail = element.tail
        parent.replace(element, image)
