"""Find and defuse markup whose shape alone would stall a parser or make it drop text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import filterfalse
from operator import itemgetter
from typing import TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    from collections.abc import Iterable

# lxml drops all text below 256 open elements, lexbor's time grows with their square (60 000: 3 s; unclosed <b>:
# 3 000). None of 480 real pages comes near.
MAX_DEPTH = 256
# Parsers compare each attribute of a tag with all others: 40 000 cost them 1 to 20 s. Bytes would be the wrong measure:
# one image inlined as a data: URI is longer than a flood.
MAX_ATTRIBUTES = 500

ATTRIBUTE = r"""[\s/]*+[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+"""
# Every alternative eats what it has looked at, to the end of the page if need be, so that a scan is linear.
TOKEN = (
    r"<(?:!--(?:[^-]++|-(?!->))*+"
    r"|(?i:script|style|textarea|title)\b(?:[^<]++|<(?!/(?i:script|style|textarea|title)\b))*+"
    rf"|(?P<name>/?[a-zA-Z][^\s/>]*+)(?P<attributes>(?:{ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+)(?P<flood>(?:{ATTRIBUTE})*+))"
)
# The same for findall(), which makes a tuple of every group.
SCAN = TOKEN.replace("?P<attributes>", "?:")
BYTES = re.compile(SCAN.encode())
TEXT = re.compile(SCAN, re.ASCII)
REWRITE = re.compile(TOKEN + r"[\s/]*+>?", re.ASCII)

# They hold nothing, or end where the next one begins: they cannot nest by themselves.
FLAT = (
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th option "
    "path circle rect line use stop polygon polyline ellipse"
)
# With the empty name, which is that of comments, scripts and the like.
FLAT_TEXT = frozenset(["", *(word for name in FLAT.split() for word in (name, f"/{name}"))])
NAME, FLOOD = itemgetter(0), itemgetter(1)  # of what a scan finds
FLAT_BYTES = frozenset(name.encode() for name in FLAT_TEXT)


def is_hostile(body: bytes) -> bool:
    """Whether a parser should see this only after `tame`, and the main process not at all."""
    tags = BYTES.findall(body)
    return _has_flood(tags) or _is_deep(map(bytes.lower, map(NAME, tags)), FLAT_BYTES)


def tame(text: str) -> str:
    """The page with over-long tags cut and tags nested beyond the limit taken out; the text stays."""
    tags = TEXT.findall(text)
    if not _has_flood(tags) and not _is_deep(map(str.lower, map(NAME, tags)), FLAT_TEXT):
        return text
    return REWRITE.sub(_Flattener(), text)


def _has_flood(tags: list[tuple[AnyStr, AnyStr]]) -> bool:
    return any(map(FLOOD, tags))


def _is_deep(names: Iterable[AnyStr], flat: frozenset[AnyStr]) -> bool:
    """An end tag only ends an element of its name: what is left open stays open, as <b> does for a browser."""
    depth = 0
    opened: dict[AnyStr, int] = {}
    for name in filterfalse(flat.__contains__, names):
        if name[0] not in (47, "/"):
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif opened.get(name[1:]):
            opened[name[1:]] -= 1
            depth -= 1
    return False


class _Flattener:
    """Replace each tag by what is left of it, given those before."""

    def __init__(self) -> None:
        self.depth = 0
        self.opened: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()

    def __call__(self, match: re.Match[str]) -> str:
        name = match["name"]
        if not name:
            return match[0]
        if not self._is_kept(name.lower()):
            return " "
        return f"<{name}{match['attributes']}>" if match["flood"] else match[0]

    def _is_kept(self, name: str) -> bool:
        if name in FLAT_TEXT:
            return True
        if name[0] != "/":
            if self.depth >= MAX_DEPTH // 2:  # well below the limit: the elements that do not count here nest, too
                self.skipped[name] += 1
                return False
            self.opened[name] += 1
            self.depth += 1
            return True
        name = name[1:]
        if self.skipped[name]:
            self.skipped[name] -= 1
            return False
        if self.opened[name]:
            self.opened[name] -= 1
            self.depth -= 1
        return True
