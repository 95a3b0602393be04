"""Learn which kinds of addresses lead to nothing new."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wikicrawl.traps.kinds import group_of, kind_of, names_of, without_version

if TYPE_CHECKING:
    from collections.abc import Sequence

# So many pages in a row, of a kind or of all kinds of one part of a site, decide. A trap costs these, what is under way
# when they are known, and the samples. Guarded by tests/test_traps_crawl.py: five traps, at most 100 requests each.
WINDOW = 25
MAX_NEW = 1  # of them may have brought something
# A trap has no end: its pages name, on the whole, as many addresses that nobody has met as there are pages. The
# catalogue of a site does so once, with its first page.
LEAST_GROWING = 3  # of them name any
LONG = 100  # so many pages to the word the same are enough for a query, whose combinations do have an end
FIRST_SAMPLE = 25  # addresses of a part of a site refused before one is let through; then four times as many, and so on
MAX_KINDS = 20_000
MAX_MET = 300_000  # links remembered to know which are new; some 30 MB


@dataclass(slots=True)
class Kind:
    pages: int = 0
    different: int = 0
    reason: str = ""  # why it is closed: same (to the word) or alike; empty while it is open
    bare: int = 0  # pages in a row that were the same
    kept_pages: int = 0  # of them the store knows
    kept_different: int = 0


@dataclass(frozen=True, slots=True)
class Visited:
    """What a page brought."""

    kind: str
    is_new: bool
    grows: int  # addresses of its part of the site that it names and nobody has met


@dataclass(slots=True)
class _Samples:
    refused: int = 0
    next_at: int = FIRST_SAMPLE

    def is_due(self) -> bool:
        self.refused += 1
        if self.refused < self.next_at:
            return False
        self.next_at *= 4
        return True


class Budget:
    """The kinds of addresses of one source."""

    def __init__(self) -> None:
        self.kinds: OrderedDict[str, Kind] = OrderedDict()
        self._tainted: dict[str, set[str]] = {}  # path → parameters of its closed kinds
        self._windows: OrderedDict[str, deque[Visited]] = OrderedDict()
        self._met: dict[int, None] = {}
        self._versions: dict[int, str] = {}
        self._refusals: dict[str, _Samples] = {}
        self._let_through: set[str] = set()
        self._has_closed = False

    def reason(self, url: str) -> str:
        """Why addresses like this one are refused; empty where they are not."""
        if not self._has_closed:  # as on most sites, whose every link comes by here
            return ""
        name = kind_of(url)
        kind = self.kinds.get(name)
        if not name or (kind is not None and kind.reason):
            return kind.reason if kind is not None else ""
        path, _, query = name.partition("?")
        names = query.split("&")
        is_tainted = len(names) > 1 and self._tainted.get(path, set()).issuperset(names)
        return "alike" if is_tainted and (kind is None or not kind.different) else ""

    def refuses_link(self, url: str) -> bool:
        """As `refuses`, and no sample is taken of what was met before."""
        return self.refuses(url) if hash(url) not in self._met else bool(self.reason(url))

    def refuses(self, url: str) -> bool:
        """Whether the address is of a closed kind; now and then one is let through, so that a mistake heals."""
        if not self.reason(url) or url in self._let_through:
            return False
        if not self._refusals.setdefault(group_of(url), _Samples()).is_due():
            return True
        self._let_through.add(url)
        return False

    def learn(self, url: str, links: Sequence[str], *, is_new: bool, is_same: bool) -> tuple[bool, list[str]]:
        """Count a page; whether its text or its links are new, and the kinds that it closes, or opens again."""
        name, group = kind_of(url), group_of(url)
        unmet = self._meet(url, links)
        grows = sum(bool(kind_of(link)) and group_of(link) == group for link in unmet)
        is_new = is_new or any(group_of(link) != group and self._is_promising(link) for link in unmet)
        is_version = self._is_other_version(url)
        if not name or (is_version and not is_new):
            return is_new, []
        kind = self.kinds.setdefault(name, Kind())
        self.kinds.move_to_end(name)
        kind.pages += 1
        kind.different += is_new
        kind.bare = kind.bare + 1 if is_same else 0
        if is_new and url in self._let_through:
            return is_new, self._open(url, name)
        visited = Visited(name, is_new, grows)
        closed = {found for key in (name, group) for found in self._judge(key, visited)}
        if "?" in name and kind.bare >= LONG:
            closed.add(name)
        closed = {found for found in closed if found in self.kinds and not self.kinds[found].reason}
        for found in closed:
            self.close(found, self._why(self.kinds[found]))
        self._forget()
        return is_new, sorted(closed)

    def close(self, name: str, reason: str) -> None:
        self._has_closed = True
        self.kinds.setdefault(name, Kind()).reason = reason
        path, _, query = name.partition("?")
        if query:
            self._tainted.setdefault(path, set()).update(query.split("&"))

    def _judge(self, key: str, visited: Visited) -> set[str]:
        """The kinds of which the last pages brought nothing, where there is no end of them."""
        pages = self._windows.setdefault(key, deque(maxlen=WINDOW))
        self._windows.move_to_end(key)
        pages.append(visited)
        if len(pages) < WINDOW or sum(page.is_new for page in pages) > MAX_NEW:
            return set()
        growing = [page.grows for page in pages if page.grows]
        if len(growing) < LEAST_GROWING or sum(growing) < WINDOW:
            return set()
        bare = {page.kind for page in pages} - {page.kind for page in pages if page.is_new and page.kind != key}
        pages.clear()
        return bare

    def _why(self, kind: Kind) -> str:
        return "same" if kind.bare >= min(WINDOW, kind.pages) - MAX_NEW else "alike"

    def _open(self, url: str, name: str) -> list[str]:
        self._let_through.discard(url)
        self._tainted.get(name.partition("?")[0], set()).difference_update(names_of(url))
        self.kinds[name].reason, self.kinds[name].bare = "", 0
        for key in (name, group_of(url)):
            self._windows.pop(key, None)
        self._refusals.pop(group_of(url), None)
        return [name]

    def _is_other_version(self, url: str) -> bool:
        """Whether the same page of another version was met: manuals hardly change from one to the next."""
        rest, version = without_version(url)
        if not version:
            return False
        if len(self._versions) > MAX_MET:
            self._versions.clear()
        return self._versions.setdefault(hash(rest), version) != version

    def _is_promising(self, url: str) -> bool:
        """Whether most pages of the address' kind have brought something."""
        kind = self.kinds.get(kind_of(url))
        return kind is None or (not kind.reason and 2 * kind.different >= kind.pages)

    def _meet(self, url: str, links: Sequence[str]) -> list[str]:
        """The links that were never met."""
        self._met[hash(url)] = None
        unmet = [link for link in links if hash(link) not in self._met]
        self._met.update(dict.fromkeys(map(hash, unmet)))
        if len(self._met) > MAX_MET:
            for old in list(self._met)[: MAX_MET // 2]:
                del self._met[old]
        return unmet

    def _forget(self) -> None:
        """Those not met for longest; what is closed stays closed."""
        if len(self.kinds) > MAX_KINDS:
            for name in [name for name, kind in self.kinds.items() if not kind.reason][: MAX_KINDS // 2]:
                del self.kinds[name]
        while len(self._windows) > MAX_KINDS:
            self._windows.popitem(last=False)
