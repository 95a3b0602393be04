"""The API tier on a real MediaWiki: how a wiki is found, what each error leads to, and how politely it is asked."""

import re
import signal
import time

import pytest
from wiki_crawl import WikiCrawl

from wikicrawl.items import OUTCOMES
from wikicrawl.store import open_store

pytestmark = pytest.mark.mediawiki

API = r"/w/api\.php"
PARSE = r"action=parse"
CLOUDFLARE = b"<!DOCTYPE html><title>Just a moment...</title><body><div id='cf-wrapper'>Checking your browser</div>"


@pytest.fixture
def crawl(scrapy, tmp_path, wiki_site):
    """A crawl of two pages of the shared wiki, whose switches are off before and after."""
    wiki_site.reset()
    yield WikiCrawl(scrapy, tmp_path, wiki_site)
    wiki_site.reset()


def get_hogger(crawl, *arguments, **settings):
    """Know the wiki first, then see what becomes of one page while a switch is on."""
    return crawl("prefix=Hogger", "max_pages=1", *arguments, **settings)


def fail_with(crawl, **settings):
    """The item of the page Hogger, whose wiki was known before it went wrong."""
    return crawl("max_depth=0", spider="site", url=crawl.wiki.page_url("Hogger"), **settings)


def known(crawl):
    """Have the wiki in the store."""
    crawl("prefix=Westfall")
    crawl.wiki.forget_requests()


def row_of(crawled, title="Hogger"):
    return next(row for url, row in crawled.rows.items() if url.endswith(f"/{title}"))


# how a wiki is found


def test_a_site_crawl_finds_the_wiki_by_its_first_page_and_goes_on_by_the_api(crawl):
    start = crawl.wiki.page_url("Many links")
    crawled = crawl("max_pages=30", "max_depth=2", "sitemap=0", spider="site", url=start)
    tiers = {url: row["tier"] for url, row in crawled.rows.items()}
    assert tiers.pop(start) == "http"
    assert set(tiers.values()) == {"api"}
    assert len(tiers) == 29
    assert crawled.as_html() == ["wiki/Many_links"]


def test_a_site_crawl_follows_only_existing_pages_of_the_content(crawl):
    start = crawl.wiki.page_url("Many links")
    crawled = crawl("max_pages=500", "max_depth=5", "sitemap=0", spider="site", url=start)
    titles = crawl.wiki.titles()
    assert crawled.titles() <= set(titles)
    assert len(crawled.titles()) > 70
    assert {row["verdict"] for row in crawled.rows.values()} == {"page"}
    asked = [request.url for request in crawled.requests]
    assert not [url for url in asked if re.search(r"Special:|action=edit|oldid=|Talk:|User:|Template:|File:", url)]


def test_a_wiki_is_read_as_a_website_where_sources_yml_says_so(crawl, tmp_path):
    sources = tmp_path / "sources.yml"
    sources.write_text("mediawiki: {127.0.0.1: off}", encoding="utf-8")
    crawled = crawl("max_depth=0", spider="site", SOURCES_FILE=sources)
    assert [row["tier"] for row in crawled.rows.values()] == ["http"]
    assert crawled.by_api() == []


@pytest.mark.parametrize("key", ["mediawiki", "mediawiki_sites"])
def test_an_api_named_in_sources_yml_is_used_from_the_first_page_on(crawl, tmp_path, key):
    sources = tmp_path / "sources.yml"
    sources.write_text(
        f"{key}: {{127.0.0.1: '{crawl.wiki.api}'}}\nsource_tiers: {{primary: {{domains: [127.0.0.1], weight: 0.8}}}}",
        encoding="utf-8",
    )
    crawled = crawl("max_depth=0", "sitemap=0", spider="site", SOURCES_FILE=sources)
    (row,) = crawled.rows.values()
    assert (row["tier"], row["weight"], row["source_tier"]) == ("api", 0.8, "primary")
    assert crawled.as_html() == []


