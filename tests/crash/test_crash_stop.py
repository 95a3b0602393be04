"""A crawl that is told to stop ends in seconds, with nothing claimed; one that was too late is refused."""

import signal
import threading
import time

import pytest
from browser_site import descendants, is_running
from crash_checks import nothing_is_lost_or_twice
from crash_crawl import Crawl, crawl_arguments, crawling
from crash_site import crash_site
from odd_site import Handler, odd_site
from sqlalchemy import create_engine

from wikicrawl.store import open_store
from wikicrawl.store.engine import parse_url

MOST_SECONDS = 10


@pytest.fixture
def silent():
    """A site that does not answer for all of a test."""
    is_over = threading.Event()
    with crash_site(20) as site:
        site.hold = is_over
        yield site
        is_over.set()


def claimed_pages(store_url):
    store = open_store(store_url)
    try:
        return [page.url for page in store.pages.unfinished() if page.lease_owner]
    finally:
        store.close()


def stop(crawl, *, times=1):
    """The seconds that it takes."""
    began = time.monotonic()
    processes = [crawl.process.pid, *descendants(crawl.process.pid)]
    for _ in range(times):
        crawl.process.send_signal(signal.SIGTERM)
        if times > 1:
            crawl.wait_for("Received SIGTERM")
    crawl.end(3 * MOST_SECONDS)
    seconds = time.monotonic() - began
    assert [pid for pid in processes if is_running(pid)] == []
    return seconds


def test_a_site_that_does_not_answer_is_not_waited_for(scrapy, silent):
    with crawling(scrapy, silent, "-s", "DOWNLOAD_TIMEOUT=60") as crawl:
        with silent.changed:
            silent.changed.wait_for(lambda: silent.hits[silent.start])
        assert claimed_pages(scrapy.store_url) == [silent.start]
        assert stop(crawl) < MOST_SECONDS
    assert "Spider closed (shutdown)" in crawl.log
    assert "Traceback" not in crawl.log
    assert claimed_pages(scrapy.store_url) == []
    silent.hold.set()
    scrapy(*crawl_arguments(silent))
    nothing_is_lost_or_twice(scrapy.store_url, silent)


def test_pages_that_wait_for_their_turn_are_given_back(scrapy):
    with crash_site(60) as site:
        with crawling(scrapy, site, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1") as crawl:
            site.wait_for_hits(1)
            site.hold = threading.Event()
            site.wait_for_hits(3)
            assert len(claimed_pages(scrapy.store_url)) > 4
            assert stop(crawl) < MOST_SECONDS
            site.hold.set()
        assert claimed_pages(scrapy.store_url) == []
        scrapy(*crawl_arguments(site))
        nothing_is_lost_or_twice(scrapy.store_url, site)


def test_a_second_signal_leaves_no_page_claimed_either(scrapy, silent):
    with crawling(scrapy, silent) as crawl:
        with silent.changed:
            silent.changed.wait_for(lambda: silent.hits[silent.start])
        assert stop(crawl, times=2) < MOST_SECONDS
    assert "Spider closed" not in crawl.log
    assert claimed_pages(scrapy.store_url) == []


def test_a_sitemap_that_does_not_come_is_asked_for_again_by_the_next_crawl(scrapy):
    is_asked, is_over = threading.Event(), threading.Event()

    def never(self):
        is_asked.set()
        is_over.wait()

    sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{}article/1</loc></url></urlset>"
    with odd_site() as site:
        site.RequestHandlerClass = type("Silent", (Handler,), {"get_sitemap_xml": never})
        arguments = ("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0")
        crawl = Crawl(scrapy, arguments)
        assert is_asked.wait(30)
        assert stop(crawl) < MOST_SECONDS
        crawl.process.stderr.close()
        assert "Traceback" not in crawl.log
        assert claimed_pages(scrapy.store_url) == []
        is_over.set()
        answer = {"get_sitemap_xml": lambda self: self.send(200, sitemap.format(site.url), "application/xml")}
        site.RequestHandlerClass = type("Answering", (Handler,), answer)
        scrapy(*arguments)
        store = open_store(scrapy.store_url)
        assert store.pages.find(f"{site.url}article/1").outcome == "ok"
        store.close()


@pytest.mark.browser
def test_a_page_that_the_browser_is_loading_is_not_waited_for(scrapy, silent):
    arguments = ("crawl", "site", "-a", f"url={silent.start}", "-a", "sitemap=false", "-a", "tier=browser")
    crawl = Crawl(scrapy, (*arguments, "-s", "TIERS_BROWSER_TIMEOUT_MS=60000"))
    with silent.changed:
        assert silent.changed.wait_for(lambda: silent.hits[silent.start], 30)
    assert stop(crawl) < MOST_SECONDS
    crawl.process.stderr.close()
    assert "Traceback" not in crawl.log
    assert claimed_pages(scrapy.store_url) == []


def expire_leases(store_url):
    """As if their time had passed."""
    engine = create_engine(parse_url(store_url))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE page SET lease_until = 1 WHERE lease_until IS NOT NULL")
        connection.exec_driver_sql("UPDATE host_lease SET until = 1")
    engine.dispose()


def test_the_result_of_a_process_that_lost_its_lease_is_refused(scrapy):
    with crash_site(2) as site:
        site.hold = threading.Event()
        with crawling(scrapy, site) as late:
            with site.changed:
                assert site.changed.wait_for(lambda: site.hits[site.start], 30)
            late.process.send_signal(signal.SIGSTOP)  # as a machine that sleeps
            expire_leases(scrapy.store_url)
            is_free, site.hold = site.hold, None
            scrapy(*crawl_arguments(site))
            is_free.set()
            late.process.send_signal(signal.SIGCONT)
            assert late.end() == 0
        assert "'store/late': 1" in late.log
        assert site.hits[site.start] == 2
        nothing_is_lost_or_twice(scrapy.store_url, site)
