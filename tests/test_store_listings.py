"""What a wiki lists against what is kept: what differs is due, what does not is left alone, what is absent is asked."""

from dataclasses import replace

import pytest
from test_store_pages import CONTENT, OK, POLICY

from wikicrawl.store import open_store
from wikicrawl.store.claiming import MAX_DEATHS
from wikicrawl.store.frontier import Seed
from wikicrawl.store.listings import Compared, Listed

SOURCE = "wiki.test"
LISTING = "namespace 0"
NOW = 1_000_000
LATER = NOW + 10_000


def at(name, pageid=1, revid=10, touched=500, **more):
    return Listed(f"https://wiki.test/wiki/{name}", pageid, revid, touched, **more)


A, B, C = at("A", 1), at("B", 2), at("C", 3)


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure(SOURCE, "https://wiki.test/", NOW)
    yield store
    store.close()


def sweep(store, *listed, now=NOW, name=LISTING, aliases=None):
    compared = store.listings.compare(SOURCE, name, listed, started_at=now, policy=POLICY)
    if aliases:
        pairs = [(entry, aliases[entry.url.rsplit("/", 1)[1]]) for entry in compared.redirects]
        store.listings.keep_aliases(SOURCE, name, pairs, started_at=now)
    absent = store.listings.close(SOURCE, name, started_at=now, pages=len(listed))
    return replace(compared, redirects=[]), absent


def visit(store, now, outcome=OK, content=CONTENT):
    """Visit all that is due; the names of the pages in the order they were claimed."""
    claims = store.frontier.claim(SOURCE, owner="me", limit=100, now=now, lease_seconds=60, max_pages=100)
    for claim in claims:
        ended = replace(outcome, started_at=now, finished_at=now)
        store.pages.finish(claim, ended, content=content, policy=POLICY)
    return [claim.url.rsplit("/", 1)[1] for claim in claims]


def test_pages_that_are_listed_for_the_first_time_are_visited(store):
    assert sweep(store, A, B) == (Compared(new=2), 0)
    assert visit(store, NOW) == ["A", "B"]


def test_what_is_unchanged_is_not_due_even_when_its_time_has_come(store):
    sweep(store, A, B)
    visit(store, NOW)
    assert sweep(store, A, B, now=LATER) == (Compared(same=2), 0)
    assert visit(store, LATER) == []
    assert store.pages.find(A.url).interval == POLICY.new_seconds * POLICY.stale_factor


def test_an_edited_page_is_due_before_one_that_was_only_touched(store):
    sweep(store, A, B, C)
    visit(store, NOW)
    touched, edited = replace(A, touched=900), replace(B, revid=11, touched=900)
    assert sweep(store, touched, edited, C, now=NOW + 50) == (Compared(changed=1, touched=1, same=1), 0)
    assert visit(store, NOW + 50) == ["B", "A"]


def test_a_change_seen_before_a_crash_is_still_due_after_the_next_sweep(store):
    sweep(store, A)
    visit(store, NOW)
    edited = replace(A, revid=11)
    sweep(store, edited, now=LATER)
    assert sweep(store, edited, now=LATER + 1) == (Compared(same=1), 0)
    assert visit(store, LATER + 1) == ["A"]


def test_a_page_that_failed_is_tried_again_although_it_is_unchanged(store):
    sweep(store, A)
    visit(store, NOW, outcome=replace(OK, name="timeout"), content=None)
    sweep(store, A, now=LATER)
    assert visit(store, LATER) == ["A"]


@pytest.mark.parametrize("outcome", ["throttled", "network", "http_error"])
def test_a_change_whose_visit_failed_is_tried_in_the_next_run(store, outcome):
    sweep(store, A)
    visit(store, NOW)
    edited = replace(A, revid=11)
    sweep(store, edited, now=NOW + 50)
    visit(store, NOW + 50, outcome=replace(OK, name=outcome), content=None)
    assert sweep(store, edited, now=NOW + 60) == (Compared(touched=1), 0)
    assert visit(store, NOW + 60) == ["A"]


def test_a_visit_that_brought_an_older_revision_than_is_listed_is_made_again(store):
    sweep(store, A)
    stale = replace(CONTENT, meta={"wiki": {"revid": A.revid - 1}})
    visit(store, NOW, content=stale)
    assert sweep(store, A, now=NOW + 50) == (Compared(touched=1), 0)
    assert visit(store, NOW + 50, content=replace(CONTENT, meta={"wiki": {"revid": A.revid}})) == ["A"]
    assert sweep(store, A, now=NOW + 60) == (Compared(same=1), 0)


def test_facts_are_kept_anew_where_the_text_is_the_same(store):
    sweep(store, A)
    visit(store, NOW, content=replace(CONTENT, meta={"wiki": {"revid": 10, "categories": []}}))
    sweep(store, replace(A, revid=11), now=NOW + 50)
    visit(store, NOW + 50, content=replace(CONTENT, meta={"wiki": {"revid": 11, "categories": ["New"]}}))
    kept = store.pages.find(A.url)
    assert (kept.version, kept.meta["wiki"]) == (1, {"revid": 11, "categories": ["New"]})