def test_the_api_is_asked_before_a_browser_where_a_wiki_blocks_its_html(crawl):
    crawl.wiki.fault("/wiki/", status=403, body=CLOUDFLARE)
    crawled = fail_with(crawl)
    (row,) = crawled.rows.values()
    assert (row["tier"], row["verdict"]) == ("api", "page")
    assert "Hogger" in row["markdown"]
    assert re.search(r"tier_fallback \S+ from http to api: ", crawled.printed)
    # Looked for at the root of the server first, where Fandom and wiki.gg have it.
    assert [request.url.split("?")[0] for request in crawled.requests if "api.php" in request.url][:2] == [
        crawl.wiki.url("/api.php"),
        crawl.wiki.api,
    ]


def test_the_api_is_looked_for_where_it_is_asked_for(crawl):
    crawled = crawl("max_depth=0", "tier=api", "sitemap=0", spider="site")
    assert [row["tier"] for row in crawled.rows.values()] == ["api"]
    assert crawled.as_html() == []


# the transport


@pytest.mark.parametrize(("transport", "tier"), [("auto", "api"), ("api", "api"), ("html", "http")])
def test_the_transport_is_one_setting(crawl, transport, tier):
    crawled = get_hogger(crawl, WIKI_TRANSPORT=transport)
    assert {row["tier"] for row in crawled.rows.values()} == {tier}
    assert {row["extractor"] for row in crawled.rows.values()} == {"wiki"}


def test_an_unknown_transport_is_refused_at_start(scrapy):
    done = scrapy("crawl", "wiki", "-a", "url=http://127.0.0.1:9", "-s", "WIKI_TRANSPORT=pigeon", expect=2)
    assert "WIKI_TRANSPORT is 'pigeon'; it must be one of auto, api, html" in done.stderr


def test_an_unknown_robots_rule_is_refused_at_start(scrapy):
    done = scrapy("crawl", "wiki", "-a", "url=http://127.0.0.1:9", "-s", "WIKI_API_ROBOTS=never", expect=2)
    assert "WIKI_API_ROBOTS is 'never'; it must be one of page, strict" in done.stderr


# the errors


FINAL = [
    pytest.param("No such page", "gone", "missingtitle", id="missing page"),
    pytest.param("Broken redirect", "gone", "missingtitle", id="broken redirect"),
    pytest.param("Special:RecentChanges", "not_a_page", "special", id="special page"),
    pytest.param("A<b", "not_a_page", "title", id="bad characters"),
]


@pytest.mark.parametrize(("title", "outcome", "reason"), FINAL)
def test_a_page_that_is_none_is_not_asked_for_as_html(crawl, title, outcome, reason):
    known(crawl)
    crawled = crawl("max_depth=0", "sitemap=0", spider="site", url=crawl.wiki.page_url(title))
    (row,) = crawled.rows.values()
    assert (row["verdict"], row["reason"], row["tier"]) == (outcome, reason, "api")
    assert crawled.as_html() == []
    assert outcome in OUTCOMES


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("title=Hogger&action=edit", "edit"),
        ("title=Nowhere&action=edit&redlink=1", "redlink"),
        ("title=Hogger&oldid=3", "revision"),
        ("title=Hogger&diff=prev&oldid=3", "revision"),
    ],
)
def test_what_is_done_to_pages_is_refused_with_its_reason(crawl, query, reason):
    known(crawl)
    crawled = crawl("max_depth=0", "sitemap=0", spider="site", url=crawl.wiki.url(f"/w/index.php?{query}"))
    (row,) = crawled.rows.values()
    assert (row["verdict"], row["reason"]) == ("not_a_page", reason)
    assert crawled.by_api() == []


def test_a_private_wiki_is_final_for_the_site(mediawiki, scrapy, tmp_path):
    crawl = WikiCrawl(scrapy, tmp_path, mediawiki)
    known(crawl)
    mediawiki.private()
    crawled = crawl("max_pages=20", "sitemap=0", spider="site", url=mediawiki.page_url("Hogger"))
    assert row_of(crawled)["verdict"] == "private"
    assert crawled.as_html() == []
    elsewhere = crawl("sitemap=0", "source=other", spider="site", url=mediawiki.page_url("Gnoll"))
    assert row_of(elsewhere, "Gnoll")["verdict"] == "private"
    assert elsewhere.by_api() == []  # it has been told once


