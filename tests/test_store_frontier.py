"""Claims: breadth first, within the budget, never two for one page, and none lost with its process."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from wikicrawl.schedule import Policy
from wikicrawl.store import open_store, schema
from wikicrawl.store.frontier import Seed, owner_name
from wikicrawl.store.pages import Outcome

SITE = "site.test"
NOW = 1_000_000


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure(SITE, f"https://{SITE}/", NOW)
    yield store
    store.close()


def seeds(*names, depth=1, host=SITE):
    return [Seed(f"https://{host}/{name}", depth) for name in names]


def claim(store, owner="owner", limit=100, now=NOW, max_pages=100):
    return store.frontier.claim(SITE, owner=owner, limit=limit, now=now, lease_seconds=60, max_pages=max_pages)


def names(claims):
    return [claim.url.rpartition("/")[2] for claim in claims]


def finish(store, claim, *, at=NOW, links=()):
    outcome = Outcome("ok", "", "http", "page", 200, 0, [], "", at, at, "job")
    return store.pages.finish(claim, outcome, content=None, links=links, policy=Policy())


def admitted(store):
    """What the source has counted, after a look whether that is the truth."""
    with store.engine.connect() as connection:
        counted = connection.scalar(select(schema.source.c.admitted))
        is_admitted = schema.page.c.due.is_(None) | (schema.page.c.due > 0)
        assert counted == connection.scalar(select(func.count()).select_from(schema.page).where(is_admitted))
    return counted


def test_a_page_is_added_once(store):
    assert store.frontier.add(SITE, [*seeds("a", "b"), *seeds("a")]) == 2
    assert store.frontier.add(SITE, seeds("b", "c")) == 1
    assert names(claim(store)) == ["a", "b", "c"]


def test_pages_of_another_source_are_other_pages(store):
    store.sources.ensure("other", "https://other.test/", NOW)
    store.frontier.add(SITE, seeds("a"))
    assert store.frontier.add("other", seeds("a")) == 1
    assert [claimed.source for claimed in claim(store)] == [SITE]


def test_more_seeds_than_one_statement_can_bind_are_added(store):
    assert store.frontier.add(SITE, seeds(*range(1234))) == 1234
    assert store.frontier.add(SITE, seeds(*range(1235))) == 1


def test_the_longest_url_can_be_kept(store):
    long = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789-_", k=2083 - len(f"https://{SITE}/")))
    assert store.frontier.add(SITE, seeds(long)) == 1
    assert names(claim(store)) == [long]


def test_never_admitted_pages_come_first_by_depth_and_then_as_found(store):
    store.frontier.add(SITE, seeds("old"))
    finish(store, *claim(store))
    store.frontier.add(SITE, [*seeds("deep", depth=2), *seeds("z", "a"), *seeds("start", depth=0)])
    late = NOW + 10**7
    assert names(claim(store, now=late, limit=3)) == ["start", "z", "a"]
    assert names(claim(store, now=late)) == ["deep", "old"]


def test_a_waiting_page_found_nearer_moves_up(store):
    store.frontier.add(SITE, [*seeds("near"), *seeds("far", depth=3)])
    assert store.frontier.add(SITE, seeds("far", depth=0)) == 0
    assert [(c.url[-3:], c.depth) for c in claim(store)] == [("far", 0), ("ear", 1)]


def test_an_admitted_page_keeps_its_depth(store):
    store.frontier.add(SITE, seeds("a", depth=3))
    claim(store)
    store.frontier.add(SITE, seeds("a", depth=0))
    store.frontier.release("owner")
    assert claim(store)[0].depth == 3


def test_pages_due_are_claimed_in_the_order_of_their_time(store):
    store.frontier.add(SITE, seeds("a", "b", "c"))
    for page, at in zip(claim(store), (NOW + 2, NOW + 1, NOW + 3), strict=True):
        finish(store, page, at=at)
    day = Policy().new_seconds
    assert claim(store, now=NOW + day) == []
    assert names(claim(store, now=NOW + day + 2)) == ["b", "a"]


def test_a_claim_carries_what_the_page_was(store):
    store.frontier.add(SITE, [Seed("https://site.test/a", 2, lastmod=77)])
    (first,) = claim(store)
    assert (first.attempt, first.version, first.interval, first.lastmod, first.owner) == (1, 0, None, 77, "owner")
    finish(store, first)
    (again,) = claim(store, now=NOW + 10**6)
    assert (again.attempt, again.interval) == (1, Policy().new_seconds)


def test_no_page_is_claimed_twice(store):
    store.frontier.add(SITE, seeds(*range(10)))
    first, second = claim(store, limit=7), claim(store, limit=7)
    assert (len(first), len({*names(first), *names(second)})) == (7, 10)
    assert store.frontier.leased(SITE) == 10


def test_max_pages_holds_through_release_expiry_and_more_links(store):
    store.frontier.add(SITE, seeds(*range(10)))
    first = claim(store, max_pages=5)
    assert len(first) == 5
    assert store.frontier.release("owner") == 5
    assert names(claim(store, max_pages=5)) == names(first)
    expired = NOW + 61
    assert names(claim(store, now=expired, max_pages=5)) == names(first)
    for page in first[:2]:
        assert finish(store, page, links=seeds("x", "y", depth=0)) is not None
    assert claim(store, now=expired, max_pages=5) == []
    assert admitted(store) == 5
    assert names(claim(store, now=expired, max_pages=7)) == ["x", "y"]
    assert admitted(store) == 7


def test_the_next_visit_is_that_of_the_first_page_due(store):
    store.frontier.add(SITE, seeds(*range(10)))
    assert store.frontier.next_due(SITE) is None
    for page in claim(store, max_pages=4):
        finish(store, page)
    assert store.frontier.next_due(SITE) == NOW + Policy().new_seconds
    assert len(claim(store, now=NOW + Policy().new_seconds, max_pages=4)) == 4


def test_a_source_with_nothing_visited_has_no_next_due(store):
    store.frontier.add(SITE, seeds("a"))
    assert store.frontier.next_due(SITE) is None


def test_release_gives_pages_back_as_they_were(store):
    store.frontier.add(SITE, [*seeds("a"), *seeds("b", host="b.test")])
    claim(store, "other", limit=1)
    (before,) = claim(store)
    assert store.frontier.release("owner") == 1
    assert claim(store) == [before]


def test_a_renewed_lease_does_not_expire(store):
    store.frontier.add(SITE, seeds("a"))
    claim(store)
    assert store.frontier.renew("owner", now=NOW + 50, lease_seconds=60) == 1
    assert claim(store, "other", now=NOW + 100) == []
    assert [page.attempt for page in claim(store, "other", now=NOW + 111)] == [2]


def test_a_page_that_processes_keep_dying_with_is_parked_and_those_beside_it_are_not(store):
    """Every process that has claimed «poison» dies at once."""
    store.frontier.add(SITE, seeds("a", "poison", "b"))
    finished, deaths = [], 0
    for round in range(12):
        claims = claim(store, now=NOW + 61 * round)
        if "poison" in names(claims):
            deaths += 1
            continue
        for page in claims:
            finish(store, page)
            finished += names([page])
    assert (sorted(finished), deaths) == (["a", "b"], 5)
    page = store.pages.find(f"https://{SITE}/poison")
    assert (page.state, page.due, page.outcome, page.lease_owner) == ("parked", None, "parked", None)
    (visit,) = store.pages.visits(page.id)
    assert (visit.outcome, visit.reason, visit.attempt) == ("parked", "died", 5)
    assert store.frontier.leased(SITE) == 0
    assert admitted(store) == 3


LATER = NOW + 122


def add_suspects(store, pages):
    """Two processes have died with them, both before LATER."""
    store.frontier.add(SITE, pages)
    claim(store)
    claim(store, now=NOW + 61)


def test_a_suspect_is_claimed_when_nothing_else_is_left_and_alone(store):
    add_suspects(store, seeds("a", "b"))
    store.frontier.add(SITE, seeds("c"))
    (other,) = claim(store, now=LATER)
    assert names([other]) == ["c"]
    assert claim(store, now=LATER) == []
    finish(store, other)
    (suspect,) = claim(store, now=LATER)
    store.frontier.add(SITE, seeds("d", host="d.test"))
    assert claim(store, now=LATER) == []
    (fourth,) = claim(store, "another process", now=LATER)
    assert names([fourth]) == ["d"]
    finish(store, suspect)
    finish(store, fourth)
    assert len(claim(store, now=LATER)) == 1


def test_a_suspect_waits_while_another_process_has_other_pages(store):
    add_suspects(store, seeds("a"))
    store.frontier.add(SITE, seeds("b", host="b.test"))
    (other,) = claim(store, "another process", now=LATER)
    assert claim(store, now=LATER) == []
    finish(store, other)
    assert names(claim(store, now=LATER)) == ["a"]


def test_a_suspect_waits_while_another_process_has_the_host_of_other_pages(store):
    add_suspects(store, seeds("a"))
    store.frontier.add(SITE, seeds("b", host="b.test"))
    assert store.frontier.keep_host("b.test", owner="another process", now=LATER, lease_seconds=60)
    assert claim(store, now=LATER) == []
    (other,) = claim(store, now=LATER + 61)
    assert names([other]) == ["b"]
    finish(store, other)
    assert names(claim(store, now=LATER + 61)) == ["a"]


def test_a_suspect_does_not_wait_for_another(store):
    add_suspects(store, [*seeds("a"), *seeds("b", host="b.test")])
    both = [names(claim(store, owner, now=LATER)) for owner in ("one process", "another process")]
    assert sorted(both) == [["a"], ["b"]]


def test_a_suspect_that_ended_a_process_alone_is_tried_after_the_others(store):
    add_suspects(store, seeds("a", "b"))
    tried = [names(claim(store, now=NOW + 61 * turn)) for turn in range(2, 6)]
    assert tried == [["a"], ["b"], ["a"], ["b"]]


def test_a_live_process_keeps_its_claims(store):
    store.frontier.add(SITE, seeds("a"))
    claim(store, owner_name())
    assert store.frontier.reclaim_dead(SITE) == 0


CLAIM_AND_WAIT = """
import sys
from wikicrawl.store import open_store
from wikicrawl.store.frontier import owner_name
frontier = open_store(sys.argv[1]).frontier
print(len(frontier.claim(sys.argv[2], owner=owner_name(), limit=2, now=1000000, lease_seconds=60, max_pages=100)), flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_claims_of_a_killed_process_are_taken_back_at_once(store, store_url):
    store.frontier.add(SITE, seeds("a", "b", "c"))
    command = [sys.executable, "-c", CLAIM_AND_WAIT, store_url, SITE]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"2\n"
        assert store.frontier.reclaim_dead(SITE) == 0
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, though nobody has reaped it
        assert store.frontier.reclaim_dead(SITE) == 2
    assert [page.attempt for page in claim(store)] == [1, 2, 2]


def crawl(url, name):
    """Claim and finish until nothing is left; every page links to new ones of ten hosts, in another order each time."""
    store = open_store(url)
    shuffle = random.Random(name).shuffle
    done = []
    try:
        while (claims := claim(store, name, limit=5, max_pages=300)) or store.frontier.leased(SITE):
            for page in claims:
                numbers = range(page.id * 3, page.id * 3 + 30)
                links = [seed for n in numbers for seed in seeds(n, depth=page.depth + 1, host=f"{n % 10}.test")]
                shuffle(links)
                assert finish(store, page, links=links) is not None
                done.append(page.id)
    finally:
        store.frontier.release(name)
        store.close()
    return done


@pytest.mark.slow
def test_four_processes_share_a_crawl_without_double_work(store, store_url):
    store.frontier.add(SITE, seeds(*range(20)))
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        done = pool.starmap(crawl, [(store_url, name) for name in ("one", "two", "three", "four")], chunksize=1)
        pool.close()
        pool.join()
    ids = [page for pages in done for page in pages]
    assert len(ids) == len(set(ids)) == 300
    assert admitted(store) == 300
    with store.engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(schema.visit)) == 300


