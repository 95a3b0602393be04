"""Put what stood in blocks on few lines, where markdown allows no blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.elements import wrap
from wikicrawl.extract.tables import BLOCKS, LONG_CELL, inline, is_filled, rows_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Blocks that tables do not look for in their cells.
AS_DIV = ("figure", "figcaption", "section", "article", "aside", "center", "caption", "details", "summary", "hr")
BREAKING = (*BLOCKS, *AS_DIV, "br", "table", "tr", "td", "th")


def write_on_a_line(element: HtmlElement) -> None:
    """No blocks and no line breaks; items of a list are told apart by a semicolon."""
    for table in reversed(list(element.iterdescendants("table"))):
        write_in_lines(table)
    for item in element.iterdescendants("li"):
        trim(item)
        previous = item.getprevious()
        if previous is not None and previous.tag == "li":
            previous.tail = None
            item.text = f"; {item.text or ''}"
    for block in list(element.iterdescendants(*BREAKING)):
        if block.tag != "li":
            block.text = f" {block.text or ''}"
            block.tail = f" {block.tail or ''}"
    etree.strip_tags(element, *BREAKING)
    trim(element)


def write_in_lines(table: HtmlElement) -> None:
    """A table within a table: each row a line, a head before its value, values told apart by commas."""
    for row in rows_of(table):
        row.tag, row.tail = "div", None
        cells = [cell for cell in row if cell.tag in {"td", "th"} and is_filled(cell)]
        row.text = None
        row[:] = cells
        for previous, cell in zip([None, *cells], cells, strict=False):
            trim(cell)
            cell.tail = None
            if previous is not None:
                is_value = (previous.tag, cell.tag) == ("th", "td")
                cell.text = f"{': ' if is_value else ', '}{cell.text}"
        for cell in cells:
            cell.tag = "span"
    table.tag = "div"


def flatten_nested(content: HtmlElement) -> None:
    """Tables and code within a table that has heads: the outer one is no layout, and a cell holds no blocks."""
    for table in list(content.iter("table")):
        if table.tag != "table" or next(table.iterdescendants("table", "pre"), None) is None:
            continue
        cells = [cell for row in rows_of(table) for cell in row]
        if any(cell.tag == "th" for cell in cells) and all(len(cell.text_content()) < LONG_CELL for cell in cells):
            for cell in cells:
                flatten_cell(cell)


def flatten_cell(cell: HtmlElement) -> None:
    """Leave nothing in the cell of a table that markdown cannot write there."""
    for table in reversed(list(cell.iterdescendants("table"))):
        write_in_lines(table)
    for pre in list(cell.iterdescendants("pre")):
        _write_code_in_lines(pre)
    for caption in list(cell.iterdescendants("figcaption")):
        wrap(caption, "em")
    for element in cell.iterdescendants(*AS_DIV):
        element.tag = "div"
    inline(cell)
    for line_break in cell.iterdescendants("br"):
        previous, parent = line_break.getprevious(), line_break.getparent()
        if previous is None:
            parent.text = (parent.text or "").rstrip()
        else:
            previous.tail = (previous.tail or "").rstrip()
    trim(cell)


def _write_code_in_lines(pre: HtmlElement) -> None:
    lines = [line.strip() for line in pre.text_content().split("\n")]
    pre.clear(keep_tail=True)
    pre.tag = "div"
    for line in filter(None, lines):
        etree.SubElement(pre, "code").text = line
        etree.SubElement(pre, "br")


def trim(element: HtmlElement) -> None:
    """No white space at either end of the element's text."""
    element.text = (element.text or "").lstrip()
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip()
    else:
        element.text = element.text.rstrip()
