"""A page that takes too much costs a worker, not the crawl; nothing is left running."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wikicrawl.extract.worker import ExtractFailed, Workers

URL = "https://example.org/"
PAGE = b"<html><title>T</title><body><p>hello world</p></body></html>"
HEAVY = b"<p>Some ordinary words with a <a href='/x'>link</a>.</p>" * 150_000  # several seconds of CPU
MIB = 1024 * 1024


def descendants(pid):
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, pending = [], [pid]
    while pending:
        children = parents.get(pending.pop(), [])
        found += children
        pending += children
    return found


@pytest.fixture
def make():
    made = []

    def workers(**limits):
        defaults = {"processes": 1, "seconds": 20, "cpu_seconds": 10, "memory_bytes": 1024 * MIB}
        made.append(Workers(**{**defaults, **limits}))
        return made[-1]

    yield workers
    for one in made:
        one.close()


async def test_a_page_is_extracted(make):
    found = await make().extract(PAGE, URL, "utf-8")
    assert (found.title, found.markdown) == ("T", "hello world")


async def test_the_engine_is_passed_on(make):
    workers = make(engine="markdownify")
    assert (await workers.extract(PAGE, URL)).markdown == "hello world"


def test_an_unknown_engine_is_refused_at_once():
    with pytest.raises(ValueError, match="MARKDOWN_ENGINE"):
        Workers(1, 1, 1, MIB, engine="pandoc")


async def test_nothing_runs_before_the_first_page_or_after_the_end(make):
    before = descendants(os.getpid())
    workers = make(processes=2)
    assert descendants(os.getpid()) == before
    await asyncio.gather(*(workers.extract(PAGE, URL) for _ in range(4)))
    assert len(descendants(os.getpid())) >= len(before) + 2
    workers.close()
    assert descendants(os.getpid()) == before
    with pytest.raises(ExtractFailed):
        await workers.extract(PAGE, URL)
    assert descendants(os.getpid()) == before


async def test_a_page_over_its_time_fails_alone(make):
    workers = make(processes=2, seconds=0.5)
    heavy, light = await asyncio.gather(workers.extract(HEAVY, URL), workers.extract(PAGE, URL), return_exceptions=True)
    assert heavy.reason == "extract_timeout"
    assert light.title == "T"
    assert (await workers.extract(PAGE, URL)).title == "T"


@pytest.mark.slow
async def test_a_page_over_its_cpu_fails_alone(make):
    workers = make(processes=2, cpu_seconds=1)
    heavy, light = await asyncio.gather(workers.extract(HEAVY, URL), workers.extract(PAGE, URL), return_exceptions=True)
    assert heavy.reason == "extract_timeout"
    assert light.title == "T"


@pytest.mark.slow
async def test_the_cpu_limit_is_each_pages_own(make):
    workers = make(cpu_seconds=1)
    half = HEAVY[: len(HEAVY) // 10]
    assert all([(await workers.extract(half, URL)).markdown for _ in range(8)])


async def test_a_page_over_its_memory_fails_alone(make):
    workers = make(memory_bytes=160 * MIB)
    with pytest.raises(ExtractFailed) as failure:
        await workers.extract(b"<p>" + b"word " * 6_000_000, URL)
    assert failure.value.reason == "extract_memory"
    assert (await workers.extract(PAGE, URL)).title == "T"


async def test_a_killed_worker_is_a_failed_page(make):
    workers = make()
    await workers.extract(PAGE, URL)
    worker = worker_of(os.getpid())
    before = cpu_ticks(worker)
    page = asyncio.ensure_future(workers.extract(HEAVY, URL))
    while cpu_ticks(worker) < before + 10:
        await asyncio.sleep(0.01)
    os.kill(worker, signal.SIGSEGV)
    with pytest.raises(ExtractFailed) as failure:
        await page
    assert failure.value.reason == "extract_crash"
    assert (await workers.extract(PAGE, URL)).title == "T"


async def test_a_worker_killed_between_pages_is_replaced(make):
    workers = make()
    await workers.extract(PAGE, URL)
    os.kill(worker_of(os.getpid()), signal.SIGKILL)
    for _ in range(20):
        assert (await workers.extract(PAGE, URL)).title == "T"


async def test_a_worker_that_hangs_is_replaced_and_its_page_tried_once_more(make):
    workers = make(seconds=300)
    await workers.extract(PAGE, URL)
    stuck = worker_of(os.getpid())
    os.kill(stuck, signal.SIGSTOP)
    waiting = asyncio.ensure_future(workers.extract(PAGE, URL))
    await asyncio.sleep(0)
    await workers.restart()
    assert (await asyncio.wait_for(waiting, 30)).markdown == "hello world"
    assert worker_of(os.getpid()) != stuck


async def test_closing_ends_pages_under_way(make):
    workers = make()
    await workers.extract(PAGE, URL)
    pages = [asyncio.ensure_future(workers.extract(HEAVY, URL)) for _ in range(3)]
    await asyncio.sleep(0)
    await asyncio.to_thread(workers.close)
    outcomes = await asyncio.wait_for(asyncio.gather(*pages, return_exceptions=True), timeout=3)
    assert [outcome.reason for outcome in outcomes] == ["extract_crash"] * 3


def worker_of(pid):
    """The one process below the server that forks them."""
    (worker,) = (child for child in descendants(pid) if "forkserver" in command(child) and not descendants(child))
    return worker


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def cpu_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


HOSTILE = {
    "2 000 nested elements": b"<div>" * 2_000 + b"needle" + b"</div>" * 2_000,
    "100 000 nested elements": b"<div>" * 100_000 + b"needle",
    "200 000 attributes": b"<p " + b" ".join(b"a%d=1" % number for number in range(200_000)) + b">needle</p>",
    "50 000 bold tags": b"<b>" * 50_000 + b"needle",
    "a line of 5 MB": b"<p>needle " + b"x" * 5_000_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
async def test_a_hostile_page_ends_in_time_with_its_text(make, body):
    assert "needle" in (await make(cpu_seconds=2).extract(body, URL)).markdown


PROGRAM = """
import asyncio
from wikicrawl.extract.worker import Workers
async def main():
    workers = Workers(2, 60, 60, 2 << 30)
    await workers.extract(b"<p>x</p>", "https://example.org/")
    heavy = b"<p>Some ordinary words with a <a href='/x'>link</a>.</p>" * 150_000
    pages = [asyncio.ensure_future(workers.extract(heavy, "https://example.org/")) for _ in range(2)]
    await asyncio.sleep(0.2)
    print("ready", flush=True)
    await asyncio.gather(*pages)
asyncio.run(main())
"""


@pytest.mark.slow
async def test_workers_do_not_outlive_a_killed_crawl():
    crawl = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with crawl:
        assert crawl.stdout.readline() == b"ready\n"
        workers = descendants(crawl.pid)
        assert len(workers) >= 3
        crawl.kill()
    async with asyncio.timeout(3):
        while any(command(pid) for pid in workers):
            await asyncio.sleep(0.01)
