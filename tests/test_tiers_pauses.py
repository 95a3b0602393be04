"""A host that asks for a pause gets it from every tier and process, and its pages come back when it is over."""

import asyncio
import signal
import time
from datetime import timedelta
from email.utils import formatdate

import pytest
from odd_site import odd_site, page
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from wikicrawl import settings as project
from wikicrawl.store import open_store
from wikicrawl.tiers.pauses import Pauses

SETTINGS = {name: value for name, value in vars(project).items() if name.startswith("TIERS_")}
HOST = "a.example"
DAY = 24 * 3600


@pytest.fixture
def pauses(tmp_path):
    """Makes the pauses of another process on the same store."""
    made = []

    def make(**settings):
        store = {"STORE_URL": f"sqlite:///{tmp_path}/store.db"}
        made.append(Pauses(get_crawler(settings_dict={**SETTINGS, **store, **settings})))
        return made[-1]

    yield make
    for each in made:
        each.close()


def answer(status, **headers):
    return Response(
        f"http://{HOST}/", status=status, headers={name.replace("_", "-"): headers[name] for name in headers}
    )


@pytest.mark.parametrize(
    ("status", "header", "seconds"),
    [
        (429, "20", 20),
        (503, "20", 20),
        (429, "1.5", 1.5),
        (429, timedelta(hours=12), DAY / 2),
        (503, timedelta(days=-1), 0),
        (429, timedelta(days=-1), 5),
        (429, "315360000", DAY),
        (429, "9" * 400, DAY),
        (429, "-1", 5),
        (429, "later", 5),
        (503, "later", 0),
        (429, "", 5),
        (503, "", 0),
        (200, "20", 0),
    ],
)
async def test_retry_after_is_obeyed_and_capped(pauses, status, header, seconds):
    told = pauses()
    if isinstance(header, timedelta):  # a date, so far from now
        header = formatdate(time.time() + header.total_seconds(), usegmt=True)
    asked = await told.note(answer(status, Retry_After=header), HOST)
    assert asked == pytest.approx(seconds, abs=2 if seconds == DAY / 2 else 0.5)  # dates have whole seconds
    assert told.seconds(HOST) == pytest.approx(asked, abs=0.5)


async def test_another_process_obeys_what_one_was_told(pauses):
    await pauses().note(answer(429, Retry_After="60"), HOST)
    other = pauses()
    await other.load(HOST)
    await other.load("b.example")
    assert 50 < other.seconds(HOST) <= 61
    assert other.seconds("b.example") == 0


async def test_no_request_passes_while_the_first_looks_a_host_up(pauses):
    await pauses().note(answer(429, Retry_After="60"), HOST)
    other = pauses()

    async def pause_seen():
        await other.load(HOST)
        return other.seconds(HOST) > 50

    assert await asyncio.gather(*(pause_seen() for _ in range(4))) == [True] * 4


async def test_the_longest_pause_holds(pauses):
    told = pauses()
    for seconds in ("60", "5", "20"):
        await told.note(answer(429, Retry_After=seconds), HOST)
    assert 50 < told.seconds(HOST) <= 60


def test_senseless_pauses_are_refused_by_name(pauses):
    with pytest.raises(ValueError, match="TIERS_MAX_PAUSE_SECONDS is 0"):
        pauses(TIERS_MAX_PAUSE_SECONDS=0)


def once(answer_first):
    """A method that answers the first request in one way, and later ones with a page."""
    asked = []

    def get(self):
        asked.append(self.path)
        if len(asked) == 1:
            answer_first(self)
        else:
            self.send(200, page("Article " + self.path))

    return get


def handler(site, **methods):
    site.RequestHandlerClass = type("Throttling", (site.RequestHandlerClass,), methods)


def crawl(scrapy, site, *more):
    return scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", *more)