def test_the_login_page_of_an_unknown_private_wiki_is_not_kept(mediawiki, scrapy, tmp_path):
    mediawiki.private()
    crawl = WikiCrawl(scrapy, tmp_path, mediawiki)
    crawled = crawl("sitemap=0", spider="site", url=mediawiki.page_url("Hogger"))
    (row,) = crawled.rows.values()
    assert (row["verdict"], row["reason"], row["markdown"]) == ("private", "readapidenied", "")
    assert crawl.kept() == {}
    assert "is private" in crawl().printed  # the wiki spider says so, too


@pytest.mark.parametrize("transport", ["html", "auto"])
def test_a_wiki_that_turns_private_keeps_its_pages_from_its_login_page(mediawiki, scrapy, tmp_path, transport):
    crawl = WikiCrawl(scrapy, tmp_path, mediawiki)
    crawl("prefix=Hogger", WIKI_TRANSPORT=transport, SCHEDULE_NEW_SECONDS=0, SCHEDULE_MIN_SECONDS=1)
    mediawiki.private()
    over = time.time() + 2
    while time.time() < over:  # until the pages are due
        time.sleep(0.1)
    crawled = crawl("prefix=Hogger", WIKI_TRANSPORT=transport)
    assert {row["verdict"] for row in crawled.rows.values()} <= {"private"}
    assert [page.title for page in crawl.kept().values()] == ["Hogger", "Hogger (disambiguation)"]


def test_a_login_page_got_as_html_is_no_page_of_a_known_wiki(mediawiki, scrapy, tmp_path):
    crawl = WikiCrawl(scrapy, tmp_path, mediawiki)
    known(crawl)
    mediawiki.private()
    mediawiki.fault(API, status=403)
    crawled = crawl("max_depth=0", spider="site", url=mediawiki.page_url("Hogger"))
    row = row_of(crawled)
    assert (row["verdict"], row["reason"], row["markdown"]) == ("private", "special", "")


def test_a_page_deleted_from_a_wiki_that_is_read_as_html_is_gone(mediawiki, scrapy, tmp_path):
    crawl = WikiCrawl(scrapy, tmp_path, mediawiki)
    crawl("prefix=Short", WIKI_TRANSPORT="html")
    mediawiki.delete("Short page")
    crawled = crawl("prefix=Short", WIKI_TRANSPORT="html")
    row = row_of(crawled, "Short_page")
    assert (row["verdict"], row["reason"], row["changed"]) == ("gone", "status_404", "gone")
    assert crawl.kept() == {}


def test_one_page_that_the_wiki_chokes_on_does_not_take_its_api_down(crawl):
    known(crawl)
    crawl.wiki.fault("page=Hogger(&|$)", status=500, body=b"oops")
    arguments = ["max_depth=1", "max_pages=4", "sitemap=0"]
    crawled = crawl(*arguments, spider="site", url=crawl.wiki.page_url("Hogger"), WIKI_RETRY_TIMES=1)
    assert row_of(crawled)["tier"] == "http"
    assert sorted(row["tier"] for row in crawled.rows.values()) == ["api", "api", "api", "http"]


def test_an_api_that_does_not_answer_is_asked_again_and_then_left(crawl):
    known(crawl)
    crawl.wiki.slow(PARSE, 3)
    arguments = ["max_depth=1", "max_pages=3", "sitemap=0"]
    crawled = crawl(
        *arguments, spider="site", url=crawl.wiki.page_url("Hogger"), DOWNLOAD_TIMEOUT=1, WIKI_RETRY_TIMES=0
    )
    assert [row["tier"] for row in crawled.rows.values()] == ["http"] * 3
    assert re.search("is down for 3600 s: no_answer", crawled.printed)


