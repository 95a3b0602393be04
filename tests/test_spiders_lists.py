"""Sitemaps and feeds, once they are believed, tell which pages need no visit; seen from a real crawl."""

import time

import pytest
from living_site import living_site, make_due

from wikicrawl.store import open_store, trust

FEED = '<link rel="alternate" type="application/rss+xml" href="/feed">'


@pytest.fixture
def crawl(scrapy):
    def crawl(site, *arguments):
        """The paths that were asked for."""
        make_due(scrapy.store_url)
        before = len(site.hits)
        scrapy(
            "crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", "-s", "SCHEDULE_RETEST_EVERY=1000000",
            *arguments,
        )  # fmt: skip
        return [path for path, _ in site.hits[before:]]

    return crawl


def believe(store_url, site, kind):
    store = open_store(store_url)
    with store.engine.begin() as connection:
        key = trust.place_of(f"{site.url}page/a"), kind
        trust.note(connection, key, trust.UNKNOWN, confirmed=5, refuted=0, now=int(time.time()))
    store.close()


def sitemap(site, **dates):
    rows = "".join(
        f"<url><loc>{site.url}page/{name}</loc><lastmod>{date}</lastmod></url>" for name, date in dates.items()
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'


def rss(site, **dates):
    items = "".join(
        f"<item><link>{site.url}page/{name}</link><pubDate>{date}</pubDate></item>" for name, date in dates.items()
    )
    return f"<rss version='2.0'><channel>{items}</channel></rss>"


def pages_of(paths):
    return sorted(path for path in paths if path.startswith("/page/"))


def test_a_believed_sitemap_puts_off_what_has_not_moved_and_brings_what_has(crawl, scrapy):
    with living_site() as site:
        site.sitemap = sitemap(site, a="2024-01-01", b="2024-01-01")
        assert pages_of(crawl(site)) == ["/page/a", "/page/b"]
        assert pages_of(crawl(site)) == ["/page/a", "/page/b"]  # it has not been right yet
        believe(scrapy.store_url, site, "lastmod")
        site.sitemap = sitemap(site, a="2024-01-01", b="2024-02-02", c="2024-02-02")
        assert pages_of(crawl(site)) == ["/page/b", "/page/c"]
        site.sitemap, site.statuses["sitemap.xml"] = "", 403
        assert pages_of(crawl(site)) == ["/page/a", "/page/b", "/page/c"]  # what cannot be read says nothing


def test_a_feed_that_a_page_names_is_read_at_the_next_run(crawl, scrapy):
    with living_site("/page/a", "/page/b") as site:
        site.home_head = FEED
        site.feed = rss(site, b="Mon, 01 Jan 2024 10:00:00 GMT")
        assert "/feed" not in crawl(site)
        assert "/feed" in crawl(site)
        believe(scrapy.store_url, site, "feed")
        site.feed = rss(site, a="Fri, 01 Jan 2100 10:00:00 GMT", b="Mon, 01 Jan 2024 10:00:00 GMT")
        assert pages_of(crawl(site)) == ["/page/a"]


def test_a_list_is_asked_for_only_if_it_has_changed_and_not_before_its_time(crawl, scrapy):
    with living_site() as site:
        site.sitemap, site.etags["sitemap.xml"] = sitemap(site, a="2024-01-01"), '"1"'
        crawl(site)
        paths = crawl(site)
        assert paths.count("/sitemap.xml") == 1
        assert ("/sitemap.xml", '"1"', "") in site.asked
        done = scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0")
        assert "/sitemap.xml" not in [path for path, _ in site.hits[-2:]]
        assert "sitemaps and feeds" not in done.stderr
