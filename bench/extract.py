"""Compare extractors on real pages with known content: word-F1 by kind of page, snippet F1 and CPU, in one run.

    python bench/extract.py [--stride 1] [--corpus ../shared/corpora/wcxb-dev]
    python bench/foreign.py FOLDER && python bench/extract.py --corpus FOLDER

Baseline of all differences and ratios: trafilatura writing markdown. Ours is everything that is kept of a page: links,
metadata and markdown. What is scored are the words of the markdown as rendered. crawl4ai takes part if it is installed.
The conversion row gives the same normalised content to both markdown engines. Of pages with snippets only, snippet F1
by language is told, and how many wanted ones were kept and unwanted ones, too.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import itertools
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
CORPORA = ROOT.parent / "shared" / "corpora"
sys.path[0] = str(ROOT)  # not bench/, where this file would be found as "extract"
sys.path.append(str(CORPORA))

import evaluate_extract as evaluate  # noqa: E402

from wikicrawl.extract import extract  # noqa: E402
from wikicrawl.extract.content import ARTICLE, choose_content  # noqa: E402
from wikicrawl.extract.markdown import ENGINES, write_markdown  # noqa: E402
from wikicrawl.extract.metadata import find_metadata  # noqa: E402
from wikicrawl.extract.normalise import normalise  # noqa: E402
from wikicrawl.extract.tree import parse  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

OURS, BASELINE, READABILITY = "wikicrawl", "trafilatura", "readability"
CONFIDENCES = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)

Page = dict[str, Any]


@dataclass
class Score:
    rows: list[dict[str, Any]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def f1(self, kind: str | None = None) -> float:
        return statistics.fmean(row["wd"][0] for row in self.rows if kind in (None, row["type"]))

    def snippet_f1(self) -> float:
        return float(evaluate.summary(self.rows)["nF1"])

    def ms(self, pages: list[int] | None = None) -> float:
        chosen = range(len(self.seconds)) if pages is None else pages
        return 1000 * statistics.fmean(self.seconds[index] for index in chosen)


confidences: list[float] = []


def by_us(html: str, url: str) -> str:
    found = extract(html.encode(), url, encoding="utf-8")
    confidences.append(found.confidence)
    return found.markdown


def by_crawl4ai(html: str, url: str) -> str:
    from crawl4ai.content_filter_strategy import PruningContentFilter  # noqa: PLC0415
    from crawl4ai.markdown_generation_strategy import DefaultMarkdownGenerator  # noqa: PLC0415

    generator = DefaultMarkdownGenerator(content_filter=PruningContentFilter())
    return str(generator.generate_markdown(input_html=html, base_url=url).fit_markdown or "")


EXTRACTORS: dict[str, Callable[[str, str], str]] = {
    OURS: by_us,
    BASELINE: evaluate.ref_trafilatura,
    READABILITY: evaluate.ref_readability,
}
if importlib.util.find_spec("crawl4ai"):
    EXTRACTORS["crawl4ai"] = by_crawl4ai


def measure(pages: list[Page]) -> dict[str, Score]:
    """All extractors by turns on each page, so that a busy minute of the machine does not fall to one of them."""
    scores = {name: Score() for name in EXTRACTORS}
    for name in EXTRACTORS:
        timed(name, pages[0])  # imports
    confidences.clear()
    for page in pages:
        for name, score in scores.items():
            markdown, seconds = timed(name, page)
            score.seconds.append(seconds)
            score.rows.append(row(page, evaluate.markdown_text(markdown)))
    return scores


def timed(name: str, page: Page) -> tuple[str, float]:
    start = time.process_time()
    try:
        markdown = EXTRACTORS[name](page["html"], page["url"]) or ""
    except Exception as error:  # a peer that fails on a page has found nothing there
        if name == OURS:
            raise
        print(f"{name} on {page['id']}: {error!r}", file=sys.stderr)
        markdown = ""
    return markdown, time.process_time() - start


def row(page: Page, text: str) -> dict[str, Any]:
    if page["truth"] is None:
        squashed = evaluate.squash(text)
        return {key: [evaluate.squash(part) in squashed for part in page[key]] for key in ("want", "bad")}
    squashed = evaluate.squash(text).lower()
    found = {key: [evaluate.squash(part).lower() in squashed for part in page[key]] for key in ("want", "bad")}
    return {"type": page["type"], "wd": evaluate.word_prf(page["truth"], text), **found}


def convert(pages: list[Page]) -> dict[str, float]:
    """CPU ms per page of each markdown engine on the same normalised content."""
    seconds: collections.Counter[str] = collections.Counter()
    for page in pages:
        tree = parse(page["html"])
        content = choose_content(tree, page["url"], find_metadata(tree, page["url"]).get("types", ())).element
        normalise(content, page["url"])
        for engine in ENGINES:
            start = time.process_time()
            write_markdown(content, engine)
            seconds[engine] += time.process_time() - start
    return {engine: 1000 * seconds[engine] / len(pages) for engine in ENGINES}


def has_article_signals(page: Page) -> bool:
    tree = parse(page["html"])
    return any(ARTICLE.search(kind) for kind in find_metadata(tree, page["url"]).get("types", ()))


def show_scores(scores: dict[str, Score], kinds: collections.Counter[str], articles: list[int]) -> None:
    base = scores[BASELINE]
    print(f"{'word-F1':14}{'all':>8}" + "".join(f"{f'{kind} ({count})':>20}" for kind, count in kinds.most_common()))
    for name, score in scores.items():
        print(f"{name:14}{score.f1():8.3f}" + "".join(f"{score.f1(kind):20.3f}" for kind, _ in kinds.most_common()))
    print(f"\n{'':14}{'snippet F1':>12}{'ms/page':>10}{'x baseline':>12}{'ms/article':>12}{'x baseline':>12}")
    for name, score in scores.items():
        ratios = score.ms() / base.ms(), score.ms(articles) / base.ms(articles)
        print(
            f"{name:14}{score.snippet_f1():12.3f}{score.ms():10.1f}{ratios[0]:12.2f}{score.ms(articles):12.1f}{ratios[1]:12.2f}"
        )


def show_confidence(rows: list[dict[str, Any]]) -> None:
    print(f"\n{'confidence':14}{'pages':>8}{'word-F1':>10}")
    for low, high in itertools.pairwise(CONFIDENCES):
        found = [row["wd"][0] for row, sure in zip(rows, confidences, strict=True) if low <= sure < high]
        if found:
            print(f"{f'from {low:.2f}':14}{len(found):8}{statistics.fmean(found):10.3f}")


def language_of(page: Page) -> str:
    """What the page says, or else its country."""
    declared = find_metadata(parse(page["html"]), page["url"]).get("language", "")
    country = (urlsplit(page["url"]).hostname or "").rpartition(".")[2]
    return str(declared[:2]) or {"de": "de", "at": "de", "ch": "de", "fr": "fr"}.get(country, "?")


def show_languages(pages: list[Page], scores: dict[str, Score]) -> bool:
    """Whether no language that has ten pages is behind the baseline."""
    languages = [language_of(page) for page in pages]
    counts = collections.Counter(languages)
    print(f"{'snippet F1':14}" + "".join(f"{name:>32}" for name in scores))
    behind = []
    for language, count in [("all", len(pages)), *counts.most_common()]:
        chosen = [index for index, found in enumerate(languages) if language in ("all", found)]
        rows = {name: [score.rows[index] for index in chosen] for name, score in scores.items()}
        print(f"{f'{language} ({count})':14}" + "".join(f"{tell_snippets(found):>32}" for found in rows.values()))
        f1 = {name: evaluate.summary(found)["nF1"] for name, found in rows.items()}
        behind += [language] if count >= 10 and f1[OURS] < f1[BASELINE] else []
    verdict = "FAIL" if behind else "pass"
    print(f"\n{verdict}  languages of ten pages or more behind {BASELINE}: {' '.join(behind) or 'none'}")
    return not behind


def tell_snippets(rows: list[dict[str, Any]]) -> str:
    kept, wanted, unwanted = (
        sum(map(sum, (row["want"] for row in rows))),
        sum(len(row["want"]) for row in rows),
        sum(map(sum, (row["bad"] for row in rows))),
    )
    return f"{evaluate.summary(rows)['nF1']:.3f} ({kept}/{wanted} and {unwanted})"


def bars(scores: dict[str, Score], kinds: list[str], articles: list[int], engines: dict[str, float]) -> list[bool]:
    ours, base, readability = (scores[name] for name in (OURS, BASELINE, READABILITY))
    worst = min(kinds, key=lambda kind: ours.f1(kind) - base.f1(kind))
    speed = engines[ENGINES[1]] / engines[ENGINES[0]]
    return [
        bar("word-F1 over trafilatura", ours.f1() - base.f1(), least=0.03, goal=0.06),
        bar("word-F1 over readability", ours.f1() - readability.f1(), least=0.10),
        bar(f"word-F1 of the worst kind ({worst}) over trafilatura", ours.f1(worst) - base.f1(worst), least=-0.005),
        bar("snippet F1 over trafilatura", ours.snippet_f1() - base.snippet_f1(), least=0.02),
        bar("CPU, x trafilatura", ours.ms() / base.ms(), most=2),
        bar("CPU on pages with article signals, x trafilatura", ours.ms(articles) / base.ms(articles), most=1.2),
        bar(f"conversion by {ENGINES[0]}, times as fast as {ENGINES[1]}", speed, least=8),
    ]


def bar(name: str, value: float, *, least: float | None = None, most: float | None = None, goal: float = 0) -> bool:
    passed = (least is None or value >= least) and (most is None or value <= most)
    limit = f">= {least}" if least is not None else f"<= {most}"
    aim = f" (goal {goal}: {'reached' if value >= goal else 'not reached'})" if goal else ""
    print(f"{'pass' if passed else 'FAIL'}  {name}: {value:+.3f}, bar {limit}{aim}")
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stride", type=int, default=1, help="take every so many-th page only")
    parser.add_argument("--corpus", type=Path, default=CORPORA / "wcxb-dev")
    options = parser.parse_args()
    pages = evaluate.load(str(options.corpus), "dev")[1][:: options.stride]
    if pages[0]["truth"] is None:
        return 0 if show_languages(pages, measure(pages)) else 1
    kinds = collections.Counter(page["type"] for page in pages)
    articles = [index for index, page in enumerate(pages) if has_article_signals(page)]
    print(f"{len(pages)} pages, {len(articles)} of them with article signals; baseline: {BASELINE}\n")
    scores = measure(pages)
    show_scores(scores, kinds, articles)
    show_confidence(scores[OURS].rows)
    engines = convert(pages)
    print(
        "\nconversion of normalised content, ms/page: " + ", ".join(f"{name} {ms:.2f}" for name, ms in engines.items())
    )
    print()
    return 0 if all(bars(scores, list(kinds), articles, engines)) else 1


if __name__ == "__main__":
    sys.exit(main())
