"""Write what stands above or below the line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wikicrawl.extract.elements import unwrap
from wikicrawl.extract.marks import shield

if TYPE_CHECKING:
    from lxml.html import HtmlElement

SUPERSCRIPT = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
SCRIPTS = {"sup": (SUPERSCRIPT, "^"), "sub": (SUBSCRIPT, "~")}
# Small print that means the same on the line: ordinals of European languages, trade marks, signs.
ON_THE_LINE = re.compile(r"st|n?d|rd|th|e|er|re|es|ers|ème|ère|eme|o|os|a|as|TM|SM|MD|MC|\W*", re.I)
POWER = re.compile(r"[+−-]?\w[^\s^~]{0,20}")  # more, or words apart, is small print; brackets are a note's


def write_scripts(content: HtmlElement) -> None:
    """Unicode's own characters where there are some for all of it, else ^…^ and ~…~."""
    elements = list(content.iter(*SCRIPTS))
    for element in elements:
        letters, mark = SCRIPTS[element.tag]
        text = str(element.text or "")
        if len(element) or not text:
            continue
        if all(ord(letter) in letters for letter in text):
            element.text = text.translate(letters)
        elif POWER.fullmatch(text) and not ON_THE_LINE.fullmatch(text) and not _is_by_deleted(element):
            element.text = f"{shield(mark)}{text}{shield(mark)}"
        elif " " in text.strip() and text[0].isalpha():
            element.text = f" {text}"  # words of their own
    unwrap(content, *SCRIPTS)


def _is_by_deleted(element: HtmlElement) -> bool:
    """Whether the tildes of one would meet those of the other."""
    beside = (element.getprevious(), element.getnext(), *element.iterancestors("del"))
    return element.tag == "sub" and any(other is not None and other.tag == "del" for other in beside)
