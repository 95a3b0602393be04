"""Make readable content and facts of a MediaWiki page, be it the API's, the wiki's own or a browser's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from wikicrawl.extract.flatten import flatten_cell, write_on_a_line
from wikicrawl.extract.footnotes import write_footnotes
from wikicrawl.extract.formulas import write_formulas
from wikicrawl.extract.infobox import has_sections, lay_infoboxes
from wikicrawl.extract.marks import BACKSLASH
from wikicrawl.extract.normalise import HEADINGS, wrap
from wikicrawl.extract.pictures import place_pictures
from wikicrawl.extract.tables import lay_table, rows_of
from wikicrawl.extract.tabs import label_tabs
from wikicrawl.extract.tree import body_of, by_id, classes
from wikicrawl.extract.wikifacts import page_facts, plain_text, section_facts
from wikicrawl.extract.wikistrip import drop_furniture, drop_unread

if TYPE_CHECKING:
    from lxml.html import HtmlElement

OUTPUT = "mw-parser-output"
OUTPUTS = frozenset({OUTPUT, "mw-category-generated"})  # the members of a category are what its page is for
# Where the content stands in skins since 1.19, and before.
AREAS = ("mw-content-text", "bodyContent")
HEADING = "firstHeading"

HATNOTES = frozenset({"hatnote", "dablink", "rellink"})
NOT_IN_A_HATNOTE = (*HEADINGS, "table", "pre", "ul", "ol")  # but in an article that stands in one nobody closed
DATA_TABLES = frozenset({"wikitable", "article-table", "fandom-table", "sortable", "cargoTable", "smwtable"})
HIGHLIGHT = re.compile(r"(?:mw-highlight-lang|source)-([\w+#-]+)")
VERBATIM = frozenset({"code", "pre", "a"})  # in links engines see to brackets themselves
ITALIC = ("i", "em")
BOLD = ("b", "strong")


def is_wiki(tree: HtmlElement) -> bool:
    """Whether MediaWiki made this page: it says so of the whole page, and has the place where MediaWiki puts content.

    The classes of its content alone prove nothing: they come along when a blog quotes an article.
    """
    body = body_of(tree)
    makers = (meta.get("content", "") for meta in tree.iter("meta") if meta.get("name", "").lower() == "generator")
    says_so = "mediawiki" in classes(body) or any(maker.lower().startswith("mediawiki") for maker in makers)
    return says_so and _area(body) is not None


def read_wiki(tree: HtmlElement, base: str) -> tuple[HtmlElement, dict[str, Any]]:
    """The content of a page for which `is_wiki` holds, title first, and what is known of it; takes the tree apart.

    The order matters: hidden are the sources of formulas and the panels of tabs, and notes may stand in tables.
    """
    facts = page_facts(tree, base)
    content = _content(tree)
    drop_unread(content)
    has_formulas = write_formulas(content)
    label_tabs(content)
    drop_furniture(content)
    write_footnotes(content)
    place_pictures(content)
    facts["infobox"] = lay_infoboxes(content)
    facts["displaytitle"] = plain_text(content[0])
    facts["sections"] = section_facts(content)
    _lay_tables(content)
    _plain_links(content)
    _name_languages(content)
    _unwrap_collapsed(content)
    _plain_marks(content)
    _italicise_hatnotes(content)
    _trim_lines(content)
    _keep_as_text(content, has_formulas=has_formulas)
    return content, {name: value for name, value in facts.items() if value or value == 0}


def _area(body: HtmlElement) -> HtmlElement | None:
    if OUTPUT in classes(body):  # as Parsoid writes pages
        return body
    for name in AREAS:
        place = by_id(body, name)
        if place is not None:
            return place
    return next(iter(_outputs(body)), None)


def _content(tree: HtmlElement) -> HtmlElement:
    """A new element with the page's title and all that the parser put out."""
    body = body_of(tree)
    area = _area(body)
    content: HtmlElement = body.makeelement("div")
    title = etree.SubElement(content, "h1")
    heading = by_id(body, HEADING)
    if heading is None and area is body:
        heading = tree.find("head/title")
    if heading is not None:
        title.text = heading.text
        title.extend(list(heading))
    outputs = _outputs(area) if area is not None else []
    content.extend(outputs or ([] if area is None else [area]))
    for part in content:
        part.tail = None
    return content


