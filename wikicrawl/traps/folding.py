"""Learn which addresses lead to the same page, from pages that were the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from wikicrawl.traps.kinds import ID, pairs_of, with_pairs
from wikicrawl.urls import netloc, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wikicrawl.traps.sameness import Sketch

# Pairs of addresses that gave the same text before what tells them apart is held for meaningless: and on two pages that
# differ, because one page that shows the same for every ?id= may be an error. One pair that differs is the end of it.
PARAMETER_PROOFS = 3
SEGMENT_PROOFS = 5  # a repository shows the same file under many revisions before it shows another
ALIAS_PROOFS = 2
MAX_REMEMBERED = 50_000  # addresses compared with; some 20 MB
INDEX = re.compile(r"/(?:index|default)\.(?:html?|php\d?|aspx?|jsp|cfm)$", re.IGNORECASE)
SPELLINGS = frozenset({"scheme", "www", "index", "slash"})

T = TypeVar("T")


@dataclass(slots=True)
class Proof:
    """How often what differs in addresses made no difference, and on which texts."""

    same: int = 0
    different: int = 0
    bags: set[int] = field(default_factory=set)

    def is_enough(self, proofs: int, texts: int = 2) -> bool:
        return not self.different and self.same >= proofs and len(self.bags) >= texts


class Folding:
    """The addresses of one source.

    A rule names what makes no difference: `?name`, a parameter; `host/path/*`, an id in the path; `host slash`, the
    last slash (or index, www, scheme). Of such addresses the one that was got, or else met, first is the page's: one
    that nobody has named may not be there.
    """

    def __init__(self) -> None:
        self.rules: set[str] = set()
        self._by_rest: dict[str, tuple[str, int]] = {}  # an address without one of its parts → the part, the text
        self._by_form: dict[str, tuple[str, int]] = {}  # an address without its spelling → the address, the text
        self._got: dict[str, None] = {}
        self._firsts: dict[str, str] = {}  # an address without what makes no difference → the first such
        self._proofs: dict[str, Proof] = {}

    def fold(self, url: str) -> str:
        pairs = pairs_of(url) if "&" in url else []
        if len(pairs) > 1 and all("=" in pair for pair in pairs):
            # Facets come in any order; that of equal names may mean something.
            url = with_pairs(url, sorted(pairs, key=lambda pair: pair.partition("=")[0]))
        if not self.rules:
            return url
        form = self._form(url)
        if form not in self._firsts:
            _remember(self._firsts, form, url)
        return self._firsts[form]

    def meet(self, urls: Iterable[str]) -> None:
        """Addresses under which pages are kept."""
        for url in urls:
            _remember(self._got, url, None)
            self._firsts.setdefault(self._form(url), url)

    def add(self, rule: str) -> None:
        if rule not in self.rules:
            self.rules.add(rule)
            self._firsts.clear()
            self.meet(list(self._got))

    def learn(self, url: str, sketch: Sketch) -> str | None:
        """The address under which the same page is already known, if it is another."""
        _remember(self._got, url, None)
        _remember(self._firsts, self._form(url), url)
        if sketch.is_thin:
            return None
        for rest, part, name, proofs in _parts(url):
            # A visitor's id comes with a clock and a counter; elsewhere a number may be all that tells two pages apart.
            text = sketch.gist if ID.fullmatch(part) else sketch.bag
            self._compare(rest, part, text, name=name, proofs=proofs)
        return self._compare_spelling(url, sketch.bag)

    def learn_redirect(self, url: str, target: str) -> None:
        """A server that leads from one spelling of an address to another does so for all."""
        for rule in _differences(url, target):
            proof = self._proofs.setdefault(rule, Proof())
            proof.same += ALIAS_PROOFS if rule.endswith((" scheme", " www")) else 1
            if not proof.different and proof.same >= ALIAS_PROOFS:
                self.add(rule)

    def _compare(self, rest: str, part: str, bag: int, *, name: str, proofs: int) -> None:
        known = self._by_rest.get(rest)
        if known is None:
            _remember(self._by_rest, rest, (part, bag))
            return
        if known[0] == part:
            return
        proof = self._proofs.setdefault(name, Proof())
        if known[1] != bag:
            proof.different += 1
            return
        proof.same += 1
        proof.bags.add(bag)
        if proof.is_enough(proofs):
            self.add(name)

    def _compare_spelling(self, url: str, bag: int) -> str | None:
        known = self._by_form.get(_respelt(url, SPELLINGS))
        if known is None or known[0] == url:
            _remember(self._by_form, _respelt(url, SPELLINGS), (url, bag))
            return None
        for rule in _differences(url, known[0]):
            proof = self._proofs.setdefault(rule, Proof())
            if known[1] != bag:
                proof.different += 1
                continue
            proof.same += 1
            proof.bags.add(bag)
            if proof.is_enough(ALIAS_PROOFS):
                self.add(rule)
        return known[0] if known[1] == bag else None

    def _form(self, url: str) -> str:
        """The address without what makes no difference."""
        pairs = pairs_of(url)
        if pairs:
            url = with_pairs(url, [pair for pair in pairs if "?" + pair.partition("=")[0] not in self.rules])
        for before, segment, after in _ids(url):
            if f"{before}*" in self.rules:
                url = url.removesuffix(segment + after) + "*" + after
        site = netloc(url).removeprefix("www.")
        return _respelt(url, frozenset(word for word in SPELLINGS if f"{site} {word}" in self.rules))


def _parts(url: str) -> Iterator[tuple[str, str, str, int]]:
    """The address without each of its parts that may mean nothing; the part, its name, and the proofs it wants."""
    pairs = pairs_of(url)
    for place, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        rest = f"{with_pairs(url, pairs[:place] + pairs[place + 1 :])} ?{name}"
        yield rest, value, f"?{name}", PARAMETER_PROOFS
    for before, segment, after in _ids(url):
        yield f"{before}*{after}", segment, f"{before}*", SEGMENT_PROOFS


def _ids(url: str) -> Iterator[tuple[str, str, str]]:
    """Each id-like segment of the path that is not its last: host and path before it, itself, and the rest."""
    head, mark, query = url.partition("//")[2].partition("?")
    segments = head.split("/")
    for place in range(1, len(segments) - 1):
        if ID.fullmatch(segments[place]):
            before, after = "/".join(segments[:place]) + "/", "/".join(["", *segments[place + 1 :]])
            yield before, segments[place], after + mark + query


def _respelt(url: str, meaningless: frozenset[str]) -> str:
    """The address without what makes no difference."""
    if not meaningless:
        return url
    scheme, _, rest = url.partition("://")
    head, mark, query = rest.partition("?")
    if "www" in meaningless:
        head = head.removeprefix("www.")
    if "index" in meaningless:
        head = INDEX.sub("/", head)
    if "slash" in meaningless:
        head = head.rstrip("/")
    return ("" if "scheme" in meaningless else scheme) + "://" + head + mark + query


def _differences(url: str, other: str) -> Iterator[str]:
    """In what two spellings of an address differ; nothing where they are not spellings of one."""
    if _respelt(url, SPELLINGS) != _respelt(other, SPELLINGS):
        return
    site = netloc(url).removeprefix("www.")
    if url.partition(":")[0] != other.partition(":")[0]:
        yield f"{site} scheme"
    if netloc(url) != netloc(other):
        yield f"{site} www"
    if bool(INDEX.search(path_of(url))) != bool(INDEX.search(path_of(other))):
        yield f"{site} index"
        url, other = (address.partition("?")[0] for address in (url, other))
        url, other = INDEX.sub("/", url), INDEX.sub("/", other)
    if path_of(url).endswith("/") != path_of(other).endswith("/"):
        yield f"{site} slash"


def _remember(memory: dict[str, T], key: str, value: T) -> None:
    memory[key] = value
    if len(memory) > MAX_REMEMBERED:
        del memory[next(iter(memory))]
