"""Refit the chooser's thresholds without the pages of some domains, and score it on those: what a new site can expect.

    python bench/fit.py [--folds 5] [--corpus ../shared/corpora/wcxb-dev]

Every number that decides over content and was chosen on these pages is a row of GRID, every word of class names one of
WORDS. The same procedure runs without each fold's domains and on all pages: from the plainest values, one number after
the other takes the value with the best word-F1, and a word that costs more than it gains goes. What it chooses on all
pages is what is shipped; where it is not, this says so. Word-F1 by kind is scored on held-out domains only, on the
markdown as rendered; the search compares the words of the chosen element, which takes a sixth of the time.
"""

from __future__ import annotations

import argparse
import collections
import statistics
import sys
import zlib
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
CORPORA = ROOT.parent / "shared" / "corpora"
sys.path[0] = str(ROOT)
sys.path.append(str(CORPORA))

import evaluate_extract as evaluate  # noqa: E402

from wikicrawl.extract import content, edges, endings, extract, opinions, strip, structured  # noqa: E402
from wikicrawl.extract.hidden import take_hidden  # noqa: E402
from wikicrawl.extract.metadata import find_metadata  # noqa: E402
from wikicrawl.extract.tree import body_of, parse  # noqa: E402
from wikicrawl.extract.unread import write_unread  # noqa: E402
from wikicrawl.extract.wiki import is_wiki  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

# The module, the name, the pages it is used on, and the values tried; the first is where the search starts and stays if
# nothing is gained.
GRID: list[tuple[ModuleType, str, str, tuple[float, ...]]] = [
    (strip, "FURNITURE_SHARE", "all", (0.3, 0.2, 0.5)),
    (strip, "FURNITURE_TAG_SHARE", "all", (0.5, 0.3, 0.7)),
    (strip, "LOST_SHARE", "all", (0.8, 0.6)),
    (strip, "LEAST_ARTICLE", "article", (300, 100, 1_000)),
    (content, "ARTICLE_SHARE", "article", (0.9, 0.8, 0.7)),
    (content, "PAGE_SHARE", "page", (0.9, 0.8)),
    (content, "LEAST_CHARS", "page", (0.7, 0.5, 0.9)),
    (content, "MAIN_SHARE", "all", (0.5, 0.3)),
    (content, "LEAST_LEAD", "all", (60, 120)),
    (endings, "MOST_CUT", "article", (0.3, 0.15, 0.5)),
    (edges, "LINK_SHARE", "article", (0.5, 0.8)),
    (edges, "MOST_CUT", "article", (0.4, 0.3, 0.5)),
    (edges, "LEAST_TEXT", "article", (1_000, 2_000)),
    (opinions, "VOUCHED_SHARE", "product", (0.5, 0.4, 0.6, 0.8)),
    (opinions, "REPEATED_WORDS", "product", (4, 2, 8)),
    (opinions, "MOST_TIMES", "product", (3, 1, 8)),
    (content, "LEAST_SHARED", "product", (0.2, 0.1, 0.4)),
    (content, "LEAST_VOUCHED", "product", (150, 50, 400)),
    (structured, "LITTLE", "described", (1_000, 500, 2_000)),
]
# The words in use, and those that were tried with them and went.
WORDS = {"FURNITURE_WORDS": {"menu", "modal"}, "ARTICLE_WORDS": {"tag"}}
LEAST_GAIN = 0.0005  # of word-F1 over all pages, for a number to leave where it starts; less is chance
LEAST_LOSS = 0.0005  # of word-F1 over all pages, for a word to go

Page = dict[str, Any]


@dataclass(frozen=True)
class Fit:
    """One value for each row of the grid, and the words that were dropped."""

    values: tuple[float, ...]
    dropped: frozenset[str] = frozenset()

    def apply(self, known: dict[str, frozenset[str]]) -> None:
        for (module, name, _, _), value in zip(GRID, self.values, strict=True):
            setattr(module, name, value)
        for name in WORDS:
            setattr(strip, name, known[name] - self.dropped)


class Scores:
    """Word-F1 by page and fit, each worked out once."""

    def __init__(self) -> None:
        self.known = {name: getattr(strip, name) | tried for name, tried in WORDS.items()}
        self.cache: dict[tuple[str, Fit], float] = {}
        opinions.LIBRARIES.update({name: remember(library) for name, library in opinions.LIBRARIES.items()})

    def mean(self, pages: list[Page], fit: Fit) -> float:
        return statistics.fmean(self.of(page, fit) for page in pages)

    def of(self, page: Page, fit: Fit) -> float:
        # A page is the same without a word it does not have, and whatever a number that is not used on it.
        used = tuple(value for (_, _, kind, _), value in zip(GRID, fit.values, strict=True) if kind in page["kinds"])
        key = page["id"], Fit(used, fit.dropped & page["words"])
        if key not in self.cache:
            fit.apply(self.known)
            self.cache[key] = evaluate.word_prf(page["truth"], chosen_text(page))[0]
        return self.cache[key]

    def rendered(self, page: Page, fit: Fit) -> float:
        fit.apply(self.known)
        text = evaluate.markdown_text(extract(page["html"].encode(), page["url"], encoding="utf-8").markdown)
        return float(evaluate.word_prf(page["truth"], text)[0])


