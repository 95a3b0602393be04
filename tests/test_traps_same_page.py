"""A page is kept once, under its own address, and what is no page is not kept at all."""

import re
import time

import pytest
from trap_site import Site, page, prose, serving

from wikicrawl.store import open_store

pytestmark = pytest.mark.slow


def answer(path, query):
    """Folders with and without slash, print views, pages that call themselves the home page, and 200 for anything."""
    if found := re.fullmatch(r"/folder/(\d+)(/|/index\.html)?", path):
        return page(prose(f"folder {found[1]}", 4), prose(f"folder text {found[1]}"))
    if found := re.fullmatch(r"/(print|doc)/(\d+)", path):
        return page(
            prose(f"doc {found[2]}", 4),
            prose(f"doc text {found[2]}"),
            head=f'<link rel="canonical" href="/doc/{found[2]}">',
        )
    if found := re.fullmatch(r"/lost/(\d+)", path):
        return page(prose(path, 4), prose(path), head='<link rel="canonical" href="/">')
    if found := re.fullmatch(r"/merged/(\d+)", path):
        return page(prose(path, 4), prose(path), head='<link rel="canonical" href="/merged/all">')
    return page("Page not found", f"We could not find {path} on this site. Try the search, or go home.")


LINKS = [
    *(f"/folder/{number}{end}" for number in range(6) for end in ("/", "", "/index.html")),
    *(f"/{view}/{number}" for number in range(4) for view in ("doc", "print")),
    *(f"/lost/{number}" for number in range(3)),
    *(f"/merged/{number}" for number in range(3)),
    *(f"/dead/{name}" for name in ("alpha", "beta", "gamma")),
]


SOON = ("-s", "SCHEDULE_NEW_SECONDS=1", "-s", "SCHEDULE_MIN_SECONDS=1")


def crawl(scrapy, site, *options):
    scrapy(
        "crawl", "site", "-a", f"url={site.url}", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0",
        "-s", "CONCURRENT_REQUESTS=1", *SOON, *options,
    )  # fmt: skip


def kept_pages(store, site):
    return sorted(found.url.removeprefix(site.url) for found in store.pages.each())


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    from command import ScrapyCommand

    scrapy = ScrapyCommand(tmp_path_factory.mktemp("same"))
    with serving(Site(answer, LINKS, real_pages=0)) as site:
        crawl(scrapy, site)
        store = open_store(scrapy.store_url)
        yield site, kept_pages(store, site), store
        store.close()


def test_a_folder_is_kept_once_whatever_its_spelling(crawled):
    _, kept, _ = crawled
    assert [url for url in kept if url.startswith("folder")] == [f"folder/{number}/" for number in range(6)]


def test_spellings_that_are_known_to_be_the_same_are_not_asked_for(crawled):
    site, _, _ = crawled
    assert len(site.asked("/folder/")) <= 15  # of 18: two proofs for each rule, and what is under way


def test_a_text_belongs_to_the_page_that_its_views_name(crawled):
    _, kept, _ = crawled
    assert [url for url in kept if re.match("doc|print", url)] == [f"doc/{number}" for number in range(4)]


def test_pages_that_all_name_one_other_are_kept_themselves(crawled):
    _, kept, _ = crawled
    assert [url for url in kept if url.startswith("lost")] == ["lost/0", "lost/1", "lost/2"]
    assert len([url for url in kept if url.startswith("merged")]) == 3


def test_what_a_host_shows_for_what_does_not_exist_is_missing(crawled):
    site, kept, store = crawled
    assert not [url for url in kept if url.startswith("dead")]
    page = store.pages.find(f"{site.url}dead/alpha")
    assert (page.outcome, store.pages.visits(page.id)[0].reason) == ("missing", "soft_404")
    assert len(site.asked(r"/dead/[0-9a-f]{24}$")) == 1


def test_visited_again_no_page_changes_its_address(scrapy):
    with serving(Site(answer, LINKS, real_pages=0)) as site:
        crawl(scrapy, site)
        store = open_store(scrapy.store_url)
        kept, asked = kept_pages(store, site), len(site.hits)
        last_due = max(store.pages.find(f"{site.url}{url}").due for url in kept)
        while time.time() <= last_due:
            time.sleep(0.05)
        crawl(scrapy, site)
        assert kept_pages(store, site) == kept
        store.close()
    assert len(site.hits) - asked < asked  # what folds is not asked for again


def test_a_host_that_does_not_answer_what_cannot_exist_has_said_nothing(scrapy):
    def slow(path, query):
        if re.fullmatch(r"/dead/[0-9a-f]{24}", path):
            time.sleep(3)
        return answer(path, query)

    with serving(Site(slow, ["/dead/alpha"], real_pages=0)) as site:
        crawl(scrapy, site, "-s", "DOWNLOAD_TIMEOUT=1", "-s", "RETRY_TIMES=0")
        store = open_store(scrapy.store_url)
        assert store.pages.find(f"{site.url}dead/alpha").outcome == "ok"
        assert store.soft_404s.find(site.url.split("/")[2], since=0) is None
        store.close()
    assert len(site.asked(r"/dead/[0-9a-f]{24}$")) == 1
