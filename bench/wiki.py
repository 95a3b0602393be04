"""What a crawl of a real MediaWiki costs both sides: `scrapy crawl wiki` by API and by HTML, against plain Scrapy.

    .venv/bin/python bench/wiki.py [--pages 300] [--rounds 1]

One run gets the same content pages, redirects left out, by: (a) a bare Scrapy spider that is given their addresses and
keeps nothing; (b) `scrapy crawl wiki` into an empty store by the wiki's API; (c) the same by its HTML; (d) (b) and (e)
(c) again, with nothing changed but every page due. Baseline of the ratios: (a).

Requests and bytes are counted by a proxy between crawl and wiki, heads of answers included: as transferred, for all ask
for gzip, and raw, with the bodies decompressed. Client CPU is user + system time of the crawl and all its child
processes, start-up included; the wiki's is that of its PHP processes. Its parser cache is warm: an unmeasured round
goes before. Nothing is delayed for politeness; the wiki is on this machine and nobody else's.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import update

ROOT = Path(__file__).parents[1]
sys.path[1:1] = [str(ROOT), str(ROOT / "tests")]

from mediawiki import MediaWiki, cached_template, describe, running_wiki  # noqa: E402
from overhead import PR_SET_CHILD_SUBREAPER, children_cpu, environment, reap_orphans  # noqa: E402

from wikicrawl.store import open_store  # noqa: E402
from wikicrawl.store.schema import page  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wikicrawl.store import Store

LABELS = {
    "plain": "(a) plain Scrapy, HTML",
    "api": "(b) crawl wiki by api",
    "html": "(c) crawl wiki by html",
    "api again": "(d) (b) again, unchanged",
    "html again": "(e) (c) again, unchanged",
}
MAX_SECONDS = 900  # for one crawl
HASTE = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "WIKI_SLOW_SECONDS": 60,
    "LOG_LEVEL": "WARNING",
    "PROGRESS_ENABLED": 0,
}

SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Plain(scrapy.Spider):
    name = "plain"
    async def start(self):
        for url in sys.stdin.read().split():
            yield scrapy.Request(url)
    def parse(self, response):
        pass

process = CrawlerProcess({"LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False})
process.crawl(Plain)
process.start()
"""


class Cost(NamedTuple):
    requests: float
    transferred_bytes: float
    raw_bytes: float
    client_seconds: float
    wiki_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=1, help="the median of so many runs is shown")
    options = parser.parse_args()
    # Workers whose parent has gone become our children, so that their CPU is counted, too.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    template = template_of(options.pages)
    with tempfile.TemporaryDirectory() as folder, running_wiki(template, Path(folder, "wiki")) as wiki:
        if len(articles(wiki)) != options.pages:
            raise SystemExit(f"the wiki has {len(articles(wiki))} content pages instead of {options.pages}")
        measure_all(wiki)
        rounds = [measure_all(wiki) for _ in range(options.rounds)]
    costs = {name: median([costs[name] for costs in rounds]) for name in LABELS}
    print_table(costs, options.pages)
    print_bars(costs)


def template_of(pages: int) -> Path:
    """A wiki with so many content pages: those of the tests, and articles of 7 KB."""
    seed = cached_template()
    extra = pages - len(articles(MediaWiki(seed, describe(seed))))
    if extra < 0:
        raise SystemExit(f"--pages {pages}: the wiki of the tests alone has {pages - extra}")
    return cached_template(extra_pages=extra)


def articles(wiki: MediaWiki) -> list[str]:
    return [wiki.page_url(title) for title, is_redirect in wiki.titles().items() if not is_redirect]


def measure_all(wiki: MediaWiki) -> dict[str, Cost]:
    """One round: all of them in turns, so that a busy minute of the machine does not fall to one alone."""
    with tempfile.TemporaryDirectory() as by_api, tempfile.TemporaryDirectory() as by_html:
        folders = {"plain": by_api, "api": by_api, "html": by_html}
        return {name: measure(name, wiki, folders[name.split(maxsplit=1)[0]]) for name in LABELS}


def measure(name: str, wiki: MediaWiki, folder: str) -> Cost:
    if name.endswith("again"):
        make_due(folder)
    urls = articles(wiki)
    wiki.forget_requests()
    spent = children_cpu(), server_cpu()
    with counting_proxy() as (port, answers):
        environ = {**environment(folder), "http_proxy": f"http://127.0.0.1:{port}", "no_proxy": ""}
        subprocess.run(
            command(name, wiki, len(urls)),
            cwd=ROOT, env=environ, input="\n".join(urls), text=True, timeout=MAX_SECONDS, check=True,
        )  # fmt: skip
        reap_orphans()
    client_seconds, wiki_seconds = children_cpu() - spent[0], server_cpu() - spent[1]
    if len(wiki.requests()) != len(answers):
        raise SystemExit(f"{name}: {len(wiki.requests())} requests, of which {len(answers)} were counted")
    got = sum(b" 200 " in answer[:20] for answer in answers) if name == "plain" else kept(folder)
    if got != len(urls):
        raise SystemExit(f"{name}: {got} pages instead of {len(urls)}")
    return Cost(len(answers), sum(map(len, answers)), sum(map(raw_length, answers)), client_seconds, wiki_seconds)


