"""What a store does while its database fails."""

import asyncio
import sqlite3

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, InternalError, OperationalError

from wikicrawl.store import StoreUnavailable, open_store
from wikicrawl.store.patience import REMEDIES, passing_reason


class Watch:
    def __init__(self):
        self.news = []
        self.waits = True

    def is_waiting(self):
        return self.waits

    def store_lost(self, reason, error):
        self.news.append(f"lost: {reason}: {error}")

    def store_back(self, seconds):
        self.news.append("back")

    def store_given_up(self):
        self.news.append("given up")


def sqlite_error(code):
    error = sqlite3.OperationalError("a problem")
    error.sqlite_errorcode = code
    return OperationalError("", {}, error)


class Faulty:
    """A call that fails some times before it works."""

    def __init__(self, failures, code=sqlite3.SQLITE_FULL):
        self.failures, self.code, self.calls = failures, code, 0

    def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise sqlite_error(self.code)
        return "done"


@pytest.fixture
def store(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    yield store
    store.close()


@pytest.fixture
def watch(store, monkeypatch):
    monkeypatch.setattr("wikicrawl.store.patience.FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr("wikicrawl.store.patience.LONGEST_WAIT_SECONDS", 0.02)
    watch = Watch()
    store.patience.seconds = 30
    store.patience.watchers.append(watch)
    return watch


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), "full"),
        (sqlite_error(sqlite3.SQLITE_READONLY_CANTINIT), "read_only"),
        (sqlite_error(sqlite3.SQLITE_IOERR_WRITE), "io"),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), "io"),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), "busy"),
        (sqlite_error(sqlite3.SQLITE_ERROR), ""),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), ""),
        (OperationalError("", {}, psycopg.OperationalError("connection refused")), "down"),
        (OperationalError("", {}, psycopg.errors.AdminShutdown("terminating")), "down"),
        (OperationalError("", {}, psycopg.errors.DiskFull("no space")), "full"),
        (OperationalError("", {}, psycopg.errors.DeadlockDetected("deadlock")), "busy"),
        (InternalError("", {}, psycopg.errors.ReadOnlySqlTransaction("standby")), "read_only"),
        (IntegrityError("", {}, psycopg.errors.UniqueViolation("twice")), ""),
        (DBAPIError("", {}, psycopg.Error("gone"), connection_invalidated=True), "down"),
    ],
)
def test_only_failures_that_pass_are_waited_for(error, reason):
    assert passing_reason(error) == reason
    assert reason in {"", *REMEDIES}


async def test_a_failure_that_has_passed_at_the_second_try_is_told_to_nobody(store, watch):
    assert await store.run(Faulty(1)) == "done"
    assert watch.news == []


async def test_an_outage_is_told_when_it_begins_and_when_it_is_over(store, watch):
    assert await store.run(Faulty(5)) == "done"
    assert watch.news == ["lost: full: a problem", "back"]


async def test_one_call_tries_and_the_others_wait_for_it(store, watch):
    faulty, others = Faulty(4), [Faulty(0) for _ in range(5)]
    trying = asyncio.ensure_future(store.run(faulty))
    while not watch.news:
        await asyncio.sleep(0.001)
    waiting = [asyncio.ensure_future(store.run(other)) for other in others]
    await asyncio.wait({trying, *waiting})
    assert [task.result() for task in waiting] == ["done"] * 5
    assert watch.news == ["lost: full: a problem", "back"]


async def test_after_so_much_patience_every_call_gives_up(store, watch):
    store.patience.seconds = 0.1
    results = await asyncio.gather(*(store.run(Faulty(999)) for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [StoreUnavailable] * 3
    assert watch.news[0] == "lost: full: a problem"
    assert watch.news[1:] == ["given up"] * 3


async def test_nobody_waits_for_a_store_that_nobody_needs(store, watch):
    watch.waits = False
    with pytest.raises(StoreUnavailable, match="a problem"):
        await store.run(Faulty(999))


async def test_without_a_watch_the_first_failure_is_final(store):
    faulty = Faulty(1)
    with pytest.raises(StoreUnavailable):
        await store.run(faulty)
    assert faulty.calls == 1


async def test_a_bug_is_not_waited_for(store, watch):
    def ask():
        with store.engine.connect() as connection:
            connection.execute(text("SELECT * FROM no_such_table"))

    with pytest.raises(OperationalError):
        await store.run(ask)
    assert watch.news == []


async def test_a_call_that_is_cancelled_while_it_tries_leaves_the_others_to_try(store, watch):
    first = asyncio.ensure_future(store.run(Faulty(999)))
    while not watch.news:
        await asyncio.sleep(0.001)
    second = asyncio.ensure_future(store.run(Faulty(1)))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "done"


async def test_a_server_that_died_leaves_a_doubt(store, watch):
    calls = iter([OperationalError("", {}, psycopg.OperationalError("gone")), None])

    def ask():
        if error := next(calls):
            raise error

    await store.run(ask)
    assert store.patience.doubts == 1
    await store.run(Faulty(1))
    assert store.patience.doubts == 1
