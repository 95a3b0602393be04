"""A clock that is set forward or back by a day starts no rush and loses no page."""

import pytest

from wikicrawl.schedule import Policy
from wikicrawl.store import open_store
from wikicrawl.store.frontier import Seed
from wikicrawl.store.pages import Outcome

SITE = "site.test"
NOW = 1_000_000_000
DAY = 24 * 3600
POLICY = Policy()
PAGES = 16  # each on a host of its own: as many as one claim takes new pages from


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure(SITE, f"https://{SITE}/", NOW)
    store.frontier.add(SITE, [Seed(f"https://host{number}.test/") for number in range(PAGES)])
    yield store
    store.close()


def claim(store, now, owner="one", limit=PAGES):
    return store.frontier.claim(SITE, owner=owner, limit=limit, now=now, lease_seconds=120, max_pages=100, since=NOW)


def finish(store, claim, at):
    outcome = Outcome("ok", "", "http", "page", 200, 0, [], "", at, at, "job")
    return store.pages.finish(claim, outcome, content=None, policy=POLICY)


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_what_a_crawl_has_visited_it_does_not_visit_again(store, jump):
    for page in claim(store, NOW):
        finish(store, page, NOW)
    assert claim(store, NOW + jump) == []


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_pages_under_way_are_finished_and_the_rest_is_claimed(store, jump):
    under_way = claim(store, NOW, limit=5)
    assert store.frontier.renew("one", now=NOW + jump, lease_seconds=120) == 5
    rest = claim(store, NOW + jump)
    assert len(rest) == PAGES - 5
    assert all(finish(store, page, NOW + jump) for page in (*under_way, *rest))
    assert store.frontier.leased(SITE) == 0


def test_of_two_processes_that_a_jump_made_visit_a_page_the_later_one_is_refused(store):
    first = claim(store, NOW, limit=5)
    second = [page for page in claim(store, NOW + DAY, owner="two") if page.id in {page.id for page in first}]
    assert len(second) == 5
    assert all(finish(store, page, NOW + DAY) for page in second)
    assert [finish(store, page, NOW + DAY) for page in first] == [None] * 5


def test_a_day_back_every_page_is_still_leased_once(store):
    first = claim(store, NOW, limit=5)
    others = claim(store, NOW - DAY, owner="two")
    assert len(others) == PAGES - 5
    assert not {page.id for page in first} & {page.id for page in others}