def command(name: str, wiki: MediaWiki, pages: int) -> list[str]:
    if name == "plain":
        return [sys.executable, "-c", SPIDER]
    settings = {**HASTE, "WIKI_TRANSPORT": name.split(maxsplit=1)[0]}
    # A bound, but one that would let pages that should not be visited show in the counts.
    given = ["-a", f"url={wiki.page_url('Main Page')}", "-a", f"max_pages={2 * pages}"]
    given += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    return [sys.executable, "-m", "scrapy", "crawl", "wiki", *given]


@contextmanager
def opened(folder: str) -> Iterator[Store]:
    store = open_store(environment(folder)["WIKICRAWL_STORE_URL"])
    try:
        yield store
    finally:
        store.close()


def kept(folder: str) -> int:
    with opened(folder) as store:
        return sum(1 for _ in store.pages.each())


def make_due(folder: str) -> None:
    """Make every visited page due, so that what spares a visit is the wiki's list and not the schedule."""
    with opened(folder) as store, store.engine.begin() as connection:
        connection.execute(update(page).where(page.c.due > 0).values(due=int(time.time()) - 1))


@contextmanager
def counting_proxy() -> Iterator[tuple[int, list[bytes]]]:
    """An HTTP proxy: its port, and the answers that went through, complete when it has ended."""
    answers: list[bytes] = []

    class Forward(StreamRequestHandler):
        def handle(self) -> None:
            method, url, version = self.rfile.readline().split()
            asked = urlsplit(url)
            path = asked._replace(scheme=b"", netloc=b"").geturl()
            head = b" ".join((method, path, version)) + b"\r\n"
            while (line := self.rfile.readline()).strip():
                head += line
            answer = b""
            # PHP's own server closes the connection after each answer.
            with create_connection((asked.hostname.decode(), asked.port)) as server:
                server.sendall(head + b"\r\n")
                while chunk := server.recv(65536):
                    answer += chunk
                    self.wfile.write(chunk)
            answers.append(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Forward) as proxy:
        threading.Thread(target=proxy.serve_forever).start()
        try:
            yield proxy.server_address[1], answers
        finally:
            proxy.shutdown()


def raw_length(answer: bytes) -> int:
    head, end, body = answer.partition(b"\r\n\r\n")
    is_compressed = b"\ncontent-encoding: gzip" in head.lower()
    return len(head + end) + len(gzip.decompress(body) if is_compressed else body)


def server_cpu() -> float:
    """User + system seconds of the wiki's processes: between crawls it is our only child."""
    wiki = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[0]
    return ticks(wiki) / os.sysconf("SC_CLK_TCK")


def ticks(pid: str) -> int:
    """CPU of a process, its children and those that have ended."""
    # Of the fields after the name, which may hold spaces, the 12th to 15th are the times: see proc(5).
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(map(int, fields[11:15])) + sum(map(ticks, children))


def median(costs: list[Cost]) -> Cost:
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def print_table(costs: dict[str, Cost], pages: int) -> None:
    units = Cost(pages, 1000 * pages, 1000 * pages, pages / 1000, pages / 1000)
    heads = ("requests", "kB sent", "kB raw", "client ms", "wiki ms")
    print(f"{pages} content pages, warm parser cache; kB sent: compressed; ms: CPU; per page, and as a ratio to (a)")
    print(f"{'':<25}  in all" + "".join(f"{head:>11}  × (a)" for head in heads))
    for name, label in LABELS.items():
        row = zip(costs[name], units, costs["plain"], strict=True)
        cells = "".join(f"{value / unit:11.3f} {value / base:6.3f}" for value, unit, base in row)
        print(f"{label:<25} {costs[name].requests:7.0f}{cells}")


def print_bars(costs: dict[str, Cost]) -> None:
    print()
    for name in ("api", "html"):
        again, full = costs[f"{name} again"].requests, costs[name].requests
        share = f"{again:.0f} of {full:.0f} by {name}"
        print(f"unchanged re-run ≤ 1/100 of the requests of a full crawl: {share}: {word(again / full, 0.01)}")
    for kind in ("transferred", "raw"):
        by_api, by_html = (getattr(costs[name], f"{kind}_bytes") for name in ("api", "html"))
        ratio = by_api / by_html
        print(f"api ≤ 0.6 × the bytes of html, {kind}: {ratio:.2f} ×: {word(ratio, 0.6)}")


def word(value: float, bar: float) -> str:
    return "pass" if value <= bar else "FAIL"


if __name__ == "__main__":
    main()
