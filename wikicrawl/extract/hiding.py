"""Tell by which rule of a style its text is hidden."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# For each property the values that hide by themselves. Off the screen is 900 px and more: an anchor's offset is less.
FAR = r"-(?:9\d\d|\d{4,}|\d{3}r?em)"
SIDES = ("left", "top", "right", "bottom", "margin", "margin-left", "margin-top", "text-indent")
VALUES = {
    "display": r"none",
    "visibility": r"hidden|collapse",
    "content-visibility": r"hidden",
    "opacity": r"0?\.?0+%?(?!\.?\d)",
    "filter": r"opacity\(\s*0\s*%?\s*\)",
    "font-size": r"0(?:\.0*)?(?:[a-z%]+)?(?=$|\s|!)|(?:0?\.\d+|1(?:\.0*)?)p[xt]",
    "clip": r"rect\(\s*[01](?:px)?[\s,]+[01]",
    "clip-path": r"inset\(\s*(?:[5-9]\d|100)%|(?:circle|ellipse)\(\s*0",
    "transform": rf"scale\w*\(\s*0(?:\.0*)?\s*[,)]|translate\w*\([^)]*{FAR}",
    "color": r"transparent|rgba\([^)]*,\s*0(?:\.0*)?\s*\)",
    **dict.fromkeys(SIDES, FAR),
}
HIDING = {name: re.compile(value) for name, value in VALUES.items()}
MAY_HIDE = re.compile(r"none|hidden|collapse|opacity|font|clip|scale|color|overflow|-\d{3}", re.I)
# Scripts take these back when a page or a part of it is ready; nobody writes a page off the screen to move it in.
TAKEN_BACK = frozenset({"display", "visibility", "opacity", "hidden", "aria-hidden", "noscript"})
SIZES = ("height", "max-height", "width", "max-width")
NO_SIZE = re.compile(r"[01](?:\.0*)?(?:px)?$")
MOVING = ("transition", "animation", "will-change")  # what is to appear with an effect, and what unfolds on a click
COLOURS = {"white": "ffffff", "black": "000000"}
RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})")

MAX_STYLES = 200_000  # characters of style sheets read; a page's own stand first
AT_RULE = re.compile(r"@[^{};@]*+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\}?)|/\*.*?\*/", re.S)
SIMPLE = re.compile(r"\s*[a-z]*([.#])([\w-]+)\s*$")


@lru_cache(maxsize=5_000)
def hiding_style(style: str, around: str = "") -> str:
    """The property by which an inline style hides its element, or ''; `around` is the style of the parent."""
    if not MAY_HIDE.search(style):
        return ""
    rules = _rules(style)
    for name, value in rules.items():
        if name in HIDING and HIDING[name].match(value) and not _is_effect(name, rules):
            return name
    if rules.get("overflow", "").startswith(("hidden", "clip")) and not any(name in rules for name in MOVING):
        for name in SIZES:
            if NO_SIZE.match(rules.get(name, "")):
                return name
    ground = _ground(rules) or _ground(_rules(around))
    return "color" if ground and _colour(rules.get("color", "")) == ground else ""


def _rules(style: str) -> dict[str, str]:
    pairs = (rule.partition(":") for rule in style[:2_000].lower().split(";"))
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def _is_effect(name: str, rules: dict[str, str]) -> bool:
    """Transparent at first, and then faded in or painted with a pattern."""
    if name == "opacity":
        return any(mark in rules for mark in MOVING) or "transform" in rules
    return name == "color" and any("clip" in rule or "text-fill" in rule for rule in rules)


def _ground(rules: dict[str, str]) -> str:
    ground = rules.get("background-color") or rules.get("background", "")
    return "" if "url(" in ground or "gradient" in ground else _colour(ground)


def _colour(value: str) -> str:
    """Six hexadecimal digits, or '' for what cannot be compared."""
    word = value.split(maxsplit=1)[0] if value and not value.startswith("rgb") else value
    if match := RGB.match(word):
        return "".join(f"{int(part):02x}" for part in match.groups())
    digits = word.removeprefix("#").removesuffix("!important")
    if word.startswith("#") and len(digits) in (3, 4):
        return "".join(digit * 2 for digit in digits[:3])
    return digits[:6] if word.startswith("#") else COLOURS.get(word, "")


def hiding_names(tree: HtmlElement) -> dict[str, str]:
    """The classes (.x) and ids (#x) that the page's own style sheets hide, each with the property that does.

    Only plain rules for one name count: what holds on some screens or inside other elements may not hold here.
    """
    return _sheet_names("".join(style.text or "" for style in tree.iter("style"))[:MAX_STYLES])


@lru_cache(maxsize=30)  # the pages of a site mostly have the same
def _sheet_names(sheets: str) -> dict[str, str]:
    if not MAY_HIDE.search(sheets):
        return {}
    names: dict[str, str] = {}
    for rule in AT_RULE.sub("", sheets).split("}"):
        selectors, brace, style = rule.partition("{")
        if brace and MAY_HIDE.search(style) and (way := hiding_style(style)):
            found = (SIMPLE.match(selector) for selector in selectors.split(","))
            names.update((match[1] + match[2], way) for match in found if match)
    return names
