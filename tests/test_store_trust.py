"""Whom to believe about changes: learned from visits, by part of a host, and unlearned."""

import pytest

from wikicrawl.store import open_store, trust
from wikicrawl.store.trust import Comparison, Trust, has_moved, place_of
from wikicrawl.store.validators import Validator, opaque

URL = "https://site.test/docs/a"
NOW = 1_000_000
ONE, TWO = Validator('"1"', ""), Validator('"2"', "")


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    yield store
    store.close()


def learn(store, *, has_changed, old=ONE, new=ONE, times=1, now=NOW, visited_at=NOW - 100):
    with store.engine.begin() as connection:
        for _ in range(times):
            trust.learn(connection, Comparison(URL, has_changed, old, new, visited_at), now)


def list_place(store, kind):
    with store.engine.begin() as connection:
        trust.ensure(connection, [place_of(URL)], kind, NOW)


def dated(lastmod):
    return Validator(lastmod=lastmod)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://site.test/", "site.test"),
        ("https://site.test/about", "site.test"),
        ("https://site.test/docs/", "site.test/docs"),
        ("https://site.test:8080/docs/a/b?c=/d", "site.test:8080/docs"),
    ],
)
def test_a_place_is_the_first_folder_of_a_host(url, place):
    assert place_of(url) == place


@pytest.mark.parametrize(
    ("old", "new", "visited_at", "expected"),
    [
        pytest.param(5, 5, 10, False, id="the same date"),
        pytest.param(5, 6, 10, True, id="another date, though before the visit: the list is late"),
        pytest.param(5, None, 10, False, id="no date any more"),
        pytest.param(None, 5, 10, False, id="a first date before the visit"),
        pytest.param(None, 15, 10, True, id="a first date after the visit"),
    ],
)
def test_a_date_moves_when_it_tells_of_a_change_since_the_visit(old, new, visited_at, expected):
    assert has_moved(old, new, visited_at) is expected


def test_tags_that_change_with_their_pages_prove_themselves(store):
    learn(store, has_changed=True, new=TWO, times=2)
    assert not store.trusts.find(place_of(URL), "etag").is_proven
    learn(store, has_changed=True, new=TWO)
    assert store.trusts.find(place_of(URL), "etag").is_proven


def test_one_tag_that_stayed_although_its_page_changed_refutes_the_place(store):
    learn(store, has_changed=True, new=TWO, times=3)
    learn(store, has_changed=True)
    assert store.trusts.find(place_of(URL), "etag").is_refuted
    assert store.trusts.find("site.test/other", "etag") == trust.UNKNOWN


def test_pages_that_never_change_prove_tags_slowly_and_outweigh_no_change_that_was_missed(store):
    learn(store, has_changed=False, times=149)
    assert not store.trusts.find(place_of(URL), "etag").is_proven
    learn(store, has_changed=False, times=50)
    assert store.trusts.find(place_of(URL), "etag").is_proven
    learn(store, has_changed=True)
    assert store.trusts.find(place_of(URL), "etag").is_refuted


def test_a_new_tag_on_an_unchanged_page_says_nothing(store):
    learn(store, has_changed=False, new=TWO)
    assert store.trusts.find(place_of(URL), "etag") == trust.UNKNOWN


def test_a_refuted_place_recovers_when_it_tells_the_truth(store):
    learn(store, has_changed=True)
    learn(store, has_changed=True, new=TWO, times=9)
    assert store.trusts.find(place_of(URL), "etag").is_proven


def test_old_wrongs_fade(store):
    learn(store, has_changed=True)
    year = NOW + 365 * 86_400
    learn(store, has_changed=True, new=TWO, times=3, now=year)
    assert store.trusts.find(place_of(URL), "etag").is_proven


@pytest.mark.parametrize("kind", ["lastmod", "feed"])
def test_lists_that_tell_of_changes_prove_themselves(store, kind):
    list_place(store, kind)
    learn(store, has_changed=False, old=dated(5), new=dated(5), times=100)
    assert not store.trusts.find(place_of(URL), kind).is_proven  # what stays the same proves nothing
    learn(store, has_changed=True, old=dated(5), new=dated(6), times=3)
    assert store.trusts.find(place_of(URL), kind).is_proven


def test_a_change_that_a_list_did_not_tell_of_refutes_it(store):
    list_place(store, "lastmod")
    learn(store, has_changed=True, old=dated(5), new=dated(6), times=5)
    learn(store, has_changed=True, old=dated(5), new=dated(5))
    assert store.trusts.find(place_of(URL), "lastmod").is_refuted


def test_a_list_that_always_says_today_is_not_believed(store):
    list_place(store, "lastmod")
    learn(store, has_changed=False, old=dated(5), new=dated(6), times=20)
    learn(store, has_changed=True, old=dated(5), new=dated(6), times=3)
    assert not store.trusts.find(place_of(URL), "lastmod").is_proven


def test_places_that_no_list_names_learn_nothing_of_dates(store):
    learn(store, has_changed=True, old=dated(5), new=dated(6))
    assert store.trusts.find(place_of(URL), "lastmod") == store.trusts.find(place_of(URL), "feed") == Trust()


@pytest.mark.parametrize(
    ("etag", "expected"),
    [
        ('"a"', '"a"'),
        ('W/"a"', '"a"'),
        ('"a-gzip"', '"a"'),
        ('W/"a--gzip"', '"a"'),
        ('"a;br"', '"a"'),
        ('"gzip"', '"gzip"'),
    ],
)
def test_marks_of_weakness_and_compression_are_no_part_of_a_tag(etag, expected):
    assert opaque(etag) == expected