def test_an_api_that_was_down_when_it_was_looked_for_is_looked_for_again(crawl):
    crawl.wiki.fault("/wiki/", status=403, body=CLOUDFLARE)
    crawl.wiki.fault("api.php", status=503, times=20)
    settings = {"WIKI_RETRY_TIMES": 0, "TIERS_BROWSER": 0}
    assert row_of(fail_with(crawl, **settings))["verdict"] == "blocked"
    crawl.wiki.reset()
    crawl.wiki.fault("/wiki/", status=403, body=CLOUDFLARE)
    again = crawl("max_depth=0", spider="site", url=crawl.wiki.page_url("Gnoll"), **settings)
    assert row_of(again, "Gnoll")["tier"] == "api"


def test_an_api_that_leads_to_another_host_is_not_followed(crawl, demo):
    victim = demo.urls["wiki"].rstrip("/")
    before = len(demo.hits_of("wiki"))
    location = f"{victim.replace('127.0.0.1', 'localhost')}/w/api.php"
    crawl.wiki.fault(API, status=302, headers={"Location": location})
    crawled = fail_with(crawl)
    assert row_of(crawled)["tier"] == "http"
    assert len(demo.hits_of("wiki")) == before


def test_a_wiki_whose_databases_lag_is_left_in_peace_and_asked_again(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=200, times=2, body=b'{"error": {"code": "maxlag", "lag": 0.2, "info": "Waiting"}}')
    crawled = fail_with(crawl)
    assert row_of(crawled)["tier"] == "api"
    assert len(crawled.parsed()) == 3
    assert "'wiki/paused/maxlag': 2" in crawled.printed


def test_a_wiki_that_stays_behind_is_throttled_and_not_asked_for_html(crawl):
    known(crawl)
    crawl.wiki.lag(30)
    crawled = fail_with(crawl, WIKI_RETRY_TIMES=1, WIKI_MAX_PAUSE_SECONDS=1)
    row = row_of(crawled)
    assert (row["verdict"], row["reason"]) == ("throttled", "maxlag")
    assert crawled.as_html() == []
    assert len(crawled.parsed()) == 1  # it asks for a longer pause than we make


def test_retry_after_is_obeyed(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=429, headers={"Retry-After": "2"}, body=b"slow down", times=1)
    started = time.monotonic()
    crawled = fail_with(crawl)
    assert row_of(crawled)["tier"] == "api"
    assert time.monotonic() - started > 2
    assert "Pausing 2.0 s" in crawled.printed


def test_a_pause_that_the_api_asks_for_holds_for_the_wikis_html_and_for_the_next_run(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=429, headers={"Retry-After": "200"}, body=b"slow down", times=1)
    started = time.time()
    assert row_of(fail_with(crawl, WIKI_MAX_PAUSE_SECONDS=1))["verdict"] == "throttled"
    crawl.wiki.forget_requests()
    again = crawl("max_depth=0", "tier=http", "source=again", spider="site", url=crawl.wiki.page_url("Gnoll"))
    assert again.requests == []
    store = open_store(crawl.scrapy.store_url)
    page = store.pages.find(crawl.wiki.page_url("Hogger"))
    store.close()
    assert 199 <= page.due - started < 230


def test_a_busy_server_that_answers_in_html_is_asked_again(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=503, body=b"<h1>Service Unavailable</h1>", times=1)
    crawled = fail_with(crawl)
    assert row_of(crawled)["tier"] == "api"
    assert "'wiki/paused/http_503': 1" in crawled.printed


def test_a_wiki_that_is_closed_for_writing_is_still_read(crawl):
    known(crawl)
    crawl.wiki.readonly()
    assert row_of(fail_with(crawl))["tier"] == "api"


API_GONE = [
    pytest.param({"status": 403, "body": b"Forbidden"}, "http_403", id="403"),
    pytest.param({"status": 404, "body": b"Not Found"}, "http_404", id="404"),
    pytest.param({"status": 200, "body": b"<!DOCTYPE html><p>hello"}, "not_json", id="200 with HTML"),
    pytest.param({"status": 500, "body": b"MediaWiki API is not enabled for this site."}, "apidisabled", id="off"),
    pytest.param({"status": 403, "body": CLOUDFLARE}, "http_403", id="Cloudflare"),
]


