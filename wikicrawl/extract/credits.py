"""Cut out of captions who made the image or sold it: that tells nothing of what it shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wikicrawl.extract.tree import text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# On 480 real pages 36 captions give a credit, and none of these is content there, while every fifth of the others is.
# But «Image:» and «Bild:» begin descriptions as well, a chart has a source, and a painting is by somebody.
_WORK = r"(?:photo(?:graph)?|foto|image|bild|picture|imagen)s?"
_GIVEN = r"(?:credits?|source|courtesy|crédits?|créditos?|quelle|rechte|nachweis|fuente|fonte|bron)"
_CREDIT = r"(?:credits?|crédits?|créditos?)"
LABEL = rf"(?:(?:copyright )?(?:©|\(c\))|(?:{_WORK}[ -]?{_GIVEN}|{_CREDIT}(?: {_WORK})?|photo|foto) ?:)"
BY = r"(?:photo(?:graph)?s?|fotos?) (?:by|von|par|courtesy of) (?-i:[A-ZÀ-Þ@])"
NAMES = r".{1,80}"
CREDIT = re.compile(rf"\W*(?:{LABEL}|{BY}){NAMES}", re.I)
# «By» is said of other things in the middle of a sentence.
AT_END = re.compile(rf"(?:(?:^|[ (\[|/–—-]+){LABEL}|(?:^|(?<=[.!?»”\"]) | ?[(\[|/–—-] ?){BY}){NAMES}$", re.I)


def cut_credits(content: HtmlElement) -> None:
    """Drop captions and parts of them that are credits, and the credits that end others."""
    for caption in list(content.iter("figcaption")):
        if _is_credit(caption):
            caption.drop_tree()
            continue
        for part in list(caption.iterdescendants("span", "small", "cite", "em", "i", "p", "div")):
            if _is_credit(part) and part.getparent() is not None:
                part.drop_tree()
        if len(caption):
            caption[-1].tail = _without_credit(caption[-1].tail)
        else:
            caption.text = _without_credit(caption.text)


def _is_credit(element: HtmlElement) -> bool:
    return CREDIT.fullmatch(text_of(element)) is not None


def _without_credit(text: str | None) -> str | None:
    squeezed = " ".join((text or "").split())
    cut = AT_END.sub("", squeezed)
    return text if cut == squeezed else cut
