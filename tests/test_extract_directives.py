"""What pages ask of robots, in their head and in their headers."""

import json
import time
from datetime import UTC, datetime

import pytest
from odd_site import Handler, odd_site, page

from wikicrawl.extract import extract
from wikicrawl.extract.directives import Directives, read_directives
from wikicrawl.store import open_store

NOW = datetime(2026, 6, 1, tzinfo=UTC)
KEPT, FOLLOWED = "", False


@pytest.mark.parametrize(
    ("lines", "noindex", "nofollow"),
    [
        (["noindex"], "noindex", FOLLOWED),
        (["NoFollow"], KEPT, True),
        (["none"], "noindex", True),
        (["all"], KEPT, FOLLOWED),
        (["noarchive, max-snippet: 20, noindex"], "noindex", FOLLOWED),
        (["wikicrawl: noindex"], "noindex", FOLLOWED),
        (["otherbot: noindex, nofollow"], KEPT, FOLLOWED),
        (["otherbot: noindex, wikicrawl: nofollow"], KEPT, True),
        (["otherbot: none", "nofollow"], KEPT, True),
        (["index, follow", "noindex"], "noindex", FOLLOWED),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], "unavailable_after", FOLLOWED),
        (["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"], "unavailable_after", True),
        (["unavailable_after: 2026-05-31T23:59:59Z"], "unavailable_after", FOLLOWED),
        (["unavailable_after: 2026-06-02"], KEPT, FOLLOWED),
        (["unavailable_after: soon"], KEPT, FOLLOWED),
        (["otherbot: unavailable_after: 2010-01-01"], KEPT, FOLLOWED),
        (["wikicrawl: unavailable_after: 2010-01-01"], "unavailable_after", FOLLOWED),
        (["", ":", ",,,", ": noindex"], KEPT, FOLLOWED),
    ],
    ids=lambda value: " | ".join(value) if isinstance(value, list) else str(value),
)
def test_the_strictest_of_what_is_said_to_us_holds(lines, noindex, nofollow):
    assert read_directives(lines, "wikicrawl", now=NOW) == Directives(noindex, nofollow)


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        ('<meta name="robots" content="NOINDEX, nofollow">', ["robots: noindex, nofollow"]),
        ('<META NAME="WikiCrawl" CONTENT="none">', ["wikicrawl: none"]),
        ('<meta name="robots" content="max-image-preview:large">', []),
        ('<meta name="description" content="None of us knows the noindex">', []),
        ('<meta property="robots" content="noindex">', []),
    ],
)
def test_they_are_read_where_the_page_is_parsed(head, lines):
    assert extract(f"<title>t</title>{head}<p>text".encode(), "http://h/").robots == lines


class Shy(Handler):
    """Pages that ask robots for something, by the word in their path."""

    def get_meta(self):
        name, words = self.path.split("/")[2:4]
        head = f'<meta name="{name}" content="{words.replace("+", ", ")}">'
        self.send(200, page("Shy", links=[f"/article/{words}"]).replace("<title>", f"{head}<title>"))

    def get_header(self):
        self.send(200, page("Shy", links=["/article/by-header"]), X_Robots_Tag=self.path.split("/")[2])


LINKS = (
    "/meta/robots/noindex", "/meta/robots/nofollow", "/meta/robots/noindex+nofollow", "/meta/wikicrawl/none",
    "/meta/otherbot/noindex", "/header/wikicrawl:noindex", "/header/unavailable_after:2010-01-01",
)  # fmt: skip


def crawl(scrapy, folder, *more):
    with odd_site(*LINKS) as site:
        site.RequestHandlerClass = Shy
        feed = folder / "pages.jsonl"
        scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", "-O", str(feed), *more)
        rows = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
        store = open_store(scrapy.store_url)
        outcomes = {path: store.pages.find(site.url + path[1:]).outcome for path in LINKS}
        kept = {"/" + kept.url.removeprefix(site.url) for kept in store.pages.each()}
        store.close()
    return outcomes, kept, {"/" + row["url"].removeprefix(site.url): row for row in rows}


def test_what_asks_not_to_be_kept_is_not_and_links_are_followed_unless_it_asks_for_that_too(scrapy, tmp_path):
    outcomes, kept, rows = crawl(scrapy, tmp_path)
    assert list(outcomes.values()) == ["noindex", "ok", "noindex", "noindex", "ok", "noindex", "noindex"]
    assert kept == {
        "/", "/meta/robots/nofollow", "/meta/otherbot/noindex",
        "/article/noindex", "/article/by-header",
    }  # fmt: skip
    shy = rows["/meta/robots/noindex"]
    assert (shy["markdown"], shy["title"], shy["text_hash"]) == ("", "", "")
    assert shy["error"] == "the page asks robots not to keep it (noindex)"
    assert rows["/header/unavailable_after:2010-01-01"]["reason"] == "unavailable_after"


def test_told_to_ignore_it_everything_is_kept(scrapy, tmp_path):
    outcomes, _, rows = crawl(scrapy, tmp_path, "-s", "EXTRACT_META_ROBOTS=ignore")
    assert set(outcomes.values()) == {"ok"}
    assert "/article/none" in rows


def test_an_unknown_word_for_it_is_refused_at_start(scrapy):
    done = scrapy("crawl", "site", "-a", "url=http://127.0.0.1:9", "-s", "EXTRACT_META_ROBOTS=maybe", expect=2)
    assert "EXTRACT_META_ROBOTS is 'maybe'; it must be one of obey, ignore" in done.stderr


def test_a_page_that_begins_to_ask_for_it_leaves_what_is_exported(scrapy, tmp_path):
    again = ("-s", "SCHEDULE_NEW_SECONDS=0", "-s", "SCHEDULE_MIN_SECONDS=1", "-a", "sitemap=false", "-a", "max_depth=0")
    with odd_site() as site:
        scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", *again)
        shy = {"get_home": lambda handler: handler.send(200, page("Home"), X_Robots_Tag="noindex")}
        site.RequestHandlerClass = type("NowShy", (Handler,), shy)
        store = open_store(scrapy.store_url)
        assert len(list(store.pages.each())) == 1
        while time.time() <= store.pages.find(site.url).due:
            time.sleep(0.05)
        scrapy("crawl", "site", "-a", f"url={site.url}", "-s", "TIERS_BROWSER=0", *again)
        assert list(store.pages.each()) == []
        assert store.pages.find(site.url).outcome == "noindex"
        store.close()
