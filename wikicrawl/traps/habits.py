"""Know the addresses of one source: which fold into one, and which are a trap."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wikicrawl.traps.budget import Budget
from wikicrawl.traps.canonicals import Canonicals
from wikicrawl.traps.dates import DATE_WORDS
from wikicrawl.traps.folding import Folding
from wikicrawl.traps.kinds import kind_of, names_of
from wikicrawl.traps.lists import Lists, position_of
from wikicrawl.traps.sameness import Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wikicrawl.traps.sameness import Sketch

FOLDED = "folded"  # the reason of a rule of folding
LEAST_PAGES = 5  # of a kind before it is worth a row in the store; most kinds of real sites have one
SPARSE = 20  # words; of a text with fewer, another number makes no other text
DATE = re.compile(r"(?<!\d)(?:1[5-9]|2\d)\d\d(?:[/-]\d{1,2}|\d{4})(?!\d)")
DATE_NAMES = frozenset({"y", "m", "d", "date", "day", "month", "year", "week", "from", "to", "jahr", "monat", "tag"})
MAX_TEXTS = 200_000  # texts remembered; some 25 MB


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a page taught."""

    is_new: bool  # its text, or where it leads, was not known
    same_as: str | None = None  # another spelling of its address, under which it is known
    closed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A kind, or a rule of folding; pages are those that the store does not know yet."""

    pattern: str
    reason: str
    pages: int = 0
    different: int = 0


class SiteHabits:
    def __init__(self) -> None:
        self.folding = Folding()
        self.budget = Budget()
        self.lists = Lists()
        self.canonicals = Canonicals()
        self.refused_links = 0
        self._seen = Seen()
        self._texts: dict[int, int] = {}  # how many addresses have shown a text
        self._kept: dict[str, str] = {}  # the reasons that the store has

    def fold(self, url: str) -> str:
        return self.folding.fold(url)

    def is_trap(self, url: str) -> bool:
        is_refused = self.budget.refuses_link(url)
        self.refused_links += is_refused
        return is_refused

    def times_seen(self, sketch: Sketch) -> int:
        return self._texts.get(sketch.bag, 0)

    def learn(self, url: str, final_url: str, sketch: Sketch, links: Sequence[str], *, is_first: bool = True) -> Lesson:
        """`is_first` is false for a page that was visited before: of its kind it tells nothing."""
        rules = set(self.folding.rules)
        if final_url != url:
            self.folding.learn_redirect(url, final_url)
        is_same = self.times_seen(sketch) > 0
        self._texts[sketch.bag] = self._texts.get(sketch.bag, 0) + 1
        if len(self._texts) > MAX_TEXTS:
            del self._texts[next(iter(self._texts))]
        is_new = (self._seen.is_new(sketch) or (sketch.words >= SPARSE and _numbers_tell(url))) and not is_same
        same_as = self.folding.learn(final_url, sketch)
        changed: list[str] = []
        if is_first and same_as is None:
            is_new, changed = self.budget.learn(url, links, is_new=is_new, is_same=is_same)
        return Lesson(
            is_new,
            same_as,
            closed=tuple(name for name in changed if self.budget.kinds[name].reason),
            opened=tuple(name for name in changed if not self.budget.kinds[name].reason),
            folded=tuple(self.folding.rules - rules),
        )

    def adopt(self, rows: Iterable[Row]) -> None:
        """Take over what is kept, by this process or by others."""
        for row in rows:
            self._kept[row.pattern] = row.reason
            if row.reason == FOLDED:
                self.folding.add(row.pattern)
            elif row.reason:
                self.budget.close(row.pattern, row.reason)

    def to_keep(self) -> list[Row]:
        """What has changed since it was last kept."""
        rows = [Row(rule, FOLDED) for rule in self.folding.rules if rule not in self._kept]
        for name, kind in self.budget.kinds.items():
            pages, different = kind.pages - kind.kept_pages, kind.different - kind.kept_different
            is_worth_it = name in self._kept or kind.reason or kind.pages >= LEAST_PAGES
            if is_worth_it and (pages or kind.reason != self._kept.get(name, "")):
                kind.kept_pages, kind.kept_different = kind.pages, kind.different
                rows.append(Row(name, kind.reason, pages, different))
        self._kept.update((row.pattern, row.reason) for row in rows)
        return rows


def _numbers_tell(url: str) -> bool:
    """Whether another number may be all that tells a page from the next, as in a register.

    Not where addresses count days, the pages of a list, or visitors, nor where they combine parameters.
    """
    names, kind = names_of(url), kind_of(url)
    if len(names) > 1 or kind.endswith("~") or "*" in kind:
        return False
    if DATE.search(url) or not DATE_NAMES.isdisjoint(names) or not DATE_WORDS.isdisjoint(url.lower().split("/")):
        return False
    position = position_of(url)
    return position is None or (position.name.startswith("/") and position.of.count("/") < 3)  # /page/3 of the root