def test_a_short_pause_is_waited_for_by_every_request_to_the_host(scrapy):
    with odd_site(*(f"/article/{number}" for number in range(6))) as site:
        handler(site, get_article=once(lambda self: self.send(429, "", Retry_After=2)))
        done = crawl(scrapy, site, "-a", "sitemap=false", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
        waits = after(site, "/article")
    assert len(waits) == 6
    assert min(waits) > 1.9
    assert "is left alone for 2.0 s: status_429" in done.stderr
    with_store(scrapy, lambda store: {each.outcome for each in store.pages.each()} == {"ok"})


def after(site, path):
    """How long after the first request for a path the later ones came, for whatever they were."""
    told_at = next(at for (asked, _), at in zip(site.hits, site.times, strict=True) if asked.startswith(path))
    return [at - told_at for at in site.times if at > told_at]


def with_store(scrapy, check):
    store = open_store(scrapy.store_url)
    try:
        assert check(store)
    finally:
        store.close()


def test_a_long_pause_ends_the_hosts_visits_at_once_and_they_are_due_when_it_is_over(scrapy):
    links = [f"/article/{number}" for number in range(5)]
    with odd_site(*links) as site:
        handler(site, get_article=lambda self: self.send(429, "", Retry_After=3000))
        options = ("-a", "sitemap=false", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "TIERS_MAX_PAUSE_SECONDS=900")
        started = time.time()
        crawl(scrapy, site, *options)
        asked = [path for path, _ in site.hits if path.startswith("/article")]
        crawl(scrapy, site, *options)
        asked_again = [path for path, _ in site.hits if path.startswith("/article")]
        store = open_store(scrapy.store_url)
        pages = [store.pages.find(site.url + link[1:]) for link in links]
        resting = store.breakers.resting(now=int(started))
        visited = [each for each in pages if each.visited_at]
        visits = [len(store.pages.visits(each.id)) for each in pages]
        tried = store.pages.visits(visited[0].id)[0]
        store.close()
    assert asked_again == asked == [asked[0]]  # not even once more to be sure
    assert {each.outcome for each in pages} == {"throttled"}
    assert visits == [1] * 5
    assert all(890 < each.due - started < 930 for each in pages)
    assert [each.interval for each in pages] == [None] * 5
    assert [(rest.state, rest.reason) for rest in resting] == [("paused", "status_429")]
    assert [each.url for each in visited] == [site.url + asked[0][1:]]  # the others were not asked for
    assert (tried.http_status, tried.verdict, tried.reason) == (429, "throttled", "status_429")


@pytest.mark.parametrize("name", ["get_robots_txt", "get_sitemap_xml"])
def test_a_pause_told_to_robots_or_sitemap_requests_holds_for_pages(scrapy, name):
    with odd_site("/article/1") as site:
        first = once(lambda self: self.send(503, "", Retry_After=1.5))
        handler(site, **{name: first})
        crawl(scrapy, site, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
        waits = after(site, "/" + name.removeprefix("get_").replace("_", "."))
    assert len(waits) >= 2
    assert min(waits) > 1.4


def test_a_crawl_that_is_stopped_does_not_wait_for_a_pause_and_gives_its_pages_back(scrapy):
    with odd_site("/article/1", "/article/2") as site:
        handler(site, get_article=lambda self: self.send(429, "", Retry_After=25))
        process = scrapy.start(
            "crawl", "site", "-a", f"url={site.url}", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0", stderr=True
        )
        while b"is left alone for" not in (line := process.stderr.readline()):
            assert line, "the crawl ended"
        told_at = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        process.stderr.close()
        assert process.wait(20) == 0
    assert time.monotonic() - told_at < 15
    with_store(scrapy, lambda store: store.pages.status(now=0)[0].leased == 0)


def test_a_page_that_redirects_to_a_paused_host_has_been_asked_for(scrapy):
    with odd_site(address="127.0.0.2") as paused, odd_site("/away") as site:
        handler(site, get_home=lambda self: self.send(302, "", Location=paused.url))
        store = open_store(scrapy.store_url)
        until = int(time.time()) + 1000
        store.hosts.pause(paused.url.split("/")[2], until, "status_429")
        crawl(scrapy, site, "-a", "sitemap=false")
        start = store.pages.find(site.url)
        store.close()
        assert paused.hits == []
    assert (start.outcome, start.due) == ("throttled", pytest.approx(until, abs=5))
    assert start.visited_at is not None
