"""Hosts that are left alone are known to every process and to the next run."""

import pytest

from wikicrawl.store import open_store
from wikicrawl.store.breakers import Circuit, Resting


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    yield store
    store.close()


def test_a_host_without_a_breaker_is_closed(store):
    assert store.breakers.load("a.example") == Circuit()


def test_a_circuit_is_loaded_as_it_was_saved(store):
    for circuit in (Circuit("open", 90, 8, 1, "status_5xx", 30), Circuit("half_open", 150, 8, 1, "status_5xx", 90)):
        store.breakers.save("a.example", circuit)
        assert store.breakers.load("a.example") == circuit
    assert store.breakers.load("b.example") == Circuit()


def test_a_pause_never_gets_shorter(store):
    for until, reason in ((100, "status_429"), (50, "maxlag"), (200, "status_503")):
        store.hosts.pause("a.example", until, reason)
    assert store.hosts.paused_until("a.example") == 200
    assert store.hosts.paused_until("b.example") == 0
    assert store.breakers.resting(now=0) == [Resting("a.example", "paused", 200, "status_503")]


def test_resting_hosts_are_named_with_their_reason(store):
    store.hosts.pause("b.example", 100, "status_429")
    store.hosts.pause("over.example", 10, "status_429")
    store.hosts.pause("just.example", 100, "delay")  # was asked a moment ago
    store.breakers.save("a.example", Circuit("open", 90, 8, 1, "timeout", 30))
    store.breakers.save("well.example", Circuit())
    assert store.breakers.resting(now=50) == [
        Resting("a.example", "open", 90, "timeout"),
        Resting("b.example", "paused", 100, "status_429"),
    ]
    assert store.breakers.resting(now=50, host="b.example") == [Resting("b.example", "paused", 100, "status_429")]


def test_names_that_no_database_holds_do_no_harm(store):
    store.hosts.pause("a\0.example", 100, "status_429")
    store.breakers.save("a\0.example", Circuit("open", 90))
    assert [resting.until for resting in store.breakers.resting(now=0)] == [90, 100]
