"""Every claimed page ends in exactly one named outcome, whatever the web does."""

import csv
import json
import time

import pytest
from odd_site import odd_site

from wikicrawl.items import OUTCOMES
from wikicrawl.store import open_store

EXPECTED = {
    "/": "ok",
    "/article/1": "ok",
    "/article/new-place": "landed",
    "/odd-bytes": "ok",
    "/self-redirect": "ok",
    "/old": "redirected",
    "/elsewhere": "offsite",
    "/loop/0": "redirects",
    "/pdf": "not_html",
    "/gone": "missing",
    "/nowhere": "missing",
    "/throttled": "throttled",
    "/broken": "http_error",
    "/forbidden": "blocked",
    "/forbidden-by-robots": "robots",
    "/large": "too_large",
    "/cut": "network",
    "/empty": "http_error",
    "/shell": "needs_browser",
}


@pytest.fixture
def crawled(scrapy, tmp_path):
    links = [path for path in EXPECTED if path not in ("/", "/article/new-place")]
    with odd_site(*links) as site:
        scrapy(
            "crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", "-s", "DOWNLOAD_MAXSIZE=1000000",
            "-s", "RETRY_TIMES=1", "-O", str(tmp_path / "pages.jsonl"), "-O", str(tmp_path / "pages.csv"),
        )  # fmt: skip
        yield site, open_store(scrapy.store_url), tmp_path
    open_store(scrapy.store_url).close()


def test_each_misbehaviour_has_its_outcome_and_nothing_is_left_over(crawled):
    site, store, folder = crawled
    pages = {path: store.pages.find(site.url + path[1:]) for path in EXPECTED}
    assert {path: page.outcome for path, page in pages.items()} == EXPECTED
    assert [status.visited for status in store.pages.status(now=0)] == [len(EXPECTED)]
    assert set(EXPECTED.values()) <= set(OUTCOMES)
    visited = [path for path in pages if path != "/article/new-place"]  # got on the way through /old
    assert [len(store.pages.visits(pages[path].id)) for path in visited] == [1] * len(visited)
    assert store.pages.unfinished() == []
    rows = [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(row["url"] for row in rows) == sorted(pages[path].url for path in visited)
    assert [row["url"] for row in rows if bool(row["error"]) == bool(row["markdown"])] == []
    with (folder / "pages.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(rows)
    store.close()


def test_a_page_that_takes_its_worker_too_long_costs_the_worker_and_not_the_crawl(scrapy):
    limits = ("-s", "MARKDOWN_ENGINE=markdownify", "-s", "EXTRACT_CPU_SECONDS=1", "-s", "CONCURRENT_REQUESTS=1")
    with odd_site("/slow-to-read", "/article/1") as site:
        scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", *limits)
        store = open_store(scrapy.store_url)
        outcomes = [store.pages.find(site.url + path).outcome for path in ("slow-to-read", "article/1")]
        store.close()
    assert outcomes == ["extract_timeout", "ok"]


def test_a_host_outside_the_scope_is_never_asked(scrapy):
    with odd_site() as other, odd_site("/away") as site:
        away = {"get_away": lambda self: self.send(302, "", Location=other.url.replace("127.0.0.1", "localhost"))}
        site.RequestHandlerClass = type("Away", (site.RequestHandlerClass,), away)
        scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0")
        assert other.hits == []


def test_a_start_url_that_has_moved_is_crawled_where_it_is_now(scrapy):
    with odd_site("/article/1") as new, odd_site() as old:
        moved = {"get_home": lambda self: self.send(301, "", Location=new.url)}
        old.RequestHandlerClass = type("Moved", (old.RequestHandlerClass,), moved)
        for _ in range(2):
            scrapy("crawl", "site", "-a", f"url={old.url}", "-s", "TIERS_BROWSER=0")
        store = open_store(scrapy.store_url)
        kept = {page.url for page in store.pages.each()}
        store.close()
    assert kept == {new.url, f"{new.url}article/1"}


def test_a_page_of_another_visit_is_kept_when_a_later_one_fails(scrapy):
    again = (
        "-s",
        "SCHEDULE_NEW_SECONDS=1",
        "-s",
        "SCHEDULE_MIN_SECONDS=1",
        "-s",
        "TIERS_BROWSER=0",
        "-a",
        "sitemap=false",
    )
    with odd_site() as site:
        scrapy("crawl", "site", "-a", f"url={site.url}", *again)
        site.RequestHandlerClass = type(
            "Broken", (site.RequestHandlerClass,), {"get_home": lambda self: self.get_broken()}
        )
        store = open_store(scrapy.store_url)
        first = store.pages.find(site.url)
        while time.time() <= first.due:
            time.sleep(0.05)
        scrapy("crawl", "site", "-a", f"url={site.url}", *again, "-s", "RETRY_TIMES=0")
        later = store.pages.find(site.url)
        store.close()
    assert (later.outcome, later.version) == ("http_error", 1)
    assert later.markdown == first.markdown != ""


CLUMSY = """
from scrapy.exceptions import DropItem

class Clumsy:
    def process_item(self, item):
        if item.url.endswith("/drop"):
            raise DropItem("not wanted")
        if item.url.endswith("/break"):
            raise KeyError("a bug")
        return item
"""


def test_a_page_that_another_pipeline_drops_or_breaks_on_still_has_one_outcome(scrapy, tmp_path):
    (tmp_path / "clumsy.py").write_text(CLUMSY)
    scrapy.environment["PYTHONPATH"] = str(tmp_path)
    pipelines = {
        "wikicrawl.pipelines.extract.ExtractPipeline": 100,
        "clumsy.Clumsy": 300,
        "wikicrawl.pipelines.store.StorePipeline": 400,
    }
    with odd_site("/article/drop", "/article/break", "/article/keep") as site:
        scrapy(
            "crawl",
            "site",
            "-a",
            f"url={site.url}",
            "-s",
            "TIERS_BROWSER=0",
            "-s",
            f"ITEM_PIPELINES={json.dumps(pipelines)}",
        )
        store = open_store(scrapy.store_url)
        outcomes = [store.pages.find(f"{site.url}article/{name}").outcome for name in ("drop", "break", "keep")]
        unfinished = store.pages.unfinished()
        store.close()
    assert outcomes == ["dropped", "dropped", "ok"]
    assert unfinished == []


def test_a_bug_in_a_callback_is_an_outcome(scrapy, tmp_path):
    (tmp_path / "buggy.py").write_text(
        "from wikicrawl.spiders.site import SiteSpider\n"
        "class Buggy(SiteSpider):\n"
        "    name = 'buggy'\n"
        "    async def parse(self, response):\n"
        "        raise KeyError('a bug')\n"
        "        yield\n"
    )
    scrapy.environment["PYTHONPATH"] = str(tmp_path)
    with odd_site() as site:
        scrapy("crawl", "buggy", "-a", f"url={site.url}", "-s", "SPIDER_MODULES=buggy")
        store = open_store(scrapy.store_url)
        page = store.pages.find(site.url)
        (visit,) = store.pages.visits(page.id)
        store.close()
    assert (page.outcome, visit.error) == ("error", "KeyError: 'a bug'")
