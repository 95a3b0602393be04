"""A host that fails is left alone, tried again by one page, and no other host notices."""

import asyncio
import sqlite3
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest
from odd_site import Handler, odd_site, page
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.test import get_crawler

from wikicrawl import settings as project
from wikicrawl.items import LEFT_ALONE
from wikicrawl.store import open_store
from wikicrawl.tiers.breaker import BreakerMiddleware

SETTINGS = {name: value for name, value in vars(project).items() if name.startswith("TIERS_")}
HOST = "a.example"
BROKEN = {"tier": "http", "verdict": "failed", "reason": "status_5xx"}
GOOD = {"tier": "http", "verdict": "page", "reason": "content"}
SHELL = {"tier": "http", "verdict": "shell", "reason": "empty_mount"}
WALL = {"tier": "http", "verdict": "blocked", "reason": "cloudflare"}


class Breaker:
    """One process's breaker, which pages are sent through."""

    def __init__(self, folder, **settings):
        store = {"STORE_URL": f"sqlite:///{folder}/store.db"}
        self.crawler = get_crawler(settings_dict={**SETTINGS, "TIERS_BREAKER_FAILURES": 3, **store, **settings})
        self.middleware = BreakerMiddleware(self.crawler)

    def request(self, host=HOST, path="/", **meta):
        return Request(f"http://{host}{path}", callback=print, meta=meta)

    async def ask(self, *trail, host=HOST, path="/", status=200, error=None, **meta):
        """Send a page through; `trail` is what the tiers made of it."""
        request = self.request(host, path, **meta)
        await self.middleware.process_request(request)
        request.meta["tiers_trail"] = list(trail)
        if error:
            await self.middleware.process_exception(request, error)
        else:
            await self.middleware.process_response(request, Response(request.url, status=status))

    async def is_open(self, host=HOST):
        try:
            await self.middleware.process_request(request := self.request(host))
        except IgnoreRequest:
            return True
        if "tiers_probe" in request.meta:  # it was only to look
            await self.middleware.process_exception(request, IgnoreRequest("not asked"))
        return False

    def stat(self, name):
        return self.crawler.stats.get_value(f"tiers/breaker/{name}", 0)


@pytest.fixture
def start(tmp_path):
    started = []

    def start(**settings):
        started.append(Breaker(tmp_path, **settings))
        return started[-1]

    yield start
    for each in started:
        each.middleware.spider_closed()


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1_000_000.0

    monkeypatch.setattr("wikicrawl.tiers.breaker.time.time", lambda: Clock.now)
    return Clock


async def test_a_host_that_fails_page_after_page_is_left_alone(start, clock):
    breaker = start()
    for _ in range(2):
        await breaker.ask(BROKEN)
    assert not await breaker.is_open()
    await breaker.ask(BROKEN)
    assert await breaker.is_open()
    assert not await breaker.is_open("b.example")
    assert breaker.stat("opened/status_5xx") == 1


async def test_a_bad_page_among_good_ones_is_only_a_bad_page(start):
    breaker = start()
    for _ in range(5):
        for step in (BROKEN, BROKEN, GOOD):
            await breaker.ask(step)
    assert not await breaker.is_open()


@pytest.mark.parametrize(
    ("trail", "reason"),
    [
        ([WALL], "blocked"),
        ([{**WALL, "to": "browser"}, {**WALL, "tier": "browser"}], "blocked"),
        ([BROKEN], "status_5xx"),
        ([{"tier": "browser", "verdict": "failed", "reason": "status_5xx"}], "status_5xx"),
        ([{**WALL, "to": "browser"}, {**GOOD, "tier": "browser"}], ""),
        ([{**WALL, "to": "api"}, {"tier": "api", "verdict": "page", "reason": "parse"}], ""),
        ([{"tier": "http", "verdict": "missing", "reason": "status_404"}], ""),
        ([{"tier": "http", "verdict": "failed", "reason": "status_401"}], ""),
        ([{"tier": "http", "verdict": "failed", "reason": "empty_body"}], ""),
        ([{"tier": "http", "verdict": "throttled", "reason": "status_429"}], ""),
        ([{"tier": "api", "verdict": "failed", "reason": "internal_api_error_DBQueryError"}], ""),
    ],
    ids=lambda value: value if isinstance(value, str) else value[-1]["tier"] + "-" + value[-1]["reason"],
)
async def test_the_last_verdict_on_its_pages_decides_about_a_host(start, trail, reason):
    breaker = start()
    for _ in range(3):
        await breaker.ask(*trail)
    assert await breaker.is_open() == bool(reason)
    assert breaker.stat(f"opened/{reason}") == bool(reason)


