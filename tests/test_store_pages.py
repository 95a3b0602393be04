"""Finished pages: one outcome each, content that stays, links that are found, and the next visit."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from wikicrawl.schedule import Policy
from wikicrawl.store import open_store, pages, schema
from wikicrawl.store.frontier import Seed
from wikicrawl.store.pages import Content, Finished, Outcome
from wikicrawl.store.validators import Validator

SITE = "site.test"
HOME = f"https://{SITE}/"
NOW = 1_000_000
POLICY = Policy(new_seconds=1000, min_seconds=10, max_seconds=100_000, fresh_factor=0.5, stale_factor=3.0)
SELDOM = replace(POLICY, new_seconds=10**9, max_seconds=10**9)
CONTENT = Content(
    final_url=HOME,
    title="Home",
    description="A site",
    language="en",
    markdown="# Home",
    text_hash="hash-1",
    links=[f"{HOME}a"],
    images=[f"{HOME}logo.png"],
    meta={"author": "Ada", "dates": [2024]},
    tier="http",
    extractor="readability",
    bytes=1234,
    http_status=200,
)
OK = Outcome(
    name="ok",
    reason="",
    tier="http",
    verdict="page",
    http_status=200,
    bytes=1234,
    trail=[{"tier": "http", "verdict": "page"}],
    error="",
    started_at=NOW - 1,
    finished_at=NOW,
    job="job-1",
)
FAILED = replace(OK, name="http_error", reason="status", verdict="failed", http_status=503, error="HTTP 503")
REDIRECTED = replace(OK, name="redirected")


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    store.sources.ensure(SITE, HOME, NOW)
    store.frontier.add(SITE, [Seed(HOME)])
    yield store
    store.close()


def claim(store, now=NOW, owner="owner", limit=100):
    return store.frontier.claim(SITE, owner=owner, limit=limit, now=now, lease_seconds=60, max_pages=100)


def finish(store, claimed, outcome=OK, content=CONTENT, **kwargs):
    return store.pages.finish(claimed, outcome, content=content, policy=POLICY, **kwargs)


def visit(store, outcome=OK, content=CONTENT, **kwargs):
    """Claim the page that is due first, whenever that is, and finish it then."""
    now = store.frontier.next_due(SITE) or NOW
    (claimed,) = claim(store, now, limit=1)
    return now, finish(store, claimed, replace(outcome, finished_at=now), content, **kwargs)


def count(store, table):
    with store.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def admitted(store):
    with store.engine.connect() as connection:
        return connection.scalar(select(schema.source.c.admitted))


def test_a_first_visit_is_kept_whole(store):
    (claimed,) = claim(store)
    assert finish(store, claimed) == Finished("new", 0, NOW + 1000, 1, is_fresh=True)
    page = store.pages.find(HOME)
    assert (page.url, page.source, page.depth, page.state, page.outcome) == (HOME, SITE, 0, "open", "ok")
    assert (page.version, page.text_hash, page.visited_at, page.due, page.interval) == (
        1,
        "hash-1",
        NOW,
        NOW + 1000,
        1000,
    )
    assert (page.lease_owner, page.lease_until, page.attempt) == (None, None, 0)
    for name in ("final_url", "title", "description", "language", "markdown", "links", "images", "meta", "tier"):
        assert getattr(page, name) == getattr(CONTENT, name)
    assert (page.extractor, page.bytes, page.http_status, page.fetched_at) == ("readability", 1234, 200, NOW)


def test_a_visit_tells_how_it_went(store):
    (claimed,) = claim(store)
    finish(store, claimed, FAILED, None)
    (past,) = store.pages.visits(claimed.id)
    assert (past.outcome, past.reason, past.tier, past.verdict) == ("http_error", "status", "http", "failed")
    assert (past.http_status, past.bytes, past.error, past.job, past.attempt) == (503, 1234, "HTTP 503", "job-1", 1)
    assert (past.started_at, past.finished_at, past.trail) == (NOW - 1, NOW, [{"tier": "http", "verdict": "page"}])


def test_visits_come_latest_first(store):
    for outcome in (OK, FAILED, OK):
        visit(store, outcome)
    page = store.pages.find(HOME)
    assert [past.outcome for past in store.pages.visits(page.id)] == ["ok", "http_error", "ok"]
    assert len(store.pages.visits(page.id, limit=2)) == 2


def test_the_same_content_makes_no_second_version(store):
    visit(store)
    now, finished = visit(store)
    assert finished == Finished("same", 0, now + 3000, 1)
    assert count(store, schema.version) == 1
    assert count(store, schema.visit) == 2


def test_changed_content_is_a_new_version_and_the_old_one_stays(store):
    visit(store)
    now, finished = visit(store, content=replace(CONTENT, markdown="# New", text_hash="hash-2"))
    assert finished == Finished("changed", 0, now + 500, 2, is_fresh=True)
    assert store.pages.find(HOME).markdown == "# New"
    assert count(store, schema.version) == 2


def test_content_survives_a_failed_visit(store):
    visit(store)
    now, finished = visit(store, FAILED, None)
    assert finished == Finished("", 0, now + 500, 1, outcome="http_error", is_fresh=True)  # soon: it had content
    page = store.pages.find(HOME)
    assert (page.outcome, page.visited_at) == ("http_error", now)
    assert (page.version, page.markdown, page.text_hash, page.fetched_at) == (1, "# Home", "hash-1", NOW)
    assert visit(store)[1].changed == "same"


def test_a_page_that_failed_at_first_is_new_when_it_has_content(store):
    _, finished = visit(store, FAILED, None)
    assert (finished.changed, finished.due, finished.version) == ("", NOW + 1000, 0)
    assert visit(store)[1].changed == "new"


def test_new_links_are_pages_and_make_a_page_fresh(store):
    links = [Seed(f"{HOME}a", 1), Seed(f"{HOME}b", 1), Seed(HOME, 1)]
    (home,) = claim(store)
    assert finish(store, home, links=links).new_links == 2
    for leaf in claim(store):
        store.pages.finish(leaf, FAILED, content=None, policy=SELDOM)
    now, finished = visit(store, links=links)
    assert (finished.new_links, finished.due) == (0, now + 3000)
    now, finished = visit(store, links=[*links, Seed(f"{HOME}c", 1)])
    assert (finished.new_links, finished.due) == (1, now + 1500)


def test_a_late_result_is_refused_and_nothing_is_written(store):
    (late,) = claim(store, owner="slow")
    (current,) = claim(store, now=NOW + 61, owner="quick")
    assert finish(store, late, links=[Seed(f"{HOME}a", 1)], landed=f"{HOME}b") is None
    assert [count(store, table) for table in (schema.visit, schema.version, schema.page)] == [0, 0, 1]
    assert finish(store, current).changed == "new"
    assert finish(store, current) is None
    assert count(store, schema.visit) == 1


def test_a_result_after_the_lease_is_taken_while_nobody_else_has_claimed(store):
    (slow,) = claim(store)
    assert finish(store, slow, replace(OK, finished_at=NOW + 1000)).changed == "new"


def test_a_redirect_to_an_unknown_page_fills_that_page(store):
    (home,) = claim(store)
    content = replace(CONTENT, final_url=f"{HOME}en")
    finished = finish(store, home, REDIRECTED, content, landed=f"{HOME}en", links=[Seed(f"{HOME}en", 1)])
    assert finished == Finished("new", 0, NOW + 1000, 1, outcome="redirected", is_fresh=True)
    source, target = store.pages.find(HOME), store.pages.find(f"{HOME}en")
    assert (source.outcome, source.version, source.markdown, source.final_url) == ("redirected", 0, "", f"{HOME}en")
    assert (target.outcome, target.version, target.markdown, target.depth) == ("landed", 1, "# Home", 0)
    assert (target.visited_at, target.due, target.text_hash) == (NOW, NOW + 1000, "hash-1")
    assert admitted(store) == 2
    assert count(store, schema.visit) == 1
    assert claim(store) == []


def test_a_redirect_to_a_waiting_page_fills_it_and_moves_it_up(store):
    (home,) = claim(store)
    store.frontier.add(SITE, [Seed(f"{HOME}en", 2)])
    assert finish(store, home, REDIRECTED, landed=f"{HOME}en").changed == "new"
    target = store.pages.find(f"{HOME}en")
    assert (target.depth, target.version) == (0, 1)
    assert admitted(store) == 2
    assert claim(store) == []


def test_a_redirect_to_a_page_given_back_unvisited_counts_it_once(store):
    (home,) = claim(store, owner="other")
    store.frontier.add(SITE, [Seed(f"{HOME}en", 1)])
    claim(store)
    store.frontier.release("owner")
    assert finish(store, home, REDIRECTED, landed=f"{HOME}en").changed == "new"
    assert admitted(store) == 2
    assert claim(store) == []


def test_a_redirect_to_a_visited_page_changes_nothing_there(store):
    visit(store)
    store.frontier.add(SITE, [Seed(f"{HOME}index", 1)])
    (alias,) = claim(store)
    content = replace(CONTENT, markdown="# Other", text_hash="hash-2")
    links = [Seed(f"{HOME}a", 1)]
    finished = finish(store, alias, REDIRECTED, content, landed=HOME, links=links)
    assert finished == Finished("", 1, NOW + 1000, 0, outcome="redirected", is_fresh=True)
    assert (store.pages.find(HOME).markdown, store.pages.find(HOME).outcome) == ("# Home", "ok")
    assert admitted(store) == 2


def test_a_redirect_to_a_claimed_page_leaves_it_to_its_claimant(store):
    store.frontier.add(SITE, [Seed(f"{HOME}index", 1)])
    home, alias = claim(store)
    assert finish(store, alias, REDIRECTED, landed=HOME).changed == ""
    assert finish(store, home).changed == "new"
    assert count(store, schema.version) == 1


def test_a_redirect_to_itself_is_none(store):
    (home,) = claim(store)
    assert finish(store, home, landed=HOME).changed == "new"
    assert admitted(store) == 1


def test_a_redirect_without_content_makes_its_target_known(store):
    (home,) = claim(store)
    finish(store, home, replace(FAILED, name="redirected"), None, landed=f"{HOME}en")
    assert [page.url for page in claim(store)] == [f"{HOME}en"]
    assert admitted(store) == 2


@pytest.mark.parametrize("bad", ["\x00", "\ud800"], ids=["nul", "surrogate"])
def test_text_that_no_database_takes_loses_no_page(store, bad):
    (claimed,) = claim(store)
    texts = dict.fromkeys(("title", "description", "language", "markdown", "text_hash", "extractor"), f"a{bad}b")
    content = replace(CONTENT, **texts, links=[f"a{bad}b"], meta={f"k{bad}": [f"a{bad}b", float("nan")]})
    outcome = replace(OK, error=f"a{bad}b", reason=f"a{bad}b", trail=[{"error": f"a{bad}b"}])
    assert finish(store, claimed, outcome, content).changed == "new"
    page = store.pages.find(HOME)
    assert {getattr(page, name) for name in texts} == {"a\ufffdb"}
    assert (page.links, page.meta) == (["a\ufffdb"], {"k\ufffd": ["a\ufffdb", None]})
    (past,) = store.pages.visits(page.id)
    assert (past.error, past.reason, past.trail) == ("a\ufffdb", "a\ufffdb", [{"error": "a\ufffdb"}])


def test_text_of_any_script_is_kept_as_it_is(store):
    (claimed,) = claim(store)
    finish(store, claimed, content=replace(CONTENT, title="Ünï 中文 👩‍💻 \ufffe \x1f"))
    assert store.pages.find(HOME).title == "Ünï 中文 👩‍💻 \ufffe \x1f"


def test_an_unknown_page_is_not_found(store):
    assert store.pages.find(f"{HOME}nowhere") is None
    assert store.pages.find(HOME, "other") is None
    assert store.pages.find(HOME, SITE).version == 0


def test_each_page_with_content_comes_once_in_order(store, monkeypatch):
    monkeypatch.setattr(pages, "BATCH", 3)
    for site in ("b.test", "a.test"):
        store.sources.ensure(site, f"https://{site}/", NOW)
        store.frontier.add(site, [Seed(f"https://{site}/{number}") for number in (5, 3, 1, 4, 2, 6)])
        for claimed in store.frontier.claim(site, owner="o", limit=10, now=NOW, lease_seconds=60, max_pages=10):
            finish(store, claimed, content=None if claimed.url.endswith("4") else CONTENT)
    urls = [page.url for page in store.pages.each()]
    assert urls == [f"https://{site}/{number}" for site in ("a.test", "b.test") for number in (1, 2, 3, 5, 6)]
    assert [page.url for page in store.pages.each("b.test")] == urls[5:]
    assert {page.markdown for page in store.pages.each()} == {"# Home"}


def test_the_status_counts_every_page(store):
    store.jobs.start("job-1", spider="site", source=SITE, arguments={}, now=NOW)
    store.frontier.add(SITE, [Seed(f"{HOME}{number}", 1) for number in range(5)])
    home, bad, rare = claim(store, limit=3)
    finish(store, home)
    finish(store, bad, FAILED, None)
    store.pages.finish(rare, FAILED, content=None, policy=SELDOM)
    store.frontier.release("owner")
    claim(store, owner="other", limit=1)
    (status,) = store.pages.status(now=NOW + 1000)
    assert (status.id, status.url, status.admitted, status.last_job.id) == (SITE, HOME, 4, "job-1")
    assert (status.pages, status.visited, status.never_visited, status.versions) == (6, 3, 3, 1)
    assert status.states == {"open": 6}
    assert status.outcomes == {"ok": 1, "http_error": 2}
    assert (status.leased, status.owners) == (1, {"other": 1})
    assert (status.due_now, status.next_due) == (2, NOW + 1000)


def test_a_source_without_pages_has_a_status(store):
    store.sources.ensure("empty", "https://empty.test/", NOW)
    empty, _ = store.pages.status(now=NOW)
    assert (empty.pages, empty.next_due, empty.last_job) == (0, None, None)


def test_unfinished_are_pages_claimed_and_without_outcome(store):
    store.frontier.add(SITE, [Seed(f"{HOME}{number}", 1) for number in range(4)])
    home, leased, returned = claim(store, limit=3)
    assert [page.id for page in store.pages.unfinished(limit=2)] == [home.id, leased.id]
    finish(store, home)
    store.frontier.release("owner")
    store.frontier.claim(SITE, owner="owner", limit=1, now=NOW, lease_seconds=60, max_pages=3)
    unfinished = store.pages.unfinished(SITE)
    assert [(page.id, page.lease_owner) for page in unfinished] == [(leased.id, "owner"), (returned.id, None)]
    assert store.pages.unfinished("other") == []


def test_a_page_that_was_not_asked_for_takes_no_place_among_those_that_may_be_visited(store):
    store.frontier.add(SITE, [Seed(f"{HOME}a", 1), Seed(f"{HOME}b", 1)])
    options = {"owner": "owner", "limit": 10, "lease_seconds": 60, "max_pages": 1}
    (home,) = store.frontier.claim(SITE, now=NOW, **options)
    store.pages.finish(home, replace(FAILED, name="robots"), content=None, policy=POLICY, is_counted=False)
    (next_page,) = store.frontier.claim(SITE, now=NOW, **options)
    store.pages.finish(next_page, OK, content=CONTENT, policy=POLICY)
    again = {page.url: page for page in store.frontier.claim(SITE, now=NOW + 5000, **options)}
    assert set(again) == {HOME, next_page.url}
    later = replace(FAILED, name="robots", finished_at=NOW + 5000)
    store.pages.finish(again[HOME], later, content=None, policy=POLICY, is_counted=False)
    assert store.frontier.claim(SITE, now=NOW + 5000, **options) == []


THROTTLED = replace(FAILED, name="throttled", retry_at=NOW + 77)
LEFT_ALONE = replace(FAILED, name="breaker", retry_at=NOW + 77, was_asked=False)


def test_a_page_that_its_host_wants_later_is_due_then_and_keeps_its_interval(store):
    _, first = visit(store)
    (claimed,) = claim(store, first.due, limit=1)
    finish(store, claimed, replace(THROTTLED, retry_at=first.due + 77, finished_at=first.due), None)
    page = store.pages.find(HOME)
    assert (page.due, page.interval, page.visited_at) == (first.due + 77, claimed.interval, first.due)
    assert store.pages.visits(page.id)[0].outcome == "throttled"


def test_a_page_that_was_postponed_unasked_is_visited_by_the_same_crawl(store):
    (claimed,) = claim(store, limit=1)
    finish(store, claimed, replace(THROTTLED, was_asked=False), None)
    page = store.pages.find(HOME)
    assert (page.due, page.interval, page.visited_at, admitted(store)) == (NOW + 77, None, None, 1)
    options = {"owner": "owner", "limit": 10, "lease_seconds": 60, "max_pages": 1, "since": NOW}
    assert store.frontier.claim(SITE, now=NOW + 76, **options) == []
    assert [again.url for again in store.frontier.claim(SITE, now=NOW + 77, **options)] == [HOME]


def test_a_page_whose_host_is_left_alone_waits_as_if_it_were_new_and_takes_no_place(store):
    for _ in range(2):
        (claimed,) = claim(store, limit=1)
        finish(store, claimed, LEFT_ALONE, None, is_counted=False)
        page = store.pages.find(HOME)
        assert (page.due, page.outcome, page.attempt, admitted(store)) == (0, "breaker", 0, 0)
    assert len(store.pages.visits(page.id)) == 2
    assert store.pages.unfinished() == []


def test_a_known_page_whose_host_is_left_alone_is_due_when_it_is_tried_again(store):
    at, first = visit(store)
    (claimed,) = claim(store, first.due, limit=1)
    finish(store, claimed, replace(LEFT_ALONE, retry_at=first.due + 77), None, is_counted=False)
    page = store.pages.find(HOME)
    assert (page.due, page.interval, page.visited_at, admitted(store)) == (first.due + 77, claimed.interval, at, 1)


MISSING = replace(OK, name="missing", reason="status_404", verdict="missing", http_status=404)
SHORT = replace(POLICY, gone_after=3, gone_seconds=100)


def miss(store, now):
    (claimed,) = claim(store, now)
    return store.pages.finish(claimed, replace(MISSING, started_at=now, finished_at=now), content=None, policy=SHORT)


def test_a_page_that_is_missing_time_and_again_is_gone(store):
    visit(store)
    now, outcomes = NOW, []
    while (due := store.pages.find(HOME).due) is not None:
        now = due
        outcomes.append(miss(store, now).outcome)
    assert outcomes == ["missing", "missing", "gone"]
    page = store.pages.find(HOME)
    assert (page.outcome, page.misses, page.version, page.markdown) == ("gone", 3, 1, "# Home")
    assert [visit.outcome for visit in store.pages.visits(page.id)] == ["gone", "missing", "missing", "ok"]


def test_misses_close_to_one_another_count_as_one(store):
    miss(store, NOW)
    for seconds in (10, 20, 30, 40):
        with store.engine.begin() as connection:
            connection.execute(schema.page.update().values(due=NOW + seconds))
        assert miss(store, NOW + seconds).outcome == "missing"
    assert store.pages.find(HOME).misses == 1


def test_after_a_miss_the_next_visit_waits_until_it_counts(store):
    assert miss(store, NOW).due >= NOW + SHORT.gone_seconds


def test_a_page_that_is_back_has_not_been_missing(store):
    miss(store, NOW)
    visit(store)
    assert store.pages.find(HOME).misses == 0


def test_a_gone_page_is_visited_again_when_a_page_links_to_it_that_did_not_before(store):
    dead = Seed(f"{HOME}dead", 1)
    (home,) = claim(store)
    finish(store, home, content=replace(CONTENT, links=[dead.url]), links=[dead])
    (ended,) = claim(store)
    finish(store, ended, replace(OK, name="gone"), None)
    visit(store, content=replace(CONTENT, links=[dead.url], text_hash="hash-2"), links=[dead])
    assert store.pages.find(dead.url).due is None  # an old link that nobody has taken away
    visit(store, content=replace(CONTENT, links=[], text_hash="hash-3"))
    now, _ = visit(store, content=replace(CONTENT, links=[dead.url], text_hash="hash-4"), links=[dead])
    assert (store.pages.find(dead.url).due, store.pages.find(dead.url).misses) == (now, 0)


def test_content_that_comes_back_makes_a_page_fresh_though_it_is_the_same(store):
    visit(store)
    _, failed = visit(store, FAILED, None)
    _, back = visit(store)
    assert (failed.is_fresh, back.is_fresh, back.changed) == (True, True, "same")


def test_a_host_that_does_not_answer_says_nothing_of_its_pages(store):
    visit(store)
    _, failed = visit(store, replace(FAILED, name="timeout"), None)
    assert not failed.is_fresh


def test_a_claimed_page_may_get_another_url_and_keeps_its_history(store):
    visit(store)
    (claimed,) = claim(store, store.pages.find(HOME).due)
    renamed = store.pages.rename(claimed, f"{HOME}new")
    assert store.pages.find(HOME) is None
    store.pages.finish(renamed, OK, content=CONTENT, policy=POLICY)
    page = store.pages.find(f"{HOME}new")
    assert (page.version, page.host, len(store.pages.visits(page.id))) == (1, SITE, 2)


def test_a_claimed_page_does_not_get_the_url_of_another(store):
    store.frontier.add(SITE, [Seed(f"{HOME}new", 1)])
    home, _ = claim(store)
    assert store.pages.rename(home, f"{HOME}new") is None


def test_what_a_server_gave_is_kept_with_the_visit_and_stays_when_one_fails(store):
    _, _ = visit(store, validator=Validator('"1"', "Mon"))
    page = store.pages.find(HOME)
    visit(store, FAILED, None)
    assert store.validators.find(page.id) == Validator('"1"', "Mon")
    visit(store, validator=Validator())
    assert not store.validators.find(page.id)


def test_a_visit_that_the_server_answered_by_not_modified_proves_nothing(store):
    tag = Validator('"1"', "")
    visit(store, validator=tag)
    visit(store, replace(OK, http_status=304), validator=tag)
    assert store.trusts.find(SITE, "etag").confirmed == 0
    visit(store, validator=tag)
    assert store.trusts.find(SITE, "etag").confirmed > 0
