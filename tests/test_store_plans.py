"""What a claim costs does not grow with the pages that it does not take: its statements read indexes and sort nothing."""

import pytest
from postgres import fresh_database
from sqlalchemy import delete, event, insert, text

from wikicrawl.schedule import Policy
from wikicrawl.store import open_store, schema
from wikicrawl.store.frontier import Seed
from wikicrawl.store.pages import Outcome

NOW = 1_000_000
LATER = NOW + 10**6
OK = Outcome("ok", "", "http", "page", 200, 0, [], "", NOW, NOW, "job")


def fill(store):
    """Two sources of thirty hosts, with waiting, due, leased and paused pages."""
    for source in ("one", "two"):
        store.sources.ensure(source, f"https://{source}.test/", NOW)
        names = [f"https://{number % 30}.{source}.test/{number}" for number in range(1500)]
        store.frontier.add(source, [Seed(name, 1) for name in names])
        options = {"owner": "past", "limit": 300, "now": NOW, "lease_seconds": 60, "max_pages": 10**6}
        for claim in store.frontier.claim(source, **options):
            store.pages.finish(claim, OK, content=None, policy=Policy())
        store.frontier.release("past")
        store.frontier.claim(source, **{**options, "owner": f"other of {source}", "limit": 20, "lease_seconds": 10**7})
    with store.engine.begin() as connection:
        paused = [f"{number}.one.test" for number in range(20, 25)]
        connection.execute(delete(schema.host_lease).where(schema.host_lease.c.host.in_(paused)))
        rows = [{"host": host, "pause_until": LATER + number} for number, host in enumerate(paused, 1)]
        connection.execute(insert(schema.host_lease), rows)


def use(store):
    """Every question that a crawl puts to the frontier, and none of them in vain."""
    options = {"owner": "owner", "now": LATER, "lease_seconds": 60}
    frontier = store.frontier
    assert len(frontier.claim("one", limit=100, max_pages=10**6, **options)) == 100
    assert frontier.claim("one", limit=100, max_pages=0, **options)
    assert len(frontier.claim_anywhere(limit=100, **options)) == 100
    assert frontier.leased("one") > 100
    assert frontier.renew("owner", now=LATER, lease_seconds=60) > 200
    assert frontier.next_due("two") is not None
    assert store.lists.rest("two", now=LATER, policy=Policy(), retest_every=2) == 0
    assert frontier.held_until("one", owner="owner", now=LATER) is not None
    assert frontier.reclaim_dead("one") == 0
    assert frontier.release("owner") > 200


@pytest.mark.parametrize("is_analysed", [False, True], ids=["fresh", "analysed"])
def test_a_claim_reads_the_index_and_sorts_nothing(tmp_path, is_analysed):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    fill(store)
    if is_analysed:
        with store.engine.begin() as connection:
            connection.execute(text("ANALYZE"))
    plans = set()

    def explain(connection, _cursor, statement, parameters, *_):
        if statement.startswith(("SELECT", "UPDATE", "WITH")):
            given = parameters[0] if isinstance(parameters, list) else parameters
            rows = connection.connection.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall()
            plans.update(row[3] for row in rows)

    event.listen(store.engine, "before_cursor_execute", explain)
    use(store)
    store.close()
    used = {plan.partition("page_")[2] for plan in plans if "INDEX page_" in plan}
    assert "due (source=? AND due=? AND host>?)" in used
    assert "due (source=? AND due=? AND host=?)" in used
    assert "lease (source=? AND lease_until<?)" in used
    assert any(plan.startswith("owner (lease_owner=?") for plan in used)
    assert any("(due,host,depth,id)>" in plan or "due>? AND due<?" in plan for plan in used)
    assert not [plan for plan in plans if "B-TREE" in plan]
    # These partial indexes hold nothing but leases.
    scans = {plan.removeprefix("SCAN page USING ") for plan in plans if plan.startswith("SCAN page")}
    assert scans <= {"COVERING INDEX page_lease", "INDEX page_lease", "INDEX page_owner"}


@pytest.mark.postgres
@pytest.mark.parametrize("is_analysed", [False, True], ids=["fresh", "analysed"])
def test_postgresql_looks_pages_up_with_and_without_statistics(postgres_server, is_analysed):
    with fresh_database(postgres_server) as url:
        store = open_store(url)
        fill(store)
        if is_analysed:
            with store.engine.begin() as connection:
                connection.execute(text("ANALYZE"))
        plans = {}

        def explain(connection, _cursor, statement, parameters, *_):
            if statement.startswith(("SELECT", "UPDATE", "WITH")):
                given = parameters[0] if isinstance(parameters, list) else parameters
                rows = connection.connection.execute(f"EXPLAIN {statement}", given)
                plans[statement] = [row[0].strip() for row in rows]

        event.listen(store.engine, "before_cursor_execute", explain)
        assert store.frontier.add("one", [Seed(f"https://0.one.test/{number * 30}", 1) for number in range(40)]) == 0
        use(store)
        store.close()
    lines = [line for plan in plans.values() for line in plan]
    assert any("source =" in line and "url =" in line for line in lines if line.startswith("Index Cond"))
    assert any("ROW(due, host, depth, id) >" in line for line in lines if line.startswith("Index Cond"))
    assert not [plan for plan in plans.values() if is_slow(" ".join(plan))]


def is_slow(plan):
    """Rows asked for by their ids may be found by reading a table that is as small as this one."""
    is_scan = "Seq Scan on page" in plan and "id = ANY" not in plan
    return is_scan or ("Sort" in plan and " on page" in plan)
