"""Sitemaps and feeds against what is kept: what moved is due, what did not is left alone, once they are believed."""

from dataclasses import replace

import pytest
from test_store_pages import CONTENT, OK, POLICY

from wikicrawl.store import open_store, trust
from wikicrawl.store.frontier import Seed
from wikicrawl.store.lists import MAX_FEEDS, Noted, SiteList
from wikicrawl.store.validators import Validator

SOURCE = "site.test"
NOW = 1_000_000
LATER = NOW + 10_000  # every page is due again
NEVER = 10**9  # no page is left as a test


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure(SOURCE, "https://site.test/", NOW)
    yield store
    store.close()


def seeds(**dates):
    return [Seed(f"https://site.test/news/{name}", depth=1, lastmod=date) for name, date in dates.items()]


def compare(store, kind="lastmod", now=NOW, **dates):
    return store.lists.compare(SOURCE, kind, seeds(**dates), now)


def claim(store, now):
    return store.frontier.claim(SOURCE, owner="me", limit=100, now=now, lease_seconds=60, max_pages=100)


def visit(store, now, outcome=OK, content=CONTENT):
    """Visit all that is due; the names of the pages."""
    claims = claim(store, now)
    for claimed in claims:
        ended = replace(outcome, started_at=now, finished_at=now)
        store.pages.finish(claimed, ended, content=content, policy=POLICY, validator=Validator())
    return sorted(claimed.url.rsplit("/", 1)[1] for claimed in claims)


def believe(store, kind="lastmod"):
    with store.engine.begin() as connection:
        trust.note(connection, ("site.test/news", kind), trust.UNKNOWN, confirmed=5, refuted=0, now=NOW)


def rest(store, now=LATER, retest_every=NEVER):
    return store.lists.rest(SOURCE, now=now, policy=POLICY, retest_every=retest_every)


def test_a_list_makes_pages_known_with_their_dates(store):
    assert compare(store, a=5, b=None) == Noted(new=2, moved=0)
    assert {page.url[-1]: page.lastmod for page in claim(store, NOW)} == {"a": 5, "b": None}


@pytest.mark.parametrize("kind", ["lastmod", "feed"])
def test_a_page_whose_date_has_moved_is_due_at_once_where_the_list_is_believed(store, kind):
    compare(store, kind, a=5, b=5)
    visit(store, NOW)
    assert compare(store, kind, now=NOW + 10, a=6, b=5) == Noted(new=0, moved=0)
    believe(store, kind)
    assert compare(store, kind, now=NOW + 10, a=7, b=5) == Noted(new=0, moved=1)
    assert visit(store, NOW + 10) == ["a"]


def test_a_page_that_is_due_and_has_not_moved_is_put_off_where_the_list_is_believed(store):
    compare(store, a=5, b=5, c=None)
    visit(store, NOW)
    assert rest(store) == 0
    believe(store)
    assert rest(store) == 2
    assert visit(store, LATER) == ["c"]  # the list says nothing of it
    assert store.pages.find("https://site.test/news/a").interval == 3000


def test_what_moved_is_not_put_off(store):
    compare(store, a=5, b=5)
    visit(store, NOW)
    believe(store)
    compare(store, a=6, b=5, now=LATER)
    rest(store)
    assert visit(store, LATER) == ["a"]


def test_every_nth_is_visited_all_the_same(store):
    compare(store, **{f"p{number}": 5 for number in range(100)})
    visit(store, NOW)
    believe(store)
    rested = rest(store, retest_every=10)
    assert 80 <= rested < 100
    assert len(visit(store, LATER)) == 100 - rested


def test_a_page_that_failed_is_tried_when_it_is_due_whatever_the_list_says(store):
    compare(store, a=5)
    visit(store, NOW, replace(OK, name="timeout"), None)
    believe(store)
    assert rest(store) == 0


def test_a_feed_speaks_for_all_pages_of_its_place(store):
    store.frontier.add(SOURCE, seeds(old=None))
    compare(store, "feed", a=5)
    visit(store, NOW)
    believe(store, "feed")
    assert rest(store) == 2


def test_where_a_sitemap_gives_dates_a_feed_names_new_pages_only(store):
    compare(store, a=5)
    assert compare(store, "feed", a=9, b=9) == Noted(new=1, moved=0)
    assert {page.url[-1]: page.lastmod for page in claim(store, NOW)} == {"a": 5, "b": None}


def test_a_feed_that_has_dropped_entries_since_its_last_reading_is_doubted(store):
    compare(store, "feed", a=NOW)
    believe(store, "feed")
    read = SiteList("https://site.test/feed", "feed", read_at=NOW)
    store.lists.doubt(read, seeds(a=NOW, b=NOW + 5), LATER)
    assert store.trusts.find("site.test/news", "feed").is_proven
    store.lists.doubt(read, seeds(b=NOW + 5, c=NOW + 6), LATER)
    assert store.trusts.find("site.test/news", "feed").is_refuted


def test_a_page_that_is_gone_is_visited_again_when_it_is_listed_with_another_date(store):
    compare(store, a=5)
    visit(store, NOW, replace(OK, name="gone"), None)
    compare(store, a=5, now=LATER)
    assert visit(store, LATER) == []
    assert compare(store, a=6, now=LATER) == Noted(new=0, moved=1)
    assert visit(store, LATER) == ["a"]


def test_lists_are_kept_with_what_they_can_be_asked_with(store):
    read = SiteList("https://site.test/sitemap.xml", "lastmod", '"1"', "Mon", 5)
    store.lists.keep(SOURCE, read)
    store.lists.add_feeds(SOURCE, ["https://site.test/feed"])
    store.lists.keep(SOURCE, replace(read, etag='"2"', read_at=6))
    assert store.lists.of(SOURCE) == [
        SiteList("https://site.test/feed", "feed"),
        replace(read, etag='"2"', read_at=6),
    ]
    store.lists.forget(SOURCE, read.url)
    assert [kept.kind for kept in store.lists.of(SOURCE)] == ["feed"]


def test_a_source_has_so_many_feeds_and_no_more(store):
    store.lists.add_feeds(SOURCE, [f"https://site.test/{number}/feed" for number in range(30)])
    store.lists.add_feeds(SOURCE, ["https://site.test/one/more"])
    assert len(store.lists.of(SOURCE)) == MAX_FEEDS
