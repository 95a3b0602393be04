"""What page.py makes of an answer of action=parse."""

from __future__ import annotations

import urllib.request

import pytest
from lxml import html

from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import read_answer
from wikicrawl.mediawiki.page import facts, to_document, with_credits
from wikicrawl.mediawiki.profile import read_profile

SITEINFO = {
    "general": {
        "generator": "MediaWiki 1.39.17",
        "server": "https://wiki.example",
        "articlepath": "/wiki/$1",
        "script": "/w/index.php",
        "sitename": "A & B <wiki>",
        "lang": "ar",
        "rtl": True,
    },
    "namespaces": {"14": {"id": 14, "name": "تصنيف", "canonical": "Category"}},
    "rightsinfo": {"url": "https://licence.example/", "text": "CC BY-SA 4.0"},
}
WIKI = read_profile(SITEINFO, "https://wiki.example/w/api.php")
PLAIN = read_profile({**SITEINFO, "rightsinfo": {}}, WIKI.api)
PARSE = {
    "title": 'Q&A "x"',
    "pageid": 7,
    "revid": 8,
    "redirects": [{"from": "FAQ", "to": "Questions"}, {"from": "Questions", "to": 'Q&A "x"', "tofragment": "Loot"}],
    "text": '<div class="mw-parser-output"><p>Hello &amp; {lang}</p></div>',
    "displaytitle": "<i>Q&amp;A</i> &quot;x&quot;",
    "categories": [
        {"category": "Elwynn_Forest", "sortkey": ""},
        {"category": "Stubs", "sortkey": "", "hidden": True},
        {"category": "Red", "sortkey": "", "missing": True, "hidden": False},
    ],
    "sections": [
        {"level": "2", "line": "A <i>b</i> &amp; c", "anchor": "A_b_&_c"},
        {"level": "x", "line": "", "anchor": ""},
    ],
    "langlinks": [{"lang": "de", "title": "Fragen", "url": "https://de.example/wiki/Fragen", "autonym": "Deutsch"}],
    "properties": {},
}


def test_an_answer_becomes_a_document_like_the_wikis_own():
    tree = html.document_fromstring(to_document(PARSE, WIKI))
    assert (tree.get("lang"), tree.get("dir")) == ("ar", "rtl")
    assert tree.findtext("head/title") == 'Q&A "x" - A & B <wiki>'
    assert tree.xpath("//meta[@name='generator']/@content") == ["MediaWiki 1.39.17"]
    assert tree.xpath("//link[@rel='canonical']/@href") == ["https://wiki.example/wiki/Q%26A_%22x%22"]
    assert tree.find("body").get("class") == "mediawiki ns-0"
    heading = tree.get_element_by_id("firstHeading")
    assert (heading.tag, heading.get("class")) == ("h1", "firstHeading")
    assert html.tostring(heading[0], encoding="unicode") == '<i>Q&amp;A</i> "x"'
    content = tree.get_element_by_id("mw-content-text")
    assert (content.get("class"), content.get("lang"), content.get("dir")) == ("mw-body-content", "ar", "rtl")
    assert content[0].get("class") == "mw-parser-output"
    assert content.text_content() == "Hello & {lang}"


def test_a_title_cannot_leave_its_place_in_the_document():
    tree = html.document_fromstring(to_document({"title": "A</title><script>x</script>&amp;", "text": ""}, WIKI))
    assert not tree.xpath("//script")
    assert tree.get_element_by_id("firstHeading").text_content() == "A</title><script>x</script>&amp;"


def test_the_facts_of_a_page():
    assert facts(PARSE, WIKI) == {
        "title": 'Q&A "x"',
        "pageid": 7,
        "revid": 8,
        "namespace": 0,
        "displaytitle": 'Q&A "x"',
        "categories": ["Elwynn Forest", "Red"],
        "hidden_categories": ["Stubs"],
        "sections": [{"level": 2, "title": "A b & c", "anchor": "A_b_&_c"}, {"level": 2, "title": "", "anchor": ""}],
        "langlinks": [{"language": "de", "title": "Fragen", "url": "https://de.example/wiki/Fragen"}],
        "redirected_from": "FAQ",
        "redirected_to_fragment": "Loot",
    }