def test_a_known_page_takes_the_date_its_sitemap_says(store):
    store.frontier.add(SITE, [Seed(f"https://{SITE}/x", 1)])
    assert store.frontier.add(SITE, [Seed(f"https://{SITE}/x", 1, lastmod=NOW - 5)]) == 0
    assert store.pages.find(f"https://{SITE}/x").lastmod == NOW - 5
    store.frontier.add(SITE, [Seed(f"https://{SITE}/x", 1)])
    assert store.pages.find(f"https://{SITE}/x").lastmod == NOW - 5


def test_a_page_is_claimed_once_in_a_crawl_that_outlasts_its_interval(store):
    store.frontier.add(SITE, seeds("a"))
    (first,) = claim(store)
    finish(store, first)
    later = NOW + 10 * Policy().new_seconds
    options = {"owner": "owner", "limit": 9, "now": later, "lease_seconds": 60, "max_pages": 9}
    assert store.frontier.claim(SITE, since=NOW, **options) == []
    assert names(store.frontier.claim(SITE, since=NOW + 1, **options)) == ["a"]


@pytest.mark.parametrize("due", [NOW - 1, NOW, NOW + 1], ids=["before", "then", "after"])
def test_a_page_made_due_about_the_second_of_its_last_visit_is_claimed(store, due):
    store.frontier.add(SITE, seeds("a"))
    (first,) = claim(store)
    finish(store, first)
    with store.engine.begin() as connection:
        connection.execute(update(schema.page).values(due=due))
    options = {"owner": "owner", "limit": 9, "now": NOW + 1, "lease_seconds": 60, "max_pages": 9}
    assert names(store.frontier.claim(SITE, since=NOW, **options)) == ["a"]