@pytest.mark.parametrize(("fault", "reason"), API_GONE)
def test_an_api_switched_off_in_mid_crawl_falls_to_html_for_its_time(crawl, fault, reason):
    known(crawl)
    crawl.wiki.fault(API, **fault)
    crawled = crawl("max_depth=1", "max_pages=5", "sitemap=0", spider="site", url=crawl.wiki.page_url("Hogger"))
    assert [row["tier"] for row in crawled.rows.values()] == ["http"] * 5
    assert len(crawled.by_api()) == 1
    assert f"is down for 3600 s: {reason}" in crawled.printed
    fallbacks = re.findall(r"tier_fallback \S+ from api to http: (\w+)", crawled.printed)
    assert fallbacks == [reason, *["api_down"] * 4]
    store = open_store(crawl.scrapy.store_url)
    page = store.pages.find(crawl.wiki.page_url("Hogger"))
    (step, _) = store.pages.visits(page.id)[0].trail
    store.close()
    assert (step["tier"], step["reason"], step["to"]) == ("api", reason, "http")


def test_an_api_is_tried_again_when_its_time_is_over(crawl):
    known(crawl)
    crawl.wiki.fault(API, status=403, times=1)
    assert row_of(fail_with(crawl, WIKI_DOWN_SECONDS=1))["tier"] == "http"
    over = time.time() + 1.5
    while time.time() < over:  # the clock is what this is about
        time.sleep(0.1)
    crawled = crawl("max_depth=0", "sitemap=0", spider="site", url=crawl.wiki.page_url("Gnoll"))
    assert row_of(crawled, "Gnoll")["tier"] == "api"


PAGE_ERRORS = [
    ("internal_api_error_Wikimedia-Exception", "internal_api_error_Wikimedia-Exception"),
    ("badvalue", "badvalue"),
    ("brand-new-error<b>", "api_error"),
]


@pytest.mark.parametrize(("code", "reason"), PAGE_ERRORS)
def test_an_error_of_one_page_has_that_page_got_as_html(crawl, code, reason):
    known(crawl)
    crawl.wiki.fault(
        f"{PARSE}.*page=Hogger", status=200, body=f'{{"error": {{"code": "{code}", "info": "x"}}}}'.encode()
    )
    crawled = crawl("max_depth=1", "max_pages=4", "sitemap=0", spider="site", url=crawl.wiki.page_url("Hogger"))
    assert row_of(crawled)["tier"] == "http"
    assert f"from api to http: {reason}" in crawled.printed
    assert [row["tier"] for row in crawled.rows.values()].count("api") == 3


def test_a_page_for_some_members_only_is_private_and_not_asked_for_as_html(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=200, body=b'{"error": {"code": "permissiondenied", "info": "no"}}')
    crawled = fail_with(crawl)
    assert row_of(crawled)["verdict"] == "private"
    assert crawled.as_html() == []


def test_a_database_that_fails_is_asked_again(crawl):
    known(crawl)
    crawl.wiki.fault(
        PARSE, status=200, times=1, body=b'{"error": {"code": "internal_api_error_DBQueryError", "info": "oops"}}'
    )
    crawled = fail_with(crawl)
    assert row_of(crawled)["tier"] == "api"
    assert len(crawled.parsed()) == 2


def test_without_html_a_failing_api_is_an_outcome(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=403)
    crawled = fail_with(crawl, WIKI_TRANSPORT="api")
    assert (row_of(crawled)["verdict"], row_of(crawled)["reason"]) == ("failed", "http_403")
    assert crawled.as_html() == []


# the etiquette


def test_robots_is_asked_for_the_page_and_not_for_the_api(crawl):
    crawl.wiki.robots("User-agent: *\nDisallow: /w/\nDisallow: /wiki/Westfall\n")
    crawled = crawl("category=Zones", WIKI_API_ROBOTS="page")
    assert row_of(crawled, "Elwynn_Forest")["tier"] == "api"
    assert row_of(crawled, "Westfall")["reason"] == "robots"
    assert "Westfall" not in crawled.parsed()


def test_strict_robots_keeps_us_from_an_api_that_is_forbidden(crawl):
    crawl.wiki.robots("User-agent: *\nDisallow: /w/\n")
    crawled = crawl("max_pages=4", "sitemap=0", spider="site", WIKI_API_ROBOTS="strict")
    assert [row["tier"] for row in crawled.rows.values()] == ["http"] * 4
    assert crawled.by_api() == []


