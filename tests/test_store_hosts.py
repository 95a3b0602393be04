"""What is learned about hosts, sources and jobs is there again tomorrow."""

import pytest

from wikicrawl.store import open_store
from wikicrawl.store.hosts import HostMemory, PatternVotes
from wikicrawl.store.jobs import Job


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    yield store
    store.close()


def test_nothing_is_known_of_a_new_host(store):
    assert store.hosts.load("a.test") == HostMemory({}, [], None)


def test_votes_are_kept_by_host_and_pattern_and_replaced(store):
    store.hosts.save_pattern("a.test", "/blog/*", PatternVotes(1.0, 0.0, 10))
    store.hosts.save_pattern("a.test", "/blog/*", PatternVotes(1.5, 0.25, 20))
    store.hosts.save_pattern("a.test", "/", PatternVotes(0.0, 1.0, 30))
    store.hosts.save_pattern("b.test", "/", PatternVotes(9.0, 9.0, 40))
    patterns = {"/blog/*": PatternVotes(1.5, 0.25, 20), "/": PatternVotes(0.0, 1.0, 30)}
    assert store.hosts.load("a.test") == HostMemory(patterns, [], None)


def test_cookies_are_kept_and_replaced(store):
    store.hosts.save_cookies("a.test", [{"name": "old"}], 10)
    store.hosts.save_cookies("a.test", [{"name": "clear\x00ed", "expires": -1}], 20)
    assert store.hosts.load("a.test") == HostMemory({}, [{"name": "clear\ufffded", "expires": -1}], 20)


def test_a_source_remembers_when_its_sitemaps_were_read(store):
    store.sources.ensure("a.test", "https://a.test/", 1)
    assert store.sources.seeded_at("a.test") is None
    store.sources.mark_seeded("a.test", 5)
    store.sources.ensure("a.test", "https://a.test/", 9)
    assert store.sources.seeded_at("a.test") == 5


def test_a_job_is_open_until_it_has_finished(store):
    assert store.jobs.latest("a.test") is None
    store.jobs.start("one", spider="site", source="a.test", arguments={"url": "https://a.test/"}, now=10)
    started = Job("one", "site", "a.test", {"url": "https://a.test/"}, 10, None, "", None)
    assert store.jobs.latest("a.test") == started
    store.jobs.finish("one", reason="finished", stats={"items": 3, "rate": float("inf")}, now=20)
    finished = Job("one", "site", "a.test", {"url": "https://a.test/"}, 10, 20, "finished", {"items": 3, "rate": None})
    assert store.jobs.latest("a.test") == finished


def test_the_latest_job_is_the_last_started(store):
    for number, source in enumerate(["a.test", "a.test", "b.test"]):
        store.jobs.start(str(number), spider="site", source=source, arguments={}, now=number)
    assert store.jobs.latest("a.test").id == "1"


def test_a_job_started_again_under_its_id_begins_anew(store):
    store.jobs.start("one", spider="site", source="a.test", arguments={}, now=10)
    store.jobs.finish("one", reason="finished", stats={}, now=20)
    store.jobs.start("one", spider="site", source="a.test", arguments={"n": 2}, now=30)
    assert store.jobs.latest("a.test") == Job("one", "site", "a.test", {"n": 2}, 30, None, "", None)