def chosen_text(page: Page) -> str:
    if is_wiki(page["tree"]):
        return ""  # nothing of it is fitted
    element = content.choose_content(deepcopy(page["tree"]), page["url"], page["meta"].get("types", ())).element
    text = " ".join(element.itertext())
    return text + structured.plain(structured.supplement(" ".join(text.split()), page["meta"]))


def remember(library: Callable[[str, str], str | None]) -> Callable[[str, str], str | None]:
    """What a library says of a page does not depend on what is fitted."""
    said: dict[str, str | None] = {}

    def ask(page: str, url: str) -> str | None:
        if url not in said:
            try:
                said[url] = library(page, url)
            except Exception as error:  # as in the chooser: it has no opinion
                print(f"{url}: {error!r}", file=sys.stderr)
                said[url] = None
        return said[url]

    return ask


def refit(pages: list[Page], scores: Scores) -> Fit:
    fit = Fit(tuple(values[0] for *_, values in GRID))
    for index, (*_, values) in enumerate(GRID):
        best, score = fit, scores.mean(pages, fit) + LEAST_GAIN
        for value in values[1:]:
            other = Fit((*fit.values[:index], value, *fit.values[index + 1 :]))
            if scores.mean(pages, other) > score:
                best, score = other, scores.mean(pages, other)
        fit = best
    return Fit(fit.values, frozenset(word for word in words_of(scores) if is_costly(word, pages, fit, scores)))


def words_of(scores: Scores) -> list[str]:
    return sorted(frozenset().union(*scores.known.values()))


def is_costly(word: str, pages: list[Page], fit: Fit, scores: Scores) -> bool:
    """Whether the pages that have the word are better without it."""
    without = Fit(fit.values, frozenset({word}))
    gain = sum(scores.of(page, without) - scores.of(page, fit) for page in pages if word in page["words"])
    return gain > LEAST_LOSS * len(pages)


def load(corpus: Path) -> list[Page]:
    pages = evaluate.load(str(corpus), "dev")[1]
    for page in pages:
        elements = parse(page["html"]).iter()
        page["words"] = frozenset().union(*(strip.name_words(element) for element in elements))
        tree = page["tree"] = parse(page["html"])
        page["meta"] = find_metadata(tree, page["url"])
        page["kinds"] = kinds_of(page["meta"])
        write_unread(body_of(tree))
        take_hidden(tree)
        text = evaluate.markdown_text(evaluate.ref_trafilatura(page["html"], page["url"]))
        page["baseline"] = evaluate.word_prf(page["truth"], text)[0]
    return pages


def kinds_of(meta: dict[str, Any]) -> set[str]:
    kind = content.kind_of(meta.get("types", ()))
    kinds = {"all", "article" if kind.is_article else "page"} | ({"product"} if kind.is_product else set())
    return kinds | ({"described"} if structured.has_supplement(meta) else set())


def fold_of(page: Page, folds: int) -> int:
    """By the domain's last two names: www.a.org and blog.a.org look alike."""
    domain = ".".join((urlsplit(page["url"]).hostname or "").split(".")[-2:])
    return zlib.crc32(domain.encode()) % folds


def show(title: str, pages: list[Page], ours: list[float], kinds: list[str]) -> None:
    by_kind: dict[str, list[float]] = collections.defaultdict(list)
    for page, score in zip(pages, ours, strict=True):
        by_kind[page["type"]].append(score)
    print(
        f"{title:26}{statistics.fmean(ours):8.3f}"
        + "".join(f"{statistics.fmean(by_kind[kind]):16.3f}" for kind in kinds)
    )


def shipped(scores: Scores) -> Fit:
    dropped = frozenset().union(*(scores.known[name] - getattr(strip, name) for name in WORDS))
    return Fit(tuple(getattr(module, name) for module, name, *_ in GRID), dropped)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--corpus", type=Path, default=CORPORA / "wcxb-dev")
    options = parser.parse_args()
    scores = Scores()
    ships = shipped(scores)
    pages = load(options.corpus)
    kinds = [kind for kind, _ in collections.Counter(page["type"] for page in pages).most_common()]
    held: dict[str, float] = {}
    for fold in range(options.folds):
        train = [page for page in pages if fold_of(page, options.folds) != fold]
        fit = refit(train, scores)
        test = [page for page in pages if fold_of(page, options.folds) == fold]
        held.update({page["id"]: scores.rendered(page, fit) for page in test})
        base = statistics.fmean(page["baseline"] for page in test)
        ours = statistics.fmean(held[page["id"]] for page in test)
        print(f"fold {fold}: {len(test)} pages, {ours:.3f}, trafilatura {base:.3f}; {describe(fit)}", flush=True)
    chosen = refit(pages, scores)
    print(f"all pages: {describe(chosen)}\n")
    print(f"{'word-F1':26}{'all':>8}" + "".join(f"{kind:>16}" for kind in kinds))
    show("held-out domains", pages, [held[page["id"]] for page in pages], kinds)
    show("as shipped, same pages", pages, [scores.rendered(page, ships) for page in pages], kinds)
    show("trafilatura", pages, [page["baseline"] for page in pages], kinds)
    if chosen != ships:
        print(f"\nFAIL  shipped is {describe(ships)}")
    return 0 if chosen == ships else 1


def describe(fit: Fit) -> str:
    numbers = ", ".join(f"{name} {value:g}" for (_, name, _, _), value in zip(GRID, fit.values, strict=True))
    return f"{numbers}; without {' '.join(sorted(fit.dropped)) or 'no'} word(s)"


if __name__ == "__main__":
    sys.exit(main())
