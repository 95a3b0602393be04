"""A crawl outlasts a store that cannot be written to for a while."""

import os
import resource
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest
from command import ScrapyCommand
from crash_checks import nothing_is_lost_or_twice
from crash_crawl import crawl_arguments, crawling
from crash_site import crash_site
from postgres import fresh_database, running_server, start_again, stop

from wikicrawl.store import open_store

PAGES = 80
FAST = ("-s", "STORE_CLAIM_SIZE=10")


def mount(*words):
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        no_mount = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        no_mount(f"mounting takes root here: {done.stderr}")


@contextmanager
def mounted(folder, *words):
    folder.mkdir(exist_ok=True)
    mount(*words, str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder):
    """Until not one byte more fits."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return filler


def let_files_grow(process, *, is_allowed):
    """As a quota does: a limit on the process's files, which another may move while it runs."""
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most if is_allowed else 0, most))


def hits_while_paused(site):
    """Those of the pages under way may still come; then there are no more."""
    hits = -1
    while hits != (hits := site.hits.total()):
        time.sleep(1)
    return hits


def test_a_full_disk_pauses_the_crawl_which_goes_on_when_there_is_space(tmp_path):
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=8m", "tmpfs") as disk, crash_site(PAGES) as site:
        scrapy = ScrapyCommand(disk)
        with crawling(scrapy, site, *FAST) as crawl:
            site.wait_for_hits(10)
            filler = fill(disk)
            line = crawl.wait_for("Paused, because STORE_URL")
            assert f"{scrapy.store_url} cannot be written to (full: database or disk is full)" in line
            assert "free space on its disk" in line
            assert hits_while_paused(site) < PAGES
            filler.unlink()
            crawl.wait_for("Resumed after")
            assert crawl.end() == 0
        assert "Traceback" not in crawl.log
        assert "'store/paused': 1" in crawl.log
        assert site.refetches == 0
        nothing_is_lost_or_twice(scrapy.store_url, site)


def test_a_store_that_is_read_only_is_waited_for(scrapy, tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    with crash_site(PAGES) as site:
        scrapy = ScrapyCommand(folder)
        scrapy(*crawl_arguments(site, pages=1))
        writer = open_store(scrapy.store_url)  # its log and index stay, as while another crawl runs
        writer.pages.status(now=0)
        with mounted(tmp_path / "seen", "--bind", str(folder)) as seen:
            mount("-o", "remount,bind,ro", str(seen))
            with crawling(ScrapyCommand(seen), site, *FAST) as crawl:
                line = crawl.wait_for("Paused, because STORE_URL")
                assert "(read_only: attempt to write a readonly database): make its file and folder writable" in line
                mount("-o", "remount,bind,rw", str(seen))
                assert crawl.end() == 0
            assert "Traceback" not in crawl.log
        writer.close()
        nothing_is_lost_or_twice(scrapy.store_url, site)


def test_a_disk_that_fails_is_waited_for_and_then_the_crawl_ends_by_name(scrapy):
    with crash_site(PAGES) as site:
        with crawling(scrapy, site, *FAST, "-s", "STORE_PATIENCE_SECONDS=2") as crawl:
            site.wait_for_hits(10)
            let_files_grow(crawl.process, is_allowed=False)
            assert "(io: disk I/O error): see to its disk" in crawl.wait_for("Paused, because STORE_URL")
            crawl.wait_for("Spider closed (store_unavailable)")
            assert crawl.end() == 0
        assert "(STORE_PATIENCE_SECONDS)" in crawl.wait_for("Ending, because STORE_URL")
        assert "Traceback" not in crawl.log
        scrapy(*crawl_arguments(site, *FAST))
        nothing_is_lost_or_twice(scrapy.store_url, site)


def test_a_crawl_that_waits_for_its_store_can_be_stopped(scrapy):
    with crash_site(PAGES) as site:
        with crawling(scrapy, site, *FAST) as crawl:
            site.wait_for_hits(10)
            let_files_grow(crawl.process, is_allowed=False)
            crawl.wait_for("Paused, because STORE_URL")
            crawl.process.send_signal(signal.SIGTERM)
            assert crawl.end(10) == 0
        assert "Traceback" not in crawl.log
        assert "Spider closed (shutdown)" in crawl.log
        scrapy(*crawl_arguments(site, *FAST))
        nothing_is_lost_or_twice(scrapy.store_url, site)


@pytest.mark.postgres
def test_a_postgresql_that_dies_and_comes_back_costs_no_page(tmp_path):
    with running_server(synchronous_commit="on") as server, fresh_database(server) as url, crash_site(PAGES) as site:
        scrapy = ScrapyCommand(tmp_path, url)
        with crawling(scrapy, site, *FAST) as crawl:
            site.wait_for_hits(10)
            stop(server, "immediate")
            assert "(down: " in crawl.wait_for("Paused, because STORE_URL")
            start_again(server)
            crawl.wait_for("Resumed after")
            assert crawl.end() == 0
        assert "Traceback" not in crawl.log
        nothing_is_lost_or_twice(url, site)
