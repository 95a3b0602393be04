"""Compare rules that choose between plain HTTP and a browser: waste, recall and CPU against one lxml parse.

    python bench/judge.py [--pages 480] [--corpus ../shared/corpora/wcxb-dev]

Waste: share of the unflagged corpus pages whose wanted text all stands in the raw HTML and that a rule sends to the
browser, in two random halves of the corpus: a rule fitted to one would show on the other.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import lxml.html
from markdownify import markdownify
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT / "tests")  # not bench/, where this file would be found as "judge"
sys.path.insert(0, str(ROOT))

from judge.legitimate import LEGITIMATE  # noqa: E402
from judge.shells import SHELLS  # noqa: E402

from wikicrawl.extract.guard import is_hostile  # noqa: E402
from wikicrawl.tiers.judge import judge  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

HEADERS = {"content-type": "text/html"}


class Page(NamedTuple):
    body: bytes
    is_spa: bool
    is_complete: bool
    half: int


def by_evidence(body: bytes) -> bool:
    return judge(body, status=200, headers=HEADERS).kind in ("shell", "blocked")


BOILERPLATE = ["script", "style", "nav", "footer", "header", "aside", "noscript", "iframe", "form"]


def by_four_signals(body: bytes) -> bool:
    """Text under 200 characters; a bundle and under 3 content tags; text under 5 % of the HTML; failure."""
    html = body.decode("utf-8", "replace")
    tree = LexborHTMLParser(html)
    tree.strip_tags(BOILERPLATE, recursive=True)
    try:
        markdown = markdownify(tree.html or "", heading_style="ATX", bullets="-")
    except RecursionError:
        return True
    plain = re.sub(r"[#*\[\]()!\-_>|`]", "", markdown).strip()
    if len(plain) < 200:
        return True
    match = re.search(r"<body[^>]*>([\s\S]*?)</body>", html, re.IGNORECASE)
    inner = match[1] if match else html
    tags = len(re.findall(r"<(?:p|h[1-6]|li|td|article|section)\b", inner, re.IGNORECASE))
    has_bundle = re.search(r"<script[^>]+src=[\"'][^\"']*\b(?:bundle|main|app|chunk)\b", inner, re.IGNORECASE)
    return (tags < 3 and has_bundle is not None) or len(plain) / len(html) < 0.05


def by_script_count(body: bytes) -> bool:
    """Four script addresses or more, the rule that decides most often in script-scoring crawlers."""
    return len(LexborHTMLParser(body).css("script[src]")) >= 4


def read(corpus: Path, limit: int) -> list[Page]:
    paths = sorted((corpus / "dev" / "ground-truth").glob("*.json"))
    random.Random(0).shuffle(paths)
    return [read_page(path, corpus, half=index * 2 // limit) for index, path in enumerate(paths[:limit])]


def read_page(path: Path, corpus: Path, half: int) -> Page:
    truth = json.loads(path.read_text())
    body = gzip.decompress((corpus / "dev" / "html" / f"{path.stem}.html.gz").read_bytes())
    tree = LexborHTMLParser(body, scripting=True)
    tree.strip_tags(["head", "script", "style", "noscript", "template"], recursive=True)
    visible = squeezed(tree.root.text(separator=" ") if tree.root else "")
    is_spa = truth["_internal"].get("spa", False)
    is_complete = not is_spa and all(squeezed(snippet) in visible for snippet in truth["ground_truth"]["with"])
    return Page(body, is_spa, is_complete, half)


def squeezed(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def cpu_ms(rule: Callable[[bytes], object], pages: list[Page], rounds: int) -> float:
    """The best of some rounds, per page: other processes only ever add."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for page in pages:
            rule(page.body)
        best = min(best, time.process_time() - start)
    return best * 1000 / len(pages)


def report(name: str, rule: Callable[[bytes], bool], pages: list[Page], parse_ms: float, rounds: int) -> None:
    sent = [rule(page.body) for page in pages]
    wasted = [
        [is_sent for page, is_sent in zip(pages, sent, strict=True) if page.is_complete and page.half == half]
        for half in (0, 1)
    ]
    share = " + ".join(f"{sum(half)}/{len(half)}" for half in wasted)
    percent = 100 * sum(map(sum, wasted)) / sum(map(len, wasted))
    spas = [is_sent for page, is_sent in zip(pages, sent, strict=True) if page.is_spa]
    shells = sum(rule(html.encode()) for html in SHELLS.values())
    passed = sum(not rule(html.encode()) for html in LEGITIMATE.values())
    ms = cpu_ms(rule, pages, rounds)
    print(
        f"{name:14} {percent:5.1f} % ({share:16}) {sum(spas):3}/{len(spas)} {shells:6}/{len(SHELLS)} "
        f"{passed:6}/{len(LEGITIMATE)} {ms:8.2f} {ms / parse_ms:8.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=480)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpora" / "wcxb-dev")
    options = parser.parse_args()
    pages = read(options.corpus, options.pages)
    size = sum(len(page.body) for page in pages) / len(pages) / 1000
    parse_ms = cpu_ms(lxml.html.fromstring, pages, 3)
    print(f"{len(pages)} pages of {size:.0f} KB on average; baseline: lxml.html.fromstring, {parse_ms:.2f} ms a page\n")
    print("rule           waste (both halves)          spa caught  shells  pages passed  ms/page  x baseline")
    report("evidence", by_evidence, pages, parse_ms, 3)
    report("four signals", by_four_signals, pages, parse_ms, 1)
    report("script count", by_script_count, pages, parse_ms, 3)
    guard_ms = cpu_ms(is_hostile, pages, 3)
    print(f"\nof evidence: the guard against hostile markup {guard_ms:.2f} ms, {guard_ms / parse_ms:.2f} x baseline")


if __name__ == "__main__":
    main()
