"""`scrapy crawl wiki` on a real MediaWiki: its lists name the pages, and what they say has changed is all that is asked."""

import re
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from mediawiki import cached_template, running_wiki
from mediawiki_pages import CATEGORIES, REDIRECTS
from wiki_crawl import WikiCrawl

from wikicrawl.mediawiki.profile import from_json, read_profile
from wikicrawl.store import open_store

pytestmark = pytest.mark.mediawiki


@pytest.fixture
def crawl(scrapy, tmp_path, mediawiki):
    return WikiCrawl(scrapy, tmp_path, mediawiki)


@pytest.fixture
def browse(scrapy, tmp_path, wiki_site):
    """A crawl of the wiki that nobody changes."""
    wiki_site.reset()
    return WikiCrawl(scrapy, tmp_path, wiki_site)


def articles(wiki):
    return {title for title, is_redirect in wiki.titles().items() if not is_redirect}


def test_every_content_page_is_got_once_by_the_api(browse):
    crawled = browse()
    assert crawled.titles(tier="api") == articles(browse.wiki)
    assert sorted(crawled.parsed()) == sorted(articles(browse.wiki))
    assert {row["reason"] for row in crawled.rows.values()} == {"parse"}
    assert set(crawled.rows) == {browse.wiki.page_url(title) for title in articles(browse.wiki)}


def test_redirects_are_kept_as_other_names_and_not_visited(browse):
    crawled = browse()
    assert not set(crawled.parsed()) & set(REDIRECTS)
    alias = browse.page("Hoggar")
    assert (alias.state, alias.final_url, alias.visited_at) == ("alias", browse.wiki.page_url("Hogger"), None)
    double = browse.page("Double redirect")
    assert double.final_url == browse.wiki.page_url("Hogger")


def test_red_links_are_never_asked_for(browse):
    crawled = browse()
    asked = [request.url for request in crawled.requests]
    assert not [url for url in asked if "redlink" in url or "action=edit" in url or "Riverpaw" in url]


def test_a_run_over_an_unchanged_wiki_asks_for_its_lists_alone(browse):
    browse()
    again = browse()
    assert re.search(rf" listed {len(browse.wiki.titles())} ", again.printed)
    assert "nothing is due, so nothing was fetched again" in again.printed
    assert [question["generator"] for question in again.by_api()] == ["allpages", "allpages"]
    assert len(again.requests) == 2  # robots.txt is kept for a day
    assert again.rows == {}


def test_pages_that_are_due_are_not_visited_while_the_wiki_says_they_are_the_same(browse):
    browse(SCHEDULE_NEW_SECONDS=0, SCHEDULE_MIN_SECONDS=1, SCHEDULE_MAX_SECONDS=1)
    due = max(page.due for page in browse.kept().values())
    while time.time() <= due:
        time.sleep(0.1)  # the schedule counts whole seconds
    again = browse()
    assert len(again.requests) == 2
    assert again.rows == {}


def test_edit_template_edit_create_delete_and_move_are_each_seen(crawl):
    wiki = crawl.wiki
    crawl()
    before = crawl.kept()
    wiki.edit("Westfall", "'''Westfall''' is green now.")
    wiki.edit("Template:Hatnote", "<includeonly>''Note well: {{{1}}}''</includeonly>")
    wiki.edit("Duskwood", "'''Duskwood''' is new and dark.")
    wiki.delete("Dot.")
    wiki.move("Star*", "Comet*")
    wiki.run_jobs()
    crawled = crawl()
    rows = {row["wiki"].get("title") or row["url"]: row for row in crawled.rows.values()}
    assert rows["Westfall"]["changed"] == "changed"
    assert "is green now" in rows["Westfall"]["markdown"]
    assert rows["Hogger"]["changed"] == "changed"
    assert "Note well" in rows["Hogger"]["markdown"]
    assert rows["Duskwood"]["changed"] == "new"
    gone = crawled.rows[wiki.page_url("Dot.")]
    assert (gone["changed"], gone["verdict"], gone["reason"]) == ("gone", "gone", "missingtitle")
    moved = crawl.page("Star*")
    assert (moved.outcome, moved.final_url) == ("redirected", wiki.page_url("Comet*"))
    kept = crawl.kept()
    assert before.keys() - kept.keys() == {wiki.page_url("Dot."), wiki.page_url("Star*")}
    assert kept.keys() - before.keys() == {wiki.page_url("Duskwood"), wiki.page_url("Comet*")}
    # Of a hundred pages those few that were edited or use the template were asked for.
    assert len(crawled.parsed()) < 15
    assert len(crawl().requests) == 2


