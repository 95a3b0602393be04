"""Turn the bytes of a page into text, whatever it says they are."""

from __future__ import annotations

import codecs
import re
from itertools import islice

from w3lib.encoding import resolve_encoding

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# How a page without a mark begins, if each of its characters takes two or four bytes.
WIDE = {b"<\0\0\0": "utf-32-le", b"\0\0\0<": "utf-32-be", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
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
DEFAULT = "cp1252"  # browsers' reading of iso-8859-1, which servers also name where nobody has told them anything
MOST_BAD = 0.01  # of the characters outside ASCII; a wrong label of many bytes a character fails at nearly every one
NOT_ASCII = re.compile(rb"[\x80-\xff][^<>]{0,200}")
DETECTED_BY = 4_000  # bytes of text; chardet takes 2 ms for a thousand
# Below, chardet calls German Turkish and Polish English. Above, of 17 undeclared sentences it knew all of the 11 that
# are Russian, Greek, Hebrew, Thai, Chinese, Japanese and Korean; charset-normalizer took a German one for Polish.
LEAST_SURE = 0.8


def decode(body: bytes, encoding: str | None = None) -> str:
    """The body as text; `encoding` is what the header said. Bytes that are no text become U+FFFD."""
    for bom, name in BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace").lstrip("\ufeff")
    labels = [label for label in (_codec(encoding), _codec(_declared(body))) if label]
    wide = next((label for label in labels[:1] if _is_wide(label, body)), None) or _wide(body)
    if wide:
        return body.decode(wide, "replace")
    try:
        return body.decode("utf-8")  # valid UTF-8 is UTF-8, whatever the label says
    except UnicodeDecodeError:
        return _decode_legacy(body, [label for label in labels if not label.startswith("utf")])


def _decode_legacy(body: bytes, labels: list[str]) -> str:
    """The first label that fits; a header that names the default comes last, for the page knows better."""
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    if good > 10 * bad:  # a cut or stray byte in a UTF-8 page; any other encoding fails at nearly every letter
        return text
    labels.sort(key=lambda label: label == DEFAULT)
    for label in labels:
        text = body.decode(label, "replace")
        if text.count("\ufffd") <= MOST_BAD * (len(text) - len(text.encode("ascii", "ignore"))):
            return text
    return body.decode(labels[0] if labels else _detect(body), "replace")


def _detect(body: bytes) -> str:
    """The encoding of an undeclared page, by its letters."""
    import chardet  # noqa: PLC0415 - slow to import, and most pages never need it

    sample = b" ".join(match[0] for match in islice(NOT_ASCII.finditer(body), 100))
    guess = chardet.detect(sample[:DETECTED_BY])
    return (_codec(guess["encoding"]) if guess["confidence"] >= LEAST_SURE else None) or DEFAULT


def _declared(body: bytes) -> str | None:
    match = DECLARATION.search(body, 0, DECLARED_WITHIN)
    return match[1].decode("ascii") if match else None


def _wide(body: bytes) -> str | None:
    """The encoding of undeclared text whose bytes pass for UTF-8."""
    start = body[:64].lstrip(b"\r\n\t ")
    if b"\0" in start:
        return next((name for beginning, name in WIDE.items() if start.startswith(beginning)), None)
    return "iso2022_jp" if body.isascii() and (b"\x1b$B" in body or b"\x1b$@" in body) else None


def _is_wide(label: str, body: bytes) -> bool:
    return label.startswith("iso2022") or (label.startswith(("utf-16", "utf-32")) and b"\0" in body[:200])


def _codec(label: str | None) -> str | None:
    """Python's name of the codec browsers use for a label, if it is one for pages."""
    if not label or label.strip().lower() in NO_LABEL:
        return None
    name = resolve_encoding(label.strip())
    return name if name and PAGE_CODEC.match(codecs.lookup(name).name) else None
