"""Decide whether a page is believed when it says that its text belongs to another address."""

from __future__ import annotations

from wikicrawl.traps.lists import position_of
from wikicrawl.urls import path_of

MAX_REMEMBERED = 100_000  # addresses; some 15 MB


class Canonicals:
    """The addresses of one source with their texts, as far as they were met."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._claims: dict[str, int] = {}  # an address nobody has got → the text that is said to be its

    def meet(self, url: str, bag: int) -> None:
        _remember(self._texts, url, bag)

    def is_believed(self, url: str, target: str, bag: int) -> bool:
        """Templates that name the home page, the first page of a list or one page for all are not."""
        if target in self._texts:
            return self._texts[target] == bag
        if path_of(target) == "/" and "?" not in target:
            return False
        own, other = position_of(url), position_of(target)
        if own is not None and (other is None or other.number != own.number):
            return False
        if self._claims.setdefault(target, bag) != bag:
            return False
        _remember(self._claims, target, bag)
        return True


def _remember(memory: dict[str, int], key: str, value: int) -> None:
    memory[key] = value
    if len(memory) > MAX_REMEMBERED:
        del memory[next(iter(memory))]
