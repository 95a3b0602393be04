"""How robots.txt is got, kept and obeyed."""

import asyncio
import itertools
import threading
import time
import urllib.error
import urllib.request
from dataclasses import replace
from types import SimpleNamespace

import pytest
from odd_site import Handler, odd_site
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, IgnoreRequest
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from wikicrawl import settings as project
from wikicrawl.commands.explain import explain
from wikicrawl.items import Visit
from wikicrawl.store import open_store
from wikicrawl.store.robots import KeptRobots
from wikicrawl.tiers import robots
from wikicrawl.tiers.handler import Pace
from wikicrawl.tiers.robots import GAP_SECONDS, PATIENCE_SECONDS, RobotsMiddleware

DAY = 24 * 3600
RULES = "User-agent: *\nDisallow: /private/\n"
AT_ONCE = ("-s", "TIERS_BROWSER=0", "-s", "RETRY_TIMES=0")


class Site(Handler):
    """A site whose robots.txt is as the server's `robots` says: a status, or the name of a misdeed."""

    def get_robots_txt(self):
        told = self.server.robots
        if isinstance(told, int):
            return self.send(told, RULES if 200 <= told < 300 else "User-agent: *\nDisallow: /\n", "text/plain")
        if isinstance(told, str):
            return self.send(200, told, "text/plain")
        return told(self)

    def get_hop(self):
        left = int(self.path.rpartition("/")[2])
        self.send(302, "", Location=f"/hop/{left - 1}") if left else self.send(200, RULES, "text/plain")

    def get_private(self):
        self.get_article()


def hops(number):
    return lambda handler: handler.send(302, "", Location=f"/hop/{number - 1}")


def elsewhere(handler):
    handler.send(302, "", Location=f"http://localhost:{handler.server.server_port}/hop/0")


def hang_up(handler):
    handler.close_connection = True


def silent(handler):
    handler.server.ending.wait(10)
    handler.close_connection = True


@pytest.fixture
def site():
    with odd_site("/article/1", "/private/1") as site:
        site.RequestHandlerClass, site.robots, site.ending = Site, 200, threading.Event()
        yield site
        site.ending.set()


def asked(site, path="/robots.txt"):
    return [hit for hit, _ in site.hits].count(path)


# the middleware alone, with a clock of our own


