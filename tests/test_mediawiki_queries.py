"""What queries.py asks a wiki's API, and what a real one answers."""

from __future__ import annotations

import time
import urllib.request

import pytest

from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import continued, read_answer
from wikicrawl.urls import canonical

API = "https://wiki.example/w/api.php"


def test_a_page_is_asked_for_as_html_with_its_facts():
    assert queries.parse(title="A|b") == {
        "action": "parse",
        "page": "A|b",
        "prop": "text|revid|displaytitle|categories|langlinks|sections",
        "redirects": "1",
        "disablelimitreport": "1",
        "disableeditsection": "1",
        "disabletoc": "1",
        "format": "json",
        "formatversion": "2",
    }
    assert "page" not in queries.parse(pageid=7)
    assert queries.parse(pageid=7)["pageid"] == "7"


@pytest.mark.parametrize("asked", [{}, {"title": "A", "pageid": 7}], ids=["nothing", "both"])
def test_a_page_is_asked_for_in_one_way(asked):
    with pytest.raises(ValueError, match="by title or by pageid"):
        queries.parse(**asked)


@pytest.mark.parametrize("count", [0, 51])
def test_a_wiki_is_asked_for_as_many_ids_as_it_takes(count):
    with pytest.raises(ValueError, match=f"{count} ids are asked for; 1 to 50 can be"):
        queries.resolve(range(count))


def test_an_unknown_kind_of_member_is_named():
    with pytest.raises(ValueError, match="kind: unknown pages"):
        queries.list_members("Category:A", "page|pages")


def test_the_time_of_changes_is_written_as_the_api_reads_it():
    assert queries.recent_changes(0.9)["rcstart"] == "1970-01-01T00:00:00Z"


def test_a_question_has_one_address():
    url = queries.address(API, {"b": "A|ü & +", "a": "1"})
    assert url == "https://wiki.example/w/api.php?a=1&b=A%7C%C3%BC%20%26%20%2B"
    assert queries.address(API, {"a": "1", "b": "A|ü & +"}) == url
    assert canonical(url) == url
    assert queries.address(f"{API}?x=y", {"a": "1"}) == f"{API}?x=y&a=1"


def ask(wiki, params):
    with urllib.request.urlopen(queries.address(wiki.api, params)) as response:
        return read_answer(response.read(), response.status, {})


def pages_of(wiki, params):
    pages = {}
    more = {}
    while more is not None:
        answer = ask(wiki, {**params, **more})
        pages |= {page["title"]: page for page in answer["query"]["pages"]}
        more = continued(answer)
    return pages


@pytest.mark.mediawiki
def test_a_real_wiki_lists_every_page_and_says_which_are_redirects(wiki_site):
    pages = pages_of(wiki_site, queries.list_pages(0)) | pages_of(wiki_site, queries.list_pages(3000))
    assert {title: page.get("redirect", False) for title, page in pages.items()} == wiki_site.titles()
    assert all(page["lastrevid"] and page["touched"] for page in pages.values())
    few = pages_of(wiki_site, {**queries.list_pages(3000), "gaplimit": "2"})
    assert few.keys() == pages_of(wiki_site, queries.list_pages(3000)).keys()


@pytest.mark.mediawiki
def test_a_real_wiki_lists_the_pages_of_a_prefix(wiki_site):
    assert set(pages_of(wiki_site, queries.list_pages(0, "Hogg"))) == {
        title for title in wiki_site.titles() if title.startswith("Hogg")
    }


@pytest.mark.mediawiki
def test_a_real_wiki_lists_the_members_of_a_category(wiki_site):
    assert "Hogger" in pages_of(wiki_site, queries.list_members("Category:Gnolls"))


@pytest.mark.mediawiki
def test_a_real_wiki_names_the_pages_of_some_ids_behind_their_redirects(wiki_site):
    pages = pages_of(wiki_site, queries.list_pages(0, "Hogg"))
    answer = ask(wiki_site, queries.resolve([pages["Hoggar"]["pageid"], pages["Hogger"]["pageid"]]))
    assert [page["title"] for page in answer["query"]["pages"]] == ["Hogger"]
    assert answer["query"]["redirects"] == [{"from": "Hoggar", "to": "Hogger"}]


@pytest.mark.mediawiki
def test_a_real_wiki_tells_what_happened_since(mediawiki):
    before = time.time() - 60
    mediawiki.edit("Westfall", "Changed.")
    mediawiki.edit("Brand new", "New.")
    mediawiki.delete("Dot.")
    mediawiki.move("Star*", "Star")
    changes = ask(mediawiki, queries.recent_changes(before))["query"]["recentchanges"]
    seen = {(change["type"], change.get("logtype", ""), change["title"]) for change in changes}
    assert seen >= {
        ("edit", "", "Westfall"),
        ("new", "", "Brand new"),
        ("log", "delete", "Dot."),
        ("log", "move", "Star*"),
    }
    assert [change["timestamp"] for change in changes] == sorted(change["timestamp"] for change in changes)
    assert ask(mediawiki, queries.recent_changes(time.time() + 3600))["query"]["recentchanges"] == []
