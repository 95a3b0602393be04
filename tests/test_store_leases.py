"""Hosts: leased to one process at a time, left alone while they are paused or failing, and asked in turn."""

import random
from collections import Counter

import pytest
from sqlalchemy import delete, func, insert, select

from wikicrawl.schedule import Policy
from wikicrawl.store import open_store, schema
from wikicrawl.store.claiming import MAX_DEATHS
from wikicrawl.store.frontier import Seed
from wikicrawl.store.pages import Outcome

SITE = "site.test"
NOW = 1_000_000
DAY = Policy().new_seconds


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure(SITE, f"https://{SITE}/", NOW)
    yield store
    store.close()


def add(store, pages, source=SITE):
    """Pages of hosts: {"a": 3} is three pages of the host a.test."""
    for host, count in pages.items():
        store.frontier.add(source, [Seed(f"https://{host}.test/{number}", number // 10) for number in range(count)])


def claim(store, owner="owner", limit=100, now=NOW, source=SITE, **options):
    given = {"lease_seconds": 60, "max_pages": 10**6, **options}
    return store.frontier.claim(source, owner=owner, limit=limit, now=now, **given)


def claim_anywhere(store, owner="owner", limit=100, now=NOW, **options):
    return store.frontier.claim_anywhere(owner=owner, limit=limit, now=now, lease_seconds=60, **options)


def finish(store, *claims, at=NOW):
    for page in claims:
        outcome = Outcome("ok", "", "http", "page", 200, 0, [], "", at, at, "job")
        assert store.pages.finish(page, outcome, content=None, policy=Policy())


def hosts(claims):
    return dict(Counter(page.url.split("/")[2].removesuffix(".test") for page in claims))


def write(store, table, **row):
    with store.engine.begin() as connection:
        connection.execute(delete(table).where(table.c.host == row["host"]))
        connection.execute(insert(table), row)


def pause(store, host, until):
    write(store, schema.host_lease, host=f"{host}.test", pause_until=until)


def breaker(store, host, state, until=0):
    values = {"failures": 1, "openings": 1, "reason": "refused", "changed_at": NOW}
    write(store, schema.breaker, host=f"{host}.test", state=state, until=until, **values)


def test_a_host_is_claimed_by_one_process_at_a_time(store):
    add(store, {"a": 9, "b": 9})
    assert hosts(claim(store, "one", limit=1)) == {"a": 1}
    assert hosts(claim(store, "two")) == {"b": 9}
    assert claim(store, "three") == []


def test_a_host_belongs_to_one_process_over_all_sources(store):
    store.sources.ensure("other", "https://other.test/", NOW)
    add(store, {"a": 2})
    add(store, {"a": 2, "b": 2}, "other")
    claim(store, "one")
    assert hosts(claim(store, "two", source="other")) == {"b": 2}


def test_an_idle_host_is_given_up_at_the_next_claim(store):
    add(store, {"a": 1, "b": 1})
    first, second = claim(store, "one")
    finish(store, first)
    add(store, {"a": 5})
    assert claim(store, "two") == []
    assert claim(store, "one", max_pages=2) == []  # nothing for it, but «a» is free now
    assert hosts(claim(store, "two")) == {"a": 4}
    finish(store, second)


def test_released_hosts_are_free(store):
    add(store, {"a": 2})
    claim(store, "one")
    store.frontier.release("one")
    assert hosts(claim(store, "two")) == {"a": 2}


def test_expired_hosts_are_free_and_renewed_ones_are_not(store):
    add(store, {"a": 2})
    claim(store, "one", limit=1)
    store.frontier.renew("one", now=NOW + 50, lease_seconds=60)
    assert claim(store, "two", now=NOW + 110) == []
    assert hosts(claim(store, "two", now=NOW + 111)) == {"a": 2}


def test_a_kept_host_stays_with_its_process_until_it_is_let_go(store):
    add(store, {"a": 2})
    assert store.frontier.keep_host("a.test", owner="one", now=NOW, lease_seconds=60)
    assert not store.frontier.keep_host("a.test", owner="two", now=NOW, lease_seconds=60)
    assert claim(store, "two") == []
    assert claim(store, "one", max_pages=0) == []
    assert claim(store, "two") == []
    store.frontier.let_go("a.test", owner="one")
    claim(store, "one", max_pages=0)
    assert hosts(claim(store, "two")) == {"a": 2}


def test_hosts_give_the_same_share_and_the_rich_give_for_the_poor(store):
    add(store, {"a": 100, "b": 100, "c": 2, "d": 100})
    assert hosts(claim(store, limit=20)) == {"a": 5, "b": 5, "c": 2, "d": 8}
    assert hosts(claim(store, limit=90)) == {"a": 30, "b": 30, "d": 30}


def test_the_hosts_behind_the_last_one_come_next(store):
    add(store, {f"h{number:02}": 3 for number in range(20)})
    claims = claim(store, limit=16)
    finish(store, *claims)
    second = hosts(claim(store, limit=16))
    assert len(hosts(claims)) == 16
    assert list(second)[:4] == ["h16", "h17", "h18", "h19"]
    assert list(second)[4:] == list(hosts(claims))[:12]


def test_a_process_stays_with_its_hosts_while_they_have_new_pages(store):
    add(store, {f"h{number:02}": 3 for number in range(20)})
    first, second, third = (hosts(claim(store, limit=16)) for _ in range(3))
    assert first == second == third
    assert list(hosts(claim(store, limit=16))) == ["h16", "h17", "h18", "h19"]


def test_more_hosts_than_one_statement_walks_are_found(store):
    add(store, {f"h{number:03}": 1 for number in range(150)})
    found = [host for _ in range(12) for host in hosts(claim(store, limit=16))]
    assert len(found) == len(set(found)) == 150


def test_within_a_host_the_nearest_come_first(store):
    add(store, {"a": 30, "b": 30})
    claims = claim(store, limit=22)
    assert sorted(page.depth for page in claims) == [0] * 20 + [1] * 2


def test_a_paused_host_is_left_alone_until_its_time(store):
    add(store, {"a": 2, "b": 2})
    pause(store, "a", NOW + 5)
    assert hosts(claim(store)) == {"b": 2}
    assert hosts(claim(store, now=NOW + 5)) == {"a": 2}


def test_a_host_that_failed_is_left_alone_and_then_asked_by_one_page_at_a_time(store):
    add(store, {"a": 3})
    breaker(store, "a", "open", NOW + 5)
    assert claim(store) == []
    (probe,) = claim(store, now=NOW + 5)
    breaker(store, "a", "half_open", NOW + 5)
    assert claim(store, now=NOW + 6) == []
    finish(store, probe)
    (probe,) = claim(store, now=NOW + 7)
    breaker(store, "a", "closed", NOW + 5)
    assert hosts(claim(store, now=NOW + 8)) == {"a": 1}


def test_due_pages_of_a_failing_host_are_probed_by_one_too(store):
    add(store, {"a": 3, "b": 2})
    finish(store, *claim(store))
    breaker(store, "a", "half_open")
    assert hosts(claim(store, now=NOW + DAY)) == {"a": 1, "b": 2}


def test_due_pages_of_hosts_that_may_not_be_asked_are_left_where_they_are(store):
    add(store, {"a": 2, "b": 2, "c": 2, "d": 2})
    finish(store, *claim(store))
    store.frontier.release("owner")
    claim(store, "other", now=NOW + DAY, limit=1)
    pause(store, "b", NOW + DAY + 1)
    breaker(store, "c", "open", NOW + DAY + 2)
    assert hosts(claim(store, now=NOW + DAY)) == {"d": 2}
    assert hosts(claim(store, now=NOW + DAY + 2)) == {"b": 2, "c": 1}


def test_due_pages_behind_very_many_that_may_not_be_asked_are_found_by_looking_on(store):
    add(store, {"a": 1500, "b": 3})
    with store.engine.begin() as connection:
        connection.execute(schema.page.update().values(due=NOW + DAY, visited_at=NOW))
    pause(store, "a", NOW + 10**9)
    options = {"limit": 10, "now": NOW + DAY}
    assert claim(store, **options) == []
    assert store.frontier.held_until(SITE, owner="owner", now=NOW + DAY) == NOW + DAY
    assert hosts(claim(store, **options)) == {"b": 3}
    while store.frontier.held_until(SITE, owner="owner", now=NOW + DAY) == NOW + DAY:
        assert claim(store, **options) == []
    assert store.frontier.held_until(SITE, owner="owner", now=NOW + DAY) == NOW + 10**9


def test_nothing_is_held_back_where_every_page_may_be_claimed_or_is_done(store):
    held_until = store.frontier.held_until
    assert held_until(SITE, owner="owner", now=NOW) is None
    add(store, {"a": 2})
    assert held_until(SITE, owner="owner", now=NOW) is None
    finish(store, *claim(store))
    assert held_until(SITE, owner="owner", now=NOW) is None


def test_pages_are_held_back_until_the_first_host_may_be_asked(store):
    add(store, {"a": 2, "b": 2, "c": 2})
    pause(store, "a", NOW + 50)
    breaker(store, "b", "open", NOW + 40)
    claim(store, "other")
    assert store.frontier.held_until(SITE, owner="owner", now=NOW) == NOW + 40
    breaker(store, "b", "closed")
    assert store.frontier.held_until(SITE, owner="owner", now=NOW) == NOW + 50
    pause(store, "a", 0)
    add(store, {"c": 5})
    assert store.frontier.held_until(SITE, owner="owner", now=NOW) == NOW + 61
    assert store.frontier.held_until(SITE, owner="other", now=NOW) is None


def test_pages_that_may_not_be_visited_are_not_waited_for(store):
    add(store, {"a": 4})
    finish(store, *claim(store, limit=2))
    pause(store, "a", NOW + 50)
    assert store.frontier.held_until(SITE, owner="owner", now=NOW, max_pages=2) is None
    assert store.frontier.held_until(SITE, owner="owner", now=NOW, max_pages=3) == NOW + 50
    later = {"owner": "owner", "now": NOW + DAY, "max_pages": 2}
    pause(store, "a", NOW + 2 * DAY)
    assert store.frontier.held_until(SITE, **later) == NOW + 2 * DAY
    assert store.frontier.held_until(SITE, **later, since=NOW) is None


# over all sources


def fill_sources(store, pages, **arguments):
    for source, count in pages.items():
        store.sources.ensure(source, f"https://{source}.test/", NOW)
        add(store, {source: count}, source)
    with store.engine.begin() as connection:
        for source, given in arguments.items():
            row = schema.source.update().where(schema.source.c.id == source)
            connection.execute(row.values(arguments=given))


def test_pages_never_visited_come_before_the_longest_overdue_of_all_sources(store):
    fill_sources(store, {"a": 1, "b": 1, "c": 1})
    for seconds, source in enumerate("cab"):
        finish(store, *claim(store, source=source), at=NOW + seconds)
    fill_sources(store, {"d": 1})
    assert list(hosts(claim_anywhere(store, now=NOW + DAY + 1))) == ["d", "c", "a"]
    assert list(hosts(claim_anywhere(store, now=NOW + DAY + 2))) == ["b"]


def test_sources_give_the_same_share(store):
    fill_sources(store, {f"s{number:02}": 50 for number in range(20)})
    first, second = claim_anywhere(store, limit=32), claim_anywhere(store, limit=32)
    assert set(hosts(first).values()) == set(hosts(second).values()) == {2}
    assert list(hosts(second))[:4] == ["s16", "s17", "s18", "s19"]
    assert len(claim_anywhere(store, limit=2000)) == 20 * 50 - 64


def test_a_source_gives_no_more_new_pages_than_its_crawl_was_to_visit(store):
    fill_sources(store, {"a": 9, "b": 9, "c": 9}, a={"max_pages": 4}, b={"max_pages": 0}, c={"max_pages": None})
    assert hosts(claim_anywhere(store, limit=6)) == {"a": 2, "b": 2, "c": 2}
    assert hosts(claim_anywhere(store, limit=100)) == {"a": 2, "b": 7, "c": 7}


def test_expired_claims_of_any_source_are_claimed_again(store):
    fill_sources(store, {"a": 1})
    claim_anywhere(store, "one")
    assert claim_anywhere(store, "two", now=NOW + 60) == []
    assert [page.attempt for page in claim_anywhere(store, "two", now=NOW + 61)] == [2]


def test_pages_visited_in_this_crawl_are_not_claimed_again_anywhere(store):
    fill_sources(store, {"a": 1})
    finish(store, *claim_anywhere(store))
    assert claim_anywhere(store, now=NOW + DAY, since=NOW) == []
    assert len(claim_anywhere(store, now=NOW + DAY, since=NOW + 1)) == 1


def test_a_suspect_of_any_source_is_claimed_when_nothing_else_is_left_and_alone(store):
    fill_sources(store, {"a": 2})
    claim_anywhere(store)
    claim_anywhere(store, now=NOW + 61)
    fill_sources(store, {"b": 1})
    later = NOW + 122
    assert hosts(claim_anywhere(store, now=later)) == {"b": 1}
    assert claim_anywhere(store, now=later) == []
    store.frontier.release("owner")
    assert hosts(claim_anywhere(store, now=later)) == {"b": 1}
    finish(store, *claim_anywhere(store, "other", now=later))
    store.frontier.release("owner")


# the ledger


def ledger(store):
    """Claims, and what became of them: visits, pages held, and claims returned."""
    with store.engine.connect() as connection:
        claimed, returned = connection.execute(
            select(func.sum(schema.source.c.claimed), func.sum(schema.source.c.returned))
        ).one()
        visits = connection.scalar(select(func.count()).select_from(schema.visit))
        held = connection.scalar(select(func.count()).where(schema.page.c.lease_until.is_not(None)))
    return claimed, visits + held + returned


def test_every_claim_is_a_visit_or_held_or_returned_whatever_happens(store):
    chance = random.Random(4)
    fill_sources(store, {"a": 12, "b": 12, "c": 12})
    now, held = NOW, []
    for _ in range(150):
        now += chance.choice([1, 1, 30, 61])
        owner = chance.choice(["one", "two"])
        act = chance.choice(["claim", "anywhere", "finish", "finish", "release", "renew", "expire"])
        if act == "claim":
            held += claim(store, owner, limit=5, now=now, source=chance.choice("abc"))
        elif act == "anywhere":
            held += claim_anywhere(store, owner, limit=5, now=now)
        elif act == "finish" and held:
            outcome = Outcome("ok", "", "http", "page", 200, 0, [], "", now, now, "job")
            store.pages.finish(held.pop(), outcome, content=None, policy=Policy(new_seconds=10, min_seconds=10))
        elif act == "release":
            store.frontier.release(owner)
        elif act == "renew":
            store.frontier.renew(owner, now=now, lease_seconds=60)
        claimed, accounted = ledger(store)
        assert claimed == accounted
    assert claimed > 100


def test_the_last_claim_of_a_parked_page_is_its_outcome(store):
    add(store, {"a": 1})
    for turn in range(MAX_DEATHS + 1):
        claim(store, now=NOW + 61 * turn)
    (status,) = store.pages.status(now=NOW)
    assert (status.outcomes, status.leased) == ({"parked": 1}, 0)
    assert ledger(store) == (MAX_DEATHS, MAX_DEATHS)
