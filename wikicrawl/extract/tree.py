"""Turn the bytes of a page into one lxml tree, whatever they are."""

from __future__ import annotations

import codecs
import re
import sys
from itertools import dropwhile

from lxml.etree import ElementDefaultClassLookup, HTMLParser, ParserError, SubElement, XMLSyntaxError
from lxml.html import HtmlElement, document_fromstring
from w3lib.encoding import resolve_encoding

from wikicrawl.extract.guard import tame

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Some pages declare it behind 10 KB of scripts.
DECLARATION = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,500}?(?:charset|encoding)\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{1,40})""", re.I
)
DECLARED_WITHIN = 64 * 1024
# The codecs of the Encoding Standard, by Python's names; others ("zlib", "idna", "unicode-escape") decode no page.
PAGE_CODEC = re.compile(
    r"utf-(?:8|16|32)|cp\d|iso8859|iso2022|gb|big5|euc|koi8|mac-|shift|johab|tis-620|hz|kz1048|ptcp154"
)
# A label that says nothing: what frameworks put where no charset was declared.
NO_LABEL = frozenset({"", "ascii", "us-ascii", "none", "binary"})

CHARACTER_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,8})|([0-9]{1,8}));?")
XML_DECLARATION = re.compile(r"^\s*<\?xml\b[^>]*>")
# lxml refuses to set a text with any of these; two of the non-characters are the markdown step's private marks.
NOT_IN_A_TREE = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
HEAD_TAGS = frozenset({"title", "meta", "link", "base", "script", "style", "noscript", "template"})
# lxml.html asks Python for the class of every element, to tell forms from the rest; we need no such difference.
ONE_CLASS = ElementDefaultClassLookup(element=HtmlElement)
EMPTY_PAGE = "<html><body></body></html>"


def decode(body: bytes, encoding: str | None = None) -> str:
    """The body as text; `encoding` is what the header said. Bytes that are no text become U+FFFD."""
    for bom, name in BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace").lstrip("\ufeff")
    label = _codec(encoding) or _codec(_declared(body))
    if label and _is_wide(label, body):
        return body.decode(label, "replace")
    try:
        return body.decode("utf-8")  # valid UTF-8 is UTF-8, whatever the label says
    except UnicodeDecodeError:
        return _decode_legacy(body, label)


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
    return tame(XML_DECLARATION.sub("", text.replace("\f", " ")))


def _fit_reference(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    is_fit = code <= sys.maxunicode and code != 0x0C and not NOT_IN_A_TREE.match(chr(code))
    return match[0] if is_fit else ""


def body_of(tree: HtmlElement) -> HtmlElement:
    body = tree.find("body")
    return tree if body is None else body


def _decode_legacy(body: bytes, label: str | None) -> str:
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    if good > 10 * bad:  # a cut or stray byte in a UTF-8 page; any other encoding fails at nearly every letter
        return text
    if not label or label.startswith("utf"):  # it is not, or it would have decoded
        label = "cp1252"
    return body.decode(label, "replace")


def _declared(body: bytes) -> str | None:
    match = DECLARATION.search(body, 0, DECLARED_WITHIN)
    return match[1].decode("ascii") if match else None


def _is_wide(label: str, body: bytes) -> bool:
    """Whether the body is in an encoding whose bytes may pass for UTF-8."""
    return label.startswith("iso2022") or (label.startswith(("utf-16", "utf-32")) and b"\0" in body[:200])


def _codec(label: str | None) -> str | None:
    """Python's name of the codec browsers use for a label, if it is one for pages."""
    if not label or label.strip().lower() in NO_LABEL:
        return None
    name = resolve_encoding(label.strip())
    return name if name and PAGE_CODEC.match(codecs.lookup(name).name) else None
