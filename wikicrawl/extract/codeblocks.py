"""Reduce code to its text and language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

CODE = ("code", "kbd", "samp", "tt")
LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight(?:-source)?|brush:?|sourceCode)[-\s:]\s*([\w+#-]+)", re.I)
GUTTERS = './/*[contains(@class,"lineno") or contains(@class,"line-number") or contains(@class,"gutter")]'
NO_LANGUAGE = frozenset(
    {"default", "none", "text", "plaintext", "plain", "nohighlight", "highlight", "block", "notranslate"}
)
LINES = frozenset({"div", "p", "li", "tr"})  # highlighters wrap lines in them
SPACES = re.compile(r"\s+")


def fence_code(content: HtmlElement) -> None:
    """Each <pre> becomes one <code> of bare text, with its language as its class."""
    for gutter in content.xpath(GUTTERS):
        if gutter.getparent() is not None and gutter.text_content().strip().replace("\n", "").isdigit():
            gutter.drop_tree()
    for pre in list(content.iter("pre")):
        if pre.getparent() is None or next(pre.iterancestors("pre"), None) is not None:
            continue
        language = _language(pre)
        text = _verbatim(pre).strip("\n")
        tail = pre.tail
        pre.clear()
        pre.tail = tail
        code = etree.SubElement(pre, "code")
        code.text = text
        if language:
            code.set("class", f"language-{language}")
    for code in list(content.iter(*CODE)):
        parent = code.getparent()
        if parent is not None and parent.tag != "pre":
            text, tail = SPACES.sub(" ", code.text_content()), code.tail
            code.clear()
            code.tag, code.text, code.tail = "code", text, tail


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
    around = [pre.find(".//code"), pre, *list(pre.iterancestors())[:3]]
    for element in around:
        if element is None:
            continue
        language = element.get("data-lang") or element.get("data-language") or ""
        match = LANGUAGE.search(element.get("class", ""))
        language = (language or (match[1] if match else "")).lower()
        if re.fullmatch(r"[\w+#-]{1,30}", language) and language not in NO_LANGUAGE:
            return language
    return ""
