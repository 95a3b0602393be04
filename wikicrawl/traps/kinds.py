"""Name the kind of an address: what it has in common with those that a site makes in the same way."""

from __future__ import annotations

import re
from functools import lru_cache

from wikicrawl.traps.dates import DATE_WORDS
from wikicrawl.urls import netloc, path_of

# What a program numbers things with: hexadecimal digits, UUIDs, and long words of letters and digits. Not numbers: they
# count pages and years as well.
ID = re.compile(
    r"(?=[a-f-]*\d)(?=[\d-]*[a-f])[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}|(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{16,}",
    re.IGNORECASE,
)
VERSION = re.compile(r"v\d+(?:\.\d+)*|\d+(?:\.(?:\d+|x))+|latest|stable|dev|main|master|current", re.IGNORECASE)
DIGITS = re.compile(r"\d+")
VARIABLE = frozenset("#*")


@lru_cache(maxsize=20_000)
def kind_of(url: str) -> str:
    """`host/shop/#?color&size`: numbers and dates are #, ids *, and of parameters the names count.

    Empty for an address that is like no other.
    """
    shapes = shapes_of(url)
    names = names_of(url)
    if _repeats(shapes):
        return f"{netloc(url)}/{shapes[0]}/~"
    if not names and not any(map(_is_variable, shapes)):
        return ""
    query = "?" + "&".join(sorted(set(names))) if names else ""
    return f"{netloc(url)}/{'/'.join(shapes)}{query}"


def group_of(url: str) -> str:
    """What the kinds of one part of a site share: the path before its first variable segment."""
    shapes = shapes_of(url)
    if _repeats(shapes):
        return f"{netloc(url)}/{shapes[0]}/~"
    static = next((place for place, shape in enumerate(shapes) if _is_variable(shape)), len(shapes))
    return f"{netloc(url)}/{'/'.join(shapes[:static])}"


def without_version(url: str) -> tuple[str, str]:
    """The address without its first segment that names a version, and that segment; empty where there is none."""
    segments = url.split("/")
    for place in range(3, len(segments)):
        if VERSION.fullmatch(segments[place]):
            return "/".join(segments[:place] + segments[place + 1 :]), segments[place]
    return url, ""


def shapes_of(url: str) -> list[str]:
    return [_shape(segment) for segment in path_of(url).split("/") if segment]


def names_of(url: str) -> list[str]:
    return [pair.partition("=")[0] for pair in pairs_of(url)]


def pairs_of(url: str) -> list[str]:
    query = url.partition("?")[2]
    return [pair for pair in query.split("&") if pair] if query else []


def with_pairs(url: str, pairs: list[str]) -> str:
    head = url.partition("?")[0]
    return f"{head}?{'&'.join(pairs)}" if pairs else head


def _shape(segment: str) -> str:
    if ID.fullmatch(segment):
        return "*"
    return "#" if segment.lower() in DATE_WORDS else DIGITS.sub("#", segment)


def _repeats(shapes: list[str]) -> bool:
    """/b/a/b: relative links that grow make such, in any order."""
    static = [shape for shape in shapes if not _is_variable(shape)]
    return len(set(static)) < len(static)


def _is_variable(shape: str) -> bool:
    return not VARIABLE.isdisjoint(shape)
