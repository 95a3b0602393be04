"""Take out of a page what is not read: code, navigation and other furniture."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
# dropping what builders call widget, hidden, user, menu or modal cost more than it gained. These and all shares below
# are chosen again without the domains they are scored on by bench/fit.py, and are what it chooses on all of them.
FURNITURE_WORDS = _set(
    "cookie cookies consent gdpr colophon copyright disclaimer subscribe subscription newsletter signup login "
    "register share sharing sharethis sharedaddy addtoany social socials pinterest facebook twitter linkedin "
    "instagram whatsapp breadcrumb breadcrumbs footer footnav nav navbar navigation megamenu mainmenu "
    "submenu hamburger masthead topbar skip editsection sitemap utility toolbar switcher pagination pager "
    "pagenav paging popup popover flyout drawer offcanvas lightbox tooltip toast snackbar notification "
    "notifications infobar announcement banner minicart wishlist sidebar related recommended recommendation "
    "recommendations suggested suggestions trending teaser upsell upsells crosssell promo promos promotion "
    "advert advertisement advertising ads ad sponsor sponsored outbrain taboola feedback rating ratings review "
    "reviews signature actions btn buttons form search sort filters facets screen sr visually noprint printonly "
    "bio byline tags similar latest popular readmore partner relatedposts "
    # The same in German, French, Spanish and Italian, where a word has no second meaning.
    "fusszeile brotkrumen teilen partager compartir condividi werbung publicite publicidad pubblicita suche "
    "buscador navi"
)
# And what is so named about an article: readers' comments, who wrote it and when, what it is filed under.
COMMENT_WORDS = _set("comment comments commentlist respond disqus kommentare commentaires comentarios commenti")
ARTICLE_WORDS = COMMENT_WORDS | _set("author meta")
LEAST_ARTICLE = 300  # characters outside links; where less is left, the article is in what is called comments
# An element with a greater share of the page's own text is not furniture, whatever it is called.
FURNITURE_SHARE = 0.3
FURNITURE_TAG_SHARE = 0.7
# When more than this would go by names alone, the names mean something else on this page.
LOST_SHARE = 0.8

LEAST_LEFT = 20  # characters; a page of links is better than no page
IMAGE_CHARS = 40  # what an image weighs
TAGGED = etree.XPath("descendant::*[self::nav or self::footer or self::aside or self::menu or self::header or @role]")
NAMED = etree.XPath("descendant::*[@class or @id]")
CLASSES = etree.XPath("descendant::*/@class", smart_strings=False)
IDS = etree.XPath("descendant::*/@id", smart_strings=False)
TITLED = frozenset({"section", "h1", "h2", "h3", "h4", "h5", "h6"})
INLINE = frozenset({"a", "span", "b", "strong", "i", "em", "abbr", "time", "cite", "font"})
SENTENCES = frozenset({"p", "li", "td", "dd", "blockquote", *INLINE})
# Written together with other words as well: sidebarright, entryfooter, teaserbox, hauptnavi.
COMPOUND = re.compile(r"sidebar|footer|teaser|navi(?![a-z])")
NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class Weights:
    """How many characters of text each element holds, and how many of them in links."""

    def __init__(self, root: HtmlElement) -> None:
        self.root = root
        # Most elements hold no links and many no text: 0 is not written down.
        self.chars: defaultdict[HtmlElement, int] = defaultdict(int)
        self.links: defaultdict[HtmlElement, int] = defaultdict(int)
        chars, links = self.chars, self.links
        for element in reversed(list(root.iter())):
            tag, text, tail, parent = element.tag, element.text, element.tail, element.getparent()
            own = chars.get(element, 0)
            if text and (stripped := text.strip()):
                own = chars[element] = own + len(stripped)
            if tag == "img":
                own = chars[element] = IMAGE_CHARS
            if tag == "a":
                linked = links[element] = own - (len(element) and IMAGE_CHARS * sum(1 for _ in element.iter("img")))
            else:
                linked = links.get(element, 0)
            if parent is not None:
                if tail:
                    own += len(tail.strip())
                if own:
                    chars[parent] += own
                if linked:
                    links[parent] += linked

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
    _drop_all(weights, _furniture(weights, shown, _tagged(weights.root), share=FURNITURE_TAG_SHARE))
    if is_article:
        _drop_beside(weights)
    own = weights.prose(weights.root)
    words = FURNITURE_WORDS | ARTICLE_WORDS if is_article else FURNITURE_WORDS
    named, lost = _lost(weights, shown, own, words)
    if lost > LOST_SHARE and is_article:
        named, lost = _lost(weights, shown, own, words - _overused(weights, named, own))
    if lost > LOST_SHARE:
        return own, lost
    _drop_all(weights, named)
    return own, 0.0


def _lost(weights: Weights, shown: int, own: int, words: frozenset[str]) -> tuple[list[HtmlElement], float]:
    """The elements so named, and the share of the text outside links that goes with them."""
    named = _furniture(weights, shown, _named(weights.root, words), share=FURNITURE_SHARE)
    return named, sum(weights.prose(element) for element in named) / max(own, 1)


def _overused(weights: Weights, named: list[HtmlElement], own: int) -> frozenset[str]:
    """The words that would take too much in all places together, as one of a template that names every section so."""
    taken: Counter[str] = Counter()
    for element in named:
        taken.update(dict.fromkeys(name_words(element), weights.prose(element)))
    return frozenset(word for word, chars in taken.items() if chars > FURNITURE_SHARE * own)


def _drop_beside(weights: Weights) -> None:
    """Comments and columns of links, however many: an article may be short, and hundreds may have their say."""
    columns = [aside for aside in weights.root.iter("aside") if 2 * weights.links[aside] > weights.chars[aside]]
    named = _named(weights.root, COMMENT_WORDS)
    beside = _furniture(weights, weights.prose(weights.root), [*named, *columns], share=1)
    if weights.prose(weights.root) - sum(weights.prose(element) for element in beside) >= LEAST_ARTICLE:
        _drop_all(weights, beside)


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
    return frozenset(word.lower() for word in NAME_PART.findall(COMPOUND.sub(r" \g<0> ", names[:500])))


def _furniture(weights: Weights, own: int, elements: Iterable[HtmlElement], *, share: float) -> list[HtmlElement]:
    """Those of the elements, which are in document order, that may go; what stands in one of them is not asked for."""
    found: dict[HtmlElement, None] = {}
    for element in elements:
        if not weights.chars[element] or not _is_small(element, weights, own * share):
            continue
        if not any(outer in found for outer in element.iterancestors()):
            found[element] = None
    return list(found)


def _tagged(root: HtmlElement) -> Iterator[HtmlElement]:
    for element in _elements(TAGGED, root):
        tag = element.tag
        if tag in {"main", "article"}:
            continue
        if (
            tag in FURNITURE_TAGS
            or element.get("role") in FURNITURE_ROLES
            or (tag == "header" and element.getparent().tag in {"body", "div"})
        ):
            yield element


def _named(root: HtmlElement, words: frozenset[str]) -> Iterator[HtmlElement]:
    values = {*CLASSES(root), *IDS(root)}  # type: ignore[misc]
    meant = {value for value in values if not words.isdisjoint(_words(value))}  # few pages have many different ones
    for element in _elements(NAMED, root) if meant else ():
        # A quotation is content, even one that is named after the network it comes from.
        is_content = element.tag in {"main", "article", "blockquote"}
        # The id of a heading, and of a section under one, is made of its words: a chapter on menus is no menu.
        is_titled = element.tag in TITLED
        is_content = is_content or _is_in_sentence(element)
        if not is_content and (element.get("class") in meant or (not is_titled and element.get("id") in meant)):
            yield element


def _is_in_sentence(element: HtmlElement) -> bool:
    """Whether text goes on behind an element of the line: a sentence that links to a search is no search."""
    return element.tag in INLINE and bool((element.tail or "").strip()) and element.getparent().tag in SENTENCES


def _elements(path: etree.XPath, root: HtmlElement) -> list[HtmlElement]:
    return path(root)  # type: ignore[return-value]


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
