"""Read the addresses that a sitemap lists, whatever bytes it turns out to be."""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Mapping

# The limits of sitemaps.org for one file; what lies beyond is not read.
MAX_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 50_000
# 20 an entry leaves room for images and languages; 50 MB of nothing but tags then cost 0.7 s of CPU instead of 3.9.
MAX_ELEMENTS = 20 * MAX_ENTRIES
CHUNK_BYTES = 64 * 1024

# The element that lists one address, and its child that holds it: sitemaps, sitemap indexes, RSS and Atom.
ADDRESS = {"url": "loc", "sitemap": "loc", "item": "link", "entry": "link"}
DATES = frozenset({"lastmod", "updated", "pubDate"})

# Generators forget to write & as &amp;, and a recovering parser would then drop the parameter's name.
BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)", re.DOTALL
)
ROBOTS_LINE = re.compile(r"\s*sitemap\s*:\s*(\S+)", re.IGNORECASE)

Entry = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Addresses as written, with their last change in Unix seconds where it is given."""

    pages: list[Entry] = field(default_factory=list)
    indexes: list[Entry] = field(default_factory=list)


def read_sitemap(body: bytes) -> Sitemap:
    """What the sitemap lists; of a broken one what can be read, of anything else nothing."""
    if body.startswith(b"\x1f\x8b"):
        body = _gunzip(body)
    body = body[:MAX_BYTES]
    if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        body = body.decode("utf-16", "replace").encode()
    if b"<" not in body:
        return Sitemap(pages=_read_lines(body))
    if b"<!ENTITY" in body:  # no sitemap declares entities; a declaration is an attack on the parser
        return Sitemap()
    return _read_xml(body)


def sitemap_lines(robots_txt: str) -> list[str]:
    """The addresses of a robots.txt's `Sitemap:` lines, each once."""
    matches = (ROBOTS_LINE.match(line) for line in robots_txt.removeprefix("\ufeff").splitlines())
    return list(dict.fromkeys(match[1] for match in matches if match))


def _gunzip(body: bytes) -> bytes:
    content = bytearray()
    with gzip.GzipFile(fileobj=BytesIO(body)) as file:
        try:
            # read1, because read throws away what it has when it meets the damage
            while len(content) < MAX_BYTES and (chunk := file.read1(CHUNK_BYTES)):
                content += chunk
        except (OSError, EOFError, zlib.error):
            pass  # truncated or damaged: what came before counts
    return bytes(content)


def _read_lines(body: bytes) -> list[Entry]:
    lines = (line.strip() for line in body.decode("utf-8-sig", "replace").splitlines())
    addresses = (line for line in lines if re.match(r"https?://\S+$", line))
    return [(address, None) for address in islice(addresses, MAX_ENTRIES)]


def _read_xml(body: bytes) -> Sitemap:
    body = body[max(body.find(b"<?xml"), 0) :]
    body = body[body.index(b"<") :]
    body = BARE_AMPERSAND.sub(lambda match: b"&amp;" if match[0] == b"&" else match[0], body, count=MAX_ELEMENTS)
    reader = _Reader()
    parser = etree.XMLParser(
        target=reader,  # type: ignore[arg-type]  # the stubs ask for a comment() that lxml does without
        encoding="utf-8",  # as sitemaps.org demands; .NET labels the same bytes "utf-16"
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        for start in range(0, len(body), CHUNK_BYTES):
            parser.feed(body[start : start + CHUNK_BYTES])
            if reader.is_full:
                break
        parser.close()
    except etree.XMLSyntaxError:
        pass  # beyond recovery: what came before counts
    return reader.sitemap


class _Reader:
    """Collects entries from parser events, without a tree: that of 50 MB of tiny elements takes 1.6 GB."""

    def __init__(self) -> None:
        self.sitemap = Sitemap()
        self._elements = 0
        self._depth = 0
        self._entry = ""  # name of the open entry
        self._entry_depth = 0
        self._field = ""  # name of the entry's open child, where it is wanted
        self._text: list[str] = []
        self._address = ""
        self._changed: int | None = None

    @property
    def is_full(self) -> bool:
        entries = len(self.sitemap.pages) + len(self.sitemap.indexes)
        return entries >= MAX_ENTRIES or self._elements >= MAX_ELEMENTS

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        name = tag.rpartition("}")[2]
        if name in ADDRESS:
            self._finish_entry()  # of one that was never closed
            self._entry, self._entry_depth = name, self._depth
        elif self._entry and self._depth == self._entry_depth + 1:
            self._start_field(name, attributes)

    def data(self, text: str) -> None:
        if self._field:
            self._text.append(text)

    def end(self, tag: str) -> None:
        if self._field and self._depth == self._entry_depth + 1:
            self._finish_field()
        elif self._entry and self._depth == self._entry_depth:
            self._finish_entry()
        self._depth -= 1

    def close(self) -> None:
        self._finish_entry()

    def _start_field(self, name: str, attributes: Mapping[str, str]) -> None:
        is_address = name == ADDRESS[self._entry] and attributes.get("rel", "alternate") == "alternate"
        if not is_address and name not in DATES:
            return
        self._field = name
        self._text = [attributes["href"]] if "href" in attributes else []

    def _finish_field(self) -> None:
        text = "".join(self._text).strip()
        if self._field in DATES:
            self._changed = _mail_seconds(text) if self._field == "pubDate" else _unix_seconds(text)
        else:
            self._address = self._address or text
        self._field = ""

    def _finish_entry(self) -> None:
        if self._address and not self.is_full:
            entries = self.sitemap.indexes if self._entry == "sitemap" else self.sitemap.pages
            entries.append((self._address, self._changed))
        self._entry, self._field, self._address, self._changed = "", "", "", None


def _mail_seconds(text: str) -> int | None:
    """The date of a feed in RSS (Tue, 05 Mar 2024 10:00:00 GMT) in Unix seconds."""
    try:
        seconds = int(parsedate_to_datetime(text).timestamp())
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None


def _unix_seconds(text: str) -> int | None:
    """W3C date (2024, 2024-05, 2024-05-01, 2024-05-01T10:00Z …) in Unix seconds; without a zone it is taken as UTC."""
    padding = {4: "-01-01", 7: "-01"}.get(len(text), "")
    try:
        moment = datetime.fromisoformat(text + padding)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = int(moment.timestamp())
    return seconds if seconds > 0 else None  # 0001-01-01 and 1970-01-01 are unset fields, not dates
