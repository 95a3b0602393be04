"""From a URL to kept markdown, through the real command line, on the demo web."""

import csv
import json
import os
import re
import signal
import subprocess

import pytest
from command import ScrapyCommand
from postgres import fresh_database

from wikicrawl.items import COLUMNS
from wikicrawl.store import open_store

STATIC_SITES = ["brochure", "docs", "news", "wiki"]


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kept_pages(store_url, source=None):
    store = open_store(store_url)
    try:
        return {page.url: page for page in store.pages.each(source) if page.version}
    finally:
        store.close()


@pytest.mark.parametrize("site", STATIC_SITES)
def test_a_static_site_is_kept_whole_without_a_browser(demo, scrapy, tmp_path, site):
    feed = tmp_path / "pages.jsonl"
    scrapy(
        "crawl", "site", "-a", f"url={demo.urls[site]}", "-a", "max_pages=500", "-a", "max_depth=20", "-O", str(feed)
    )
    pages = kept_pages(scrapy.store_url)
    assert set(demo.pages(site)) <= set(pages)
    assert not [url for url in demo.pages(site) if demo.text(site, url) not in pages[url].markdown]
    tiers = {"api", "http"} if site == "wiki" else {"http"}
    assert {row["tier"] for row in rows_of(feed) if row["reason"] != "robots"} == tiers


@pytest.mark.browser
@pytest.mark.parametrize(("site", "reason"), [("spa", "empty_mount"), ("wall", "challenge")])
def test_a_site_that_needs_script_is_kept_whole_by_the_browser(demo, scrapy, tmp_path, site, reason):
    feed = tmp_path / "pages.jsonl"
    done = scrapy(
        "crawl", "site", "-a", f"url={demo.urls[site]}", "-a", "max_pages=100", "-a", "max_depth=20", "-O", str(feed)
    )
    pages = kept_pages(scrapy.store_url)
    assert set(demo.pages(site)) <= set(pages)
    assert not [url for url in demo.pages(site) if demo.text(site, url) not in pages[url].markdown]
    first = next(row for row in rows_of(feed) if row["url"] == demo.urls[site])
    assert (first["tier"], first["verdict"]) == ("browser", "page")
    assert f"tier_fallback {demo.urls[site]} from http to browser: {reason}" in done.stderr


@pytest.mark.postgres
def test_a_crawl_may_keep_its_pages_in_postgresql(demo, tmp_path, postgres_server):
    with fresh_database(postgres_server) as url:
        scrapy = ScrapyCommand(tmp_path, url)
        scrapy("crawl", "site", "-a", f"url={demo.urls['docs']}", "-a", "max_pages=500")
        assert set(demo.pages("docs")) <= set(kept_pages(url))
        assert "nothing is due" in scrapy("crawl", "site", "-a", f"url={demo.urls['docs']}").stderr


