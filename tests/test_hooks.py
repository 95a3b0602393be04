"""Functions of a user's own: loaded at start or refused by name, called without harm."""

import json
from functools import partial

import pytest
from living_site import living_site, make_due

from wikicrawl.hooks import call_hook, load_hook

HERE = "tests.hooks_for_tests"


def test_a_hook_is_named_by_its_import_path():
    assert load_hook("SETTING", "os.path.join", called_with="parts")("a", "b") == "a/b"
    assert load_hook("SETTING", "", called_with="nothing") is None


@pytest.mark.parametrize(
    "path", ["join", "os.no_such_name", "no_such_module.join", "os.path.sep", ".join"], ids=lambda path: path
)
def test_a_hook_that_cannot_be_called_is_refused_by_the_name_of_its_setting(path):
    with pytest.raises(ValueError, match="SETTING is "):
        load_hook("SETTING", path, called_with="parts")


async def test_hooks_may_be_async_or_not():
    async def later(value):
        return value + 1

    assert await call_hook(later, 1) == await call_hook(lambda value: value + 1, 1) == 2
    assert await call_hook(partial(later), 1) == 2  # no async function, but what it returns is to be awaited


@pytest.fixture
def crawl(scrapy, tmp_path):
    feed, log = tmp_path / "pages.jsonl", tmp_path / "hooks.jsonl"
    scrapy.environment["HOOK_LOG"] = str(log)

    def crawl(site, **hooks):
        make_due(scrapy.store_url)
        log.write_text("", encoding="utf-8")
        given = [
            part for name, path in hooks.items() for part in ("-s", f"PIPELINES_{name.upper()}_HOOK={HERE}.{path}")
        ]
        done = scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", "-O", str(feed), *given)
        rows = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
        told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        return {"/" + row["url"].removeprefix(site.url): row for row in rows}, told, done

    return crawl


def test_what_the_transform_hook_returns_is_what_content_is_read_from(crawl):
    with living_site("/article/a") as site:
        rows, told, _ = crawl(site, transform="shout")
    assert "THE BOAT leaves at nine" in rows["/article/a"]["markdown"]
    assert rows["/"]["links"] == [f"{site.url}article/a"]
    assert {entry["content_type"] for entry in told} == {"text/html; charset=utf-8"}
    assert "MainThread" not in {entry["thread"] for entry in told}


def test_text_that_the_transform_hook_returns_is_the_content_and_links_are_those_of_the_body(crawl):
    with living_site("/article/a", "/pdf") as site:
        rows, _, _ = crawl(site, transform="to_text")
    assert rows["/article/a"]["markdown"] == f"# Plain\n\nText of {site.url}article/a"
    assert rows["/article/a"]["extractor"] == "hook"
    assert f"{site.url}pdf" in rows["/"]["links"]
    assert (rows["/pdf"]["markdown"], rows["/pdf"]["changed"]) == ("The words of a document.", "new")


def test_a_page_of_which_the_transform_hook_leaves_nothing_is_empty(crawl):
    with living_site("/pdf") as site:
        rows, _, _ = crawl(site, transform="nothing")
    assert (rows["/"]["markdown"], rows["/"]["error"]) == ("", "the page has no text")
    assert (rows["/pdf"]["markdown"], rows["/pdf"]["verdict"]) == ("", "not_html")


def test_a_transform_hook_that_fails_is_an_outcome_and_keeps_the_content(crawl, scrapy):
    with living_site() as site:
        first, _, _ = crawl(site)
        rows, _, done = crawl(site, transform="fail")
    assert rows["/"]["reason"] == "hook_failed"
    assert "The transform hook failed on" in done.stderr
    assert "Traceback" not in done.stderr
    assert "hook_failed" in scrapy("status").stdout
    assert first["/"]["markdown"]


def test_the_downstream_hook_is_told_of_every_page_and_whether_it_is_fresh(crawl):
    with living_site("/page/a", "/missing") as site:
        _, told, _ = crawl(site, downstream="downstream")
        by_url = {"/" + entry["url"].removeprefix(site.url): entry for entry in told}
        assert by_url["/page/a"]["content"].startswith("# a")
        assert {entry["content_type"] for entry in told} == {"text/markdown; charset=utf-8"}
        assert (by_url["/page/a"]["fresh"], by_url["/missing"]["content"]) == (True, "")
        site.texts["a"] = "It has changed."
        _, told, _ = crawl(site, downstream="downstream_async")
        fresh = {"/" + entry["url"].removeprefix(site.url): entry["fresh"] for entry in told}
        assert fresh == {"/": False, "/page/a": True, "/missing": False}


def test_a_downstream_hook_that_fails_is_told_in_a_line_and_costs_nothing(crawl):
    with living_site("/page/a") as site:
        rows, _, done = crawl(site, downstream="fail")
    assert set(rows) == {"/", "/page/a"}
    assert "The downstream hook failed on" in done.stderr
    assert "'hooks/failed/downstream': 2" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_hook_that_cannot_be_imported_stops_the_crawl_at_its_start(scrapy):
    with living_site() as site:
        done = scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "PIPELINES_TRANSFORM_HOOK=no.such.hook", expect=2)
        assert "PIPELINES_TRANSFORM_HOOK is 'no.such.hook', which cannot be imported" in done.stderr
        assert site.hits == []
