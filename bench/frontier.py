"""How long a claim of 100 pages takes in a store of up to ten million, against the query of the plain design.

    .venv/bin/python bench/frontier.py [--rows 100000 1000000] [--store sqlite postgres] [--claims 200]
        [--layout one many]

Of the pages 30 % were never visited, 30 % are due and 40 % are due later. Measured, in this order: claims of new pages
and of due pages of one source with one host; claims over 1,000 sources of one host each; and four processes that claim
over all sources and finish what they claim, with ten new links a page, on the same store. Between the claims, and not
measured, the pages are given an end. Baseline, in the same run: the SELECT alone of `WHERE (next_crawl_time IS NULL OR
next_crawl_time <= now) AND processing_time IS NULL ORDER BY next_crawl_time IS NULL DESC, next_crawl_time` on a table
of the same size with an index on either column. PostgreSQL is a server of our own with its default settings, syncing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select, text

ROOT = Path(__file__).parents[1]
sys.path[1:1] = [str(ROOT), str(ROOT / "tests")]

import postgres  # noqa: E402
from wiki import ticks  # noqa: E402

from wikicrawl.schedule import Policy  # noqa: E402
from wikicrawl.store import open_store, schema  # noqa: E402
from wikicrawl.store.frontier import Seed  # noqa: E402
from wikicrawl.store.pages import Outcome  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wikicrawl.store import Store
    from wikicrawl.store.frontier import Claim

NOW = 2_000_000_000
BAR_MS = 25.0
SOURCES = 1000
PROCESSES, PAGES_EACH = 4, 1000
WARM = 5  # claims before the first that counts: statements are compiled once in a process
BASELINES = 3  # runs of the baseline, which takes seconds


class Time(NamedTuple):
    """Milliseconds."""

    wall: float
    cpu: float


NUMBERS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :rows) SELECT {} FROM n",
    "postgresql": "SELECT {} FROM generate_series(0, :rows - 1) AS n(i)",
}
# The n-th page of its host decides, so that every host has pages of each kind.
DUE = "CASE WHEN i % 10 < 3 THEN 0 WHEN i % 10 < 6 THEN {now} - i % 100000 ELSE {now} + 1 + i % 100000 END"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--store", nargs="+", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    parser.add_argument("--claims", type=int, default=200)
    parser.add_argument("--layout", nargs="+", default=list(LAYOUTS), choices=LAYOUTS, help="sources in the store")
    options = parser.parse_args()
    print(f"claims of 100 pages, {options.claims} of each kind; ms; bar: p99 ≤ {BAR_MS:.0f} ms")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; cpu: of this process alone")
    print(f"{'store':<10}{'rows':>10}  {'kind':<22}{'median':>9}{'p99':>9}{'max':>9}{'cpu':>9}{'cpu p99':>9}")
    for kind in options.store:
        for rows in options.rows:
            for measure in (LAYOUTS[name] for name in options.layout):
                with new_database(kind) as url:
                    measure(kind, url, rows, options.claims)


@contextmanager
def new_database(kind: str) -> Iterator[str]:
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/store.db"
        return
    postgres.SERVE = postgres.SERVE.replace(" -F -c synchronous_commit=off", "")
    with postgres.running_server() as server, postgres.fresh_database(server) as url:
        yield url


def measure_one(kind: str, url: str, rows: int, claims: int) -> None:
    store = open_store(url)
    fill(store, rows, hosts=1)
    for name, max_pages in (("new, one host", 2**40), ("due, one host", 0)):
        report(kind, rows, name, [claim_one(store, max_pages) for _ in range(WARM + claims)][WARM:])
    print(f"{kind:<10}{rows:>10}  {size(store) / rows:.0f} bytes a row of the frontier, indexes included")
    report(kind, rows, "baseline, SELECT alone", baseline(store))
    store.close()


def measure_many(kind: str, url: str, rows: int, claims: int) -> None:
    store = open_store(url)
    fill(store, rows, hosts=SOURCES)
    report(kind, rows, f"{SOURCES} sources", [claim_anywhere(store) for _ in range(WARM + claims)][WARM:])
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        began, spent = time.perf_counter(), server_cpu(store)
        results = pool.starmap(work, [(url, f"worker {number}") for number in range(PROCESSES)], chunksize=1)
        seconds, spent = time.perf_counter() - began, server_cpu(store) - spent
        pool.close()
        pool.join()
    done = [page for pages, _, _ in results for page in pages]
    errors = sum(count for _, _, count in results)
    report(kind, rows, f"{PROCESSES} processes", [ms for _, times, _ in results for ms in times], has_bar=False)
    twice = len(done) - len(set(done))
    verdict = "pass" if not errors and not twice and len(done) == PROCESSES * PAGES_EACH else "FAIL"
    print(
        f"{kind:<10}{rows:>10}  {PROCESSES} processes: {len(done)} pages claimed and finished, "
        f"{len(done) / seconds:.0f} pages/s, {spent / len(done) * 1000:.1f} ms CPU of the server a page; "
        f"{errors} busy errors, {twice} pages done twice: {verdict}"
    )
    store.close()


def fill(store: Store, rows: int, hosts: int) -> None:
    """One source for each host; in the order of their keys, and the index of due pages at the end."""
    dialect = store.engine.dialect.name
    host, page = serial(dialect, f"i / {rows // hosts}", 4), serial(dialect, "i", 9)
    source = f"'s' || {host}"
    columns = f"i + 1, {source}, 'https://h' || {host} || '.test/page/' || {page}, 'h' || {host} || '.test', i % 7, "
    columns += DUE.format(now=NOW)
    with store.engine.begin() as connection:
        sources = NUMBERS[dialect].format(f"'s' || {serial(dialect, 'i', 4)}, '', 0")
        connection.execute(text(f"INSERT INTO source (id, url, created_at) {sources}"), {"rows": hosts})
        connection.execute(text("DROP INDEX page_due"))
        insert = f"INSERT INTO page (id, source, url, host, depth, due) {NUMBERS[dialect].format(columns)}"
        connection.execute(text(insert), {"rows": rows})
        next(index for index in schema.page.indexes if index.name == "page_due").create(connection)
        if dialect == "postgresql":
            connection.execute(text("SELECT setval('page_id_seq', :rows)"), {"rows": rows})
        count = "SELECT count(*) FROM page WHERE page.source = source.id AND due > 0"
        connection.execute(text(f"UPDATE source SET admitted = ({count})"))
    if dialect == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE page"))
    else:
        with closing(sqlite3.connect(str(store.url.database))) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def serial(dialect: str, number: str, digits: int) -> str:
    if dialect == "sqlite":
        return f"printf('%0{digits}d', {number})"
    return f"lpad(({number})::text, {digits}, '0')"


def claim_one(store: Store, max_pages: int) -> Time:
    return timed(
        store,
        lambda: store.frontier.claim("s0000", owner="bench", limit=100, now=NOW, lease_seconds=60, max_pages=max_pages),
    )


def claim_anywhere(store: Store) -> Time:
    return timed(store, lambda: store.frontier.claim_anywhere(owner="bench", limit=100, now=NOW, lease_seconds=60))


def clock() -> Time:
    return Time(time.perf_counter() * 1000, time.process_time() * 1000)


def since(began: Time) -> Time:
    now = clock()
    return Time(now.wall - began.wall, now.cpu - began.cpu)


def timed(store: Store, claim: Callable[[], list[Claim]]) -> Time:
    began = clock()
    claims = claim()
    ms = since(began)
    if len(claims) != 100:
        raise SystemExit(f"{len(claims)} pages were claimed instead of 100")
    end = {"lease_owner": None, "lease_until": None, "attempt": 0, "due": NOW + 10**6}
    with store.engine.begin() as connection:
        connection.execute(schema.page.update().where(schema.page.c.lease_owner == "bench").values(end))
    return ms


def baseline(store: Store) -> list[Time]:
    """The plain design's question to its own table."""
    with store.engine.begin() as connection:
        connection.execute(text("CREATE TABLE pages (id BIGINT, next_crawl_time BIGINT, processing_time BIGINT)"))
        connection.execute(text("INSERT INTO pages SELECT id, nullif(due, 0), NULL FROM page"))
        connection.execute(text("CREATE INDEX idx_pages_next_crawl ON pages (next_crawl_time)"))
        connection.execute(text("CREATE INDEX idx_pages_processing ON pages (processing_time)"))
        connection.execute(text("ANALYZE pages"))
    query = text(
        "SELECT id FROM pages WHERE (next_crawl_time IS NULL OR next_crawl_time <= :now) AND processing_time IS NULL "
        "ORDER BY next_crawl_time IS NULL DESC, next_crawl_time LIMIT 100"
    )
    times = []
    for _ in range(BASELINES):
        with store.engine.connect() as connection:
            began = clock()
            connection.execute(query, {"now": NOW}).all()
            times.append(since(began))
    return times


