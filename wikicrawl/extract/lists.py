"""Mend lists that are not lists of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wikicrawl.extract.elements import BLOCKS, HEADINGS

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LISTS = ("ul", "ol", "menu", "dir")
HOLDERS = frozenset({"div", "section", "span", "form", "center"})
THINGS = ("img", "pre", "hr", "table")


def mend_lists(content: HtmlElement) -> None:
    """In a list stand items alone; a list between items belongs to the one before it."""
    for element in list(content.iter(*LISTS)):
        if element.tag not in {"ul", "ol"}:
            element.tag = "ul"
        for child in list(element):
            if child.tag in HOLDERS and child.find("li") is not None:
                child.drop_tag()
        if element.find("li") is None:  # it only sets off what it holds
            element.tag = "div"
            continue
        for child in list(element):
            _mend_child(child, element)
        if (element.text or "").strip():
            element.insert(0, _item(element, element.text))
            element.text = None
    for item in list(content.iter("li")):
        _mend_item(item)
    for element in reversed(list(content.iter("ul", "ol"))):
        if not len(element):
            element.tag = "div"


def _mend_child(child: HtmlElement, parent: HtmlElement) -> None:
    tail, child.tail = child.tail, None
    if (tail or "").strip():
        child.addnext(_item(parent, tail))
    if child.tag == "li":
        return
    previous = child.getprevious()
    if child.tag in LISTS and previous is not None and previous.tag == "li":
        previous.append(child)
    elif child.tag in LISTS:
        child.drop_tag()
    elif child.tag in HEADINGS and previous is None and parent.getparent() is not None:
        parent.addprevious(child)
    else:
        item = _item(parent, None)
        child.addprevious(item)
        item.append(child)


def _item(parent: HtmlElement, text: str | None) -> HtmlElement:
    item: HtmlElement = parent.makeelement("li")
    item.text = text
    return item


def _mend_item(item: HtmlElement) -> None:
    """Without anything it shows nothing; a sole paragraph in it needs not be one; text behind a list in it does."""
    if not item.text_content().strip() and next(item.iter(*THINGS), None) is None:
        item.drop_tree()
        return
    if len(item) == 1 and item[0].tag == "p" and not (item.text or "").strip() and not (item[0].tail or "").strip():
        item[0].drop_tag()
        return
    has_table = item.find("table") is not None
    if has_table and (item.text or "").strip():
        first = _paragraph(item, item.text)
        item.text = None
        item.insert(0, first)
        _take_inline(first)
    for child in list(item.iterchildren("ul", "ol", "table")):
        if (child.tail or "").strip():
            paragraph = _paragraph(item, child.tail)
            child.tail = None
            child.addnext(paragraph)
            _take_inline(paragraph)


def _paragraph(item: HtmlElement, text: str | None) -> HtmlElement:
    paragraph: HtmlElement = item.makeelement("p")
    paragraph.text = text
    return paragraph


def _take_inline(paragraph: HtmlElement) -> None:
    """Let what follows on the same line stand in the paragraph."""
    while (after := paragraph.getnext()) is not None and after.tag not in BLOCKS:
        paragraph.append(after)