def test_of_two_sweeps_at_once_the_older_takes_no_page_for_absent(store):
    store.listings.compare(SOURCE, LISTING, [A], started_at=NOW + 9, policy=POLICY)
    store.listings.compare(SOURCE, LISTING, [A], started_at=NOW, policy=POLICY)
    assert store.listings.close(SOURCE, LISTING, started_at=NOW + 9, pages=1) == 0


def test_a_page_of_two_listings_is_missed_by_each(store):
    sweep(store, A, B)
    sweep(store, A, name="category X")
    visit(store, NOW)
    assert sweep(store, B, now=NOW + 50)[1] == 1
    assert sweep(store, name="category X", now=NOW + 50)[1] == 1


def test_a_page_that_left_the_listing_is_asked_for_once(store):
    sweep(store, A, B)
    visit(store, NOW)
    assert sweep(store, A, now=NOW + 50) == (Compared(same=1), 1)
    assert visit(store, NOW + 50, outcome=replace(OK, name="gone"), content=None) == ["B"]
    assert sweep(store, A, now=LATER) == (Compared(same=1), 0)
    assert visit(store, LATER) == []


def test_a_gone_page_is_not_among_the_kept_and_comes_back_when_it_is_listed_again(store):
    sweep(store, A)
    visit(store, NOW)
    sweep(store, now=NOW + 50)
    visit(store, NOW + 50, outcome=replace(OK, name="gone"), content=None)
    assert list(store.pages.each()) == []
    assert sweep(store, replace(A, pageid=7, revid=70), now=LATER) == (Compared(changed=1), 0)
    assert visit(store, LATER) == ["A"]
    assert [page.url for page in store.pages.each()] == [A.url]


def test_a_redirect_is_kept_as_another_name_and_never_visited(store):
    alias = at("Alias", 9, is_redirect=True)
    _, absent = sweep(store, A, alias, aliases={"Alias": A.url})
    assert absent == 0
    assert visit(store, NOW) == ["A"]
    found = store.pages.find(alias.url)
    assert (found.state, found.final_url) == ("alias", A.url)
    assert sweep(store, A, alias, now=LATER) == (Compared(same=2), 0)
    assert visit(store, LATER) == []


def test_a_link_to_a_known_redirect_is_no_new_page(store):
    alias = at("Alias", 9, is_redirect=True)
    sweep(store, A, alias, aliases={"Alias": A.url})
    assert store.frontier.add(SOURCE, [Seed(alias.url, depth=2)]) == 0


def test_a_redirect_that_became_a_page_is_visited(store):
    sweep(store, at("Alias", 9, is_redirect=True), aliases={"Alias": A.url})
    assert sweep(store, at("Alias", 9, revid=12), now=LATER) == (Compared(changed=1), 0)
    assert visit(store, LATER) == ["Alias"]


def test_a_page_with_content_that_became_a_redirect_is_visited(store):
    sweep(store, A)
    visit(store, NOW)
    assert sweep(store, replace(A, revid=12, is_redirect=True), now=LATER) == (Compared(changed=1), 0)
    assert visit(store, LATER) == ["A"]


def test_a_parked_page_stays_parked(store):
    sweep(store, A)
    for death in range(MAX_DEATHS):
        store.frontier.claim(
            SOURCE, owner=f"dead {death}", limit=1, now=NOW + 100 * death, lease_seconds=60, max_pages=9
        )
    visit(store, NOW + 1000)
    assert store.pages.find(A.url).state == "parked"
    sweep(store, replace(A, revid=11), now=LATER)
    assert visit(store, LATER) == []


def test_pages_of_another_listing_are_not_missed(store):
    sweep(store, A)
    sweep(store, B, name="category X")
    visit(store, NOW)
    assert sweep(store, A, now=NOW + 50) == (Compared(same=1), 0)
    assert visit(store, NOW + 50) == []


def test_recent_changes_make_pages_due_and_known(store):
    sweep(store, A, B)
    visit(store, NOW)
    assert store.listings.note_changes(SOURCE, LISTING, [A.url, C.url], until=NOW + 40, now=NOW + 50) == 1
    assert visit(store, NOW + 50) == ["C", "A"]
    assert store.listings.find(SOURCE, LISTING).changes_at == NOW + 40
    assert store.listings.find(SOURCE, "another") is None


def test_a_wiki_is_kept_with_its_state(store):
    store.wikis.save("wiki.test", "", {}, NOW)
    assert [wiki.api for wiki in store.wikis.load("wiki.test")] == [""]
    store.wikis.save("wiki.test", "https://wiki.test/w/api.php", {"sitename": "Test\x00"}, NOW)
    store.wikis.mark("https://wiki.test/w/api.php", "down", NOW + 60, "not_json")
    (kept,) = store.wikis.load("wiki.test")
    assert (kept.state, kept.state_until, kept.reason) == ("down", NOW + 60, "not_json")
    assert kept.profile["sitename"] == "Test\ufffd"
    store.wikis.save("wiki.test", kept.api, kept.profile, NOW + 70)
    assert store.wikis.load("wiki.test")[0].state == "up"