@pytest.mark.parametrize(
    ("error", "trail", "reason"),
    [
        (DownloadTimeoutError(), [], "timeout"),
        (CannotResolveHostError(), [], "dns"),
        (DownloadConnectionRefusedError(), [], "refused"),
        (DownloadFailedError(), [], "network"),
        (ResponseDataLossError(), [], "network"),
        (DownloadCancelledError(), [], ""),
        (IgnoreRequest("Forbidden by robots.txt"), [], ""),
        (DownloadTimeoutError(), [SHELL, {"tier": "browser", "verdict": "error", "reason": "timeout"}], ""),
        (DownloadFailedError(), [WALL, {"tier": "browser", "verdict": "error", "reason": "network"}], "blocked"),
        (
            DownloadFailedError(),
            [
                {"tier": "http", "verdict": "error", "reason": "timeout"},
                {"tier": "browser", "verdict": "error", "reason": "network"},
            ],
            "timeout",
        ),
        (DownloadTimeoutError(), [{"tier": "browser", "verdict": "error", "reason": "timeout"}], ""),
        (CannotResolveHostError(), [{"tier": "browser", "verdict": "error", "reason": "refused"}], "dns"),
    ],
)
async def test_a_failure_to_get_pages_counts_where_it_is_the_hosts(start, error, trail, reason):
    breaker = start()
    in_browser = {"tiers_browser": True} if trail else {}
    for _ in range(3):
        await breaker.ask(*trail, error=error, **in_browser)
    assert await breaker.is_open() == bool(reason)
    assert breaker.stat(f"opened/{reason}") == bool(reason)


FORBIDDEN = {"tier": "http", "verdict": "blocked", "reason": "status_403"}


async def asked_until_open(breaker, paths):
    for count, path in enumerate(paths, 1):
        await breaker.ask(FORBIDDEN, path=path)
        if await breaker.is_open():
            return count
    return None


async def test_a_part_of_a_site_that_is_forbidden_to_guests_takes_three_times_as_many(start):
    members = [f"/member/{number}" for number in range(20)]
    assert await asked_until_open(start(), members) == 7  # the first counts whole, six others a third each


async def test_a_site_that_forbids_what_it_showed_before_has_banned_us(start):
    breaker = start()
    await breaker.ask(GOOD, path="/member/0")
    assert await asked_until_open(breaker, [f"/member/{number}" for number in range(1, 20)]) == 3


async def test_a_site_that_forbids_all_its_parts_has_banned_us(start):
    assert await asked_until_open(start(), ["/", "/news/today", "/about", "/team"]) == 3


async def test_one_page_tries_the_host_again_and_closes_the_breaker(start, clock):
    breaker = start(TIERS_BREAKER_SECONDS=60)
    for _ in range(3):
        await breaker.ask(BROKEN)
    clock.now += 59
    assert await breaker.is_open()
    clock.now += 2
    probe = breaker.request()
    await breaker.middleware.process_request(probe)
    assert await breaker.is_open()  # for all others
    await breaker.middleware.process_request(probe.copy())  # but not for a retry of it, nor for what it asks beside
    await breaker.middleware.process_request(Request(f"http://{HOST}/w/api.php", callback=NO_CALLBACK))
    probe.meta["tiers_trail"] = [GOOD]
    await breaker.middleware.process_response(probe, Response(probe.url))
    assert not await breaker.is_open()
    assert breaker.stat("closed") == 1


async def test_a_host_that_fails_again_is_left_alone_twice_as_long_up_to_a_limit(start, clock):
    breaker = start(TIERS_BREAKER_SECONDS=60, TIERS_BREAKER_MAX_SECONDS=200)
    for _ in range(3):
        await breaker.ask(BROKEN)
    for seconds in (60, 120, 200, 200):
        clock.now += seconds - 1
        assert await breaker.is_open()
        clock.now += 2
        await breaker.ask(BROKEN)  # one is enough
    clock.now += 201
    await breaker.ask(GOOD)
    for _ in range(3):
        await breaker.ask(BROKEN)
    clock.now += 61
    assert not await breaker.is_open()  # it begins anew


async def test_a_probe_that_says_nothing_of_the_host_leaves_it_to_the_next_page(start, clock):
    breaker = start()
    for _ in range(3):
        await breaker.ask(BROKEN)
    clock.now += 61
    await breaker.ask(error=IgnoreRequest("Forbidden by robots.txt"))
    await breaker.ask({"tier": "http", "verdict": "throttled", "reason": "status_429"})
    await breaker.ask(GOOD)
    assert not await breaker.is_open()


async def test_a_probe_that_is_led_to_another_host_was_answered(start, clock):
    breaker = start()
    for _ in range(3):
        await breaker.ask(BROKEN)
    clock.now += 61
    probe = breaker.request()
    await breaker.middleware.process_request(probe)
    await breaker.middleware.process_request(probe.replace(url="http://b.example/"))
    assert not await breaker.is_open()


async def test_another_process_and_the_next_run_know_of_it(start, clock):
    breaker = start()
    for _ in range(3):
        await breaker.ask(BROKEN)
    assert await start().is_open()
    clock.now += 61
    other = start()
    await other.ask(GOOD)
    assert not await start().is_open()


async def test_no_page_passes_while_the_first_looks_a_host_up(start, clock):
    breaker = start()
    for _ in range(3):
        await breaker.ask(BROKEN)
    other = start()
    assert await asyncio.gather(*(other.is_open() for _ in range(4))) == [True] * 4


