"""Choose the part of a page that is its content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml.html import tostring

from wikicrawl.extract.credits import cut_credits
from wikicrawl.extract.edges import cut_edges
from wikicrawl.extract.elements import HEADINGS
from wikicrawl.extract.endings import cut_endings
from wikicrawl.extract.opinions import PARTING, ask_all, compare, pieces, share_of, words_of
from wikicrawl.extract.strip import strip_furniture, strip_unread
from wikicrawl.extract.text import weigh
from wikicrawl.extract.tree import body_of, holds, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from wikicrawl.extract.strip import Weights

WRAPPERS = frozenset(
    {"div", "section", "main", "article", "td", "tr", "table", "tbody", "center", "form", "body", "span"}
)
# A wrapper is entered while it holds this share of all text outside links: an article's end matter may stay out.
ARTICLE_SHARE = 0.7
PAGE_SHARE = 0.9
# But on pages made of links, not while it loses more than this of all text.
LEAST_CHARS = 0.7
# <main> is believed when it holds this much of the text; some sites put it round the search box.
MAIN_SHARE = 0.5
# The recall guard: of a page's text outside links, navigation not counted, this much is kept at least. Of 480 real
# pages none keeps less by <main> and names; where 0.2 to 0.3 is kept, that is right (word-F1 .66, without names .39).
LEAST_OWN = 0.15
# The lead of an article often stands in another box than its text: a sentence (see `weigh`), not one of links, and
# only so many. Without the headline itself, which the item has as its title: with it word-F1 is .001 lower.
LEAST_LEAD = 60
LEAD_SHARE = 0.7
MOST_LEADS = 4
# Blocks that others vouch for are believed when they hold this many letters (not words: some scripts part none), and
# this share of what trafilatura keeps: else its text stands in what we took for furniture (two of 49 real product
# pages, at .01 and .06; on the next, at .23, we are right).
LEAST_VOUCHED = 150
LEAST_SHARED = 0.2
# An article that stands behind another has this many characters outside links; an excerpt has fewer, or a comment.
LEAST_NEXT = 1_000
# What a choice is worth before anything is known of it, and what each sign adds: a fit of word-F1 on 454 real pages to
# shares from 0 to 1, rounded. Fitted without their domain's pages, it ranks them at .54 (Spearman).
CONFIDENCE, KEPT_WORTH, RUNNING_WORTH, SURE_WORTH = 0.45, 0.15, 0.25, 0.15
RUNNING_CHARS = 80  # a piece of text this long (see `weigh`) is a sentence or more, not a label

ARTICLE = re.compile(r"Article$|BlogPosting|Report|^og:article$|^post$")
FORUM = re.compile(r"^forum$|DiscussionForum|QAPage")
# ProductGroup is one product in many sizes, but og:product.group a list of products.
PRODUCT = re.compile(r"product(?!\.group)|^ItemPage$", re.I)
PRODUCTS = "og:product.group"


@dataclass(frozen=True, slots=True)
class Choice:
    """The element that holds the content, who found it, how sure that is (0 to 1), and why, in a sentence."""

    element: HtmlElement
    extractor: str  # main, body, blocks or trafilatura; wiki or embedded where no choice is needed
    confidence: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is done otherwise on a page of this kind."""

    is_article: bool
    is_product: bool
    is_list: bool  # of articles, even if it calls itself one


def kind_of(kinds: Iterable[str]) -> Kind:
    """By what the page calls itself."""
    kinds = list(kinds)
    is_forum = any(FORUM.search(kind) for kind in kinds)
    is_product = PRODUCTS not in kinds and any(PRODUCT.search(kind) for kind in kinds)
    return Kind(not is_forum and any(ARTICLE.search(kind) for kind in kinds), is_product, "archive" in kinds)


def choose_content(tree: HtmlElement, url: str, kinds: Iterable[str] = ()) -> Choice:
    """The content of a page that may be of any kind; the tree is taken apart."""
    kind = kind_of(kinds)
    is_article = kind.is_article
    # Before anything is dropped: the libraries have rules of their own.
    opinions = ask_all(tostring(tree, encoding="unicode"), url) if kind.is_product else {}
    body = body_of(tree)
    weights = strip_unread(body)
    if is_article:
        _drop_next(weights)
    own, spared = strip_furniture(weights, is_article=is_article)
    region, doubt = _region(body, weights, is_article=is_article), ""
    if spared:
        doubt = f"names of furniture would take {spared:.0%} of the text, and are not believed; "
    elif region is not body and weights.prose(region) < LEAST_OWN * own:
        doubt = f"<{region.tag}> keeps only {weights.prose(region) / own:.0%} of the text, so more is taken; "
        region = body
    if is_article:
        cut_endings(region, weights)
        cut_edges(region, weights, url, is_list=kind.is_list)
    choice = _explain(region, weights, own, doubt)
    cut_credits(region)
    if opinions:
        return _agree(choice, body, opinions)
    for lead in reversed(_leads(region, weights)):
        lead.tail = None
        region.insert(0, lead)
    return choice


