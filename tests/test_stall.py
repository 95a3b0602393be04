"""A crawl that stands still says why, is helped where it can be, and ends where it cannot."""

import threading
import time

import pytest
from browser_site import BrowserSite
from forward_proxy import forward_proxy
from odd_site import Handler, odd_site, page
from scrapy import Request
from scrapy.utils.test import get_crawler

from wikicrawl.items import STALLED
from wikicrawl.stall import CAUSES, Sight, _has_route, name_cause
from wikicrawl.store import open_store
from wikicrawl.tiers.guise import GuiseMiddleware

A, B = "a.example", "b.example"


@pytest.mark.parametrize(
    ("sight", "cause"),
    [
        (Sight(store_seconds=200, asked=frozenset({A})), "database"),
        (Sight(asked=frozenset({A}), paused=frozenset({A, B})), "paused"),
        (Sight(asked=frozenset({A, B}), paused=frozenset({A})), "network"),
        (Sight(asked=frozenset({A}), in_browser=1), "browser"),
        (Sight(items=3), "extraction"),
        (Sight(asked=frozenset({A}), has_route=False), "network"),
        (Sight(asked=frozenset({A})), "host"),
        (Sight(asked=frozenset({A}), ended={A: "timeout"}), "host"),
        (Sight(asked=frozenset({A}), ended={A: "timeout", B: "dns"}), "network"),
        (Sight(asked=frozenset({A}), ended={A: "blocked"}), "blocked"),
        (Sight(asked=frozenset({A, B}), ended={A: "timeout", B: "throttled"}), "blocked"),
    ],
)
def test_the_signs_name_the_cause(sight, cause):
    assert name_cause(sight, stall_seconds=300) == cause
    assert cause in CAUSES or cause == "paused"


async def test_a_host_has_a_route_or_has_none():
    assert await _has_route("127.0.0.1:8000")
    assert await _has_route("[::1]")
    assert not await _has_route("no-such-host.invalid")


class Silent(Handler):
    """Answers home, and articles never."""

    def get_article(self):
        self.server.ending.wait(30)
        self.close_connection = True


@pytest.fixture
def crawl(scrapy):
    def crawl(site, *more, spider="site"):
        options = ("-a", f"url={site.url}", "-a", "sitemap=false", "-a", "source=stalled")
        return scrapy("crawl", spider, *options, "-s", "DOWNLOAD_TIMEOUT=1000", *more, timeout=60)

    def job():
        store = open_store(scrapy.store_url)
        try:
            return store.jobs.latest("stalled"), store.pages.status(now=int(time.time()))[0]
        finally:
            store.close()

    crawl.job, crawl.scrapy = job, scrapy
    return crawl


def watched(seconds, rounds):
    return ("-s", f"STALL_SECONDS={seconds}", "-s", f"STALL_ROUNDS={rounds}", "-s", "TIERS_BREAKER_FAILURES=100")


@pytest.mark.slow
def test_a_host_that_never_answers_ends_the_crawl_with_its_cause(crawl):
    with odd_site("/article/1", "/article/2") as site:
        site.RequestHandlerClass, site.ending = Silent, threading.Event()
        done = crawl(site, *watched(3, 1), "-s", "TIERS_BROWSER=0")
        site.ending.set()
    job, status = crawl.job()
    assert job.reason == "stalled_host"
    assert job.stats["stall/host"] == 2
    assert "No page for 3 s, round 1 of 1: host, that is, the one host that is asked does not answer" in done.stderr
    assert status.leased == 0


@pytest.mark.slow
def test_what_was_given_up_is_tried_again_and_the_crawl_goes_on(crawl):
    class FirstSilent(Handler):
        def get_article(self):
            if sum(path == self.path for path, _ in self.server.hits) == 1:
                self.server.ending.wait(30)
                self.close_connection = True
            else:
                self.send(200, page("Article " + self.path))

    with odd_site("/article/1", "/article/2") as site:
        site.RequestHandlerClass, site.ending = FirstSilent, threading.Event()
        crawl(site, *watched(3, 3), "-s", "TIERS_BROWSER=0")
        site.ending.set()
    job, status = crawl.job()
    assert job.reason == "finished"
    assert job.stats["stall/host"] >= 1
    assert status.outcomes == {"ok": 3}


BLOCKED_STORE = """
import time
from wikicrawl.spiders.site import SiteSpider

class Blocked(SiteSpider):
    name = "blocked"

    async def prepare(self):
        await super().prepare()
        self.store._writer.submit(time.sleep, 6)
"""


@pytest.mark.slow
def test_a_store_that_does_not_answer_is_named_and_the_crawl_ends(crawl, tmp_path):
    (tmp_path / "blocked_store.py").write_text(BLOCKED_STORE)
    crawl.scrapy.environment["PYTHONPATH"] = str(tmp_path)
    with odd_site("/article/1") as site:
        done = crawl(site, *watched(1, 1), "-s", "SPIDER_MODULES=blocked_store", spider="blocked")
    job, status = crawl.job()
    assert job.reason == "stalled_database"
    assert "database, that is, calls of the store do not return" in done.stderr
    assert status.leased == 0


