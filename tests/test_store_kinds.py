"""The store counts kinds of addresses for all processes, and forgets in time."""

import pytest

from wikicrawl.store import open_store
from wikicrawl.traps.habits import Row


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure("s", "http://h/", 1)
    yield store
    store.close()


def test_processes_count_together_and_what_is_decided_is_known_to_all(store):
    store.kinds.add("s", [Row("h/#", "", 5, 4), Row("?sid", "folded")], now=10)
    store.kinds.add("s", [Row("h/#", "alike", 20, 1)], now=20)
    assert store.kinds.find("s", "h/#") == Row("h/#", "alike", 25, 5)
    assert store.kinds.find("s", "h/*") is None
    assert sorted(row.pattern for row in store.kinds.decided("s", since=0)) == ["?sid", "h/#"]
    assert store.kinds.decided("s", since=15) == [Row("h/#", "alike")]


def test_the_answer_for_what_does_not_exist_is_kept_for_a_while(store):
    assert store.soft_404s.find("h", since=0) is None
    store.soft_404s.save("h", "", now=10)
    assert store.soft_404s.find("h", since=5) == ""
    store.soft_404s.save("h", "a b|c", now=20)
    assert store.soft_404s.find("h", since=5) == "a b|c"
    assert store.soft_404s.find("h", since=21) is None
