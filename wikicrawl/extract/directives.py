"""Read what a page asks of robots: not to be kept, not to be followed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

EVERYBODY = frozenset({"", "*", "robots"})
WORDS = frozenset({"noindex", "nofollow", "none"})
UNTIL = "unavailable_after"
# Directives that have a value: what stands before their colon is no robot's name.
VALUED = frozenset({UNTIL, "max-snippet", "max-image-preview", "max-video-preview"})
NAMED = re.compile(r"\s*([\w*-]+)\s*:\s*(.*)", re.DOTALL)
REASONS = {
    "noindex": "page: it asks robots not to keep it",
    "unavailable_after": "page: it asked robots not to keep it after a time that has passed",
}


@dataclass(frozen=True, slots=True)
class Directives:
    noindex: str = ""  # the word that says so
    nofollow: bool = False


def directive_lines(tree: HtmlElement) -> list[str]:
    """The directives in the page's meta elements, each written as X-Robots-Tag would have it: `robot: words`."""
    lines = []
    for meta in tree.iter("meta"):
        name, content = meta.get("name", "").strip().lower(), meta.get("content", "").lower()
        words = {word.strip() for word in content.split(",")}
        if NAMED.fullmatch(f"{name}:") and (not WORDS.isdisjoint(words) or UNTIL in content):
            lines.append(f"{name}: {content}")
    return lines


def read_directives(lines: Iterable[str], robot: str, *, now: datetime | None = None) -> Directives:
    """What the lines, each a value of X-Robots-Tag or its like, say to the robot; the strictest holds."""
    noindex, nofollow = "", False
    for word, value in _said_to(robot.lower(), lines):
        nofollow = nofollow or word in ("nofollow", "none")
        if word in ("noindex", "none"):
            noindex = "noindex"
        elif word == UNTIL and not noindex and _has_passed(value, now or datetime.now(UTC)):
            noindex = UNTIL
    return Directives(noindex, nofollow)


def _said_to(robot: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        whom, parts = "", line.lower().split(",")
        for place, part in enumerate(parts):
            named = NAMED.fullmatch(part)
            if named and named[1] not in VALUED:
                whom, part = named[1], named[2]  # noqa: PLW2901 - what follows the name, which holds from here on
                named = NAMED.fullmatch(part)
            if whom not in EVERYBODY and whom != robot:
                continue
            if named:  # a date may have a comma in it
                yield named[1], ",".join((named[2], *parts[place + 1 : place + 2]))
            else:
                yield part.strip(), ""


def _has_passed(value: str, now: datetime) -> bool:
    for text in (value, value.partition(",")[0]):
        for read in (datetime.fromisoformat, parsedate_to_datetime):
            try:
                moment = read(text.strip().upper())
            except (ValueError, TypeError, IndexError, OverflowError):
                continue
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) <= now
    return False
