"""`scrapy crawl recrawl`: what is due, of all sources, as each is crawled, and an end."""

import json
import time

import pytest
from living_site import living_site, make_due
from pydantic import ValidationError
from wiki_crawl import WikiCrawl

from wikicrawl.spiders.recrawl import RecrawlArguments
from wikicrawl.store import open_store, schema, trust


@pytest.fixture
def crawl(scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"

    def crawl(spider, *arguments, expect=0, **given):
        """The rows of the feed by URL."""
        words = [part for name, value in given.items() for part in ("-a", f"{name}={value}")]
        crawl.done = scrapy(
            "crawl", spider, *words, "-s", "TIERS_BROWSER=0", "-O", str(feed), *arguments, expect=expect
        )
        return {row["url"]: row for row in map(json.loads, feed.read_text(encoding="utf-8").splitlines())}

    return crawl


@pytest.fixture
def page_of(scrapy):
    def page_of(url):
        store = open_store(scrapy.store_url)
        try:
            return store.pages.find(url)
        finally:
            store.close()

    return page_of


def exported(scrapy):
    store = open_store(scrapy.store_url)
    try:
        return [page.url for page in store.pages.each()]
    finally:
        store.close()


def test_due_pages_of_all_sources_are_visited_and_nothing_else(crawl, scrapy):
    with living_site("/page/a") as one, living_site("/page/b") as other:
        crawl("site", url=one.url)
        crawl("site", url=other.url)
        make_due(scrapy.store_url)
        rows = crawl("recrawl")
        assert set(rows) == {one.url, f"{one.url}page/a", other.url, f"{other.url}page/b"}
        assert {row["changed"] for row in rows.values()} == {"same"}
        assert crawl("recrawl") == {}


def test_so_many_pages_are_claimed_and_no_more_those_never_visited_first(crawl, scrapy):
    with living_site(*[f"/page/{number}" for number in range(6)]) as site:
        crawl("recrawl", start_urls=site.url)
        crawl("recrawl", n_claims=3)
        make_due(scrapy.store_url)
        rows = crawl("recrawl", n_claims=4)
        assert len(rows) == 4
        assert [row["changed"] for row in rows.values()].count("new") == 3


def test_links_are_followed_as_the_crawl_of_the_source_would(crawl, scrapy):
    with living_site("/page/a") as site:
        crawl("site", url=site.url, max_depth=2, exclude="/page/x")
        make_due(scrapy.store_url)
        site.more = ("/page/x", "/page/y")
        crawl("recrawl")
        rows = crawl("recrawl")
        assert set(rows) == {f"{site.url}page/y"}
        assert rows[f"{site.url}page/y"]["depth"] == 2


def test_the_crawl_of_each_source_keeps_to_its_number_of_pages(crawl, scrapy):
    with living_site(*[f"/page/{number}" for number in range(6)]) as site:
        crawl("site", url=site.url, max_pages=3)
        assert crawl("recrawl") == {}


def test_start_urls_are_made_known_and_crawled_run_by_run(crawl):
    with living_site("/page/a", "/page/b") as site:
        assert set(crawl("recrawl", start_urls=site.url)) == {site.url}
        assert set(crawl("recrawl", n_claims=1)) == {f"{site.url}page/a"}
        assert set(crawl("recrawl", start_urls=site.url)) == {f"{site.url}page/b"}


def test_a_page_that_other_patterns_exclude_ends_and_its_content_is_no_longer_shown(crawl, scrapy, page_of):
    with living_site("/page/a", "/page/b") as site:
        crawl("site", url=site.url)
        make_due(scrapy.store_url)
        before = len(site.hits)
        rows = crawl("recrawl", start_urls=site.url, exclude="/page/b")
        assert "/page/b" not in [path for path, _ in site.hits[before:]]
        assert (rows[f"{site.url}page/b"]["reason"], rows[f"{site.url}page/b"]["verdict"]) == ("excluded", "")
        page = page_of(f"{site.url}page/b")
        assert (page.outcome, page.due, page.version) == ("excluded", None, 1)
        assert f"{site.url}page/b" not in exported(scrapy)


def test_a_page_gets_the_url_that_other_patterns_give_it(crawl, scrapy, page_of):
    with living_site("/page/a?view=1", "/page/b?view=1", "/page/b") as site:
        crawl("site", url=site.url)
        make_due(scrapy.store_url)
        crawl("recrawl", start_urls=site.url, normalize=r"\?view=\d => ")
        renamed = page_of(f"{site.url}page/a")
        assert (renamed.outcome, renamed.version, page_of(f"{site.url}page/a?view=1")) == ("ok", 1, None)
        other = page_of(f"{site.url}page/b?view=1")
        assert (other.outcome, other.due, other.final_url) == ("renamed", None, f"{site.url}page/b")


def test_a_host_that_has_asked_for_a_pause_is_left_alone_and_the_run_ends(crawl, scrapy):
    with living_site("/page/a") as paused, living_site("/page/b") as other:
        crawl("site", url=paused.url)
        crawl("site", url=other.url)
        make_due(scrapy.store_url)
        store = open_store(scrapy.store_url)
        with store.engine.begin() as connection:
            is_paused = schema.host_lease.c.host == paused.url.split("/")[2]
            until = int(time.time()) + 3600
            connection.execute(schema.host_lease.update().where(is_paused).values(pause_until=until))
        store.close()
        before = len(paused.hits)
        assert set(crawl("recrawl")) == {other.url, f"{other.url}page/b"}
        assert paused.hits[before:] == []


def test_hooks_are_given_as_arguments(crawl, scrapy, tmp_path):
    scrapy.environment["HOOK_LOG"] = str(tmp_path / "hooks.jsonl")
    with living_site() as site:
        hook = "tests.hooks_for_tests"
        rows = crawl(
            "recrawl", start_urls=site.url, transform_hook=f"{hook}.shout", downstream_hook=f"{hook}.downstream"
        )
        assert "THE BOAT" in rows[site.url]["markdown"]
        told = [json.loads(line)["hook"] for line in (tmp_path / "hooks.jsonl").read_text().splitlines()]
        assert told == ["transform", "downstream"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"n_claims": 0}, "n_claims"),
        ({"n_concurrent": "many"}, "n_concurrent"),
        ({"start_urls": "ftp://a.example"}, "start_urls"),
        ({"exclude": "x"}, "exclude: only with start_urls"),
        ({"start_urls": "https://a.example", "include": "("}, "include: bad pattern"),
        ({"claims": 3}, "claims"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_argument_is_refused_by_its_name(arguments, named):
    with pytest.raises(ValidationError, match=named):
        RecrawlArguments(**arguments)


def test_a_hook_that_cannot_be_imported_stops_at_the_start(scrapy):
    done = scrapy("crawl", "recrawl", "-a", "page_hook=no.such.hook", expect=2)
    assert "TIERS_BROWSER_PAGE_HOOK is 'no.such.hook', which cannot be imported" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_asks_for_so_many_pages_at_a_time_and_says_when_there_is_nothing_to_do(scrapy):
    done = scrapy("crawl", "recrawl", "-a", "n_concurrent=3")
    assert "'CONCURRENT_REQUESTS': 3" in done.stderr
    assert "recrawl: nothing to fetch" in done.stderr


@pytest.mark.mediawiki
def test_a_wiki_is_asked_for_its_revisions_and_only_what_was_edited_is_visited(crawl, scrapy, tmp_path, mediawiki):
    WikiCrawl(scrapy, tmp_path, mediawiki)()
    mediawiki.edit("Westfall", "'''Westfall''' is green now.")
    mediawiki.run_jobs()
    make_due(scrapy.store_url)
    rows = crawl("recrawl", "-s", "WIKI_SLOW_SECONDS=60")
    assert {row["changed"] for url, row in rows.items() if url == mediawiki.page_url("Westfall")} == {"changed"}
    assert len(rows) < 15
    mediawiki.forget_requests()
    assert crawl("recrawl", "-s", "WIKI_SLOW_SECONDS=60") == {}
    assert mediawiki.requests() == []  # it was asked a moment ago


def test_a_date_that_has_moved_is_seen_though_nothing_is_due(crawl, scrapy):
    with living_site() as site:
        dates = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
        entry = f"<url><loc>{site.url}page/a</loc><lastmod>2024-01-0%d</lastmod></url>"
        site.sitemap = dates.format(entry % 1)
        crawl("site", url=site.url)
        store = open_store(scrapy.store_url)
        with store.engine.begin() as connection:
            key = trust.place_of(f"{site.url}page/a"), "lastmod"
            trust.note(connection, key, trust.UNKNOWN, confirmed=5, refuted=0, now=int(time.time()))
            connection.execute(schema.source.update().values(seeded_at=1))
        store.close()
        site.sitemap, site.texts["a"] = dates.format(entry % 2), "It has changed."
        rows = crawl("recrawl")
        assert {url: row["changed"] for url, row in rows.items()} == {f"{site.url}page/a": "changed"}