@pytest.mark.browser
def test_after_a_wall_has_cleared_its_pages_come_over_http_again(demo, scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"
    done = scrapy("crawl", "site", "-a", f"url={demo.urls['wall']}", "-s", "CONCURRENT_REQUESTS=1", "-O", str(feed))
    tiers = [row["tier"] for row in rows_of(feed) if row["verdict"] == "page"]
    assert tiers.count("browser") == 1
    assert tiers.count("http") >= 8
    assert "publicsuffix" not in done.stderr


@pytest.mark.browser
def test_the_browser_asks_the_origin_for_no_page_that_http_had_got(demo, scrapy):
    before = len(demo.hits_of("spa"))
    scrapy("crawl", "site", "-a", f"url={demo.urls['spa']}", "-a", "max_pages=1", "-a", "max_depth=0")
    hits = [hit for hit in demo.hits_of("spa")[before:] if hit.path == "/"]
    assert len(hits) == 1


def test_robots_txt_is_obeyed_and_the_refusal_is_an_outcome(demo, scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"
    before = len(demo.hits_of("docs"))
    scrapy("crawl", "site", "-a", f"url={demo.urls['docs']}", "-a", "max_pages=500", "-O", str(feed))
    assert not [hit.path for hit in demo.hits_of("docs")[before:] if hit.path.startswith("/private/")]
    assert [row for row in rows_of(feed) if row["reason"] == "robots" and "/private/" in row["url"]]


def test_a_second_run_fetches_nothing_that_is_not_due_and_says_so(demo, scrapy):
    arguments = ("crawl", "site", "-a", f"url={demo.urls['docs']}", "-a", "max_pages=500")
    scrapy(*arguments)
    before = len(demo.hits_of("docs"))
    done = scrapy(*arguments)
    assert demo.hits_of("docs")[before:] == []
    assert "nothing is due, so nothing was fetched again; next visit" in done.stderr


def test_the_page_limit_holds_over_runs(demo, scrapy):
    for _ in range(2):
        scrapy("crawl", "site", "-a", f"url={demo.urls['docs']}", "-a", "max_pages=7")
    assert len(kept_pages(scrapy.store_url)) == 7


def test_pages_come_breadth_first_and_the_start_url_first_of_all(demo, scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"
    scrapy(
        "crawl", "site", "-a", f"url={demo.urls['news']}", "-a", "sitemap=false", "-a", "max_pages=40",
        "-s", "CONCURRENT_REQUESTS=1", "-O", str(feed),
    )  # fmt: skip
    rows = rows_of(feed)
    assert (rows[0]["url"], rows[0]["depth"]) == (demo.urls["news"], 0)
    assert [row["depth"] for row in rows] == sorted(row["depth"] for row in rows)


def test_sitemaps_give_pages_with_the_dates_they_say(demo, scrapy):
    scrapy("crawl", "site", "-a", f"url={demo.urls['news']}", "-a", "max_depth=1", "-a", "max_pages=500")
    articles = {url: page for url, page in kept_pages(scrapy.store_url).items() if page.lastmod}
    assert len(articles) >= 60  # all of them, though the home page links to a few only
    assert {page.depth for page in articles.values()} <= {0, 1}


def test_the_other_markdown_engine_gives_the_same_sentences(demo, scrapy):
    scrapy("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-s", "MARKDOWN_ENGINE=markdownify")
    pages = kept_pages(scrapy.store_url)
    assert not [url for url in demo.pages("brochure") if demo.text("brochure", url) not in pages[url].markdown]


def test_links_deeper_than_the_limit_are_not_visited(demo, scrapy):
    scrapy("crawl", "site", "-a", f"url={demo.urls['docs']}", "-a", "sitemap=false", "-a", "max_depth=0")
    assert list(kept_pages(scrapy.store_url)) == [demo.urls["docs"]]


def test_include_exclude_and_normalize_decide_what_is_visited(demo, scrapy):
    base = demo.urls["news"]
    scrapy(
        "crawl", "site", "-a", f"url={base}", "-a", "max_pages=200",
        "-a", f"include=^{re.escape(base)}$\n/page/\n/tag", "-a", "exclude=/page/2", "-a", "normalize=/page/3 => /page/1",
    )  # fmt: skip
    paths = {"/" + url.removeprefix(base) for url in kept_pages(scrapy.store_url)}
    assert "/" in paths
    assert any(path.startswith("/tag") for path in paths)
    assert not [path for path in paths if not (path == "/" or "/page/" in path or path.startswith("/tag"))]
    assert not [path for path in paths if "/page/2" in path or "/page/3" in path]


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_every_feed_has_the_fixed_columns_and_a_row_a_visited_page(demo, scrapy, tmp_path, form):
    feed = tmp_path / f"pages.{form}"
    scrapy("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-O", str(feed))
    if form == "csv":
        with feed.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = json.loads(feed.read_text(encoding="utf-8")) if form == "json" else rows_of(feed)
    assert {tuple(row) for row in rows} == {COLUMNS}
    assert len({row["url"] for row in rows}) == len(rows) >= len(demo.pages("brochure"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param([], "url: must be given", id="no URL"),
        pytest.param(["url=ftp://a.example/"], "url: 'ftp://a.example/' is not a web address", id="scheme"),
        pytest.param(
            ["url=http://a.example/", "max_pages=0"],
            "max_pages: Input should be greater than or equal to 1",
            id="range",
        ),
        pytest.param(["url=http://a.example/", "max_depht=1"], "max_depht: there is no such argument", id="typo"),
        pytest.param(
            ["url=http://a.example/", "scope=planet"],
            "scope: Input should be 'host', 'subdomains' or 'path'",
            id="choice",
        ),
        pytest.param(["url=http://a.example/", "include=("], "include", id="regular expression"),
    ],
)
def test_a_wrong_argument_is_explained_in_one_screen(scrapy, arguments, complaint):
    given = [part for argument in arguments for part in ("-a", argument)]
    done = scrapy("crawl", "site", *given, expect=2)
    assert complaint in done.stderr
    assert "allowed (-a name=value):" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 24


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("TIERS_SCOPE", "planet"),
        ("TIERS_BROWSER_EXECUTABLE", "/nowhere/chromium"),
        ("STORE_URL", "mysql://a/b"),
        ("STORE_CLAIM_SIZE", "0"),
        ("SCHEDULE_STALE_FACTOR", "0.5"),
        ("MARKDOWN_ENGINE", "pandoc"),
        ("SOURCES_FILE", "nowhere.yml"),
    ],
)
def test_a_wrong_setting_stops_the_crawl_at_its_start_by_name(demo, scrapy, setting, value):
    done = scrapy("crawl", "site", "-a", f"url={demo.urls['docs']}", "-s", f"{setting}={value}", expect=2)
    assert f"wikicrawl: {setting}" in done.stderr
    assert "Traceback" not in done.stderr


def test_arguments_that_scrapyd_adds_are_dropped(demo, scrapy):
    scrapy(
        "crawl",
        "site",
        "-a",
        f"url={demo.urls['brochure']}",
        "-a",
        "_job=abc123",
        "-a",
        "_version=7",
        "-a",
        "max_pages=1",
    )
    store = open_store(scrapy.store_url)
    job = store.jobs.latest("127.0.0.1:" + demo.urls["brochure"].rstrip("/").rpartition(":")[2])
    store.close()
    assert (job.id, job.reason) == ("abc123", "finished")


def wait_for_rows(process, feed, count):
    while not feed.exists() or feed.read_bytes().count(b"\n") < count:
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)


