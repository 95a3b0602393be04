"""Find the address of an image, however late the page would load it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wikicrawl.extract.address import absolute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

LAZY = (
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-lazy",
    "data-url",
    "data-full-src",
    "data-hi-res-src",
    "data-image",
)
SOURCE_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
CANDIDATE = re.compile(r"(\S*[^,\s])(?:\s+(\d+(?:\.\d+)?)[wx])?\s*(?:,|$)")
PLACEHOLDER = re.compile(
    r"(?:^|[/_-])(?:blank|spacer|placeholder|transparent|loading|loader|lazy|1x1|pixel|clear)[^/]*\.(?:gif|png|svg|jpe?g|webp)",
    re.I,
)
TRACKER = re.compile(
    r"//[^/]*(?:doubleclick|google-analytics|scorecardresearch|quantserve|googletagmanager)\."
    r"|facebook\.com/tr\b|/(?:pixel|beacon|b/ss|piwik\.php|matomo\.php|collect)(?:[/?.]|$)",
    re.I,
)
TINY = re.compile(r"\s*[0-2](?:px)?\s*$")
TINY_STYLE = re.compile(r"(?<![\w-])(?:width|height)\s*:\s*[0-2](?:px)?\s*(?:;|!|$)", re.I)
EMOJI = re.compile("[^\\w\\s!-~]{1,8}")  # signs alone: the text of an image that stands for a character
LONG_SET = 10_000  # characters; a source set names a dozen files


def image_url(image: HtmlElement, base: str) -> str:
    """The absolute address of what a reader would see; none for placeholders, inlined images and tracking pixels."""
    if any(TINY.match(image.get(side, "-")) for side in ("width", "height")) or TINY_STYLE.search(
        image.get("style", "")
    ):
        return ""
    for raw in _candidates(image):
        url = absolute(raw, base)
        if url.startswith("http") and not PLACEHOLDER.search(url):
            return "" if TRACKER.search(url) else url
    return ""


def _candidates(image: HtmlElement) -> Iterator[str]:
    yield from (image.get(name, "") for name in LAZY)
    yield image.get("src", "")
    yield from (_largest(image.get(name, "")) for name in SOURCE_SETS)
    picture = next(image.iterancestors("picture"), None)
    if picture is not None:
        sources = [source.get(name, "") for source in picture.iter("source") for name in SOURCE_SETS]
        yield from (_largest(source) for source in sources)


def _largest(source_set: str) -> str:
    candidates = CANDIDATE.findall(source_set[:LONG_SET])
    return str(max(candidates, key=lambda candidate: float(candidate[1] or 1))[0]) if candidates else ""
