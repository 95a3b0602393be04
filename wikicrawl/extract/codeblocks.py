"""Reduce code to its text and language."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.elements import replace_by_space
from wikicrawl.extract.tree import classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

CODE = ("code", "kbd", "samp", "tt")
# What highlighters put before the language in a class: Prism and most others, Sphinx and GitHub, MediaWiki, Enlighter.
PREFIX = re.compile(
    r"(?:language|lang|highlight(?:-source|-text)?|mw-highlight-lang|brush:?|source|EnlighterJS)[-:](.+)", re.I
)
# After these the language stands as a class of its own: Pandoc, highlight.js, SyntaxHighlighter.
BEFORE = frozenset({"sourcecode", "hljs", "brush:", "prettyprint"})
ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language", "lang")
IS_LANGUAGE = re.compile(r"[a-z][\w+#.-]{0,29}")
# A label some builders write above the code: its language again.
LABELS = frozenset({"lang", "code-lang", "language", "code-language"})
GUTTERS = './/*[contains(@class,"lineno") or contains(@class,"line-number") or contains(@class,"gutter")]'
NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plaintext", "plain", "nohighlight", "highlight", "block", "notranslate", "numberlines"}
)
LINES = frozenset({"div", "p", "li", "tr"})  # highlighters wrap lines in them
SPACES = re.compile(r"\s+")


def fence_code(content: HtmlElement) -> None:
    """Each <pre> becomes one <code> of bare text, with its language as its class."""
    if next(content.iter("pre", *CODE), None) is None:
        return
    for gutter in content.xpath(GUTTERS):
        if gutter.getparent() is not None and gutter.text_content().strip().replace("\n", "").isdigit():
            gutter.drop_tree()
    for pre in list(content.iter("pre")):
        if pre.getparent() is None or next(pre.iterancestors("pre"), None) is not None:
            continue
        language = _language(pre)
        _drop_label(pre, language)
        text = _verbatim(pre).strip("\n")
        tail = pre.tail
        pre.clear()
        pre.tail = tail
        if not text.strip():
            pre.tag = "div"
            continue
        code = etree.SubElement(pre, "code")
        code.text = text
        if language:
            code.set("class", f"language-{language}")
    for code in list(content.iter(*CODE)):
        parent = code.getparent()
        if parent is not None and parent.tag != "pre":
            _plain_code(code)


def _plain_code(code: HtmlElement) -> None:
    text = SPACES.sub(" ", code.text_content())
    if not text.strip():
        replace_by_space(code)
        return
    code.clear(keep_tail=True)
    code.tag, code.text = "code", text


def _drop_label(pre: HtmlElement, language: str) -> None:
    for label in list(pre.itersiblings(preceding=True)):
        if not LABELS.isdisjoint(classes(label)) and label.text_content().strip().lower() in {language, ""}:
            label.drop_tree()


def _verbatim(pre: HtmlElement) -> str:
    parts = [""]
    for event, element in etree.iterwalk(pre, events=("start", "end")):
        if event == "start":
            is_new_line = element.tag in LINES and parts[-1] and not parts[-1].endswith("\n")
            if element.tag == "br" or is_new_line:
                parts.append("\n")
            text = element.text
        else:
            text = element.tail if element is not pre else None
        if text:
            parts.append(text)
    return "".join(parts)


def _language(pre: HtmlElement) -> str:
    around = [pre.find(".//code"), pre, *(outer for _, outer in zip(range(3), pre.iterancestors(), strict=False))]
    for element in around:
        if element is None:
            continue
        attributes = (element.get(name, "") for name in ATTRIBUTES if name != "lang" or element.tag == "pre")
        for language in (*attributes, *_named(classes(element))):
            if IS_LANGUAGE.fullmatch(language.lower()) and language.lower() not in NO_LANGUAGE:
                return str(language.lower())
    return ""


def _named(names: list[str]) -> Iterator[str]:
    """The languages a class may mean, surest first."""
    yield from (match[1].strip(";") for match in map(PREFIX.fullmatch, names) if match)
    for name, following in pairwise(names):
        if name.lower() in BEFORE:
            yield following.strip(";")
