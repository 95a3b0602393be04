"""The site spider finds what no followed link leads to: the rest of a list, archives, feeds."""

import re

import pytest
from trap_site import Site, page, prose, serving

from wikicrawl.store import open_store

pytestmark = pytest.mark.slow


class Blog(Site):
    """Thirty pages of posts; two lists whose links a script would make; an archive and a feed hardly anybody names."""

    def __init__(self):
        super().__init__(None, ())

    def get(self, target):
        path, _, query = target.partition("?")
        if path == "/" or re.fullmatch(r"/page/\d+", path):
            return self.posts(1 if path == "/" else int(path.rpartition("/")[2]))
        if path in ("/catalog", "/rows"):
            name, _, number = query.partition("=")
            limits = {"/catalog": ("page", 12, 1), "/rows": ("start", 60, 10)}
            wanted, last, step = limits[path]
            if name == wanted and int(number) <= last and int(number) % step == 0:
                return page("Catalogue", prose(target))
            return None
        if path == "/about":
            head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
            return page("About us", prose("about"), head=head, footer=[("/archive", "All posts")])
        if path == "/archive":
            return page("Archive", prose("archive"), [(f"/old/{number}", prose(number, 2)) for number in range(20)])
        if path == "/feed.xml":
            items = "".join(f"<item><link>{self.url}fed/{number}</link></item>" for number in range(5))
            return f"<?xml version='1.0'?><rss><channel>{items}</channel></rss>"
        if re.fullmatch(r"/(post|old|fed)/\d+", path):
            return page(prose(path, 4), prose(path))
        return None

    def posts(self, number):
        if number > 30:
            return None
        links = [(f"/post/{3 * number + rank}", prose(f"title {number} {rank}", 5)) for rank in range(3)]
        links += [(f"/page/{number + 1}", "Older")] if number < 30 else []
        first = [
            ("/about", "About"),
            ("/catalog?page=1", "Catalogue"),
            ("/rows?start=0", "Rows"),
            ("/rows?start=10", "Next"),
        ]
        return page("Blog", prose(f"blog {number}", 20), links + first * (number == 1))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    from command import ScrapyCommand

    scrapy = ScrapyCommand(tmp_path_factory.mktemp("blog"))
    with serving(Blog()) as site:
        done = scrapy(
            "crawl", "site", "-a", f"url={site.url}", "-a", "max_depth=1", "-a", "max_pages=1000", "-a", "sitemap=false",
            "-s", "TIERS_BROWSER=0",
        )  # fmt: skip
        store = open_store(scrapy.store_url)
        kept = {found.url.removeprefix(site.url): found for found in store.pages.each()}
        store.close()
        yield site, kept, done.stderr


def count(kept, pattern):
    return len([url for url in kept if re.fullmatch(pattern, url)])


def test_a_list_goes_on_beyond_the_depth_of_links(crawled):
    site, kept, _ = crawled
    assert count(kept, r"page/\d+") == 29
    assert count(kept, r"post/\d+") == 90
    assert not site.asked("/page/31")  # its pages name the next one, and the last names none


def test_the_next_page_is_predicted_until_one_brings_nothing(crawled):
    site, kept, _ = crawled
    assert count(kept, r"catalog\?page=\d+") == 12
    assert site.asked(r"/catalog\?page=1[3-9]") == ["/catalog?page=13"]


def test_the_step_of_a_list_is_learned(crawled):
    site, kept, _ = crawled
    assert count(kept, r"rows\?start=\d+") == 7
    assert len(site.asked(r"/rows")) == 8


def test_archives_and_feeds_are_looked_into_when_the_queue_runs_dry(crawled):
    site, kept, log = crawled
    assert count(kept, r"old/\d+") == 20
    assert count(kept, r"fed/\d+") == 5
    assert site.asked("/feed.xml") == ["/feed.xml"]
    assert "The queue has run dry: 6 new pages" in log


def test_no_page_is_asked_for_twice(crawled):
    site, _, _ = crawled
    assert sorted(site.hits) == sorted(set(site.hits))


def test_a_site_without_lists_and_archives_costs_no_request_more(scrapy):
    def answer(path, query):
        return page(prose(path, 3), prose(path)) if path.startswith("/plain-") else None

    with serving(Site(answer, ["/plain-one", "/plain-two"], real_pages=0)) as site:
        scrapy("crawl", "site", "-a", f"url={site.url}", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0")
    assert sorted(site.hits) == ["/", "/plain-one", "/plain-two", "/robots.txt"]


def test_no_more_pages_are_looked_for_than_may_be_visited(scrapy):
    with serving(Blog()) as site:
        scrapy(
            "crawl", "site", "-a", f"url={site.url}", "-a", "max_depth=1", "-a", "max_pages=10", "-a", "sitemap=false",
            "-s", "TIERS_BROWSER=0",
        )  # fmt: skip
    assert len(site.hits) == 11  # and robots.txt
    assert not site.asked("/feed.xml|/archive")


def test_a_guess_that_is_not_there_takes_no_place(scrapy):
    with serving(Blog()) as site:
        scrapy(
            "crawl", "site", "-a", f"url={site.url}catalog?page=1", "-a", "max_pages=13", "-a", "sitemap=false",
            "-s", "TIERS_BROWSER=0",
        )  # fmt: skip
        store = open_store(scrapy.store_url)
        (status,) = store.pages.status(now=0)
        store.close()
    assert (status.admitted, status.outcomes) == (12, {"ok": 12, "missing": 1})