@pytest.mark.slow
def test_a_pause_is_no_stall(crawl):
    class Paused(Handler):
        def get_article(self):
            if sum(path == self.path for path, _ in self.server.hits) == 1:
                self.send(429, "", Retry_After=7)
            else:
                self.send(200, page("Article " + self.path))

    with odd_site("/article/1") as site:
        site.RequestHandlerClass = Paused
        done = crawl(site, *watched(2, 9), "-s", "TIERS_BROWSER=0")
    job, status = crawl.job()
    assert (job.reason, status.outcomes) == ("finished", {"ok": 2})
    assert "waiting for the end of pauses" in done.stderr
    assert not {"stall/host", "stall/network", "stall/blocked"} & set(job.stats)


class Picky(Handler):
    """Refuses our name."""

    def get_article(self):
        if "wikicrawl" in self.headers["User-Agent"]:
            self.send(403, page("Forbidden"))
        else:
            self.send(200, page("Article " + self.path))


@pytest.mark.slow
def test_a_crawl_that_is_refused_goes_on_under_the_next_name(crawl):
    links = [f"/article/{number}" for number in range(16)]
    with odd_site(*links) as site:
        site.RequestHandlerClass = Picky
        slowly = ("-s", "DOWNLOAD_DELAY=0.3", "-s", "CONCURRENT_REQUESTS=2", "-s", "TIERS_BROWSER=0")
        crawl(site, *watched(1.5, 3), *slowly, "-s", "STALL_USER_AGENTS=Plain/1.0,Other/1.0")
        agents = {agent for _, agent in site.hits}
    job, status = crawl.job()
    assert job.reason == "finished"
    assert job.stats["stall/blocked"] == job.stats["tiers/guises"] >= 1
    assert status.outcomes["ok"] > 3
    assert status.outcomes["blocked"] > 2
    assert "Plain/1.0" in agents


class Closed(Handler):
    """Refuses whoever does not come through the proxy."""

    def get_article(self):
        self.send(200 if self.headers["Via"] else 403, page("Article " + self.path))


@pytest.mark.slow
def test_a_crawl_that_is_refused_goes_on_through_the_next_proxy(crawl):
    with odd_site(*(f"/article/{number}" for number in range(16))) as site, forward_proxy("user", "word") as proxy:
        site.RequestHandlerClass = Closed
        slowly = ("-s", "DOWNLOAD_DELAY=0.3", "-s", "CONCURRENT_REQUESTS=2", "-s", "TIERS_BROWSER=0")
        crawl(site, *watched(1.5, 3), *slowly, "-s", f"STALL_PROXIES={proxy.url}")
    job, status = crawl.job()
    assert job.reason == "finished"
    assert job.stats["tiers/guises"] >= 1
    assert status.outcomes["blocked"] > 2
    assert status.outcomes["ok"] > 3
    assert all(url.startswith(site.url) for url in proxy.asked)


@pytest.mark.browser
def test_a_browser_that_hangs_is_replaced_and_the_crawl_goes_on(crawl):
    site = BrowserSite()
    try:
        slow = ("-s", "TIERS_BROWSER_TIMEOUT_MS=40000", "-a", "tier=browser", "-a", "max_depth=0")
        site.url += "/loop-at-once"
        crawl(site, *watched(4, 5), *slow)
    finally:
        site.close()
    job, status = crawl.job()
    assert job.reason == "finished"
    assert job.stats["stall/browser"] >= 1
    assert job.stats["tiers/browser/killed"] >= 1
    assert status.leased == 0


@pytest.fixture
def guise():
    return GuiseMiddleware.from_crawler(
        get_crawler(settings_dict={"STALL_USER_AGENTS": ["One", "Two"], "STALL_PROXIES": ["http://u:p@127.0.0.1:3128"]})
    )


def test_nothing_is_changed_before_a_stall_and_never_for_wikimedia(guise):
    def asked(url):
        request = Request(url)
        guise.process_request(request)
        return request.headers.get("User-Agent"), request.meta.get("proxy")

    proxy = "http://u:p@127.0.0.1:3128"
    assert asked("https://a.example/") == (None, None)
    guise.stalled("database")
    assert asked("https://a.example/") == (None, None)
    guise._crawler.signals.send_catch_log(STALLED, cause="blocked")
    assert asked("https://a.example/") == (b"One", proxy)
    assert asked("https://de.wikipedia.org/wiki/A") == (None, proxy)
    guise.stalled("network")
    guise.stalled("host")
    assert asked("https://a.example/") == (b"One", proxy)


def test_a_proxy_that_is_none_is_refused_by_name():
    with pytest.raises(ValueError, match="STALL_PROXIES has 'localhost:3128'"):
        GuiseMiddleware(get_crawler(settings_dict={"STALL_PROXIES": ["localhost:3128"]}))
