"""A real MediaWiki agrees with us on the address of every page, in every layout."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import pytest
from mediawiki import running_wiki

from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import ApiError, continued, read_answer
from wikicrawl.mediawiki.profile import from_json, read_profile, to_json
from wikicrawl.mediawiki.titles import Target, namespace_of, normal_title, page_rule, target_of, url_of
from wikicrawl.urls import Refusal, canonical

pytestmark = pytest.mark.mediawiki

LAYOUTS = {
    "short": {"article_path": "/wiki/$1", "script_path": "/w"},
    "root": {"article_path": "/$1", "script_path": ""},
    "root_beside_w": {"article_path": "/$1", "script_path": "/w"},
    "path_info": {"article_path": "/w/index.php/$1", "script_path": "/w"},
    "query": {"article_path": "/w/index.php?title=$1", "script_path": "/w"},
}


@pytest.fixture(scope="module", params=LAYOUTS.values(), ids=LAYOUTS)
def site(request, mediawiki_template, tmp_path_factory):
    with running_wiki(mediawiki_template, tmp_path_factory.mktemp("layout") / "wiki", **request.param) as site:
        yield site


@pytest.fixture(scope="module")
def wiki(site):
    return read_profile(ask(site, queries.siteinfo()), site.api)


def ask(site, params):
    with urllib.request.urlopen(queries.address(site.api, params)) as response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return read_answer(response.read(), response.status, headers)


def every_page(site, wiki):
    """Title and `fullurl` of all pages of all namespaces."""
    for namespace in wiki.namespaces:
        params = {**queries.list_pages(namespace.id), "inprop": "url"}
        while namespace.id >= 0 and params is not None:
            answer = ask(site, params)
            yield from (
                (page["title"], page["fullurl"], page["ns"]) for page in answer.get("query", {}).get("pages", ())
            )
            rest = continued(answer)
            params = rest and {**params, **rest}


def test_every_page_has_the_address_that_mediawiki_gives_it(site, wiki):
    pages = list(every_page(site, wiki))
    assert len(pages) > 100
    for title, fullurl, number in pages:
        url = url_of(wiki, title)
        # In the root, MediaWiki takes its own //Leading_slash for the address of another host.
        is_misread = wiki.article_path == "/$1" and title.startswith("/")
        assert fullurl == (url.replace(f"{wiki.server}/", "http:/") if is_misread else url)
        assert canonical(url) == url
        assert target_of(wiki, url) == Target(title)
        assert normal_title(wiki, title) == title
        assert namespace_of(wiki, title).id == number
        assert page_rule(wiki)(url) == url


def test_the_profile_is_what_the_wiki_was_set_to(site, wiki):
    assert wiki.server == site.url("").rstrip("/")
    assert wiki.api == site.api
    assert wiki.article_path == site.environment["WIKI_ARTICLE_PATH"]
    assert wiki.script == site.environment["WIKI_SCRIPT_PATH"] + "/index.php"
    assert wiki.generator.startswith("MediaWiki 1.")
    assert wiki.content_namespaces == (0, 3000)
    assert wiki.aliases["task"] == wiki.aliases["quest"] == 3000
    assert wiki.license_url == "https://creativecommons.org/licenses/by-sa/4.0/"
    assert wiki.pages > 100
    assert not wiki.is_wikimedia
    assert from_json(json.loads(json.dumps(to_json(wiki)))) == wiki


def test_an_old_answer_gives_the_same_profile(site, wiki):
    old = ask(site, {**queries.siteinfo(), "formatversion": "1"})
    assert old["query"]["namespaces"]["0"]["*"] == ""
    assert read_profile(old, site.api) == wiki


def page_shown_at(url):
    """What the page says of itself: its title and its id, or None where there is none."""
    try:
        with urllib.request.urlopen(url) as response:
            body = response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            body = error.read().decode()
    name = re.search(r'"wgPageName":("(?:[^"\\]|\\.)*")', body)
    return json.loads(name[1]).replace("_", " ") if name else None


PATHS = [
    "",
    "?title=Hogger",
    "?useskin=monobook",
    "Hogger",
    "hogger",
    "_Hogger__",
    ":Hogger",
    "Hogger%23Loot",
    "Elwynn%20Forest",
    "elwynn_forest",
    "Elwynn_%C2%A0_Forest",
    "C++",
    "C%2B%2B",
    "AC%2FDC",
    "/Leading_slash",
    "Two//slashes",
    "Trailing_slash/",
    "50%25_off",
    "50%_off",
    "Q&A",
    "task:A/b",
    "QUEST:_a/b",
    "Quest_:A/b",
    "project_talk:X",
    "image:no_such.png",
    "Talk:hogger",
    "%E6%97%A5%E6%9C%AC%E8%AA%9E",
    "%C3%A9t%C3%A9",
    "e%CC%81te",
    "%C2%B5",
    "Hogger?useskin=monobook&printable=yes",
    "Hogger?action=view",
    "Hogger?uselang=de&redirect=no",
    "Hogger?title=Westfall",
    "Hogger?oldid=&diff=0",
]
QUERIES = [
    "?title=Hogger",
    "?title=hogger&redirect=no",
    "?title=Elwynn+Forest",
    "?title=Elwynn_Forest&useformat=mobile",
    "?title=C%2B%2B",
    "?title=Q%26A",
    "?title=Caf%E9",
    "?title=Westfall&title=Hogger",
    "/Hogger",
    "/task:A/b",
    "",
]


def test_the_wiki_shows_the_page_we_expect_at_each_form_of_address(site, wiki):
    before = wiki.article_path.partition("?")[0].replace("$1", "")
    forms = [before + path for path in PATHS if "?" not in wiki.article_path]
    forms += [wiki.script + query for query in QUERIES]
    wrong = {}
    for form in forms:
        expected = target_of(wiki, site.url(form))
        shown = page_shown_at(site.url(form))
        if expected != Target(shown):
            wrong[form] = (expected, shown)
    assert wrong == {}


def test_the_wiki_shows_the_page_of_an_id_where_we_read_an_id(site, wiki):
    page = site.query(titles="Hogger")["query"]["pages"][0]
    url = site.url(f"{wiki.script}?curid={page['pageid']}&title=Westfall")
    assert target_of(wiki, url) == Target(pageid=page["pageid"])
    assert page_shown_at(url) == "Hogger"


@pytest.mark.parametrize(
    "title",
    ["A[b", "A|b", "A<b>", "%41", "~~~", "../x", "x/./y", ".", "Talk:File:X", "User:", "é" * 128, "::A"],
)
def test_a_title_that_we_refuse_is_refused_by_the_wiki(wiki_site, title):
    wiki = read_profile(ask(wiki_site, queries.siteinfo()), wiki_site.api)
    assert normal_title(wiki, title) == Refusal("title")
    answer = ask(wiki_site, queries.parse(title=title))
    assert isinstance(answer, ApiError)
    assert answer.code == "invalidtitle"


def test_bytes_that_are_no_utf8_are_no_title_in_a_path(site, wiki):
    url = site.url(f"{wiki.script}/Caf%E9")
    assert target_of(wiki, url) == Refusal("title")
    assert page_shown_at(url) == "Special:Badtitle"


def test_a_special_page_is_refused_by_both(wiki_site):
    wiki = read_profile(ask(wiki_site, queries.siteinfo()), wiki_site.api)
    assert target_of(wiki, wiki_site.url("/wiki/Special:RecentChanges")) == Refusal("special")
    assert ask(wiki_site, queries.parse(title="Special:RecentChanges")).code == "pagecannotexist"
