"""Servers are asked whether pages have changed, as far as they have told the truth about it."""

import json
import time

import pytest
from living_site import living_site, make_due

from wikicrawl.store import open_store, trust


@pytest.fixture
def crawl(scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"

    def crawl(site, *arguments):
        make_due(scrapy.store_url)
        site.asked.clear()
        scrapy(
            "crawl", "site", "-a", f"url={site.url}", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0", "-s", "TIERS_ETAG_TEST_EVERY=1000000000",
            "-O", str(feed), *arguments,
        )  # fmt: skip
        rows = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
        return {"/" + row["url"].removeprefix(site.url): row for row in rows}

    return crawl


def believe(store_url, site, **trusts):
    """As if many visits had shown that the pages of /page/ can be asked for by their tags, or not."""
    store = open_store(store_url)
    with store.engine.begin() as connection:
        key = trust.place_of(f"{site.url}page/a"), "etag"
        trust.note(connection, key, trust.UNKNOWN, now=int(time.time()), **{"confirmed": 5, "refuted": 0, **trusts})
    store.close()


def test_a_page_that_the_server_calls_unmodified_is_a_visit_like_any_other(crawl, scrapy):
    with living_site("/page/a") as site:
        site.etags["a"] = '"1"'
        first = crawl(site)["/page/a"]
        believe(scrapy.store_url, site)
        row = crawl(site)["/page/a"]
        assert site.asked == [("/page/a", '"1"', "")]
    assert (row["http_status"], row["verdict"], row["reason"]) == (304, "page", "not_modified")
    assert (row["changed"], row["bytes"], row["tier"]) == ("same", 0, "http")
    kept = ("markdown", "title", "links", "text_hash", "extractor", "confidence", "final_url")
    assert {name: row[name] for name in kept} == {name: first[name] for name in kept}
    store = open_store(scrapy.store_url)
    stored = store.pages.find(f"{site.url}page/a")
    assert (stored.outcome, stored.version, stored.interval) == ("ok", 1, 2 * 86_400)
    store.close()


def test_a_changed_page_comes_whole_and_its_new_tag_is_kept(crawl, scrapy):
    with living_site("/page/a") as site:
        site.etags["a"] = 'W/"1"'
        crawl(site)
        believe(scrapy.store_url, site)
        site.etags["a"], site.texts["a"] = 'W/"2"', "It has changed."
        row = crawl(site)["/page/a"]
        assert (row["changed"], row["http_status"]) == ("changed", 200)
        assert "It has changed." in row["markdown"]
        assert crawl(site)["/page/a"]["http_status"] == 304


def test_a_page_that_has_a_date_only_is_asked_for_by_it(crawl, scrapy):
    with living_site("/page/a") as site:
        site.modified["a"] = 1_700_000_000
        crawl(site)
        believe(scrapy.store_url, site)
        crawl(site)
        assert site.asked == [("/page/a", "", "Tue, 14 Nov 2023 22:13:20 GMT")]


def test_a_mark_of_compression_in_a_tag_is_sent_with_and_without(crawl, scrapy):
    with living_site("/page/a") as site:
        site.etags["a"] = '"1-gzip"'
        crawl(site)
        believe(scrapy.store_url, site)
        site.etags["a"] = '"1"'
        assert crawl(site)["/page/a"]["http_status"] == 304
        assert site.asked == [("/page/a", '"1-gzip", "1"', "")]


def test_a_place_whose_tags_were_wrong_is_not_asked_by_them(crawl, scrapy):
    with living_site("/page/a") as site:
        site.etags["a"] = '"1"'
        crawl(site)
        believe(scrapy.store_url, site, refuted=5)
        site.texts["a"] = "It has changed."
        assert crawl(site)["/page/a"]["changed"] == "changed"


def test_tags_that_lie_are_found_out_by_pages_that_are_got_whole(crawl, scrapy):
    links = [f"/page/{number}" for number in range(6)]
    with living_site(*links) as site:
        site.etags.update({str(number): '"always"' for number in range(6)})
        crawl(site)
        site.texts.update({str(number): "It has changed." for number in range(6)})
        crawl(site)  # of an unproven place every third page is a test
        rows = crawl(site)
    assert {rows[link]["http_status"] for link in links} == {200}
    assert all("It has changed." in rows[link]["markdown"] for link in links)


def test_a_shell_gives_nothing_to_ask_with(crawl):
    with living_site("/app/a") as site:
        crawl(site)
        crawl(site)
        assert [asked for path, asked, _ in site.asked if path == "/app/a"] == [""]


def test_what_a_redirect_leads_to_is_not_asked_for_by_the_tag_of_where_it_came_from(crawl, scrapy):
    with living_site("/moved") as site:
        site.etags["target"] = '"1"'
        crawl(site)
        make_due(scrapy.store_url)
        rows = crawl(site)
        assert rows["/page/target"]["http_status"] == 200
