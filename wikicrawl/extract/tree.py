"""Turn the text of a page into one lxml tree, whatever it is."""

from __future__ import annotations

import re
import sys
from itertools import dropwhile

from lxml.etree import ElementDefaultClassLookup, HTMLParser, ParserError, SubElement, XMLSyntaxError, XPath
from lxml.html import HtmlElement, document_fromstring

from wikicrawl.extract.guard import tame

CHARACTER_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,8})|([0-9]{1,8}));?")
# libxml2 drops what follows them. Browsers do not: one page in 13 has something there, mostly by mistake.
PAGE_END = re.compile(r"</(?:body|html)\s*>", re.I)
XML_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>")
# lxml refuses to set a text with any of these; two of the non-characters are the markdown step's private marks.
NOT_IN_A_TREE = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
HEAD_TAGS = frozenset({"title", "meta", "link", "base", "script", "style", "noscript", "template"})
# lxml.html asks Python for the class of every element, to tell forms from the rest; we need no such difference.
ONE_CLASS = ElementDefaultClassLookup(element=HtmlElement)
CLASSES = XPath("descendant::*/@class", smart_strings=False)
FIRST_BY_ID = XPath("descendant::*[@id=$name][1]")  # not all: libxml2 takes the square of their number
EMPTY_PAGE = "<html><body></body></html>"


def parse(text: str) -> HtmlElement:
    """The page's tree, without comments; nothing but want of memory makes it raise."""
    parser = HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)  # huge: text nodes over 10 MB are kept
    parser.set_element_class_lookup(ONE_CLASS)
    try:
        return _with_body(document_fromstring(defuse(text), parser=parser))
    except ParserError:  # lxml's word for a page without any markup or text
        return document_fromstring(EMPTY_PAGE, parser=parser)
    except XMLSyntaxError as error:  # a parser that mends everything has no other reason to give up
        raise MemoryError("lxml got no memory") from error


def _with_body(tree: HtmlElement) -> HtmlElement:
    """libxml2 knows HTML 4 only: where <body> is left out, it takes <main> and its like for a part of the head."""
    head = tree.find("head")
    strays = [] if head is None else list(dropwhile(lambda element: element.tag in HEAD_TAGS, head))
    if not strays:
        return tree
    body = tree.find("body")
    if body is None:
        body = SubElement(tree, "body")
    strays[-1].tail = (strays[-1].tail or "") + (body.text or "")
    body.text = None
    body[:0] = strays
    return tree


def defuse(text: str) -> str:
    """The page as any parser can take it."""
    if NOT_IN_A_TREE.search(text):
        text = NOT_IN_A_TREE.sub("", text)
    if "&#" in text:
        text = CHARACTER_REFERENCE.sub(_fit_reference, text)
    declaration = XML_DECLARATION.match(text)
    if declaration:
        text = text[declaration.end() :]
    return tame(PAGE_END.sub("", text.replace("\f", " ")))


def _fit_reference(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    is_fit = code <= sys.maxunicode and code != 0x0C and not NOT_IN_A_TREE.match(chr(code))
    return match[0] if is_fit else ""


def body_of(tree: HtmlElement) -> HtmlElement:
    body = tree.find("body")
    return tree if body is None else body


def by_id(tree: HtmlElement, name: str) -> HtmlElement | None:
    return next(iter(FIRST_BY_ID(tree, name=name)), None)  # type: ignore[arg-type]


def class_values(element: HtmlElement) -> set[str]:
    """Every class attribute in the element, once each: few pages have many different ones."""
    return set(CLASSES(element))  # type: ignore[arg-type]


def classes(element: HtmlElement) -> list[str]:
    return str(element.get("class", "")).split()


def text_of(element: HtmlElement) -> str:
    """All its text in one line."""
    return " ".join(element.text_content().split())


def holds(outer: HtmlElement, inner: HtmlElement) -> bool:
    return any(element is outer for element in inner.iterancestors())
