"""Make markdownify write the house's markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdownify import MarkdownConverter

from wikicrawl.extract.marks import BACKSLASH

if TYPE_CHECKING:
    from bs4 import Tag

LINE_START = re.compile(r"^(?:(#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|-{3,}\s*$)|(\d{1,9})([.)])(?=\s|$))")
CLOSING = re.compile(r"(?<=\s)#+$")  # would be taken for the heading's end
BRACKET = re.compile(r"[\[\]]")


class House(MarkdownConverter):
    """markdownify as the house writes markdown; the place for rules by tag."""

    class Options(MarkdownConverter.DefaultOptions):  # type: ignore[name-defined,misc]
        heading_style = "atx"
        bullets = "-"
        autolinks = False
        bs4_options = "lxml"
        escape_asterisks = False  # the text comes marked
        escape_underscores = False
        strip_pre = None
        table_infer_header = True

    def escape(self, text: str, parent_tags: set[str]) -> str:
        if "a" in parent_tags:
            return BRACKET.sub(r"\\\g<0>", text)
        lead = len(text) - len(text.lstrip())
        return text[:lead] + LINE_START.sub(_escape_start, text[lead:], count=1)

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = el.find("code")
        language = " ".join(code.get("class") or ()).removeprefix("language-") if code else ""
        longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
        fence = "`" * (longest + 1)
        return f"\n\n{fence}{language}\n{text}\n{fence}\n\n"

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802 - markdownify's name
        return str(super().convert_hN(n, el, CLOSING.sub(r"\\\g<0>", text.rstrip()), parent_tags))  # type: ignore[misc]

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not parent_tags.isdisjoint({"td", "th"}):
            return "<br>"
        return f"\\\n{text}"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        cell = text.strip().replace("\n", " ").replace("|", "\\|")
        return f" {cell} |"

    convert_th = convert_td

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "pre" in parent_tags or not text.strip():
            return text
        ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
        pad = " " if text.startswith("`") or text.endswith("`") else ""
        return f"{ticks}{pad}{text}{pad}{ticks}"

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        alt = str(el.get("alt") or "").replace("[", "\\[").replace("]", "\\]")
        return f"![{alt}]({el.get('src')})"


def _escape_start(match: re.Match[str]) -> str:
    if match[1]:
        return f"{BACKSLASH}{match[1]}"
    return f"{match[2]}{BACKSLASH}{match[3]}"
