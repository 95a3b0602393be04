"""Tell whether a text says anything that was not said before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from wikicrawl.traps.dates import DATE_WORDS
from wikicrawl.traps.kinds import ID

MAX_TEXT = 50_000  # characters that are looked at: some 20 ms of CPU
MAX_SEEN = 500_000  # lines and words remembered of a source, some 40 MB; then the older half is forgotten
# What must be new of a text for it to count: this share of its words in lines not seen before (a facet's heading over
# articles already listed is less), or so many words of them (a product's name and description under long boilerplate is
# more), or a word that was never seen.
FRESH_SHARE = 0.10
FRESH_WORDS = 12
THIN_WORDS = 5  # a text of fewer says nothing

LINK_TARGET = re.compile(r"\]\([^)\s]*(?:\s[^)]*)?\)")  # addresses differ where texts are the same
SENTENCE = re.compile(r"\n|(?<=[.!?;:])\s")
WORD = re.compile(r"\w+")
DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Sketch:
    """A text as it is compared: `bag` is the same for the same words in any order, `gist` also for other numbers."""

    bag: int
    gist: int
    words: int
    lines: tuple[tuple[int, tuple[str, ...]], ...]  # or sentences: hash and words of each, without numbers and dates

    @property
    def is_thin(self) -> bool:
        return self.words < THIN_WORDS


def sketch_of(markdown: str, url: str, *, is_error: bool = False) -> Sketch:
    """Words that the page only repeats from its own address, as it does a session's name, do not count.

    An error repeats the whole address.
    """
    text = LINK_TARGET.sub("]", markdown[:MAX_TEXT]).lower()
    echoes = {word for word in WORD.findall(url.lower()) if is_error or ID.fullmatch(word)}
    words: list[str] = []
    lines = []
    for line in SENTENCE.split(text):
        own = [word for word in WORD.findall(line) if word not in echoes]
        words += own
        if told := tuple(word for word in own if not DIGIT.search(word) and word not in DATE_WORDS):
            lines.append((_hash(" ".join(told)), told))
    gist = sorted(word for _, told in lines for word in told)
    return Sketch(_hash(" ".join(sorted(words))), _hash(" ".join(gist)), len(words), tuple(lines))


class Seen:
    """The lines and words that a source's pages have shown; the oldest are forgotten."""

    def __init__(self) -> None:
        self._lines: dict[int, None] = {}
        self._words: dict[str, None] = {}

    def is_new(self, sketch: Sketch) -> bool:
        """Whether the text says enough that was not said before; from now on it was."""
        fresh = [words for key, words in sketch.lines if key not in self._lines]
        unheard = any(word not in self._words for words in fresh for word in words)
        for _, words in sketch.lines:
            self._words.update(dict.fromkeys(words))
        self._lines.update(dict.fromkeys(key for key, _ in sketch.lines))
        _forget(self._lines)
        _forget(self._words)
        if sketch.is_thin:
            return False
        count = sum(map(len, fresh))
        return (
            unheard or count >= FRESH_WORDS or count >= FRESH_SHARE * sum(len(words) for _, words in sketch.lines) > 0
        )


def _forget(seen: dict[int, None] | dict[str, None]) -> None:
    if len(seen) > MAX_SEEN:
        for key in list(seen)[: MAX_SEEN // 2]:
            del seen[key]  # type: ignore[arg-type]


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)
