"""Several processes on one crawl: they share its hosts, and take over from those that die."""

import re
import signal
import time

import pytest
from command import ScrapyCommand
from many_hosts import check_ledger, many_hosts
from postgres import fresh_database
from sqlalchemy import insert

from wikicrawl.store import open_store, schema

PATIENCE_SECONDS = 120


def start(scrapy, site, name, **settings):
    given = {"USER_AGENT": name, "TIERS_BROWSER": 0, "STORE_CLAIM_SIZE": 4, "CONCURRENT_REQUESTS": 2, **settings}
    arguments = [part for item in site.arguments.items() for part in ("-a", "=".join(item))]
    return scrapy.start(
        "crawl", "site", *arguments, *(part for key, value in given.items() for part in ("-s", f"{key}={value}")),
        stderr=True,
    )  # fmt: skip


def end(process):
    """Its log, after it has ended by itself."""
    log = process.communicate(timeout=PATIENCE_SECONDS)[1].decode()
    assert process.returncode == 0, log[-3000:]
    return log


def wait_for(is_done):
    until = time.monotonic() + PATIENCE_SECONDS
    while not is_done():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.postgres
def test_four_processes_share_the_hosts_of_a_crawl(tmp_path, postgres_server):
    with fresh_database(postgres_server) as url, many_hosts(hosts=12, pages=20, seconds=0.05) as site:
        site.seed(url)
        processes = [start(ScrapyCommand(tmp_path, url), site, f"worker{number}") for number in range(4)]
        for process in processes:
            end(process)
        check_ledger(url, {"ok": 240})
    assert set(site.asked().values()) == {1}
    assert set(site.asked()) == set(site.pages)
    assert site.overlaps() == []
    assert len({hit.agent for hit in site.hits}) > 1


@pytest.mark.slow
def test_who_waits_for_a_host_takes_over_from_a_killed_process_and_ends(tmp_path, scrapy):
    with many_hosts(hosts=1, pages=60, seconds=0.1) as site:
        site.seed(scrapy.store_url)
        processes = {name: start(scrapy, site, name) for name in ("one", "two")}
        wait_for(lambda: len(site.asked()) >= 10)
        (busy,) = {hit.agent for hit in site.hits}
        killed = processes.pop(busy)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        for process in processes.values():
            end(process)
        status = check_ledger(scrapy.store_url, {"ok": 60})
    again = site.asked().total() - 60
    assert 0 <= again <= 2  # as many as the killed process was asking for
    assert status.returned >= again
    assert {hit.agent for hit in site.hits} == {"one", "two"}
    assert site.overlaps() == []


def pause(store_url, site, seconds):
    store = open_store(store_url)
    with store.engine.begin() as connection:
        host = site.urls[0].split("/")[2]
        connection.execute(insert(schema.host_lease), {"host": host, "pause_until": int(time.time()) + seconds})
    store.close()


@pytest.mark.slow
def test_a_crawl_waits_for_a_host_that_asked_for_a_pause(scrapy):
    with many_hosts(hosts=1, pages=2) as site:
        site.seed(scrapy.store_url)
        pause(scrapy.store_url, site, 8)
        began = time.time()
        end(start(scrapy, site, "one"))
        assert time.time() - began >= 7
        check_ledger(scrapy.store_url, {"ok": 2})


def test_a_crawl_ends_where_the_pause_is_longer_than_it_may_wait(scrapy):
    with many_hosts(hosts=1, pages=2) as site:
        site.seed(scrapy.store_url)
        pause(scrapy.store_url, site, 3600)
        log = end(start(scrapy, site, "one"))
        assert len(re.findall(r"pages are left whose hosts are not to be asked before .* TIERS_WAIT_SECONDS", log)) == 1
        assert site.asked() == {}
        check_ledger(scrapy.store_url, {})


@pytest.mark.slow
def test_sigterm_ends_the_wait_for_a_host_at_once(scrapy):
    with many_hosts(hosts=1, pages=2) as site:
        site.seed(scrapy.store_url)
        pause(scrapy.store_url, site, 200)
        process = start(scrapy, site, "one")
        wait_for(lambda: site.hits)  # it has begun to look for sitemaps
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        end(process)
        assert time.monotonic() - began < 20
        check_ledger(scrapy.store_url, {})
