"""Turn infoboxes, tables or not, into tables of two columns and into facts."""

from __future__ import annotations

import re
from collections import deque
from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from wikicrawl.extract.flatten import flatten_cell, trim
from wikicrawl.extract.footnotes import MARK
from wikicrawl.extract.marks import NOTHING, unshield
from wikicrawl.extract.normalise import BLOCKS, HEADINGS, wrap
from wikicrawl.extract.strip import name_words
from wikicrawl.extract.tables import is_filled, rows_of, span_of
from wikicrawl.extract.tabs import LABEL as TAB
from wikicrawl.extract.text import line
from wikicrawl.extract.tree import classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

BOX = re.compile(r"infobox(?!-)\w*|portable-infobox|druid-infobox", re.I)
BOX_TAGS = ("table", "aside", "div", "section")
# Words of class names: of Wikipedia's modules, portable infoboxes, wiki.gg's Druid, and of templates in their manner.
LABEL = frozenset({"label", "key"})
VALUE = frozenset({"value", "data"})
HEAD = frozenset({"title", "above", "header", "subheader", "head", "section", "name"})
MAX_COPIED = 50_000  # characters repeated for the spans of cells
CELL_CHARS = 50  # what a cell counts beside its text
SPACE = re.compile(r"\s+")
MAX_LABEL = 200
MAX_VALUE = 2_000
MAX_FACTS = 300


class Row(NamedTuple):
    """A label and its value; a head has no value, a text no label, a picture neither."""

    kind: str  # pair, head, text, picture
    first: HtmlElement
    second: HtmlElement | None = None


def lay_infoboxes(content: HtmlElement) -> dict[str, str]:
    """Rewrite the boxes in place; what they say, by label. Where two boxes use one label, the first is believed."""
    facts: dict[str, str] = {}
    for box in list(_boxes(content)):
        if has_sections(box):
            continue
        rows = list(_table_rows(box) if box.tag == "table" else _block_rows(box))
        _rebuild(box, [row for row in rows if row.second is None or is_filled(row.second)])
        facts |= {label: value for label, value in _facts(rows).items() if label not in facts}
    return facts


def has_sections(element: HtmlElement) -> bool:
    """Whether parts of the article stand inside, as they do after a table that nobody closed."""
    headings = element.iterdescendants(*HEADINGS)
    return any(heading.get("id") or heading.find(".//span[@class='mw-headline']") is not None for heading in headings)


def _boxes(content: HtmlElement) -> Iterator[HtmlElement]:
    pending = [content]
    while pending:
        element = pending.pop()
        if element.tag in BOX_TAGS and any(map(BOX.fullmatch, classes(element))):
            yield element
        else:
            pending.extend(reversed(element))