async def test_a_host_that_works_is_looked_up_once(start, monkeypatch):
    breaker = start()
    loads = []
    load = breaker.middleware._store.breakers.load
    monkeypatch.setattr(breaker.middleware._store.breakers, "load", lambda host: loads.append(host) or load(host))
    monkeypatch.setattr(breaker.middleware._store.breakers, "save", lambda *_: pytest.fail("nothing has changed"))
    for _ in range(20):
        await breaker.ask(GOOD)
        await breaker.ask(BROKEN)
    assert loads == [HOST]


async def test_a_refused_page_is_postponed_until_the_host_is_tried_again(start, clock):
    breaker = start()
    for _ in range(3):
        await breaker.ask(BROKEN)
    with pytest.raises(IgnoreRequest, match=LEFT_ALONE) as refusal:
        await breaker.middleware.process_request(breaker.request())
    assert refusal.value.retry_at == clock.now + 60


@pytest.mark.parametrize("name", ["FAILURES", "SECONDS", "MAX_SECONDS"])
def test_senseless_settings_are_refused_by_name(tmp_path, name):
    with pytest.raises(ValueError, match=f"TIERS_BREAKER_{name} is 0"):
        Breaker(tmp_path, **{f"TIERS_BREAKER_{name}": 0})


MANY = """
import os
from dataclasses import replace
from wikicrawl.spiders.site import SiteSpider

class Many(SiteSpider):
    name = "many"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.scope = replace(self.scope, also=tuple(os.environ["HOSTS"].split()))
"""
HOSTS, PAGES = 10, 12


class Storm(Handler):
    """Articles come, but for those of a host in a storm."""

    def get_article(self):
        if self.server.is_broken:
            self.send(503, page("Service Unavailable"))
        else:
            self.send(200, page("Article " + self.path))


@pytest.fixture
def many(scrapy, tmp_path):
    """Crawl many sites at once, each at an address of its own; a page of the first links to all of them."""
    (tmp_path / "many.py").write_text(MANY)
    scrapy.environment["PYTHONPATH"] = str(tmp_path)
    articles = [f"/article/{number}" for number in range(PAGES)]
    with ExitStack() as stack:
        sites = [
            stack.enter_context(odd_site(*articles, address=f"127.0.0.{number}")) for number in range(2, 2 + HOSTS)
        ]
        for site in sites:
            site.RequestHandlerClass, site.is_broken = Storm, False
        sites[0].links = [*articles, *(site.url for site in sites[1:])]

        def crawl(*more):
            scrapy.environment["HOSTS"] = " ".join(site.url.split("/")[2] for site in sites)
            options = (
                "-a",
                "sitemap=false",
                "-a",
                "max_pages=500",
                "-s",
                "SPIDER_MODULES=many",
                "-s",
                "TIERS_BROWSER=0",
            )
            return scrapy("crawl", "many", "-a", f"url={sites[0].url}", *options, *more)

        crawl.sites, crawl.scrapy = sites, scrapy
        yield crawl


def outcomes(store, site):
    found = [store.pages.find(f"{site.url}article/{number}") for number in range(PAGES)]
    return [each.outcome for each in found if each is not None]


def hits(site):
    return sum(path.startswith("/article") for path, _ in site.hits)


@pytest.mark.slow
def test_a_storm_on_one_of_many_hosts_opens_its_breaker_and_the_others_go_on(many):
    stormy, others = many.sites[3], [site for site in many.sites if site is not many.sites[3]]
    stormy.is_broken = True
    options = ("-s", "TIERS_BREAKER_FAILURES=4", "-s", "TIERS_BREAKER_SECONDS=600", "-s", "RETRY_TIMES=1")
    done = many(*options)
    asked = hits(stormy)
    assert asked <= 4 * 2 + 4  # four pages, each tried twice, and what was under way by then
    assert f"{stormy.url.split('/')[2]} is left alone for 600 s: status_5xx, " in done.stderr
    store = open_store(many.scrapy.store_url)
    assert all(outcomes(store, site) == ["ok"] * PAGES for site in others)
    broken = outcomes(store, stormy)
    assert "breaker" in broken
    assert set(broken) <= {"http_error", "breaker", ""}  # the last are those that were not claimed any more
    spared = broken.count("breaker") + broken.count("")
    (status,) = store.pages.status(now=int(time.time()))
    assert status.admitted == HOSTS * (PAGES + 1) - spared
    assert [(rest.state, rest.reason) for rest in store.breakers.resting(now=0)] == [("open", "status_5xx")]
    explained = many.scrapy("explain", f"{stormy.url}article/1").stdout
    assert "fails and is left alone until" in explained
    assert "fails and is left alone until" in many.scrapy("status").stdout

    stormy.is_broken = False
    many(*options)  # too early
    assert hits(stormy) == asked
    store.breakers.save(stormy.url.split("/")[2], replace(store.breakers.load(stormy.url.split("/")[2]), until=1))
    many(*options)
    assert outcomes(store, stormy).count("ok") == spared
    assert store.breakers.resting(now=0) == []
    store.close()
    with sqlite3.connect(many.scrapy.store_url.removeprefix("sqlite:///")) as connection:
        assert connection.execute("select count(*) from page where outcome = 'breaker'").fetchone() == (0,)
    connection.close()