class Clock:
    now = 1_800_000_000

    def time(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(robots, "time", clock)
    return clock


def download(request):
    try:
        with urllib.request.urlopen(request.url, timeout=5) as answer:
            return TextResponse(request.url, status=answer.status, body=answer.read())
    except urllib.error.HTTPError as error:
        return TextResponse(request.url, status=error.code, body=error.read())
    except OSError as error:
        raise DownloadFailedError(str(error)) from error


@pytest.fixture
def new_middleware(tmp_path):
    made = []

    def new_middleware(**settings):
        names = ("TIERS_ROBOTS_SECONDS", "TIERS_ROBOTS_RETRY_SECONDS", "TIERS_MAX_CRAWL_DELAY_SECONDS")
        defaults = {name: getattr(project, name) for name in (*names, "ROBOTSTXT_OBEY", "ROBOTSTXT_USER_AGENT")}
        store_url = f"sqlite:///{tmp_path}/store.db"
        crawler = get_crawler(settings_dict={**defaults, "STORE_URL": store_url, **settings})
        crawler.engine = SimpleNamespace(
            download_async=lambda request: asyncio.to_thread(download, request),
            downloader=SimpleNamespace(slots={}, per_slot_settings={}),
        )
        made.append(RobotsMiddleware.from_crawler(crawler))
        return made[-1]

    yield new_middleware
    for middleware in made:
        middleware.spider_closed()


async def is_allowed(middleware, url, **meta):
    try:
        return await middleware.process_request(Request(url, meta=meta)) is None
    except IgnoreRequest as refusal:
        return "robots.txt" not in str(refusal)


async def test_it_is_asked_for_once_a_day(site, clock, new_middleware):
    middleware = new_middleware()
    pages = [f"{site.url}{folder}/{number}" for folder in ("article", "private") for number in range(5)]
    answers = await asyncio.gather(*(is_allowed(middleware, page) for page in pages))
    assert answers == [True] * 5 + [False] * 5
    assert middleware._crawler.stats.get_value("tiers/robots_skipped") == 5
    clock.now += DAY - 1
    assert not await is_allowed(middleware, pages[-1])
    assert asked(site) == 1
    site.robots = 404
    clock.now += 1
    assert await is_allowed(middleware, pages[-1])
    assert asked(site) == 2


async def test_another_process_and_a_restart_find_it_in_the_store(site, clock, new_middleware):
    assert not await is_allowed(new_middleware(), f"{site.url}private/1")
    clock.now += DAY - 1
    assert not await is_allowed(new_middleware(), f"{site.url}private/1")
    assert asked(site) == 1


async def test_one_that_is_kept_for_longer_than_a_day_because_the_clock_was_set_back_is_asked_for(
    site, clock, new_middleware
):
    await is_allowed(new_middleware(), site.url)
    clock.now -= 10
    await is_allowed(new_middleware(), site.url)
    assert asked(site) == 2


async def test_http_and_https_and_every_port_have_their_own(site, clock, new_middleware):
    with odd_site() as other:
        other.RequestHandlerClass, other.robots = Site, 404
        middleware = new_middleware()
        assert not await is_allowed(middleware, f"{site.url}private/1")
        assert await is_allowed(middleware, f"{other.url}private/1")
        assert not await is_allowed(middleware, f"{site.url}private/1".replace("http:", "https:"))  # no answer by TLS
    kept = {url: middleware._store.robots.load(url[:-1]).access for url in (site.url, other.url)}
    assert kept == {site.url: "rules", other.url: "allow"}


async def test_one_that_cannot_be_got_is_asked_for_again_after_as_long_as_it_has_been_away(site, clock, new_middleware):
    site.robots = 503
    middleware = new_middleware()
    started = clock.now
    pauses = []
    while clock.now < started + 2 * DAY:
        visit = Visit(started_at=clock.now)
        assert not await is_allowed(middleware, site.url, visit=visit)
        pauses.append(visit.retry_at - clock.now)
        clock.now = visit.retry_at - 1
        assert not await is_allowed(middleware, site.url)
        clock.now += 1
    assert pauses[:4] == [300, 300, 600, 1200]
    assert max(pauses) <= DAY
    assert asked(site) == len(pauses)
    site.robots = 200
    clock.now += DAY
    assert await is_allowed(middleware, site.url)


async def test_one_that_cannot_be_got_for_thirty_days_counts_as_absent(site, clock, new_middleware):
    site.robots = 500
    middleware = new_middleware()
    started = clock.now
    while clock.now < started + PATIENCE_SECONDS:
        assert not await is_allowed(middleware, site.url)
        clock.now += DAY
    assert await is_allowed(middleware, site.url)
    clock.now += GAP_SECONDS + DAY  # nobody looked: it may have been there in between
    assert not await is_allowed(middleware, site.url)


async def test_a_request_for_robots_txt_itself_is_answered_with_the_one_kept(site, clock, new_middleware):
    middleware = new_middleware()
    for told, status, text in ((200, 200, RULES), (404, 404, ""), (503, 503, "")):
        site.robots = told
        response = await middleware.process_request(Request(f"{site.url}robots.txt", callback=NO_CALLBACK))
        assert (response.status, response.text) == (status, text.rstrip("\n") + "\n" * bool(text))
        clock.now += DAY
    assert asked(site) == 3


@pytest.mark.parametrize("url", ["data:text/html,x", "file:///etc/hostname"])
async def test_what_is_no_web_address_has_no_robots_txt(url, new_middleware):
    assert await is_allowed(new_middleware(), url)


async def test_a_request_may_ask_not_to_obey(site, new_middleware):
    assert await is_allowed(new_middleware(), f"{site.url}private/1", dont_obey_robotstxt=True)
    assert asked(site) == 0


@pytest.mark.parametrize(
    ("told", "access"),
    [(200, "rules"), (401, "allow"), (404, "allow"), (429, "wait"), (500, "wait"), (hang_up, "wait")],
    ids=["200", "401", "404", "429", "500", "hangs up"],
)
async def test_an_answer_is_kept_as_what_it_means(site, new_middleware, told, access):
    site.robots = told
    middleware = new_middleware()
    assert await is_allowed(middleware, f"{site.url}private/1") == (access == "allow")
    assert middleware._store.robots.load(site.url[:-1]).access == access
    assert middleware._crawler.stats.get_value(f"tiers/robots/{access}") == 1


@pytest.mark.parametrize(
    "error",
    [DownloadCancelledError("too large"), IgnoreRequest("Ignored response: exceeded DOWNLOAD_MAXSIZE")],
    ids=["as sent", "once decompressed"],
)
async def test_one_without_end_is_not_asked_for_by_every_page(site, new_middleware, error):
    asked = []

    async def fail(request):
        asked.append(request)
        raise error

    middleware = new_middleware()
    middleware._crawler.engine.download_async = fail
    assert not await is_allowed(middleware, site.url)
    assert not await is_allowed(middleware, site.url)
    assert len(asked) == 1


async def test_what_another_component_refuses_is_refused_for_the_page_and_not_kept(site, new_middleware):
    async def refuse(request):
        raise IgnoreRequest("the host rests")

    middleware = new_middleware()
    middleware._crawler.engine.download_async = refuse
    with pytest.raises(IgnoreRequest, match="the host rests"):
        await middleware.process_request(Request(site.url))
    assert middleware._store.robots.load(site.url[:-1]) is None


def test_the_delay_outlasts_the_slot_that_scrapy_drops_when_it_is_idle(new_middleware):
    middleware = new_middleware(TIERS_BROWSER_PAGES=2)
    middleware._keep_delay("h", 5)
    assert middleware._crawler.engine.downloader.per_slot_settings == {"h": {"delay": 5, "jitter": 0}}
    assert Pace(middleware._crawler, None)._told_delay(Request("http://h/")) == 5


@pytest.mark.parametrize(("own", "kept"), [(9, 9), (1, 5)])
def test_the_longer_of_the_delays_that_we_and_the_site_want_is_kept(new_middleware, own, kept):
    middleware = new_middleware()
    told = middleware._crawler.engine.downloader.per_slot_settings
    told["h"] = {"delay": own, "concurrency": 1}
    middleware._keep_delay("h", 5)
    assert told["h"] == {"delay": kept, "concurrency": 1, "jitter": 0}


@pytest.mark.parametrize(
    "name", ["TIERS_ROBOTS_SECONDS", "TIERS_ROBOTS_RETRY_SECONDS", "TIERS_MAX_CRAWL_DELAY_SECONDS"]
)
def test_a_senseless_setting_is_refused_by_name(name, new_middleware):
    with pytest.raises(ValueError, match=name):
        new_middleware(**{name: -1})


def test_what_is_kept_is_what_was_saved(store_url):
    store = open_store(store_url)
    kept = KeptRobots("rules", "status_200", "User-agent: *\n", 5, 10)
    for version in (kept, replace(kept, body="", access="allow", expires_at=20)):
        store.robots.save("http://h", version)
        assert store.robots.load("http://h") == version
    assert store.robots.load("https://h") is None
    store.close()


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (None, "robots.txt has not been asked for yet"),
        (("rules", "status_200", RULES + "Crawl-delay: 0.1"), "forbidden by the robots.txt of "),
        (("rules", "status_200", "User-agent: *\nCrawl-delay: 0.1"), ", 0.1 s between two requests"),
        (("allow", "status_404", ""), "allowed: there is no robots.txt (status_404)"),
        (("wait", "status_503", ""), "robots.txt cannot be got (status_503); it is asked for again "),
    ],
    ids=["never asked for", "forbidden", "delay", "none", "not now"],
)
def test_explain_says_what_it_means_for_a_page(tmp_path, kept, words):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    if kept:
        store.robots.save("http://h", KeptRobots(*kept, fetched_at=5, expires_at=10))
    settings = Settings()
    settings.setmodule(project)
    lines = dict(explain("http://h/private/1", store, settings))
    store.close()
    assert words in lines["robots"]


