"""Learn which addresses lead to the same page, from pages that were the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wikicrawl.traps.kinds import ID, pairs_of, with_pairs
from wikicrawl.urls import netloc, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wikicrawl.traps.sameness import Sketch

# Pairs of addresses that gave the same text before what tells them apart is held for meaningless: and on two pages that
# differ, because one page that shows the same for every ?id= may be an error. One pair that differs is the end of it.
PARAMETER_PROOFS = 3
SEGMENT_PROOFS = 5  # a repository shows the same file under many revisions before it shows another
ALIAS_PROOFS = 2
MAX_REMEMBERED = 50_000  # addresses compared with; some 20 MB
INDEX = re.compile(r"/(?:index|default)\.(?:html?|php\d?|aspx?|jsp|cfm)$", re.IGNORECASE)
FILE = re.compile(r"\.[a-z0-9]{1,5}$", re.IGNORECASE)


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

    A rule is written `?name` (is left out), `host/path/id` (stands for every other id there), or `host` with what
    becomes of it: https, http, www, bare, no_index, slash, no_slash.
    """

    def __init__(self) -> None:
        self.rules: set[str] = set()
        self._by_rest: dict[str, tuple[str, int]] = {}  # an address without one of its parts → the part, the text
        self._by_form: dict[str, tuple[str, int]] = {}  # an address without its spelling → the address, the text
        self._proofs: dict[str, Proof] = {}

    def fold(self, url: str) -> str:
        pairs = pairs_of(url)
        if len(pairs) > 1 and all("=" in pair for pair in pairs):
            pairs.sort(
                key=lambda pair: pair.partition("=")[0]
            )  # the order of facets; that of equal names may mean something
            url = with_pairs(url, pairs)
        if not self.rules:
            return url
        if pairs:
            url = with_pairs(url, [pair for pair in pairs if "?" + pair.partition("=")[0] not in self.rules])
        return _respelt(self._with_one_id(url), self.rules)

    def learn(self, url: str, sketch: Sketch) -> str | None:
        """The address under which the same page is already known, if it is another."""
        if sketch.is_thin:
            return None
        for rest, part, name, proofs in _parts(url):
            self._compare(rest, part, sketch.bag, name=name, proofs=proofs)
        return self._compare_spelling(url, sketch.bag)

    def learn_redirect(self, url: str, target: str) -> None:
        """A server that leads from one spelling of an address to another does so for all."""
        for name, rule in _spelling_rules(url, target):
            proof = self._proofs.setdefault(name, Proof())
            proof.same += ALIAS_PROOFS if name.endswith((" scheme", " host")) else 1
            if not proof.different and proof.same >= ALIAS_PROOFS:
                self._add(rule)

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
            self._add(name if name.startswith("?") else name + known[0])

    def _compare_spelling(self, url: str, bag: int) -> str | None:
        known = self._by_form.get(_form(url))
        if known is None or known[0] == url:
            _remember(self._by_form, _form(url), (url, bag))
            return None
        for name, rule in _spelling_rules(url, known[0]):
            proof = self._proofs.setdefault(name, Proof())
            if known[1] != bag:
                proof.different += 1
                continue
            proof.same += 1
            proof.bags.add(bag)
            if proof.is_enough(ALIAS_PROOFS):
                self._add(rule)
        return known[0] if known[1] == bag else None

    def _add(self, rule: str) -> None:
        if "/" not in rule or not any(known.startswith(rule.rpartition("/")[0] + "/") for known in self.rules):
            self.rules.add(rule)

    def _with_one_id(self, url: str) -> str:
        for before, segment, after in _ids(url):
            for rule in self.rules:
                if rule.startswith(before) and "/" not in rule[len(before) :] and rule != before + segment:
                    return f"{url.partition('//')[0]}//{rule}{after}"
        return url


def _parts(url: str) -> Iterator[tuple[str, str, str, int]]:
    """The address without each of its parts that may mean nothing; the part, its name, and the proofs it wants."""
    pairs = pairs_of(url)
    for place, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        rest = f"{with_pairs(url, pairs[:place] + pairs[place + 1 :])} ?{name}"
        yield rest, value, f"?{name}", PARAMETER_PROOFS
    for before, segment, after in _ids(url):
        yield f"{before}*{after}", segment, before, SEGMENT_PROOFS


def _ids(url: str) -> Iterator[tuple[str, str, str]]:
    """Each id-like segment of the path that is not its last: host and path before it, itself, and the rest."""
    head, mark, query = url.partition("//")[2].partition("?")
    segments = head.split("/")
    for place in range(1, len(segments) - 1):
        if ID.fullmatch(segments[place]):
            before, after = "/".join(segments[:place]) + "/", "/".join(["", *segments[place + 1 :]])
            yield before, segments[place], after + mark + query


def _form(url: str) -> str:
    """The address without what a server may or may not care for: scheme, www, index file, last slash."""
    head, mark, query = url.partition("//")[2].partition("?")
    head = INDEX.sub("/", head.removeprefix("www.")).rstrip("/")
    return head + mark + query


def _spelling_rules(url: str, target: str) -> Iterator[tuple[str, str]]:
    """What would turn the address into its other spelling: the name of each difference, and its rule."""
    if _form(url) != _form(target):
        return
    site = netloc(target).removeprefix("www.")
    if url.partition(":")[0] != target.partition(":")[0]:
        yield f"{site} scheme", f"{site} {target.partition(':')[0]}"
    if netloc(url) != netloc(target):
        yield f"{site} host", f"{site} {'www' if netloc(target).startswith('www.') else 'bare'}"
    path, other = path_of(url), path_of(target)
    if INDEX.search(path) and not INDEX.search(other):
        yield f"{site} index", f"{site} no_index"
    elif path != other and not INDEX.search(other):
        yield f"{site} slash", f"{site} {'slash' if other.endswith('/') else 'no_slash'}"


def _respelt(url: str, rules: set[str]) -> str:
    site = netloc(url).removeprefix("www.")
    own = {rule.rpartition(" ")[2] for rule in rules if rule.startswith(site + " ")}
    if not own:
        return url
    scheme, _, rest = url.partition("://")
    head, mark, query = rest.partition("?")
    scheme = next((word for word in ("https", "http") if word in own), scheme)
    if not own.isdisjoint({"www", "bare"}):
        head = ("www." if "www" in own else "") + head.removeprefix("www.")
    if "no_index" in own:
        head = INDEX.sub("/", head)
    if "no_slash" in own and head.count("/") > 1:
        head = head.rstrip("/")
    elif "slash" in own and not head.endswith("/") and not FILE.search(head):
        head += "/"
    return f"{scheme}://{head}{mark}{query}"


def _remember(memory: dict[str, tuple[str, int]], key: str, value: tuple[str, int]) -> None:
    memory[key] = value
    if len(memory) > MAX_REMEMBERED:
        del memory[next(iter(memory))]
