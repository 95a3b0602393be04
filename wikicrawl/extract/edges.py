"""Cut off what leads from the edges of an article to other pages of its site: teasers, tags, the way back."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from wikicrawl.extract.elements import HEADINGS
from wikicrawl.extract.strip import IMAGE_CHARS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement

    from wikicrawl.extract.strip import Weights

    IsOther = Callable[[HtmlElement], bool]

# Of the text of a part that is links; the rest are labels, dates and bars between them.
LINK_SHARE = 0.5
# Of all text, that may go; and a page with more links than other text is a list, whatever it calls itself. Without
# these limits six of 17 real lists that call themselves articles lose up to .3 of word-F1; with 0.5 one loses .18.
MOST_CUT = 0.4
MOST_LINKS = 0.5
# But titled teasers may go however many they are, where they leave a text of this many characters outside links: a
# short article often stands over a dozen of them.
LEAST_TEXT = 1_000
HOLDERS = frozenset({"div", "section", "main", "article", "body", "center", "form", "ul", "ol"})
# What is no page is a thing to have, as a report to load down.
FILE = re.compile(r"\.(?!html?$|php$|aspx?$|jsp$|shtml$)[a-z][a-z0-9]{1,4}$", re.I)


def cut_edges(article: HtmlElement, weights: Weights, url: str, *, is_list: bool) -> None:
    """From each end inwards, up to the first part that is the article's own; links to other sites are its sources.

    Not so much of what is a list of articles by its own word.
    """
    chars = weights.chars[article]
    if weights.links[article] > MOST_LINKS * chars:
        return
    is_other = partial(_is_other, url=url, host=_host(url))
    edges = [*_edge(article, weights, is_other, is_end=True), *_edge(article, weights, is_other, is_end=False)]
    is_little = sum(weights.chars[part] for part in edges) <= MOST_CUT * chars
    if is_little or (not is_list and _are_teasers(edges, article, weights)):
        for part in edges:
            weights.drop(part)


def _are_teasers(edges: list[HtmlElement], article: HtmlElement, weights: Weights) -> bool:
    """Whether all titles that lead away stand in these parts, and a text is left without them."""
    if weights.prose(article) - sum(weights.prose(part) for part in edges) < LEAST_TEXT:
        return False
    titles = _titles(article, weights)
    return 0 < len(titles) == sum(len(_titles(part, weights)) for part in edges)


def _titles(part: HtmlElement, weights: Weights) -> list[HtmlElement]:
    """The headings that are links."""
    return [heading for heading in part.iter(*HEADINGS) if weights.chars[heading] and _is_linked(heading, weights)]


def _is_linked(heading: HtmlElement, weights: Weights) -> bool:
    return weights.links[heading] >= weights.chars[heading] or _is_in_link(heading)


def _edge(article: HtmlElement, weights: Weights, is_other: IsOther, *, is_end: bool) -> list[HtmlElement]:
    edge: list[HtmlElement] = []
    holder: HtmlElement | None = article
    while holder is not None:
        holder = _extend(edge, holder, weights, is_other, is_end=is_end)
    has_only_headings = not any(_leads_away(part, weights, is_other) for part in edge)
    return [] if has_only_headings else edge


def _extend(
    edge: list[HtmlElement], holder: HtmlElement, weights: Weights, is_other: IsOther, *, is_end: bool
) -> HtmlElement | None:
    """Add the outer parts of the holder that lead away; returns the next part, if others may stand in it."""
    for part in reversed(holder) if is_end else holder:
        before = part.getprevious()
        beside = part.tail if is_end else holder.text if before is None else before.tail
        if (beside or "").strip():
            return None
        if _leads_away(part, weights, is_other) or (is_end and _is_heading(part, weights)):
            edge.append(part)
        elif part.tag in HOLDERS and weights.chars[part]:
            return part
        elif _text(part, weights):
            return None
    return None


def _leads_away(part: HtmlElement, weights: Weights, is_other: IsOther) -> bool:
    """Whether the part is links to other pages, one teaser with several links to its page, or titled teasers."""
    links = [link for link in part.iter("a") if weights.chars[link]]
    if not links or next(part.iter("h1"), None) is not None or not all(map(is_other, links)):
        return False
    text = _text(part, weights)
    if not text:
        return all(_is_in_link(image) for image in part.iter("img"))
    if weights.links[part] >= LINK_SHARE * text:
        return True
    if len(links) > 1 and len({link.get("href") for link in links}) == 1:
        return True
    headings = [heading for heading in part.iter(*HEADINGS) if weights.chars[heading]]
    return bool(headings) and all(_is_linked(heading, weights) for heading in headings)


def _is_heading(part: HtmlElement, weights: Weights) -> bool:
    """Whether all its text is headings: they stand over what leads away, or over nothing."""
    return 0 < weights.chars[part] == sum(weights.chars[heading] for heading in part.iter(*HEADINGS))


def _text(part: HtmlElement, weights: Weights) -> int:
    """Characters without what images weigh."""
    return weights.chars[part] and weights.chars[part] - IMAGE_CHARS * sum(1 for _ in part.iter("img"))


def _is_in_link(element: HtmlElement) -> bool:
    return next(element.iterancestors("a"), None) is not None


def _is_other(link: HtmlElement, *, url: str, host: str) -> bool:
    """Whether the link leads to another page of the site."""
    try:
        target = urldefrag(urljoin(url, link.get("href", "").strip())).url
        return target != url and _is_same_site(_host(target), host) and FILE.search(urlsplit(target).path) is None
    except ValueError:
        return False


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _is_same_site(host: str, other: str) -> bool:
    """Or a part of it: a paper's shop often has a host of its own."""
    return host == other or (bool(host) and (host.endswith(f".{other}") or other.endswith(f".{host}")))
