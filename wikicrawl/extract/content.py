"""Choose the part of a page that is its content."""

from __future__ import annotations

import logging
import re
from collections import Counter
from typing import TYPE_CHECKING

from wikicrawl.extract.strip import strip_furniture, strip_unread
from wikicrawl.extract.tree import body_of, defuse, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml.html import HtmlElement

    from wikicrawl.extract.strip import Weights

logger = logging.getLogger(__name__)

WRAPPERS = frozenset(
    {"div", "section", "main", "article", "td", "tr", "table", "tbody", "center", "form", "body", "span"}
)
# A wrapper is entered while it holds this share of all text outside links: an article's end matter may stay out.
ARTICLE_SHARE = 0.8
PAGE_SHARE = 0.9
# But on pages made of links, not while it loses more than this of all text.
LEAST_CHARS = 0.7
# <main> is believed when it holds this much of the text; some sites put it round the search box.
MAIN_SHARE = 0.3
# A region with less text than this, on a page with twice as much, gets a second opinion.
THIN_CHARS = 500
# A second opinion keeping less of the region than this is one block of a page of many.
LEAST_KEPT = 0.3

ARTICLE = re.compile(r"Article$|BlogPosting|Report|^og:article$")
FORUM = re.compile(r"^forum$|DiscussionForum|QAPage")
PRODUCT = re.compile(r"^(?:og:)?product$", re.I)
WORD = re.compile(r"\w+")


def choose_content(tree: HtmlElement, text: str, url: str, kinds: Iterable[str] = ()) -> tuple[HtmlElement, str]:
    """The element that holds the content, and who found it: main, readability, trafilatura or body.

    The tree is taken apart; `text` is the same page as text, for the libraries, which parse it their own way.
    """
    kinds = list(kinds)
    is_forum = any(FORUM.search(kind) for kind in kinds)
    is_article = not is_forum and any(ARTICLE.search(kind) for kind in kinds)
    body = body_of(tree)
    weights = strip_unread(body)
    whole = weights.prose(body)
    strip_furniture(weights, comments=not is_article)
    region = _region(body, weights, share=ARTICLE_SHARE if is_article else PAGE_SHARE, is_article=is_article)
    found = region, "body" if region is body else "main"
    is_thin = weights.chars[region] < THIN_CHARS and whole > 2 * weights.chars[region]
    if is_thin or any(PRODUCT.search(kind) for kind in kinds):
        return _second_opinion(found, text, url)
    return found


def _region(body: HtmlElement, weights: Weights, *, share: float, is_article: bool) -> HtmlElement:
    region = body
    while (inner := _heaviest(region, weights, share * weights.prose(body))) is not None:
        region = inner
    while not is_article and region is not body and weights.chars[region] < LEAST_CHARS * weights.chars[body]:
        parent = region.getparent()
        if parent is None:
            break
        region = parent
    mains = list(body.iter("main")) or body.xpath('.//*[@role="main"]')
    if len(mains) == 1 and weights.prose(mains[0]) >= MAIN_SHARE * weights.prose(body) and _holds(region, mains[0]):
        region = mains[0]
    while region.tag in {"table", "tbody", "tr"} and (parent := region.getparent()) is not None:
        region = parent
    return region


def _heaviest(element: HtmlElement, weights: Weights, least: float) -> HtmlElement | None:
    return next((child for child in element if child.tag in WRAPPERS and weights.prose(child) >= max(least, 1)), None)


def _holds(outer: HtmlElement, inner: HtmlElement) -> bool:
    return any(outer is element for element in inner.iterancestors())


def _second_opinion(found: tuple[HtmlElement, str], text: str, url: str) -> tuple[HtmlElement, str]:
    """Of three candidates the one the others agree with most, unless it keeps too little."""
    text = defuse(text)
    opinions = ((_ask(ask, text, url), extractor) for extractor, ask in LIBRARIES.items())
    candidates = [found, *((element, extractor) for element, extractor in opinions if element is not None)]
    bags = [Counter(WORD.findall(" ".join(element.itertext()).lower())) for element, _ in candidates]
    floor = LEAST_KEPT * bags[0].total()
    scores = [sum(_likeness(bag, other) for other in bags if other is not bag) for bag in bags]
    kept = [index for index, bag in enumerate(bags) if bag.total() >= floor]
    return candidates[max(kept, key=lambda index: scores[index])]


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


def _ask(library: Callable[[str, str], str | None], text: str, url: str) -> HtmlElement | None:
    try:
        html = library(text, url)
    except MemoryError:
        raise
    except Exception as error:  # a library that fails on a page has no opinion; the page has another candidate
        logger.debug("No second opinion on %(url)s: %(error)r", {"url": url, "error": error})
        return None
    if not html:
        return None
    body = body_of(parse(html))
    strip_unread(body)
    return body


def _trafilatura(text: str, url: str) -> str | None:
    import trafilatura  # noqa: PLC0415 - slow to import, and most pages never need it

    return trafilatura.extract(
        text, url=url, output_format="html", include_comments=False, include_links=True, include_images=True
    )


def _readability(text: str, url: str) -> str | None:
    import readability  # noqa: PLC0415

    return str(readability.Document(text, url=url).summary(html_partial=True))


LIBRARIES = {"trafilatura": _trafilatura, "readability": _readability}
for name in ("trafilatura", "readability.readability", "htmldate"):
    logging.getLogger(name).setLevel(logging.CRITICAL)  # a page they cannot read is no event of ours