@pytest.mark.slow
def test_after_kill_9_the_same_command_loses_no_page_and_stores_none_twice(demo, scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"
    arguments = [
        "crawl",
        "site",
        "-a",
        f"url={demo.urls['news']}",
        "-a",
        "max_pages=500",
        "-a",
        "max_depth=20",
        "-o",
        str(feed),
    ]
    for kills in range(1, 5):
        process = scrapy.start(*arguments, "-s", "DOWNLOAD_DELAY=0.05")
        wait_for_rows(process, feed, 8 * kills)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert len(kept_pages(scrapy.store_url)) < len(demo.pages("news"))
    scrapy(*arguments)
    store = open_store(scrapy.store_url)
    try:
        pages = {page.url: page for page in store.pages.each()}
        assert store.pages.unfinished() == []
        assert {page.version for page in pages.values()} == {1}
        asked = [page for page in pages.values() if page.outcome != "landed"]  # those came with another page
        outcomes = [[visit.outcome for visit in store.pages.visits(page.id)] for page in asked]
        assert {names.count("ok") for names in outcomes} == {1}
    finally:
        store.close()
    assert set(demo.pages("news")) <= set(pages)


@pytest.mark.slow
def test_sigterm_leaves_no_page_claimed(demo, scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"
    process = scrapy.start(
        "crawl", "site", "-a", f"url={demo.urls['news']}", "-s", "DOWNLOAD_DELAY=0.2", "-o", str(feed)
    )
    wait_for_rows(process, feed, 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    store = open_store(scrapy.store_url)
    try:
        assert [page for page in store.pages.unfinished() if page.lease_owner] == []
    finally:
        store.close()