def _outputs(area: HtmlElement) -> list[HtmlElement]:
    """The outermost, so that one inside another is not written twice."""
    found, pending = [], [area]
    while pending:
        element = pending.pop()
        if not OUTPUTS.isdisjoint(classes(element)):
            found.append(element)
        else:
            pending.extend(reversed(element))
    return found


def _lay_tables(content: HtmlElement) -> None:
    for table in list(content.iter("table")):
        if table.tag != "table":  # it stood in another, and is flat now
            continue
        if has_sections(table):
            table.set("role", "presentation")
        elif not DATA_TABLES.isdisjoint(classes(table)):
            for cell in [cell for row in rows_of(table) for cell in row]:
                flatten_cell(cell)
            lay_table(table)


def _plain_links(content: HtmlElement) -> None:
    """Red links lead to an empty form; the brackets round a numbered link are not its text."""
    for link in content.iter("a"):
        names = classes(link)
        is_red = "new" in names or "redlink=1" in link.get("href", "")
        if is_red or link.find("span[@class='mw-broken-media']") is not None:
            link.tag = "span"
        elif "autonumber" in names and link.text:
            link.text = link.text.strip("[]")


def _name_languages(content: HtmlElement) -> None:
    for pre in content.iter("pre"):
        around = [pre, *(element for _, element in zip(range(3), pre.iterancestors(), strict=False))]
        names = filter(None, (HIGHLIGHT.fullmatch(name) for element in around for name in classes(element)))
        language = next(names, None)
        if language is not None:
            pre.set("data-lang", language[1])


def _unwrap_collapsed(content: HtmlElement) -> None:
    """MediaWiki's script puts a block into anything that collapses, even amid a sentence."""
    for element in content.iter("div"):
        parent = element.getparent()
        if parent is not None and parent.tag != "div" and "mw-collapsible-content" in classes(element):
            element.tag = "span"


def _plain_marks(content: HtmlElement) -> None:
    """Emphasis within the same emphasis would end it."""
    for marks in (ITALIC, BOLD):
        inside: set[HtmlElement] = set()
        for mark in content.iter(*marks):
            if mark not in inside:
                inside.update(mark.iterdescendants(*marks))
        for mark in inside:
            mark.tag = "span"
    for term in content.iter("dt", "summary"):
        etree.strip_tags(term, *BOLD)


def _italicise_hatnotes(content: HtmlElement) -> None:
    for element in list(content.iter("div", "p", "dl", "span")):
        if HATNOTES.isdisjoint(classes(element)) or next(element.iter(*NOT_IN_A_HATNOTE), None) is not None:
            continue
        write_on_a_line(element)
        etree.strip_tags(element, *ITALIC)
        if element.tag == "span":
            element.tag = "em"
        elif element.text_content().strip():
            element.tag = "p"
            wrap(element, "em")


def _trim_lines(content: HtmlElement) -> None:
    """MediaWiki writes a new line after each break; a poem's own indent are hard spaces."""
    for line_break in content.iter("br"):
        line_break.tail = (line_break.tail or "").lstrip(" \t\n")


def _keep_as_text(content: HtmlElement, *, has_formulas: bool) -> None:
    """What looks like a footnote or a formula, on a page that may have some."""
    markup = re.compile(r"\[\^|\$" if has_formulas else r"\[\^")
    for element in content.iter():
        text, tail, parent = element.text, element.tail, element.getparent()
        if text and element.tag not in VERBATIM:
            element.text = markup.sub(_mark, text)
        if tail and parent is not None and parent.tag not in VERBATIM:
            element.tail = markup.sub(_mark, tail)


def _mark(match: re.Match[str]) -> str:
    return BACKSLASH + match[0]