def test_an_edited_page_is_got_before_those_whose_template_was_edited(crawl):
    crawl()
    crawl.wiki.edit("Template:Navbox", "<includeonly><div>Other links</div></includeonly>")
    crawl.wiki.run_jobs()
    crawl.wiki.edit("Short page", "Two lines.\n\nReally.")
    parsed = crawl(CONCURRENT_REQUESTS=1).parsed()
    assert parsed[0] == "Short page"
    assert {"Hogger", "Westfall", "Elwynn Forest"} <= set(parsed)


def test_a_page_that_was_deleted_and_written_again_comes_back(crawl):
    crawl()
    crawl.wiki.delete("Short page")
    assert crawl().titles(changed="gone") == {crawl.wiki.page_url("Short page")}
    assert crawl.wiki.page_url("Short page") not in crawl.kept()
    crawl.wiki.edit("Short page", "It is back.")
    assert crawl().titles() == {"Short page"}
    assert "It is back." in crawl.kept()[crawl.wiki.page_url("Short page")].markdown


def test_a_page_that_became_a_redirect_is_told_to_feeds_as_moved(crawl):
    crawl("prefix=Gnoll")
    crawl.wiki.edit("Gnoll", "#REDIRECT [[Hogger]]")
    row = crawl("prefix=Gnoll").rows[crawl.wiki.page_url("Gnoll")]
    assert (row["changed"], row["final_url"]) == ("moved", crawl.wiki.page_url("Hogger"))
    assert crawl("prefix=Gnoll").rows == {}


def test_two_wikis_of_one_host_are_told_apart(mediawiki_template, scrapy, tmp_path):
    with (
        running_wiki(mediawiki_template, tmp_path / "en") as english,
        running_wiki(mediawiki_template, tmp_path / "de", article_path="/de/wiki/$1", script_path="/de/w") as german,
    ):
        german.edit("Nur deutsch", "Ein Artikel.")
        with one_host({"/de/": german, "/": english}) as host:
            crawl = WikiCrawl(scrapy, tmp_path, english)
            assert "Hogger" in crawl("prefix=Hogger", url=f"{host}/wiki/Hogger").titles()
            assert crawl("prefix=Nur", "source=de", url=f"{host}/de/wiki/Hogger").titles() == {"Nur deutsch"}
            assert "Westfall" in crawl("prefix=Westfall", "source=en", url=f"{host}/wiki/Hogger").titles()