def test_strict_robots_asks_an_api_that_is_allowed(crawl):
    crawl.wiki.robots("User-agent: *\nAllow: /w/api.php\nDisallow: /w/\n")
    crawled = crawl("prefix=Hogger", WIKI_API_ROBOTS="strict")
    assert {row["tier"] for row in crawled.rows.values()} == {"api"}


def test_the_api_is_asked_one_question_at_a_time(crawl):
    known(crawl)
    crawl.wiki.slow(PARSE, 0.3)
    crawled = crawl("category=World", "depth=0", "max_pages=8")
    seconds = float(re.search(r"'elapsed_time_seconds': ([\d.]+)", crawled.printed)[1])
    assert len(crawled.parsed()) == 8
    assert seconds > 8 * 0.3  # the wiki has two workers


def test_the_api_is_asked_as_who_we_are_and_for_compressed_answers(crawl):
    crawled = crawl("prefix=Hogger", WIKICRAWL_CONTACT="crawler@example.org")
    agents = {request.headers["user-agent"] for request in crawled.requests}
    assert len(agents) == 1
    assert "wikicrawl/" in (agent := agents.pop())
    assert "crawler@example.org" in agent
    asked = [request for request in crawled.requests if "api.php" in request.url]
    assert all("gzip" in request.headers["accept-encoding"] for request in asked)
    assert all(question["maxlag"] == "5" for question in crawled.by_api())


def test_a_wiki_that_forbids_itself_to_robots_is_not_listed(crawl):
    crawl.wiki.robots("User-agent: *\nDisallow: /\n")
    crawled = crawl("prefix=Hogger")
    assert "cannot be listed" in crawled.printed
    assert [request.url for request in crawled.requests] == [crawl.wiki.url("/robots.txt")]


def test_our_own_delay_is_not_the_wikis_slowness(crawl):
    crawled = crawl("prefix=Hogger", DOWNLOAD_DELAY=0.6, WIKI_SLOW_SECONDS=0.5, RANDOMIZE_DOWNLOAD_DELAY=0)
    assert len(crawled.rows) == 2
    latencies = crawled.printed.count("Pausing")
    assert latencies <= 1  # the first answer of a cold wiki may be slow


def test_after_a_slow_answer_the_api_is_given_a_rest(crawl):
    known(crawl)
    crawl.wiki.slow(PARSE, 0.3)
    crawled = fail_with(crawl, WIKI_SLOW_SECONDS=0.2, WIKI_SLOW_PAUSE_SECONDS=0.5)
    assert "Pausing 0.5 s" in crawled.printed
    assert "'wiki/paused/slow': 1" in crawled.printed


def test_a_crawl_that_is_stopped_does_not_wait_for_a_pause_and_gives_its_pages_back(crawl):
    known(crawl)
    crawl.wiki.fault(PARSE, status=429, headers={"Retry-After": "200"})
    process = crawl.scrapy.start("crawl", "wiki", "-a", f"url={crawl.wiki.page_url('Gnoll')}", stderr=True)
    while "Pausing" not in (line := process.stderr.readline().decode()):
        assert line, "the crawl ended"
    process.send_signal(signal.SIGTERM)
    process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 0
    store = open_store(crawl.scrapy.store_url)
    (status,) = [status for status in store.pages.status(now=0) if status.visited == 0]
    store.close()
    assert status.leased == 0
    assert status.outcomes.keys() <= {"redirected"}  # those of redirects that the list named


@pytest.mark.parametrize("spider", ["site", "wiki"])
def test_wikimedia_is_not_crawled_by_nobody(scrapy, spider):
    scrapy.environment.pop("WIKICRAWL_CONTACT", None)
    done = scrapy("crawl", spider, "-a", "url=https://de.wikipedia.org/wiki/Gnoll", expect=2)
    assert "de.wikipedia.org wants to know who runs a robot" in done.stderr
    assert "WIKICRAWL_CONTACT" in done.stderr
    assert "Traceback" not in done.stderr
