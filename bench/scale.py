"""Pages per second and CPU per page of 1, 2 and 4 `scrapy crawl site` processes that share one crawl and one store.

    .venv/bin/python bench/scale.py [--pages 600] [--hosts 60] [--processes 1 2 4] [--store sqlite postgres]

The site is many local hosts of short pages that answer after 20 ms; nothing is delayed for politeness. Time is from
the first request for a page to the last answer, so that starting Python does not count; CPU is user + system time of
the crawls and their workers, start-up included, and not that of site and database server. Baseline of the ratios: one
process on the same store. Each process has one worker that extracts.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[1:1] = [str(ROOT), str(ROOT / "tests")]

import postgres  # noqa: E402
from many_hosts import check_ledger  # noqa: E402
from overhead import PR_SET_CHILD_SUBREAPER, children_cpu  # noqa: E402

from wikicrawl.store import open_store  # noqa: E402
from wikicrawl.store.frontier import Seed  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": 0,
    "TIERS_BROWSER": 0,
    "EXTRACT_PROCESSES": 1,
    "LOG_LEVEL": "WARNING",
    "PROGRESS_ENABLED": 0,
}
# The site in a process of its own, which ends with its input; then it tells what it has seen.
SERVE = """
import json, sys
from many_hosts import many_hosts
with many_hosts(int(sys.argv[1]), int(sys.argv[2])) as site:
    print(json.dumps({"pages": site.pages, "arguments": site.arguments}), flush=True)
    sys.stdin.read()
    hits = [hit for hit in site.hits if hit.path[1:].isdigit()]
    seconds = max(hit.ended for hit in hits) - min(hit.began for hit in hits)
    workers = len({hit.agent for hit in hits})
    print(json.dumps({"hits": len(hits), "seconds": seconds, "workers": workers, "overlaps": len(site.overlaps())}))
"""


class Run(NamedTuple):
    pages_a_second: float
    cpu_ms: float
    workers: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--store", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # workers whose parent has gone count, too
    print(f"{options.pages} pages of {options.hosts} hosts; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'store':<10}{'processes':>10}{'pages/s':>10}{'× one':>8}{'CPU ms/page':>13}{'× one':>8}")
    for kind in options.store:
        first: Run | None = None
        for count in options.processes:
            with new_database(kind) as url:
                run = measure(url, count, options.hosts, options.pages // options.hosts)
            first = first or run
            speed, cost = run.pages_a_second / first.pages_a_second, run.cpu_ms / first.cpu_ms
            print(
                f"{kind:<10}{count:>10}{run.pages_a_second:10.1f}{speed:8.2f}{run.cpu_ms:13.1f}{cost:8.2f}", flush=True
            )


@contextmanager
def new_database(kind: str) -> Iterator[str]:
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/store.db"
        return
    with postgres.running_server() as server, postgres.fresh_database(server) as url:
        yield url


def measure(url: str, processes: int, hosts: int, pages: int) -> Run:
    environment = {**os.environ, "WIKICRAWL_STORE_URL": url, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(hosts), str(pages)],
        cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    site = json.loads(server.stdout.readline())
    seed(url, site["pages"])
    kept, before = children(), children_cpu()
    crawls = [subprocess.Popen(command(site, number), cwd=ROOT, env=environment) for number in range(processes)]
    if any(crawl.wait() for crawl in crawls):
        raise SystemExit("a crawl has failed")
    reap(kept)
    cpu = children_cpu() - before
    seen = json.loads(server.communicate("")[0])
    if seen["hits"] != len(site["pages"]) or seen["overlaps"]:
        raise SystemExit(f"{seen['hits']} requests for {len(site['pages'])} pages, {seen['overlaps']} overlap")
    check_ledger(url, {"ok": len(site["pages"])})
    return Run(seen["hits"] / seen["seconds"], cpu / seen["hits"] * 1000, seen["workers"])


def seed(url: str, pages: list[str]) -> None:
    store = open_store(url)
    store.sources.ensure("many", pages[0], int(time.time()))
    store.frontier.add("many", [Seed(page, 1) for page in pages])
    store.close()


def command(site: dict[str, dict[str, str]], number: int) -> list[str]:
    given = [part for key, value in site["arguments"].items() for part in ("-a", f"{key}={value}")]
    settings = {**SETTINGS, "USER_AGENT": f"worker{number}"}
    given += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    return [sys.executable, "-m", "scrapy", "crawl", "site", *given]


def children() -> set[int]:
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def reap(kept: set[int]) -> None:
    """Wait for workers that have outlived their crawl."""
    while orphans := children() - kept:
        for pid in orphans:
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
