"""A crawl gets every real page of a site with a trap in it, and wastes little on the trap."""

import pytest
from trap_site import (
    REAL, Site, calendar, endless_pages, facets, growing, honest_articles, honest_docs, honest_pages, serving,
    session_in_path, session_in_query,
)  # fmt: skip

from wikicrawl.store import open_store

ALL = ("-a", "max_pages=3000", "-a", "max_depth=400", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")
TRAPS = {
    "calendar": (calendar, ["/calendar/2026/11"], r"/calendar/"),
    "session in query": (session_in_query, ["/shop/start"], r"/shop/"),
    "session in path": (session_in_path, ["/in/0123456789abcdef/start"], r"/in/"),
    "growing path": (growing, ["/company/"], r"/company/"),
    "facets": (facets, ["/goods"], r"/goods"),
    "endless pages": (endless_pages, ["/archive-list?page=1"], r"/archive-list"),
}
HONEST = {
    "pages": (honest_pages, ["/entries?page=1"], r"/entries\?", 150),
    "articles": (honest_articles, ["/news/2020/02/1"], r"/news/", 300),
    "docs": (honest_docs, ["/docs/1.0/chapter-1"], r"/docs/", 120),
}


def crawl(scrapy, site, *arguments):
    done = scrapy("crawl", "site", "-a", f"url={site.url}", *ALL, *arguments)
    store = open_store(scrapy.store_url)
    kept = {page.url.removeprefix(site.url): page for page in store.pages.each()}
    status = store.pages.status(now=0)[0]
    store.close()
    return done, kept, status


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_takes_few_requests_and_no_real_page(scrapy, name):
    answer, entrance, pattern = TRAPS[name]
    with serving(Site(answer, entrance)) as site:
        done, kept, status = crawl(scrapy, site)
    assert {f"real/{number}" for number in range(1, REAL + 1)} <= kept.keys()
    assert all(kept[f"real/{number}"].markdown for number in range(1, REAL + 1))
    asked = site.asked(pattern)
    print(name, len(asked), status.outcomes)
    assert len(asked) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_section_is_got_whole(scrapy, name):
    answer, entrance, pattern, pages = HONEST[name]
    with serving(Site(answer, entrance)) as site:
        done, kept, status = crawl(scrapy, site)
    assert len(site.asked(pattern)) == pages
    assert "trap" not in status.outcomes
