"""How soon changes of a site are found, and what looking for them costs: wikicrawl against two plain ways.

    .venv/bin/python bench/fresh.py [--pages 1000] [--rounds 10] [--changed 0.02]

A local site of seven parts, of which some tell of their changes (ETag, Last-Modified, sitemap, feed), some tell
nothing and some lie. Before each round, a day on a clock of our own, 2 % of its pages change: few of them often, most
seldom. One run looks for the changes of the same site by: (a) fetching every page every day; (b) litecrawl's scheduler:
intervals that grow and shrink, nothing else; (c) wikicrawl as it is, told to look at every page once a day.

A change counts as found in the round after which the store holds its text; requests and bytes are those that the
server answered and sent in the rounds, heads included, robots.txt, sitemaps and feeds too. (a) is counted by fetching,
without a crawler. The first crawl of (b) and (c) is not counted. Bar: 95 % of the changes in the round after they
happened, at a quarter of the bytes of (a).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path[1:1] = [str(ROOT)]

from fresh_site import PARTS, Site, make_site, serving  # noqa: E402
from scrapy.crawler import AsyncCrawlerRunner  # noqa: E402
from scrapy.utils.log import configure_logging  # noqa: E402
from scrapy.utils.project import get_project_settings  # noqa: E402
from scrapy.utils.reactor import install_reactor  # noqa: E402

from wikicrawl.settings import DOWNLOADER_MIDDLEWARES  # noqa: E402
from wikicrawl.store import open_store  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400
SEED = 20  # of the chance that decides which pages change
CONDITIONAL = "wikicrawl.tiers.conditional.ConditionalMiddleware"
BASE = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "TIERS_BROWSER": False,
    "EXTRACT_PROCESSES": 2,
    "PROGRESS_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}
WAYS = {
    "plain": {"DOWNLOADER_MIDDLEWARES": {**DOWNLOADER_MIDDLEWARES, CONDITIONAL: None}},
    "wikicrawl": {"SCHEDULE_MAX_SECONDS": DAY},
}
LABELS = {"all": "(a) every page, every day", "plain": "(b) litecrawl's scheduler", "wikicrawl": "(c) wikicrawl"}


@dataclass
class Cost:
    """What one way of looking came to, over all rounds."""

    requests: int = 0
    sent: int = 0
    delays: list[int] = field(default_factory=list)  # rounds, one a change that was found
    missed: int = 0
    by_part: dict[str, list[int]] = field(default_factory=dict)  # changes in time, changes

    @property
    def in_time(self) -> float:
        total = len(self.delays) + self.missed
        return sum(delay == 0 for delay in self.delays) / total if total else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--changed", type=float, default=0.02, help="share of the pages that change before a round")
    options = parser.parse_args()
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    configure_logging({"LOG_LEVEL": "ERROR"})
    from twisted.internet import reactor  # noqa: PLC0415 - not before it is installed

    costs: dict[str, Cost] = {}

    async def measure() -> None:
        for way in LABELS:
            costs[way] = await run(way, options.pages, options.rounds, options.changed)

    task = reactor._asyncioEventloop.create_task(measure())  # type: ignore[attr-defined]
    task.add_done_callback(lambda _: reactor.stop())  # type: ignore[attr-defined]
    reactor.run()  # type: ignore[attr-defined]
    task.result()
    print_costs(costs, options.rounds)


async def run(way: str, pages: int, rounds: int, changed: float) -> Cost:
    """All rounds of one way; the same pages change in each."""
    site = make_site(pages, int(time.time()))
    chance = random.Random(SEED)
    order = chance.sample(sorted(site.pages), len(site.pages))
    weights = [1 / rank for rank in range(1, len(order) + 1)]  # few change often, most seldom
    cost, open_changes = Cost(), []
    with serving(site) as base, tempfile.TemporaryDirectory() as folder:
        await look(way, site, base, folder, 0)
        site.requests = site.sent = 0
        for number in range(1, rounds + 1):
            with clock(number * DAY):
                site.now = int(time.time())
                paths = changing(chance, order, weights, round(len(order) * changed))
                site.change(paths)
                open_changes += [(path, site.revision(path), number) for path in paths]
                await look(way, site, base, folder, number)
                open_changes = check(site, kept(way, site, base, folder), open_changes, cost, number)
    cost.requests, cost.sent, cost.missed = site.requests, site.sent, len(open_changes)
    return cost


def changing(chance: random.Random, order: list[str], weights: list[float], count: int) -> list[str]:
    chosen: dict[str, None] = {}
    while len(chosen) < count:
        chosen[chance.choices(order, weights)[0]] = None
    return list(chosen)


async def look(way: str, site: Site, base: str, folder: str, number: int) -> None:
    if way == "all":
        await asyncio.to_thread(fetch_all, site, base)
        return
    settings = get_project_settings()
    given = {**BASE, **WAYS[way], "STORE_URL": f"sqlite:///{folder}/store.db"}
    for name, value in given.items():
        settings.set(name, value, priority="cmdline")
    runner = AsyncCrawlerRunner(settings)
    if number:
        await runner.crawl("recrawl", n_claims=10 * len(site.pages), n_concurrent=16)
    else:
        limits = {"max_pages": 10 * len(site.pages), "sitemap": way == "wikicrawl"}
        await runner.crawl("site", url=base, **limits)


def fetch_all(site: Site, base: str) -> None:
    for path in ("/", *(f"/{part.name}/" for part in PARTS), *site.pages):
        with urllib.request.urlopen(base + path) as response:
            response.read()


def kept(way: str, site: Site, base: str, folder: str) -> dict[str, str]:
    """The text that is held of each page after a round."""
    if way == "all":
        return {path: site.marker(path, site.revision(path)) for path in site.pages}
    store = open_store(f"sqlite:///{folder}/store.db")
    try:
        return {page.url.removeprefix(base): page.markdown for page in store.pages.each()}
    finally:
        store.close()


Change = tuple[str, int, int]  # path, revision, round


def check(site: Site, texts: dict[str, str], changes: list[Change], cost: Cost, number: int) -> list[Change]:
    """Changes that the store does not hold yet; a later revision of the page will do."""
    still = []
    for path, revision, since in changes:
        part = cost.by_part.setdefault(site.pages[path].name, [0, 0])
        part[1] += since == number
        later = range(revision, site.revision(path) + 1)
        if any(site.marker(path, number_of) in texts.get(path, "") for number_of in later):
            cost.delays.append(number - since)
            part[0] += since == number
        else:
            still.append((path, revision, since))
    return still


@contextmanager
def clock(seconds: int) -> Iterator[None]:
    """As if so much later: everything that asks for the time of day asks `time.time`."""
    real = time.time
    time.time = lambda: real() + seconds
    try:
        yield
    finally:
        time.time = real


def print_costs(costs: dict[str, Cost], rounds: int) -> None:
    base = costs["all"]
    print(f"{'':28}{'in time':>9}{'found':>8}{'delay':>8}{'requests':>10}{'MB':>8}{'of (a)':>8}")
    for way, cost in costs.items():
        total = len(cost.delays) + cost.missed
        delay = sum(cost.delays) / max(1, len(cost.delays))
        print(
            f"{LABELS[way]:28}{cost.in_time:>9.1%}{len(cost.delays) / total:>8.1%}{delay:>8.2f}"
            f"{cost.requests:>10,}{cost.sent / 1e6:>8.2f}{cost.sent / base.sent:>8.1%}"
        )
    print(f"\n{total} changes in {rounds} rounds; delay in rounds; changes found in time by part of the site:")
    for part in PARTS:
        shares = []
        for way in ("plain", "wikicrawl"):
            in_time, of = costs[way].by_part.get(part.name, (0, 0))
            shares.append(f"{in_time}/{of}")
        says = [part.etag and f"{part.etag} ETag", part.sitemap and f"{part.sitemap} lastmod", part.feed and "feed"]
        print(
            f"  {part.name:8} {', '.join(filter(None, says)) or 'says nothing':32}"
            f" (b) {shares[0]:>8}  (c) {shares[1]:>8}"
        )
    ours = costs["wikicrawl"]
    is_met = ours.in_time >= 0.95 and ours.sent <= 0.25 * base.sent
    print(f"\nbar (95 % in time at 25 % of the bytes): {'met' if is_met else 'NOT met'}")


if __name__ == "__main__":
    main()