# whole crawls


def crawl(scrapy, site, *more):
    scrapy("crawl", "site", "-a", f"url={site.url}", *AT_ONCE, *more)
    store = open_store(scrapy.store_url)
    pages = {path: store.pages.find(site.url + path) for path in ("", "article/1", "private/1")}
    outcomes = {path: page.outcome for path, page in pages.items() if page is not None}
    kept = store.robots.load(site.url[:-1])
    store.close()
    return outcomes, kept


@pytest.mark.parametrize(
    ("told", "private", "reason"),
    [
        (403, "ok", "status_403"),
        (hops(5), "robots", "status_200"),
        (hops(6), "ok", "redirects"),
        (elsewhere, "robots", "status_200"),
    ],
    ids=["403", "five redirects", "six redirects", "to another host"],
)
def test_an_answer_is_obeyed_as_the_rfc_says(scrapy, site, told, private, reason):
    site.robots = told
    outcomes, kept = crawl(scrapy, site)
    assert outcomes == {"": "ok", "article/1": "ok", "private/1": private}
    assert kept.reason == reason


@pytest.mark.parametrize(
    ("told", "reason"),
    [(503, "status_503"), (hang_up, "network"), (silent, "timeout")],
    ids=["503", "hangs up", "silent"],
)
def test_while_it_cannot_be_got_nothing_else_is_asked_for(scrapy, site, told, reason):
    site.robots = told
    started = int(time.time())
    outcomes, kept = crawl(scrapy, site, "-s", "DOWNLOAD_TIMEOUT=1")
    assert outcomes == {"": "robots"}
    assert {path for path, _ in site.hits} == {"/robots.txt"}
    assert (kept.access, kept.reason) == ("wait", reason)
    store = open_store(scrapy.store_url)
    page = store.pages.find(site.url)
    (visit,) = store.pages.visits(page.id)
    store.close()
    assert (visit.reason, visit.error) == ("robots_unreachable", f"robots.txt cannot be got ({reason})")
    assert page.due == kept.expires_at
    assert 300 <= page.due - started < 320


