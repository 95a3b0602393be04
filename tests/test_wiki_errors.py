"""Each row of the table of errors leads where it says, on a real wiki that answers one page with it."""

import json
import re
import shutil

import pytest
from command import ScrapyCommand
from wiki_crawl import WikiCrawl

from wikicrawl.mediawiki.errors import TABLE

pytestmark = pytest.mark.mediawiki

# What the wiki answers for the codes that no wiki sends.
OWN = {
    "not_json": {"status": 200, "body": b"<!DOCTYPE html><p>hello"},
    "no_text": {"status": 200, "body": b'{"parse": {"text": "no title"}}'},
    "truncated": {"status": 200, "body": b'{"warnings": {"result": {"warnings": "This result was truncated"}}}'},
}
ELSEWHERE = {"robots", "no_answer"}  # the tests of the tier see to these


def answer_with(code):
    code = code.replace("*", "00" if code == "http_5*" else "99" if code == "http_*" else "_x")
    if code == "http_99":
        code = "http_451"
    if code in OWN:
        return OWN[code]
    if code.startswith("http_"):
        return {"status": int(code[-3:]), "body": b"<h1>No</h1>"}
    return {"status": 200, "body": json.dumps({"error": {"code": code, "info": "x"}}).encode()}


@pytest.fixture(scope="module")
def store(wiki_site, tmp_path_factory):
    """A store that knows the wiki."""
    wiki_site.reset()
    folder = tmp_path_factory.mktemp("known")
    WikiCrawl(ScrapyCommand(folder), folder, wiki_site)("prefix=Westfall")
    return folder / "wikicrawl.db"


@pytest.fixture
def crawl(wiki_site, store, tmp_path):
    wiki_site.reset()
    shutil.copy(store, tmp_path / "wikicrawl.db")
    yield WikiCrawl(ScrapyCommand(tmp_path), tmp_path, wiki_site)
    wiki_site.reset()


@pytest.mark.parametrize("rule", [rule for rule in TABLE if rule.code not in ELSEWHERE], ids=lambda rule: rule.code)
def test_an_error_leads_where_the_table_says(crawl, rule):
    times = 1 if rule.action == "retry" else None
    crawl.wiki.fault(r"action=parse", **answer_with(rule.code), times=times)
    arguments = ["max_depth=1", "max_pages=3", "sitemap=0"]
    crawled = crawl(*arguments, spider="site", url=crawl.wiki.page_url("Gnoll"), CONCURRENT_REQUESTS=1)
    row = crawled.rows[crawl.wiki.page_url("Gnoll")]
    if rule.action == "final":
        assert (row["tier"], row["verdict"]) == ("api", rule.outcome)
        assert crawled.as_html() == []
    elif rule.action == "retry":
        assert (row["tier"], row["verdict"]) == ("api", "page")
        assert len(crawled.parsed()) == len(crawled.rows) + 1
        assert re.search(r"Pausing \S+ s", crawled.printed)
    else:
        assert (row["tier"], row["verdict"]) == ("http", "page")
        asked = 1 if rule.action == "site_down" else len(crawled.rows)
        assert len(crawled.parsed()) == asked
        assert re.search(r"tier_fallback \S+ from api to http: ", crawled.printed)
