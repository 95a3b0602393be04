"""Write normalised content as markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import html_to_markdown
from html_to_markdown import ConversionOptions, PreprocessingOptions
from lxml.etree import tostring

from wikicrawl.extract.marks import unshield

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ENGINES = ("html-to-markdown", "markdownify")

OPTIONS = ConversionOptions(
    bullets="-",
    autolinks=False,
    expand_abbreviations=False,
    include_blockquote_citations=False,
    br_in_tables=True,
    compact_tables=True,
    highlight_style="none",
    extract_metadata=False,
    infer_dimensions=False,
    newline_style="backslash",
    preprocessing=PreprocessingOptions(enabled=False),  # the page is stripped already; it would drop forms
)

FENCE = re.compile(r"[ >]*+(?:(?:[-*+]|\d+[.)]) ++)*+(`{3,})[^`]*$")


def write_markdown(content: HtmlElement, engine: str = ENGINES[0]) -> str:
    """The markdown of content that `normalise` has been over; every line but code trimmed, one blank line at most."""
    if engine not in ENGINES:
        raise ValueError(f"MARKDOWN_ENGINE is {engine!r}; it must be one of {', '.join(ENGINES)}")
    html = tostring(content, encoding="unicode", method="html", with_tail=False)
    markdown = _by_markdownify(html) if engine == "markdownify" else _by_default(html)
    return _polish(markdown)


def _by_default(html: str) -> str:
    return str(html_to_markdown.convert(html, OPTIONS).content or "")


def _by_markdownify(html: str) -> str:
    from wikicrawl.extract.house import House  # noqa: PLC0415 - bs4 takes as long to import as all the rest

    try:
        return str(House().convert(html))
    except RecursionError:  # it walks the tree by recursion; nested lists of 100 levels are too much
        return _by_default(html)


def _polish(markdown: str) -> str:
    """Outside code: no space at line ends, one blank line at most, and one before each quotation."""
    lines = [""]
    fence = ""
    for line in markdown.split("\n"):
        if fence:
            lines.append(line)
            if line.lstrip(" >").rstrip() == fence:
                fence = ""
            continue
        text = line.rstrip()
        if not text and not lines[-1]:
            continue
        if "```" in text and (match := FENCE.match(text)):
            fence = match[1]
        elif ">" in text and _is_quoted(text) and lines[-1] and not _is_quoted(lines[-1]):
            lines.append("")
        lines.append(text)
    return unshield("\n".join(lines)).strip("\n")


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")