@contextmanager
def one_host(wikis):
    """A proxy before several wikis: the first whose beginning a path has answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            wiki = next(wiki for beginning, wiki in wikis.items() if self.path.startswith(beginning))
            asked = urllib.request.Request(wiki.url(self.path), headers={"User-Agent": "proxy"})
            try:
                answer = urllib.request.urlopen(asked)
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                body = answer.read().replace(wiki.url("").encode(), host.encode())
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers["Content-Type"] or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield host
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_list_in_many_parts_is_read_to_its_end(browse):
    browse.wiki.short_answers(3_000)
    crawled = browse("max_pages=3")
    lists = [question for question in crawled.by_api() if question.get("generator") == "allpages"]
    assert len(lists) > 3
    assert f"lists {len(browse.wiki.titles())} pages" in crawled.printed
    again = browse("max_pages=3")
    assert f"0 changed, 0 touched, {len(browse.wiki.titles())} the same; 0 are no longer listed" in again.printed


def test_a_wiki_is_crawled_under_the_name_it_was_found_by(browse):
    crawled = browse("prefix=Hogger", url=browse.wiki.page_url("Main Page").replace("127.0.0.1", "localhost"))
    assert crawled.titles(tier="api") == {"Hogger", "Hogger (disambiguation)"}
    assert {row["domain"].partition(":")[0] for row in crawled.rows.values()} == {"localhost"}


@pytest.mark.slow
def test_an_unchanged_wiki_of_300_pages_costs_three_requests_at_most(scrapy, tmp_path):
    with running_wiki(cached_template(extra_pages=204), tmp_path / "wiki") as wiki:
        crawl = WikiCrawl(scrapy, tmp_path, wiki)
        assert len(crawl().titles(tier="api")) == 300
        again = crawl()
        assert again.rows == {}
        assert len(again.requests) <= 3


def test_a_list_that_breaks_off_takes_no_page_for_deleted(crawl):
    crawl()
    kept = crawl.kept()
    crawl.wiki.fault("gapnamespace=3000", status=403, body=b"no")
    crawled = crawl()
    assert "cannot be listed" in crawled.printed
    assert crawled.rows == {}
    assert crawl.kept().keys() == kept.keys()


def grow(store_url, pages):
    """Make the store believe that the wiki had so many pages at the last sweep."""
    from sqlalchemy import update

    from wikicrawl.store.schema import wiki_listing

    store = open_store(store_url)
    with store.engine.begin() as connection:
        connection.execute(update(wiki_listing).values(pages=pages))
    store.close()


def test_a_large_wiki_is_asked_for_its_recent_changes_between_sweeps(crawl):
    wiki = crawl.wiki
    crawl()
    grow(crawl.scrapy.store_url, 100_000)
    wiki.edit("Westfall", "'''Westfall''' is green now.")
    wiki.edit("Duskwood", "'''Duskwood''' is new and dark.")
    wiki.edit("Talk:Westfall", "Is it?")
    wiki.delete("Dot.")
    wiki.move("Star*", "Comet*")
    crawled = crawl()
    assert [question["list"] for question in crawled.by_api() if question["action"] == "query"] == ["recentchanges"]
    # Read from a while before; the main page is as young as the wiki.
    assert set(crawled.parsed()) - {"Main Page"} == {"Westfall", "Duskwood", "Dot.", "Star*", "Comet*"}
    assert crawl.page("Dot.").outcome == "gone"
    assert crawl.page("Star*").final_url == wiki.page_url("Comet*")
    swept = crawl(WIKI_SWEEP_SECONDS=0)
    assert {question["generator"] for question in swept.by_api() if "generator" in question} == {"allpages"}


def test_a_category_is_followed_into_its_subcategories_each_once(browse):
    everything = browse("category=World")
    assert {"Hogger", "Gnoll", "Elwynn Forest", "Westfall", "Human", "Eastern Kingdoms"} <= everything.titles()
    assert not everything.titles() & set(CATEGORIES)
    asked = [question["gcmtitle"] for question in everything.by_api() if "gcmtitle" in question]
    assert len(asked) == len(set(asked))  # Gnolls and Bosses are in one another


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(
            ["category=Places", "depth=0"], {"Eastern Kingdoms", "Quest:Wanted: Hogger"}, id="only its own members"
        ),
        pytest.param(
            ["category=Category:Zones", "depth=1"], {"Elwynn Forest", "Westfall"}, id="one level of categories"
        ),
        pytest.param(["prefix=Hogger"], {"Hogger", "Hogger (disambiguation)"}, id="prefix"),
        pytest.param(["namespace=Quest", "prefix=Wanted"], {"Quest:Wanted: Hogger"}, id="namespace by its name"),
        pytest.param(["namespace=task", "prefix=Wanted"], {"Quest:Wanted: Hogger"}, id="namespace by another name"),
    ],
)
def test_a_part_of_a_wiki_may_be_asked_for(browse, arguments, expected):
    assert browse(*arguments).titles(tier="api") == expected


def test_any_namespace_may_be_asked_for_by_its_number(browse):
    crawled = browse("namespace=14")
    assert crawled.titles() == set(CATEGORIES)
    # The members of a category stand in its HTML alone.
    places = crawled.rows[browse.wiki.page_url("Category:Places")]
    assert places["tier"] == "http"
    assert f"[Eastern Kingdoms]({browse.wiki.page_url('Eastern Kingdoms')})" in places["markdown"]


def test_a_namespace_that_is_none_is_refused_by_name(browse):
    for name in ("Nonsense", "--1"):  # the second time the wiki is known
        crawled = browse(f"namespace={name}")
        assert f"the wiki has no namespace '{name}'" in crawled.printed
        assert "Traceback" not in crawled.printed


ODD_LISTS = [
    pytest.param(b'{"query": {"pages": [{"pageid": 1, "lastrevid": 2}]}}', "KeyError", id="no title"),
    pytest.param(
        b'{"query": {"pages": [{"pageid": "x", "lastrevid": 2, "title": "A"}]}}', "ValueError", id="no number"
    ),
    pytest.param(b'{"query": {}, "continue": {"gapcontinue": "A"}}', "leads back to itself", id="an endless list"),
    pytest.param(
        b'{"query": {"pages": [{"pageid": 1e30, "lastrevid": 2, "title": "A"}]}}', "ValueError", id="an endless number"
    ),
    pytest.param(b"[1, 2]", "not_json", id="no object"),
]


@pytest.mark.parametrize(("body", "problem"), ODD_LISTS)
def test_a_list_that_makes_no_sense_is_said_and_takes_no_page_for_deleted(browse, body, problem):
    browse("prefix=Hogger")
    kept = browse.kept().keys()
    browse.wiki.fault("generator=allpages", status=200, body=body)
    crawled = browse("prefix=Hogger")
    assert problem in crawled.printed
    assert "Traceback" not in crawled.printed
    assert crawled.rows == {}
    assert browse.kept().keys() == kept


def test_max_pages_holds_and_the_next_run_goes_on(browse):
    assert len(browse("max_pages=5").rows) == 5
    assert len(browse("max_pages=12").rows) == 7


def test_a_site_that_is_no_wiki_is_said_to_be_none(demo, scrapy):
    done = scrapy("crawl", "wiki", "-a", f"url={demo.urls['docs']}")
    assert "no wiki API was found" in done.stderr
    assert "scrapy crawl site" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wiki_that_is_to_be_read_as_a_website_is_not_listed(browse, tmp_path):
    sources = tmp_path / "sources.yml"
    sources.write_text("mediawiki: {127.0.0.1: off}", encoding="utf-8")
    crawled = browse(SOURCES_FILE=sources)
    assert "sources.yml has this wiki read as a website" in crawled.printed
    assert crawled.by_api() == crawled.as_html() == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["url=https://w.example", "depth=-1"], "depth: "),
        (["url=ftp://w.example"], "url: 'ftp://w.example' is not a web address"),
        (["url=https://w.example", "category=A", "prefix=B"], "category and prefix cannot be combined"),
        (["url=https://w.example", "max_pages=-3"], "max_pages: "),
        (["url=https://w.example", "colour=red"], "colour: there is no such argument"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_asked(scrapy, arguments, complaint):
    given = [part for argument in arguments for part in ("-a", argument)]
    assert complaint in scrapy("crawl", "wiki", *given, expect=2).stderr


def test_a_wiki_at_the_root_of_its_server_is_crawled_whole(mediawiki_template, scrapy, tmp_path):
    with running_wiki(mediawiki_template, tmp_path / "wiki", article_path="/$1", script_path="") as wiki:
        crawled = WikiCrawl(scrapy, tmp_path, wiki)(url=wiki.url("/Main_Page"))
    # MediaWiki itself cannot say where "/Leading slash" is in this layout.
    expected = articles(wiki) - {"/Leading slash"}
    assert expected <= crawled.titles(tier="api")
    assert wiki.url("/Hogger") in crawled.rows


def test_the_profile_is_asked_for_once_and_kept(browse):
    first = browse("prefix=Hogger")
    again = browse("prefix=Westfall")
    asked = [[question.get("meta") for question in crawled.by_api()].count("siteinfo") for crawled in (first, again)]
    assert asked == [1, 0]
    store = open_store(browse.scrapy.store_url)
    (kept,) = store.wikis.load(urlsplit(browse.wiki.api).netloc)
    store.close()
    siteinfo = {name: values[0] for name, values in parse_qs(urlsplit(first.requests[2].url).query).items()}
    assert from_json(kept.profile) == read_profile(browse.wiki.query(**siteinfo), browse.wiki.api)


def test_facts_of_a_wiki_page_are_on_its_item(browse):
    wiki = browse("prefix=Hogger").rows[browse.wiki.page_url("Hogger")]["wiki"]
    shown = browse.wiki.query(titles="Hogger", prop="info|revisions", rvprop="ids")["query"]["pages"][0]
    assert (wiki["title"], wiki["pageid"], wiki["revid"]) == ("Hogger", shown["pageid"], shown["lastrevid"])
    assert wiki["permalink"].endswith(f"/w/index.php?title=Hogger&oldid={shown['lastrevid']}")
    assert wiki["namespace"] == 0
    assert wiki["categories"] == ["Gnolls", "Bosses"]
    assert {link["language"] for link in wiki["langlinks"]} == {"de", "fr"}
    assert [section["title"] for section in wiki["sections"]][:3] == ["History", "Early days", "Loot"]
    assert wiki["infobox"]["Race"] == "Gnoll"
    assert wiki["license"]["text"]
    assert wiki["license"]["text"] in wiki["attribution"]
