"""Write the formulas of a page as the TeX they were made from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wikicrawl.extract.marks import shield
from wikicrawl.extract.mathml import to_tex
from wikicrawl.extract.tree import class_values, classes

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Names of the whole formula: MediaWiki's Math of all its modes and years (the TeX as it is, an image of it, a failure),
# KaTeX, MathJax, WordPress's images.
FORMULA = re.compile(
    r"mwe-math-element|mwe-math-fallback-\w+-(?:inline|display)|tex|texerror"
    r"|katex(?:-display)?|MathJax(?:_\w+)?|MJXp?-\w+|latex"
)
# Names under which Pandoc, Sphinx, MkDocs and GitHub leave TeX between its own signs, for a script to draw.
DELIMITED = re.compile(r"math|arithmatex|js-(?:inline|display)-math")
BLOCK = re.compile(
    r"mwe-math-element-block|mwe-math-\w+(?:-\w+)?-display|katex-display|MathJax_Display|js-display-math"
)
SIGNS = re.compile(r"\\\((.+)\\\)|\\\[(.+)\\\]|\$\$(.+)\$\$|\$(.+)\$", re.S)
MAYBE = re.compile(r"math|Math|MJX|katex|latex|arithmatex|\btex\b|texerror")
WHOLE = ("math", "mjx-container", "math-renderer")
# What MediaWiki puts round the author's TeX.
STYLE = re.compile(r"\{\\(?:display|text)style\b\s*")
BRACE = re.compile(r"\\.|[{}]", re.S)


def write_formulas(content: HtmlElement) -> bool:
    """Replace each formula by $…$, one that stands alone by $$…$$; whether there was any.

    Must come before hidden elements and scripts go: the TeX stands in them.
    """
    maybe = _candidates(content)
    has_sources = any(element.tag == "script" for element in maybe)
    written: set[HtmlElement] = set()
    for element in maybe:
        if element in written or not _is_formula(element):  # it stood in another
            continue
        written.update(element.iter())
        dollars, tex = ("$$" if _is_block(element) else "$"), _tex(element)
        if has_sources and element.tag != "script" and _is_drawn(element):
            tex = ""  # the script beside it has the source
        element.clear(keep_tail=True)
        element.tag = "div" if dollars == "$$" else "span"
        element.text = shield(f"{dollars}{tex}{dollars}") if tex else None
    return bool(written)


def _candidates(content: HtmlElement) -> list[HtmlElement]:
    wanted = {names for names in class_values(content) if MAYBE.search(names)}
    named = [element for element in content.iterdescendants() if element.get("class") in wanted] if wanted else []
    scripts = [script for script in content.iter("script") if script.get("type", "").startswith("math/")]
    return [*named, *content.iter(*WHOLE), *scripts]


def _is_formula(element: HtmlElement) -> bool:
    names = classes(element)
    if element.tag in {"math", "mjx-container", "script"} or any(map(FORMULA.fullmatch, names)):
        return True
    is_delimited = element.tag == "math-renderer" or any(map(DELIMITED.fullmatch, names))
    return is_delimited and SIGNS.fullmatch(element.text_content().strip()) is not None


def _is_drawn(element: HtmlElement) -> bool:
    return any(name.startswith(("MathJax", "MJX")) for name in classes(element))


def _is_block(element: HtmlElement) -> bool:
    if "mode=display" in element.get("type", "") or element.get("display") == "true":
        return True
    if any(math.get("display") == "block" for math in element.iter("math")):
        return True
    signs = SIGNS.fullmatch(element.text_content().strip())
    if signs and (signs[2] or signs[3]):
        return True
    return any(BLOCK.fullmatch(name) for part in element.iter() for name in classes(part))


def _tex(element: HtmlElement) -> str:
    annotations = (part for part in element.iter("annotation") if part.get("encoding", "").endswith("x-tex"))
    candidates = [
        *(annotation.text_content() for annotation in annotations),
        *(math.get("alttext", "") for math in element.iter("math")),
        *(image.get("alt", "") for image in element.iter("img")),
        *(to_tex(math) for math in element.iter("math")),
        _source(element),
    ]
    return next((tex for tex in map(_bare, candidates) if tex), "")


def _source(element: HtmlElement) -> str:
    text = str(element.text_content()).strip()
    if "texerror" not in classes(element):
        signs = SIGNS.fullmatch(text)
        return next(filter(None, signs.groups())) if signs else text.removeprefix("$").removesuffix("$")
    style = STYLE.search(text)
    return text[style.start() :] if style else text.rpartition("): ")[2]


def _bare(tex: str) -> str:
    tex = " ".join(tex.split())
    style = STYLE.match(tex)
    return tex[style.end() : -1].strip() if style and _is_one_group(tex) else tex


def _is_one_group(tex: str) -> bool:
    """Whether the brace that opens the TeX is closed by its last character."""
    depth = 0
    for match in BRACE.finditer(tex):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end() == len(tex)
    return False
