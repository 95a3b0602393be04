"""Tell line breaks that end a paragraph from those that break a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wikicrawl.extract.elements import BLOCKS, replace_by_space

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def break_lines(content: HtmlElement) -> None:
    """Two line breaks end a paragraph; one at a block's edge breaks nothing."""
    doubled: dict[HtmlElement, None] = {}
    for line_break in list(content.iter("br")):
        parent, after = line_break.getparent(), line_break.getnext()
        if parent is None or parent.tag in {"td", "th"}:
            continue
        if (line_break.tail or "").strip() == "" and after is not None and after.tag == "br":
            doubled[parent] = None
    for parent in doubled:
        if parent.tag in BLOCKS:
            _split_paragraphs(parent)
    for line_break in list(content.iter("br")):
        parent, previous, after = line_break.getparent(), line_break.getprevious(), line_break.getnext()
        is_last = not (line_break.tail or "").strip() and (after is None or after.tag in BLOCKS)
        before = parent.text if previous is None else previous.tail
        is_first = not (before or "").strip() and (previous is None or previous.tag in BLOCKS or previous.tag == "br")
        if is_first or is_last:
            replace_by_space(line_break)


def _split_paragraphs(block: HtmlElement) -> None:
    """Put the runs of text between doubled line breaks, and between blocks, into paragraphs."""
    parts = [block.makeelement("p")]
    parts[0].text, block.text = block.text, None
    children = [(child, child.tail) for child in block]
    is_after_break = False
    for index, (child, tail) in enumerate(children):
        is_break = child.tag == "br"
        next_tag = children[index + 1][0].tag if index + 1 < len(children) else ""
        is_blank = not (tail or "").strip()
        if is_break and (is_after_break or (is_blank and next_tag == "br")):
            block.remove(child)
            parts.append(_paragraph(block, tail))
        elif child.tag in BLOCKS:
            child.tail = None
            parts += (child, _paragraph(block, tail))
        else:
            parts[-1].append(child)
        is_after_break = is_break and is_blank
    block.extend(part for part in parts if part.tag != "p" or len(part) or (part.text or "").strip())
    if block.tag == "p":
        block.tag = "div"


def _paragraph(block: HtmlElement, text: str | None) -> HtmlElement:
    paragraph: HtmlElement = block.makeelement("p")
    paragraph.text = text
    return paragraph
