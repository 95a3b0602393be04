"""Know the pages of a list that goes on: which page of it an address is, and which is the next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from wikicrawl.traps.kinds import pairs_of, with_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NUMBER = 100_000  # no list goes on for longer
MAX_LISTS = 20_000  # remembered
ENOUGH = 20  # pages of a list tell its step
PATH = re.compile(r"(?P<before>.*)(?P<name>/(?:page|seite|pagina)/)(?P<number>\d{1,6})(?P<after>/?)")
PAGES = frozenset({"page", "paged", "pg", "seite", "pagina", "pageno", "page_no", "pagenum", "currentpage"})
# These count pages on some sites, entries on others, and on many are no count at all: their step must be seen.
STEPS = frozenset({"p", "start", "offset", "from", "skip", "first"})


@dataclass(frozen=True, slots=True)
class Position:
    """An address as a page of a list; `of` is the list's own address, without the number."""

    of: str
    name: str
    number: int
    is_sure: bool  # the name says that pages are counted, one by one
    url: str

    def at(self, number: int) -> str:
        if not self.name.startswith("/"):
            pairs = [self._renumbered(pair, number) for pair in pairs_of(self.url)]
            return with_pairs(self.url, pairs)
        head, mark, query = self.url.partition("?")
        found = PATH.fullmatch(head)
        assert found is not None
        return f"{found['before']}{found['name']}{number}{found['after']}{mark}{query}"

    def _renumbered(self, pair: str, number: int) -> str:
        name = pair.partition("=")[0]
        return f"{name}={number}" if name == self.name else pair


def position_of(url: str) -> Position | None:
    """None where the address does not say that it is a page of a list."""
    pairs = pairs_of(url)
    for place, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        if name.lower() in PAGES | STEPS and value.isascii() and value.isdigit() and int(value) <= MAX_NUMBER:
            own = with_pairs(url, pairs[:place] + pairs[place + 1 :])
            return Position(_list(own), name, int(value), name.lower() in PAGES, url)
    head, mark, query = url.partition("?")
    found = PATH.fullmatch(head)
    if found is None:
        return None
    return Position(_list(found["before"] + mark + query), found["name"], int(found["number"]), True, url)


class Lists:
    """The lists of one source, as far as they were met."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], set[int]] = {}  # list and name → the pages of it that were met
        self._predicted: set[str] = set()
        self._ended: set[tuple[str, str]] = set()
        self._linked: set[tuple[str, str]] = set()  # lists whose pages name the next one: where none is named, they end

    def onward(self, url: str, links: Sequence[str], named: str) -> list[str]:
        """The pages of a page's own list: those it links to, and the one it calls (by rel=next) the next."""
        own = position_of(url)
        of, name = (own.of, own.name) if own is not None else (_list(url), "")
        met = [position for link in links if (position := position_of(link)) is not None and position.of == of]
        same = [position for position in met if not name or position.name == name]
        for position in [*same, own] if own is not None else same:
            self._meet(position)
        if own is not None and any(position.number > own.number for position in same):
            self._linked.add((own.of, own.name))
        found = [position.url for position in same]
        return [*found, named] if named and named not in found and _is_continued_by(url, named) else found

    def predict(self, url: str) -> str | None:
        """The page after this one; None where the list has ended, has no order, or links its pages itself."""
        own = position_of(url)
        if own is None or (own.of, own.name) in self._ended or (own.of, own.name) in self._linked:
            return None
        last, step = own.number, 1
        if not own.is_sure:  # by the time the step is known, the last page may have been met
            numbers = self._numbers.get((own.of, own.name), set())
            last, step = max(numbers, default=last), _step(numbers)
        if not step or last + step > MAX_NUMBER:
            return None
        following = own.at(last + step)
        if following in self._predicted:
            return None
        self._predicted.add(following)
        return following

    def end(self, url: str) -> bool:
        """The page brought nothing; whether it had been predicted, and no further page of its list is."""
        own = position_of(url)
        if own is None or url not in self._predicted:
            return False
        self._ended.add((own.of, own.name))
        return True

    def _meet(self, position: Position) -> None:
        if len(self._numbers) > MAX_LISTS:
            del self._numbers[next(iter(self._numbers))]
        numbers = self._numbers.setdefault((position.of, position.name), set())
        numbers.add(position.number)
        if len(numbers) > ENOUGH:
            numbers.remove(min(numbers))


def _is_continued_by(url: str, link: str) -> bool:
    """Whether a link that calls itself the next page is one of the same list, and not the next article."""
    other = position_of(link)
    own = position_of(url)
    if other is not None and other.of == (own.of if own is not None else _list(url)):
        return True
    return "?" in link and link != url and link.partition("?")[0] == url.partition("?")[0]


def _step(numbers: set[int]) -> int:
    """By how much the numbers of a list's pages grow; 0 where they look like anything else, such as ids."""
    ordered = sorted(numbers)
    step = min((later - earlier for earlier, later in pairwise(ordered)), default=0)
    is_even = step > 0 and all(number % step == ordered[0] % step for number in ordered)
    # Ids begin anywhere; so does the end of a long list, of which only the last pages are remembered.
    return step if is_even and (ordered[0] <= 2 * step + 1 or len(ordered) == ENOUGH) else 0


def _list(url: str) -> str:
    head, mark, query = url.partition("?")
    return head.rstrip("/") + mark + query