def _drop_next(weights: Weights) -> None:
    """The articles that a reader scrolls on to: they stand in full behind the page's own, under headlines like its."""
    articles = [article for article in weights.root.iter("article") if weights.prose(article) >= LEAST_NEXT]
    for article in articles[1:]:
        first = articles[0]
        if article.getparent() is first.getparent() and _headline(article) == _headline(first) != "":
            weights.drop(article)


def _headline(article: HtmlElement) -> str:
    """The tag that the article's headline has, if it has one."""
    heading = next(article.iter(*HEADINGS), None)
    return heading.tag if heading is not None and heading.tag in {"h1", "h2"} else ""


def _leads(region: HtmlElement, weights: Weights) -> list[HtmlElement]:
    """The paragraphs between a page's one headline and the region: what it is about, in a box of its own."""
    headlines = [headline for headline in weights.root.iter("h1") if weights.chars[headline]]
    if region is weights.root or len(headlines) != 1 or holds(region, headlines[0]):
        return []
    outer = set(region.iterancestors())
    found: list[HtmlElement] = []
    is_below = False
    for element in weights.root.iter("h1", "h2", "p", "div", region.tag):
        if element is region:
            break
        is_below = is_below or element is headlines[0]
        if is_below and element.tag != "h1" and element not in outer and _is_lead(element, weights):
            found.append(element)
    else:
        return []
    return found if len(found) <= MOST_LEADS else []


def _is_lead(element: HtmlElement, weights: Weights) -> bool:
    chars = weights.chars[element]
    if 2 * chars < LEAST_LEAD or weights.prose(element) < LEAD_SHARE * chars:
        return False
    return _weight(element) >= LEAST_LEAD and next(element.iterdescendants(*PARTING), None) is None


def _explain(region: HtmlElement, weights: Weights, own: int, doubt: str) -> Choice:
    kept = weights.prose(region) / max(own, 1)
    is_body = region is weights.root
    reason = (
        f"{'the page but for furniture' if is_body else f'<{region.tag}>'} holds {kept:.0%} of the text outside links"
    )
    confidence = _confidence(region, weights, kept, is_sure=not doubt)
    return Choice(region, "body" if is_body else "main", confidence, doubt + reason)


def _confidence(region: HtmlElement, weights: Weights, kept: float, *, is_sure: bool) -> float:
    chars = weights.chars[region]
    if not chars:
        return 0.0
    running = sum(weights.chars[piece] for piece in pieces(region) if _is_running(piece, weights.chars[piece]))
    worth = KEPT_WORTH * min(kept, 1) + RUNNING_WORTH * min(running / chars, 1) + SURE_WORTH * is_sure
    return round(CONFIDENCE + worth, 2)


def _is_running(piece: HtmlElement, chars: int) -> bool:
    return chars >= RUNNING_CHARS or (2 * chars >= RUNNING_CHARS and _weight(piece) >= RUNNING_CHARS)


def _weight(element: HtmlElement) -> int:
    return weigh(text_of(element))


def _agree(choice: Choice, body: HtmlElement, opinions: dict[str, HtmlElement]) -> Choice:
    """What others keep as well; where that is too little, what trafilatura found elsewhere, or all of our choice."""
    sure = max(choice.confidence - SURE_WORTH, 0.0)
    vouched = compare(body, opinions, choice.element)
    chars = len("".join(vouched.words))
    trafilatura = opinions.get("trafilatura")
    share = 1.0 if trafilatura is None else share_of(trafilatura, vouched.words)
    if chars >= LEAST_VOUCHED and share >= LEAST_SHARED:
        for piece in vouched.others:
            piece.drop_tree()
        return Choice(body, "blocks", round(sure, 2), f"{chars} letters of a product page that others keep as well")
    unsure = round(max(sure - SURE_WORTH, 0.0), 2)
    doubt = f"others keep only {chars} of the letters found, so more is taken: "
    theirs = 0 if trafilatura is None else len("".join(words_of(trafilatura)))
    if trafilatura is not None and theirs >= LEAST_VOUCHED:
        return Choice(trafilatura, "trafilatura", unsure, f"{doubt}{theirs} by trafilatura")
    return Choice(choice.element, choice.extractor, unsure, doubt + choice.reason)


def _region(body: HtmlElement, weights: Weights, *, is_article: bool) -> HtmlElement:
    region, least = body, (ARTICLE_SHARE if is_article else PAGE_SHARE) * weights.prose(body)
    while (inner := _heaviest(region, weights, least)) is not None:
        region = inner
    while not is_article and region is not body and weights.chars[region] < LEAST_CHARS * weights.chars[body]:
        parent = region.getparent()
        if parent is None:
            break
        region = parent
    mains = list(body.iter("main")) or body.xpath('.//*[@role="main"]')
    if len(mains) == 1 and weights.prose(mains[0]) >= MAIN_SHARE * weights.prose(body) and holds(region, mains[0]):
        region = mains[0]
    while region.tag in {"table", "tbody", "tr"} and (parent := region.getparent()) is not None:
        region = parent
    return region


def _heaviest(element: HtmlElement, weights: Weights, least: float) -> HtmlElement | None:
    return next((child for child in element if child.tag in WRAPPERS and weights.prose(child) >= max(least, 1)), None)
