"""Ask other extractors what they keep of a page, and find its blocks that they keep as well."""

from __future__ import annotations

import logging
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wikicrawl.extract.elements import BLOCKS
from wikicrawl.extract.strip import strip_unread
from wikicrawl.extract.text import words
from wikicrawl.extract.tree import body_of, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.html import HtmlElement

logger = logging.getLogger(__name__)

# A row is one block: a table that loses single cells is no table.
PARTING = BLOCKS - {"td", "th"}
RUN = 3  # words; any two blocks of a page share single words
# Share of a piece's runs that an opinion must hold: libraries part and join blocks elsewhere than we do. Anything from
# 0.4 to 0.8 moves word-F1 on 62 real pages by no more than .001.
VOUCHED_SHARE = 0.6
# Shops write the same text for small and for wide screens. Shorter ones are names and figures that may come again.
REPEATED_WORDS = 4
MOST_TIMES = 3  # a short one may come; what comes more often is a label on tiles, as "in stock"
# What libraries leave out of specifications, and of all pages the title; +.003 on those pages.
FACTS = frozenset({"h1", "li", "tr", "dt", "dd"})
IMAGE_ADDRESS = re.compile(r"\.(?:jpe?g|png|webp|gif|avif|svg)(?:$|[?#])", re.I)

Run = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vouched:
    """The words of an element that some opinion holds as well, and the pieces that none holds."""

    words: list[str]
    others: list[HtmlElement]


def ask_all(page: str, url: str) -> dict[str, HtmlElement]:
    """What each library takes for the content of the page; one that fails has no opinion."""
    found = {name: _ask(library, page, url) for name, library in LIBRARIES.items()}
    return {name: element for name, element in found.items() if element is not None}


def compare(element: HtmlElement, opinions: dict[str, HtmlElement], region: HtmlElement) -> Vouched:
    """Which words of an element others hold as well; the facts of a region need no one to vouch for them."""
    known: set[Run] = set()
    for opinion in opinions.values():
        said = words_of(opinion)
        known.update(*(_runs(said, length) for length in range(1, RUN + 1)))
    for holder in _holders(element):
        _wrap_loose(holder)
    seen: set[Run] = set()
    kept: list[str] = []
    others = []
    runs = [(piece, tuple(words_of(piece))) for piece in pieces(element)]
    times = Counter(run for _, run in runs)
    for piece, run in runs:
        is_label = len(run) < REPEATED_WORDS and times[run] > MOST_TIMES
        is_known = not is_label and (_is_vouched(run, known) or _is_fact(piece, region))
        if (run not in seen and is_known) if run else _is_picture(piece):
            kept.extend(run)
            seen.update([run] if len(run) >= REPEATED_WORDS else [])
        elif piece.tag not in {"td", "th"}:
            others.append(piece)
    return Vouched(kept, others)


def share_of(opinion: HtmlElement, kept: list[str]) -> float:
    """How much of the opinion stands in these words, too."""
    runs = _runs(words_of(opinion), RUN)
    return len(runs & _runs(kept, RUN)) / max(len(runs), 1)


def pieces(element: HtmlElement) -> Iterator[HtmlElement]:
    """The largest parts of an element that hold no block, in order."""
    holders = _holders(element)
    pending = [element]
    while pending:
        part = pending.pop()
        if part in holders:
            pending.extend(reversed(part))
        else:
            yield part


def _holders(element: HtmlElement) -> set[HtmlElement]:
    """The element and those in it that hold blocks."""
    holders = {element}
    for block in element.iterdescendants(*PARTING):
        for holder in block.iterancestors():
            if holder in holders:
                break
            holders.add(holder)
    return holders


def _wrap_loose(holder: HtmlElement) -> None:
    """Put the texts between the parts of an element into elements of their own."""
    for part in [holder, *holder]:
        text = holder.text if part is holder else part.tail
        if not text or not text.strip():
            continue
        span = holder.makeelement("span")
        span.text = text
        if part is holder:
            holder.text = None
            holder.insert(0, span)
        else:
            part.tail = None
            part.addnext(span)


def words_of(element: HtmlElement) -> list[str]:
    return words(" ".join(element.itertext()))


def _runs(said: list[str] | Run, length: int) -> set[Run]:
    return set(zip(*(said[start:] for start in range(length)), strict=False))


def _is_vouched(said: Run, runs: set[Run]) -> bool:
    own = _runs(said, min(RUN, len(said)))
    return len(own & runs) >= VOUCHED_SHARE * len(own)


def _is_fact(piece: HtmlElement, region: HtmlElement) -> bool:
    """Whether the piece is the headline or a point or row of a specification; those with links are lists of pages."""
    return piece.tag in FACTS and next(piece.iter("a"), None) is None and region in piece.iterancestors()


def _is_picture(piece: HtmlElement) -> bool:
    """Whether the piece shows images of its own; those that lead to other pages are tiles of a list."""
    return any(
        all(IMAGE_ADDRESS.search(link.get("href", "")) for link in image.iterancestors("a"))
        for image in piece.iter("img")
    )


def _ask(library: Callable[[str, str], str | None], page: str, url: str) -> HtmlElement | None:
    try:
        html = library(page, url)
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


def _trafilatura(page: str, url: str) -> str | None:
    import trafilatura  # noqa: PLC0415 - slow to import, and most pages never need it

    # With include_links it judges links otherwise: word-F1 .594 on 58 product pages, .618 without.
    return trafilatura.extract(page, url=url, output_format="html", include_comments=False, include_formatting=True)


def _readability(page: str, url: str) -> str | None:
    import readability  # noqa: PLC0415

    return str(readability.Document(page, url=url).summary(html_partial=True))


LIBRARIES = {"trafilatura": _trafilatura, "readability": _readability}
for name in ("trafilatura", "readability.readability", "htmldate"):
    logging.getLogger(name).setLevel(logging.CRITICAL)  # a page they cannot read is no event of ours
