"""Name the block elements of a page and move what stands in any element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


HEADINGS = names("h1 h2 h3 h4 h5 h6")
BLOCKS = frozenset(
    names(
        "div p ul ol li table tr td th blockquote pre hr h1 h2 h3 h4 h5 h6 body section article main header footer nav "
        "aside figure figcaption details summary form fieldset legend address center dl dt dd"
    )
)
FENCE = "wikicrawl-fence"  # no page has such tags
MANY = 500


def wrap(element: HtmlElement, tag: str) -> HtmlElement:
    """Put all that stands in the element into a new one inside it."""
    inner: HtmlElement = element.makeelement(tag)
    inner.text, element.text = element.text, None
    inner.extend(list(element))
    element.append(inner)
    return inner


def has_blocks(element: HtmlElement) -> bool:
    return any(inner.tag in BLOCKS for inner in element.iterdescendants())


def replace_by_space(element: HtmlElement) -> None:
    element.tail = f" {element.tail or ''}"
    element.drop_tree()


def unwrap(content: HtmlElement, *tags: str) -> None:
    """Take out tags, but not what stands between them.

    What they held stays in pieces, and to read a text takes the square of their number: of many, join some at a time.
    """
    elements = list(content.iter(*tags))
    for element in elements[MANY::MANY]:
        element.tag = FENCE
    etree.strip_tags(content, *tags)
    if len(elements) > MANY:
        for element in content.iter():
            element.text, element.tail = element.text, element.tail
        etree.strip_tags(content, FENCE)
