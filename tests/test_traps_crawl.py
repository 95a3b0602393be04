"""A crawl gets every real page of a site with a trap in it, and wastes little on the trap."""

import pytest
from trap_site import (
    REAL,
    Site,
    calendar,
    endless_pages,
    facets,
    growing,
    honest_articles,
    honest_docs,
    honest_pages,
    serving,
    session_in_path,
    session_in_query,
)  # fmt: skip

from wikicrawl.store import open_store

pytestmark = pytest.mark.slow
ALL = ("-a", "max_pages=3000", "-a", "max_depth=400", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0")
TRAPS = {
    "calendar": (calendar, "/calendar/2026/11", r"/calendar/"),
    "session in query": (session_in_query, "/shop/start", r"/shop/"),
    "session in path": (session_in_path, "/in/0123456789abcdef/start", r"/in/"),
    "growing path": (growing, "/company/", r"/company/"),
    "facets": (facets, "/goods", r"/goods"),
    "endless pages": (endless_pages, "/archive-list?page=1", r"/archive-list"),
}


def crawl(scrapy, site, *arguments):
    scrapy("crawl", "site", "-a", f"url={site.url}", *ALL, *arguments)
    store = open_store(scrapy.store_url)
    kept = {page.url.removeprefix(site.url): page for page in store.pages.each()}
    status = store.pages.status(now=0)[0]
    store.close()
    return kept, status


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_takes_few_requests_and_no_real_page(scrapy, name):
    answer, entrance, pattern = TRAPS[name]
    with serving(Site(answer, [entrance])) as site:
        kept, status = crawl(scrapy, site)
    assert all(kept[f"real/{number}"].markdown for number in range(1, REAL + 1))
    assert len(site.asked(pattern)) <= 100
    assert status.admitted == sum(status.outcomes.values()) - status.outcomes.get("trap", 0)


def test_every_page_behind_session_ids_is_got(scrapy):
    def both(path, query):
        return session_in_path(path, query) or session_in_query(path, query)

    with serving(Site(both, ["/in/0123456789abcdef/start", "/shop/start"], real_pages=0)) as site:
        kept, _ = crawl(scrapy, site)
    for number in range(1, 13):
        assert [url for url in kept if url.startswith("in/") and url.endswith(f"/item-{number}")]
        assert [url for url in kept if url.startswith(f"shop/item-{number}")]


def test_honest_sections_are_got_whole_and_nothing_is_refused(scrapy):
    def honest(path, query):
        return honest_pages(path, query) or honest_articles(path, query) or honest_docs(path, query)

    with serving(Site(honest, ["/entries?page=1", "/news/2020/02/1", "/docs/1.0/chapter-1"], real_pages=0)) as site:
        _, status = crawl(scrapy, site)
    assert [len(site.asked(pattern)) for pattern in (r"/entries\?", r"/news/", r"/docs/")] == [150, 300, 120]
    assert status.outcomes == {"ok": 571}


def test_switched_off_every_link_is_followed(scrapy):
    with serving(Site(calendar, ["/calendar/2026/11"], real_pages=0)) as site:
        _, status = crawl(scrapy, site, "-a", "max_pages=80", "-s", "TRAPS_ENABLED=0")
    assert len(site.asked("/calendar/")) == 79
    assert status.outcomes == {"ok": 80}


def test_what_was_learned_is_known_to_the_next_crawl_and_told_by_explain(scrapy):
    with serving(Site(calendar, ["/calendar/2026/11"], real_pages=0)) as site:
        crawl(scrapy, site)
        first = len(site.asked("/calendar/"))
        store = open_store(scrapy.store_url)
        refused = next(page for page in store.pages.unfinished() or _trapped(store, site))
        visits = store.pages.visits(refused.id)
        store.close()
        assert [(visit.outcome, visit.reason, visit.http_status) for visit in visits] == [("trap", "alike", 0)]
        told = scrapy("explain", refused.url).stdout
        assert "closed as a trap (alike)" in told
        scrapy("crawl", "site", "-a", f"url={site.url}calendar/1990/1", "-a", f"source={refused.source}", *ALL)
        assert len(site.asked("/calendar/")) - first <= 10


def _trapped(store, site):
    for day in range(1, 29):
        for month in ("2026/12", "2026/10", "2027/01", "2026/09"):
            page = store.pages.find(f"{site.url}calendar/{month}/{day:02}")
            if page is not None and page.outcome == "trap":
                yield page
