"""Write the label of each tab above what its panel holds."""

from __future__ import annotations

from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.tree import classes, text_of
from wikicrawl.extract.wikistrip import PANELS

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LISTS = frozenset({"tabbernav", "tabber__tabs", "wds-tabs", "pi-section-navigation", "pi-image-collection-tabs"})
TITLES = ("data-mw-tabber-title", "data-title", "title")
NEAR = 3  # elements; to look at all would take the square of their number
LABEL = "wikicrawl-tab"  # the class of the paragraph with a label


def label_tabs(content: HtmlElement) -> None:
    holders: dict[HtmlElement, list[HtmlElement]] = {}
    for element in content.iter("div", "section", "article"):
        parent = element.getparent()
        if parent is not None and not PANELS.isdisjoint(classes(element)):
            holders.setdefault(parent, []).append(element)
    for holder, panels in holders.items():
        labels = _labels(holder)
        for index, panel in enumerate(panels):
            titles = [panel.get(name, "").strip() for name in TITLES]
            label = next(filter(None, titles), labels[index] if index < len(labels) else "")
            if label:
                _label(panel, label)


def _labels(holder: HtmlElement) -> list[str]:
    """What the tabs say; their list stands shortly before the panels, or before what holds these."""
    first = islice(takewhile(lambda child: PANELS.isdisjoint(classes(child)), holder), NEAR)
    before = islice(holder.itersiblings(preceding=True), NEAR)
    for element in chain(first, before):
        for place in (element, *element, *(inner for child in element for inner in child)):
            if not LISTS.isdisjoint(classes(place)):
                return [text_of(tab) or tab.get("data-hash", "") for tab in place]
    return []


def _label(panel: HtmlElement, label: str) -> None:
    paragraph = panel.makeelement("p", {"class": LABEL})
    etree.SubElement(paragraph, "b").text = label
    paragraph.tail, panel.text = panel.text, None
    panel.insert(0, paragraph)
