"""Write MathML that names no source as TeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# By element, the TeX round its children; what is not named here is written as its children in a row.
FORMS = {
    "mfrac": r"\frac{%s}{%s}",
    "msup": "%s^{%s}",
    "msub": "%s_{%s}",
    "msubsup": "%s_{%s}^{%s}",
    "mover": r"\overset{%s}{%s}",
    "munder": "%s_{%s}",
    "munderover": "%s_{%s}^{%s}",
    "mroot": r"\sqrt[%s]{%s}",
}
TURNED = frozenset({"mover", "mroot"})  # TeX names their second child first
SIGNS = {"−": "-", "\u2062": "", "\u2061": "", "×": r"\times ", "⋅": r"\cdot ", "±": r"\pm "}
BEYOND = frozenset({"annotation", "annotation-xml", "mphantom"})
DEEP = 60  # a formula deeper than this is an attack


def to_tex(element: HtmlElement, depth: int = 0) -> str:
    """The TeX of a formula; where an element is not known, that of what it holds."""
    if depth > DEEP or element.tag in BEYOND:
        return ""
    if not len(element):
        return _leaf(element)
    parts = [to_tex(child, depth + 1) for child in element]
    form = FORMS.get(element.tag)
    if form and form.count("%s") == len(parts):
        return form % tuple(reversed(parts) if element.tag in TURNED else parts)
    if element.tag == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if element.tag == "mtable":
        rows = r" \\ ".join(parts)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}"
    return (" & " if element.tag == "mtr" else "").join(parts)


def _leaf(element: HtmlElement) -> str:
    text = " ".join((element.text or "").split())
    if element.tag == "mtext" or (element.tag == "mi" and len(text) > 1 and text.isascii()):
        return rf"\text{{{text}}}" if element.tag == "mtext" else rf"\mathrm{{{text}}}"
    return "".join(SIGNS.get(character, character) for character in text)
