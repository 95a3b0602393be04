"""Tell whether a text says anything that was not said before."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

from wikicrawl.traps.dates import DATE_WORDS
from wikicrawl.traps.kinds import ID

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TEXT = 50_000  # characters that are looked at: some 2 ms of CPU
MAX_NUMBERS = 100_000  # words whose numbers are remembered, over all sources
MAX_SEEN = 500_000  # lines and words remembered of a source, some 40 MB; then the older half is forgotten
# What must be new of a text for it to count: this share of its words in lines not seen before (a facet's heading over
# articles already listed is less), or so many words of them (a product's name and description under long boilerplate is
# more), or a word that was never seen.
FRESH_SHARE = 0.10
FRESH_WORDS = 12
THIN_WORDS = 5  # a text of fewer says nothing

LINK_TARGET = re.compile(r"\]\([^)\s]*(?:\s[^)]*)?\)")  # addresses differ where texts are the same
WORD = re.compile(r"\w+")
TOKEN = re.compile(r"\w+|\n|[.!?;:](?=\s)")  # words, and what ends a line or sentence
ENDS = frozenset("\n.!?;:")
DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Sketch:
    """A text as it is compared: `bag` is the same for the same words in any order, `gist` also for other numbers."""

    bag: int
    gist: int
    words: int
    # Or sentences: words of each, without numbers and dates, and a hash of them that holds in this process.
    lines: tuple[tuple[int, tuple[str, ...]], ...]

    @property
    def is_thin(self) -> bool:
        return self.words < THIN_WORDS


def sketch_of(markdown: str, url: str, *, is_error: bool = False) -> Sketch:
    """Words that the page only repeats from its own address, as it does a session's name, do not count.

    An error repeats the whole address.
    """
    tokens = TOKEN.findall(LINK_TARGET.sub("]", markdown[:MAX_TEXT]).lower())
    counts = Counter(tokens)
    for word in (*ENDS, *_echoes(url, is_error=is_error)):
        counts.pop(word, None)
    told = {word: count for word, count in counts.items() if _is_told(word)}
    lines, line = [], []
    for token in tokens:
        if token in told:
            line.append(token)
        elif token in ENDS and line:
            lines.append(tuple(line))
            line = []
    if line:
        lines.append(tuple(line))
    return Sketch(_bag(counts), _bag(told), counts.total(), tuple((hash(line), line) for line in lines))


def _echoes(url: str, *, is_error: bool) -> list[str]:
    return [word for word in WORD.findall(url.lower()) if is_error or ID.fullmatch(word)]


def _is_told(word: str) -> bool:
    """Whether a word is none of a number or a date."""
    # Most words are letters, which is told faster than that there is no digit in them.
    return (word.isalpha() or not DIGIT.search(word)) and word not in DATE_WORDS


def _bag(counts: Mapping[str, int]) -> int:
    """A number for words in any order: the sum of theirs."""
    total = sum(count * _number(word) for word, count in counts.items())
    return (total & 0xFFFF_FFFF_FFFF_FFFF) - (1 << 63)


@lru_cache(maxsize=MAX_NUMBERS)
def _number(word: str) -> int:
    return key_of(word)


class Seen:
    """The lines and words that a source's pages have shown; the oldest are forgotten."""

    def __init__(self) -> None:
        self._lines: dict[int, None] = {}
        self._words: dict[str, None] = {}

    def is_new(self, sketch: Sketch) -> bool:
        """Whether the text says enough that was not said before; from now on it was."""
        fresh = [words for key, words in sketch.lines if key not in self._lines]
        heard = dict.fromkeys(chain.from_iterable(fresh))
        is_unheard = not heard.keys() <= self._words.keys()
        self._words.update(heard)
        self._lines.update(dict.fromkeys(key for key, _ in sketch.lines))
        _forget(self._lines)
        _forget(self._words)
        if sketch.is_thin:
            return False
        count, total = sum(map(len, fresh)), sum(len(words) for _, words in sketch.lines)
        return is_unheard or count >= FRESH_WORDS or count >= FRESH_SHARE * total > 0


def _forget(seen: dict[int, None] | dict[str, None]) -> None:
    if len(seen) > MAX_SEEN:
        for key in list(seen)[: MAX_SEEN // 2]:
            del seen[key]  # type: ignore[arg-type]


def key_of(text: str) -> int:
    """A number for a text, the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)