def test_what_is_not_said_is_no_fact():
    assert facts({"title": "تصنيف:A", "pageid": 0, "categories": [], "displaytitle": ""}, WIKI) == {
        "title": "تصنيف:A",
        "namespace": 14,
    }


@pytest.mark.parametrize("circle", ["A", "ABC"], ids=["itself", "circle"])
def test_redirects_in_a_circle_come_from_nowhere(circle):
    hops = [{"from": a, "to": b} for a, b in zip(circle, circle[1:] + circle[0], strict=True)]
    assert facts({"title": "A", "redirects": hops}, WIKI) == {"title": "A", "namespace": 0}


def test_an_answer_of_an_odd_shape_is_read_as_far_as_it_goes():
    odd = {"title": "A", "text": None, "categories": "x", "sections": [1, None], "langlinks": {"0": {"lang": "de"}}}
    assert facts(odd, WIKI) == {
        "title": "A",
        "namespace": 0,
        "langlinks": [{"language": "de", "title": "", "url": ""}],
    }
    assert 'id="mw-content-text"' in to_document(odd, WIKI)


def test_the_credits_name_the_revision_and_the_licence():
    credited = with_credits({"title": "Q&A x", "revid": 8}, WIKI)
    assert credited == {
        "title": "Q&A x",
        "revid": 8,
        "permalink": "https://wiki.example/w/index.php?title=Q%26A_x&oldid=8",
        "license": {"url": "https://licence.example/", "text": "CC BY-SA 4.0"},
        "attribution": (
            "“Q&A x” from A & B <wiki>, by its contributors, "
            "https://wiki.example/w/index.php?title=Q%26A_x&oldid=8, CC BY-SA 4.0"
        ),
    }


def test_credits_without_revision_and_licence_name_the_page():
    assert with_credits({"title": "A"}, PLAIN) == {
        "title": "A",
        "attribution": "“A” from A & B <wiki>, by its contributors, https://wiki.example/wiki/A",
    }


def ask(wiki, params):
    with urllib.request.urlopen(queries.address(wiki.api, params)) as response:
        return read_answer(response.read(), response.status, {})


@pytest.mark.mediawiki
def test_a_real_page_is_the_same_in_both_shapes_of_json(wiki_site):
    wiki = read_profile(ask(wiki_site, queries.siteinfo()), wiki_site.api)
    question = queries.parse(title="Hogger's loot")
    new, old = ask(wiki_site, question)["parse"], ask(wiki_site, {**question, "formatversion": "1"})["parse"]
    assert old["categories"][0]["*"]
    assert facts(new, wiki) == facts(old, wiki)
    assert to_document(new, wiki) == to_document(old, wiki)
    assert (
        facts(new, wiki).items()
        >= {
            "title": "Hogger",
            "namespace": 0,
            "categories": ["Gnolls", "Bosses"],
            "redirected_from": "Hogger's loot",
            "redirected_to_fragment": "Loot",
        }.items()
    )


@pytest.mark.mediawiki
def test_a_permalink_is_the_one_that_the_real_wiki_prints(wiki_site):
    wiki = read_profile(ask(wiki_site, queries.siteinfo()), wiki_site.api)
    for title in ("Hogger", "Q&A", "It's …", "Foo: bar"):
        credited = with_credits(facts(ask(wiki_site, queries.parse(title=title))["parse"], wiki), wiki)
        with urllib.request.urlopen(wiki_site.page_url(title)) as response:
            tree = html.document_fromstring(response.read().decode())
        (printed,) = tree.xpath("//li[@id='t-permalink']/a/@href")
        assert credited["permalink"] == wiki_site.url(printed)


@pytest.mark.parametrize("level", ["9" * 5_000, "x", ""])
def test_a_section_of_no_sensible_level_is_one_of_the_second(level):
    (section,) = facts({"title": "A", "sections": [{"level": level, "line": "B"}]}, WIKI)["sections"]
    assert section["level"] == 2
