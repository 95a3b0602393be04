"""Turn tables into plain grids, and tables that only lay out a page into blocks."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_COLUMNS = 60
MAX_SPAN = 1_000
MAX_COPIES = 2_000  # cells repeated for their spans; 1 000 × 1 000 from one cell is an attack
LONG_CELL = 1_000  # characters; a cell with more, in blocks, is a page's column
BLOCKS = ("p", "div", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "dl", "dt", "dd")
SPARE = "wikicrawl-spare"  # no page has it; taken out in one stroke, as each alone would count all beside it
PARTS = ("thead", "tbody", "tfoot", "colgroup", "col")


def flatten_tables(content: HtmlElement) -> None:
    for table in reversed(list(content.iter("table"))):  # inner ones first
        _lift_caption(table)
        rows = rows_of(table)
        if _is_layout(table, rows):
            _unlay(table, rows)
        else:
            _lay_grid(table, rows)


def lay_table(table: HtmlElement) -> None:
    """Make a grid of a table known to be no layout, however much its cells hold."""
    _lift_caption(table)
    rows = rows_of(table)
    if max(map(len, rows), default=0) > 1:
        _lay_grid(table, rows)


def rows_of(table: HtmlElement) -> list[HtmlElement]:
    for foot in table.findall("tfoot"):  # may stand before the body
        table.append(foot)
    etree.strip_tags(table, *PARTS)
    return [row for row in table if row.tag == "tr"]


def _lift_caption(table: HtmlElement) -> None:
    caption = table.find("caption")
    if caption is not None:
        caption.drop_tree()
        caption.tag, caption.tail = "p", None
        table.addprevious(caption)


def _is_layout(table: HtmlElement, rows: list[HtmlElement]) -> bool:
    if table.get("role") in {"presentation", "none"} or next(table.iterdescendants("table", "pre"), None) is not None:
        return True
    if max((len(row) for row in rows), default=0) < 2:
        return True
    return any(_is_column(cell) for row in rows for cell in row)


def _is_column(cell: HtmlElement) -> bool:
    has_blocks = len(cell) > 0 and next(cell.iterdescendants(*BLOCKS), None) is not None
    return has_blocks and len(cell.text_content()) > LONG_CELL


def _unlay(table: HtmlElement, rows: list[HtmlElement]) -> None:
    table.tag = "div"
    for row in rows:
        row.tag = "div"
        for cell in row:
            if cell.tag in {"td", "th"}:
                cell.tag = "div"


def _lay_grid(table: HtmlElement, rows: list[HtmlElement]) -> None:
    """Rebuild the table from bare rows of equal width, the first of them its head."""
    grid = [cells for cells in _grid(rows) if any(is_filled(cell) for cell in cells)]
    width = max((len(cells) for cells in grid), default=0)
    tail = table.tail
    table.clear()
    table.tail = tail
    tag = "th"
    for cells in grid:
        row = etree.SubElement(table, "tr")
        row.extend(cells)
        row.extend(table.makeelement("td") for _ in range(width - len(cells)))
        for cell in row:
            cell.tag = tag
        tag = "td"


def is_filled(cell: HtmlElement) -> bool:
    return bool(cell.text_content().strip()) or next(cell.iter("img"), None) is not None


def _grid(rows: list[HtmlElement]) -> list[list[HtmlElement]]:
    """Rows of cells in which each stands once for every row and column it spans."""
    grid: list[list[HtmlElement]] = []
    hanging: dict[int, tuple[int, HtmlElement]] = {}  # column → rows still to fill, the cell that fills them
    copies = 0
    for index, row in enumerate(rows):
        line: list[HtmlElement] = []
        waiting = [cell for cell in row if cell.tag in {"td", "th"}]
        while (waiting or len(line) in hanging) and len(line) < MAX_COLUMNS:
            column = len(line)
            if column in hanging:
                left, cell = hanging.pop(column)
                line.append(deepcopy(cell))
                if left > 1:
                    hanging[column] = (left - 1, cell)
                continue
            cell = waiting.pop(0)
            inline(cell)
            below = len(rows) - index
            down = below if cell.get("rowspan") == "0" else min(span_of(cell, "rowspan"), below)  # 0: to the end
            across = min(span_of(cell, "colspan"), MAX_COLUMNS - column)
            cell.attrib.clear()
            cell.tail = None
            copies += down * across - 1
            if copies > MAX_COPIES:
                down = across = 1
            for offset in range(across):
                if down > 1:
                    hanging[column + offset] = (down - 1, cell)
                line.append(deepcopy(cell) if offset else cell)
        grid.append(line)
    return grid


def span_of(cell: HtmlElement, name: str) -> int:
    raw = cell.get(name)
    if raw is None:
        return 1
    raw = raw.strip()
    return min(max(int(raw), 1), MAX_SPAN) if raw.isdecimal() and len(raw) < 8 else 1


def inline(cell: HtmlElement) -> None:
    """Put what stood in blocks on lines of one cell."""
    if not len(cell):
        return
    for rule in cell.iterdescendants("hr"):
        rule.tag = "br"
    for block in list(cell.iterdescendants(*BLOCKS)):
        end = cell.makeelement("br")
        end.tail, block.tail = block.tail, None
        block.addnext(end)
        block.addprevious(cell.makeelement("br"))
        block.tag = SPARE
    etree.strip_tags(cell, SPARE)
    for line_break in list(cell.iterdescendants("br")):
        previous, parent = line_break.getprevious(), line_break.getparent()
        before = previous.tail if previous is not None else parent.text
        is_last = not (line_break.tail or "").strip() and line_break.getnext() is None and parent is cell
        is_spare = not (before or "").strip() and (previous is None or previous.tag in {"br", SPARE})
        if is_last or is_spare:
            line_break.tag = SPARE
    etree.strip_tags(cell, SPARE)