def _table_rows(table: HtmlElement) -> Iterator[Row]:
    caption = table.find("caption")
    if caption is not None and is_filled(caption):
        yield Row("head", caption)
    lines = deque(_lines(table))
    while lines:
        cells = lines.popleft()
        pictures = set(_pictures(cells))
        yield from (Row("picture", cell) for cell in cells if cell in pictures)
        cells = [cell for cell in cells if cell not in pictures]
        if len(cells) == 1:
            yield from _lone(cells[0])
        elif lines and _are_heads_of(cells, lines[0]):
            yield from map(_pair, cells, lines.popleft())
        elif len(cells) > 2 and [cell.tag for cell in cells] == ["th", "td"] * (len(cells) // 2):
            yield from map(_pair, cells[::2], cells[1::2])
        elif cells:
            yield _pair(cells[0], _join(cells[1:]))


def _pictures(cells: list[HtmlElement]) -> list[HtmlElement]:
    """Cells that only show images; beside a label these are its value, unless they stand beside several."""
    pictures = [cell for cell in cells if _is_picture(cell)]
    if sum(map(is_filled, cells)) == len(pictures):
        return pictures
    return [cell for cell in pictures if span_of(cell, "rowspan") > 1]


def _lines(table: HtmlElement) -> Iterator[list[HtmlElement]]:
    """The cells of each row, with those that reach down from rows above; each is one column, however wide."""
    hanging: dict[int, tuple[int, HtmlElement]] = {}
    left = MAX_COPIED
    for row in rows_of(table):
        waiting = deque(cell for cell in row if cell.tag in {"td", "th"})
        cells: list[HtmlElement] = []
        while waiting or len(cells) in hanging:
            column = len(cells)
            if column not in hanging:
                cells.append(waiting.popleft())
                rows = span_of(cells[-1], "rowspan") - 1
                hangs = rows > 0 and not _is_picture(cells[-1])
            else:
                rows, cell = hanging.pop(column)
                cells.append(cell)
                hangs = rows > 0
            left -= len(cells[-1].text_content()) + CELL_CHARS if hangs else 0
            if hangs and left > 0:
                hanging[column] = (rows - 1, deepcopy(cells[-1]))
        yield cells


def _are_heads_of(cells: list[HtmlElement], others: list[HtmlElement]) -> bool:
    tags = {cell.tag for cell in cells}, {cell.tag for cell in others}
    return len(cells) == len(others) > 1 and tags == ({"th"}, {"td"})


def _pair(label: HtmlElement, value: HtmlElement) -> Row:
    if is_filled(label) and not is_filled(value) and label.tag != "th":
        return Row("text", label)
    return Row("pair", label, value)


def _join(cells: list[HtmlElement]) -> HtmlElement:
    first, *others = [cell for cell in cells if is_filled(cell)] or cells
    trim(first)
    for cell in others:
        trim(cell)
        cell.text = f", {cell.text}"
        cell.tag, cell.tail = "span", None
        first.append(cell)
    return first


def _lone(cell: HtmlElement) -> Iterator[Row]:
    if next(cell.iterdescendants("table"), None) is not None:
        yield from _block_rows(cell)
    elif is_filled(cell):
        yield Row(_kind(cell), cell)


def _kind(element: HtmlElement) -> str:
    """What an element that stands alone in its row is."""
    has_text = bool(element.text_content().strip())
    if element.tag in {"th", *HEADINGS} or not HEAD.isdisjoint(name_words(element)):
        return "head" if has_text else "picture"
    if next(element.iter("img"), None) is not None:
        return "picture"
    is_bold = len(element) == 1 and element[0].tag in {"b", "strong"}
    return "head" if is_bold and not f"{element.text or ''}{element[0].tail or ''}".strip() else "text"


def _block_rows(box: HtmlElement) -> Iterator[Row]:
    """The rows of a box made of blocks; what stands between these is a row, too."""
    run = box.makeelement("div")
    run.text = box.text
    for child in list(box):
        tail, child.tail = child.tail, None
        if child.tag not in BLOCKS:
            child.tail = tail
            run.append(child)
            continue
        if is_filled(run):
            yield Row(_kind(run), run)
        yield from _block(child)
        run = box.makeelement("div")
        run.text = tail
    if is_filled(run):
        yield Row(_kind(run), run)


def _block(element: HtmlElement) -> Iterator[Row]:
    words = [name_words(child) for child in element]
    if element.tag == "table":
        yield from _table_rows(element)
    elif len(words) == 2 and not LABEL.isdisjoint(words[0]) and not VALUE.isdisjoint(words[1]):
        yield Row("pair", element[0], element[1])
    elif len(words) == 2 and "head" in words[0] and "body" in words[1] and len(element[0]) == len(element[1]):
        yield from map(_pair, list(element[0]), list(element[1]))
    elif _is_picture(element):
        yield Row("picture", element)
    elif element.tag not in HEADINGS and any(child.tag in BLOCKS for child in element):
        yield from _block_rows(element)
    elif is_filled(element):
        yield Row(_kind(element), element)


def _is_picture(element: HtmlElement) -> bool:
    """Whether all its text is said of the images in it."""
    if next(element.iter("img"), None) is None:
        return False
    captions = [*element.iter("figcaption"), *(label for label in element.iter("p") if TAB in classes(label))]
    return len(element.text_content().strip()) <= sum(len(caption.text_content()) for caption in captions)


def _rebuild(box: HtmlElement, rows: list[Row]) -> None:
    pictures = [row.first for row in rows if row.kind == "picture"]
    lines = [row for row in rows if row.kind != "picture"]
    box.clear(keep_tail=True)
    box.tag = "div"
    for picture in pictures:
        picture.tag, picture.tail = "div", None
        if not _is_picture(picture) and all(child.tag not in BLOCKS for child in picture):
            _caption(picture)
        box.append(picture)
    table = etree.SubElement(box, "table" if lines else "div")
    if lines and lines[0].kind != "head":  # else its first fact would be taken for the names of the columns
        etree.SubElement(etree.SubElement(table, "tr"), "th").text = NOTHING
    for row in lines:
        etree.SubElement(table, "tr").extend(_cells(row))


def _caption(picture: HtmlElement) -> None:
    """What is written under the images, without being marked as said of them, is their caption."""
    images = [part for part in picture if next(part.iter("img"), None) is not None]
    caption = wrap(picture, "figcaption")
    for part in reversed(images):
        part.drop_tree()
        part.tail = None
        picture.insert(0, part)
    etree.strip_tags(caption, "br", "i", "em")


def _cells(row: Row) -> list[HtmlElement]:
    cells = [row.first, row.first.makeelement("td") if row.second is None else row.second]
    for cell in cells:
        cell.tail = None
        flatten_cell(cell)
        cell.attrib.clear()
        cell.tag = "td"
    if row.kind != "text":
        etree.strip_tags(cells[0], "b", "strong")
    if row.kind == "head":
        wrap(cells[0], "strong")
    return cells


def _facts(rows: list[Row]) -> dict[str, str]:
    facts: dict[str, list[str]] = {}
    for row in rows:
        if row.second is not None and len(facts) < MAX_FACTS:
            label = line(" ".join(_parts(row.first)), MAX_LABEL).rstrip(": ")
            value = line(", ".join(_parts(row.second)), MAX_VALUE)
            if label and value and value not in facts.setdefault(label, []):
                facts[label].append(value)
    return {label: ", ".join(values) for label, values in facts.items() if values}


def _parts(element: HtmlElement) -> list[str]:
    """The text of each line; without footnotes."""
    texts = []
    for event, part in etree.iterwalk(element, events=("start", "end")):
        if part.tag in BLOCKS or (part.tag == "br" and event == "start"):
            texts.append("\n")
        if event == "start":
            text = "" if MARK in classes(part) else part.text
        else:
            text = part.tail if part is not element else ""
        texts.append(SPACE.sub(" ", text or ""))
    return [part for part in (part.strip(" ,;") for part in unshield("".join(texts)).split("\n")) if part]