def test_a_page_that_had_to_wait_for_it_is_visited_by_the_next_crawl(scrapy, site):
    site.robots = 503
    crawl(scrapy, site, "-s", "TIERS_ROBOTS_RETRY_SECONDS=1")
    site.robots = 200
    store = open_store(scrapy.store_url)
    while time.time() <= store.pages.find(site.url).due:
        time.sleep(0.05)
    store.close()
    outcomes, _ = crawl(scrapy, site)
    assert outcomes == {"": "ok", "article/1": "ok", "private/1": "robots"}


def test_a_page_of_a_host_that_does_not_answer_for_its_robots_ends_as_that_and_is_due_soon(scrapy, unused_tcp_port):
    url = f"http://127.0.0.1:{unused_tcp_port}/"
    scrapy("crawl", "site", "-a", f"url={url}", *AT_ONCE)
    store = open_store(scrapy.store_url)
    page = store.pages.find(url)
    (visit,) = store.pages.visits(page.id)
    store.close()
    assert (page.outcome, visit.reason) == ("refused", "robots_unreachable")
    assert visit.error == "robots.txt cannot be got (refused)"
    assert 0 < page.due - visit.finished_at <= 300


def test_spiders_and_sitemaps_share_one_request_for_it_over_two_crawls(scrapy, site):
    sitemap = "<urlset><url><loc>/article/hidden</loc></url></urlset>"
    site.robots = f"{RULES}Sitemap: {site.url}map.xml\n"
    mapped = {"get_map_xml": lambda handler: handler.send(200, sitemap, "text/xml")}
    site.RequestHandlerClass = type("Mapped", (Site,), mapped)
    again = ("-s", "SCHEDULE_NEW_SECONDS=1", "-s", "SCHEDULE_MIN_SECONDS=1")
    crawl(scrapy, site, *again)
    assert (asked(site), asked(site, "/map.xml"), asked(site, "/article/hidden")) == (1, 1, 1)
    crawl(scrapy, site, *again, "-s", "SCHEDULE_LISTS_SECONDS=0")
    assert (asked(site), asked(site, "/map.xml")) == (1, 2)


def test_with_robots_switched_off_nothing_is_asked_of_it_but_sitemaps(scrapy, site):
    site.robots = 503
    outcomes, kept = crawl(scrapy, site, "-s", "ROBOTSTXT_OBEY=0")
    assert outcomes == {"": "ok", "article/1": "ok", "private/1": "ok"}
    assert kept is None
    assert asked(site, "/sitemap.xml") == 1


@pytest.mark.parametrize(("cap", "gap"), [(30, 1), (0.5, 0.5)], ids=["as it asks", "capped"])
def test_the_delay_it_asks_for_is_kept_whatever_autothrottle_makes_of_fast_answers(scrapy, site, cap, gap):
    site.robots = "User-agent: *\nCrawl-delay: 1\n"
    times = []
    do_get = Site.do_GET

    def note(handler):
        times.append(time.monotonic())
        do_get(handler)

    site.RequestHandlerClass = type("Timed", (Site,), {"do_GET": note})
    limits = ("-s", "AUTOTHROTTLE_ENABLED=1", "-s", "AUTOTHROTTLE_START_DELAY=0", "-a", "sitemap=false")
    crawl(scrapy, site, *limits, "-s", f"TIERS_MAX_CRAWL_DELAY_SECONDS={cap}")
    gaps = [later - earlier for earlier, later in itertools.pairwise(times[1:])]  # the first is robots.txt
    assert len(gaps) == 2
    assert gap - 0.2 < min(gaps) < gap + 0.3  # AutoThrottle halves a delay with each answer


@pytest.mark.browser
def test_the_delay_holds_for_browser_pages_as_well(scrapy, site):
    site.robots = "User-agent: *\nCrawl-delay: 2\n"
    times = []
    do_get = Site.do_GET

    def note(handler):
        if "article" in handler.path or handler.path == "/":
            times.append(time.monotonic())
        do_get(handler)

    site.RequestHandlerClass = type("Timed", (Site,), {"do_GET": note})
    scrapy("crawl", "site", "-a", f"url={site.url}", "-a", "sitemap=false", "-a", "tier=browser", "-a", "max_pages=2")
    assert len(times) == 2
    assert times[1] - times[0] > 1.9
