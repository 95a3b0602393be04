"""Which tier a page is got by, seen from outside: a real crawl of a local site with real Chromium."""

import json

import pytest
from odd_site import SHELL, WORDS, Handler, odd_site

from wikicrawl.store import open_store

pytestmark = pytest.mark.browser

FILLED = SHELL.replace(
    "</body>", f"<script>document.getElementById('root').innerHTML='<p>{WORDS * 8}</p>'</script></body>"
)


class Apps(Handler):
    """Pages that script fills, and pages that look so and never are."""

    def get_app(self):
        self.send(200, FILLED)

    def get_linked(self):
        self.send(200, FILLED.replace("<p>", '<a href="/article/1">One</a><p>'))

    def get_hollow(self):
        self.send(200, SHELL.replace("</div>", "<p>Nothing more.</p></div>", 1))

    def get_slow(self):
        if "HeadlessChrome" in self.headers.get("User-Agent", "") or self.headers.get("Sec-Fetch-Mode"):
            self.send(200, FILLED)
        else:
            self.close_connection = True


@pytest.fixture
def crawl(scrapy, tmp_path, monkeypatch):
    def crawl(*links, arguments=(), start="/"):
        with odd_site(*links) as site:
            site.RequestHandlerClass = Apps
            feed = tmp_path / "pages.jsonl"
            scrapy(
                "crawl", "site", "-a", f"url={site.url}{start[1:]}", "-a", "sitemap=false",
                "-s", "CONCURRENT_REQUESTS=1", "-s", "RETRY_TIMES=0", "-O", str(feed), *arguments,
            )  # fmt: skip
            rows = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
        return {"/" + row["url"].removeprefix(site.url): row for row in rows}, site

    return crawl


def test_after_two_pages_that_needed_the_browser_the_next_go_there_at_once(crawl):
    rows, site = crawl(*[f"/app/{number}" for number in range(5)])
    assert {row["tier"] for path, row in rows.items() if path != "/"} == {"browser"}
    assert {row["verdict"] for row in rows.values()} == {"page"}
    plain = [path for path, agent in site.hits if path.startswith("/app/") and not agent.startswith("Mozilla")]
    assert len(plain) == 5  # once each, whichever tier asked: the body was handed over
    assert WORDS.strip()[:40] in rows["/app/4"]["markdown"]


def test_a_visit_keeps_every_step_with_its_reason(crawl, scrapy):
    _, site = crawl("/app/1")
    store = open_store(scrapy.store_url)
    (visit,) = store.pages.visits(store.pages.find(f"{site.url}app/1").id)
    store.close()
    assert [(step["tier"], step["verdict"], step["reason"], step.get("to")) for step in visit.trail] == [
        ("http", "shell", "empty_mount", "browser"),
        ("browser", "page", "content", None),
    ]


def test_where_the_browser_gives_no_more_text_it_is_not_asked_again(crawl):
    rows, _ = crawl(*[f"/hollow/{number}" for number in range(4)])
    tiers = [rows[f"/hollow/{number}"]["tier"] for number in range(4)]
    assert tiers == ["browser", "browser", "http", "http"]
    assert rows["/hollow/3"]["reason"] == "no_gain"


@pytest.mark.parametrize(("scope", "tier"), [("site", "browser"), ("pattern", "http")])
def test_with_the_scope_of_a_site_its_first_page_decides_for_the_others(crawl, scope, tier):
    rows, _ = crawl(start="/linked", arguments=("-s", f"TIERS_SCOPE={scope}"))
    assert rows["/linked"]["tier"] == "browser"
    assert rows["/article/1"]["tier"] == tier


@pytest.mark.parametrize(("tier", "expected"), [("http", "http"), ("browser", "browser")])
def test_a_tier_that_was_asked_for_is_the_only_one(crawl, tier, expected):
    rows, _ = crawl("/app/1", "/article/1", arguments=("-a", f"tier={tier}"))
    assert {row["tier"] for row in rows.values()} == {expected}


def test_asking_for_the_api_falls_back_to_http_with_a_reason(crawl, scrapy):
    rows, site = crawl(arguments=("-a", "tier=api"))
    assert rows["/"]["tier"] == "http"
    store = open_store(scrapy.store_url)
    (visit,) = store.pages.visits(store.pages.find(site.url).id)
    store.close()
    assert (visit.trail[0]["tier"], visit.trail[0]["reason"], visit.trail[0]["to"]) == ("api", "no_api", "http")


def test_a_connection_that_fails_over_http_is_tried_by_the_browser(crawl):
    rows, _ = crawl("/slow/1")
    assert (rows["/slow/1"]["tier"], rows["/slow/1"]["verdict"]) == ("browser", "page")


def test_a_wall_that_does_not_clear_is_blocked(crawl):
    rows, _ = crawl("/forbidden")
    assert (rows["/forbidden"]["tier"], rows["/forbidden"]["verdict"]) == ("browser", "blocked")
    assert rows["/forbidden"]["error"] == "the site answered with a bot wall (status_403)"


@pytest.mark.parametrize("path", ["/gone", "/pdf", "/throttled", "/broken"])
def test_an_answer_that_no_browser_betters_is_not_sent_there(crawl, path):
    rows, _ = crawl(path)
    assert rows[path]["tier"] == "http"