def work(url: str, owner: str) -> tuple[list[int], list[Time], int]:
    """Pages that one process has claimed and finished, the ms of its claims, and errors of a busy database."""
    store = open_store(url)
    done: list[int] = []
    times: list[Time] = []
    errors = 0
    while len(done) < PAGES_EACH:
        began = clock()
        try:
            limit = min(50, PAGES_EACH - len(done))
            claims = store.frontier.claim_anywhere(owner=owner, limit=limit, now=NOW, lease_seconds=600)
            times.append(since(began))
            for claim in claims:
                finish(store, claim)
                done.append(claim.id)
        except Exception as error:  # whatever it is, it is counted and shown
            print(f"{owner}: {type(error).__name__}: {error}", file=sys.stderr)
            errors += 1
    store.frontier.release(owner)
    store.close()
    return done, times, errors


def finish(store: Store, claim: Claim) -> None:
    outcome = Outcome("ok", "", "http", "page", 200, 0, [], "", NOW, NOW, "bench")
    links = [Seed(f"{claim.url}/{number}", claim.depth + 1) for number in range(10)]
    if store.pages.finish(claim, outcome, content=None, links=links, policy=Policy()) is None:
        raise RuntimeError(f"{claim.url} is another's")


def server_cpu(store: Store) -> float:
    """Seconds that the database server has worked; SQLite has none."""
    folder = store.url.query.get("host")
    if folder is None:
        return 0.0
    return ticks(Path(str(folder), "cluster", "postmaster.pid").read_text().split()[0]) / os.sysconf("SC_CLK_TCK")


def size(store: Store) -> int:
    if store.engine.dialect.name == "sqlite":
        return Path(str(store.url.database)).stat().st_size
    with store.engine.connect() as connection:
        return int(connection.scalar(select(func.pg_total_relation_size("page"))))


def report(store: str, rows: int, kind: str, times: list[Time], *, has_bar: bool = True) -> None:
    wall, cpu = [time.wall for time in times], [time.cpu for time in times]
    cells = statistics.median(wall), p99(wall), max(wall), statistics.median(cpu), p99(cpu)
    word = "" if not has_bar or kind.startswith("baseline") else "  pass" if p99(wall) <= BAR_MS else "  FAIL"
    print(f"{store:<10}{rows:>10}  {kind:<22}{''.join(f'{cell:9.1f}' for cell in cells)}{word}", flush=True)


def p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


LAYOUTS = {"one": measure_one, "many": measure_many}

if __name__ == "__main__":
    main()
