"""What a wiki says of its page, in the head, the skin and the infobox, is kept beside the text."""

import pickle
from pathlib import Path

import pytest

from wikicrawl.extract import extract

URL = "https://wiki.example.org/wiki/Hogger"
PAGES = Path(__file__).parent / "wiki_pages"
CASES = Path(__file__).parent / "wiki_cases"


def facts(html="", *, head="", around="", title="Hogger"):
    content = f'<div id="mw-content-text"><div class="mw-parser-output">{html}</div></div>'
    page = f'<head>{head}</head><body class="mediawiki"><h1 id="firstHeading">{title}</h1>{content}{around}</body>'
    return extract(page.encode(), URL).wiki


def test_the_facts_of_a_real_page():
    found = extract((PAGES / "hogger.page.html").read_bytes(), "http://127.0.0.1:8931/wiki/Hogger")
    assert found.title == "Hogger the Gnoll"
    assert found.wiki == {
        "title": "Hogger",
        "pageid": 5,
        "revid": 5,
        "namespace": 0,
        "categories": ["Pages with broken file links", "Gnolls"],
        "hidden_categories": ["Hidden things"],
        "langlinks": [
            {"language": "de", "title": "Hogger (Gnoll)", "url": "https://de.example.org/wiki/Hogger_(Gnoll)"},
            {"language": "fr", "title": "Hogger", "url": "https://fr.example.org/wiki/Hogger"},
        ],
        "permalink": "http://127.0.0.1:8931/w/index.php?title=Hogger&oldid=5",
        "license": {
            "url": "https://creativecommons.org/licenses/by-sa/4.0/",
            "text": "Creative Commons Attribution-ShareAlike",
        },
        "infobox": {"Level": "11 Elite", "Zones": "Elwynn, Westfall", "Drops": "Sword, Shield | pipe"},
        "displaytitle": "Hogger the Gnoll",
        "sections": [
            {"level": 2, "title": "Collapsing", "anchor": "Collapsing"},
            {"level": 2, "title": "Notes", "anchor": "Notes"},
            {"level": 2, "title": "References", "anchor": "References"},
        ],
    }


def test_a_browser_sees_the_facts_of_the_page():
    url = "http://127.0.0.1:8931/wiki/Hogger"
    seen = [extract((PAGES / f"hogger.{way}.html").read_bytes(), url).wiki for way in ("page", "dom")]
    assert seen[0] == seen[1]


def test_the_apis_document_shows_what_its_content_shows():
    found = extract((PAGES / "hogger.api.html").read_bytes(), URL).wiki
    assert sorted(found) == ["displaytitle", "infobox", "namespace", "sections"]


def test_a_page_that_is_no_wiki_page_has_no_facts_of_one():
    assert extract(b"<title>T</title><p>x</p>", URL).wiki == {}


def test_facts_cross_processes():
    found = extract((PAGES / "hogger.page.html").read_bytes(), URL)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('RLCONF={"wgPageName":"A_b","wgArticleId":7,"wgIsArticle":!0,"wgRevisionId":9};', ("A b", 7, 9)),
        ('RLQ.push(function(){mw.config.set({"wgPageName":"A_b","wgArticleId":7,"wgRevisionId":9});});', ("A b", 7, 9)),
        ('RLCONF={"wgPageName":"A_b","wgArticleId":7,"wgRevisionId":0,"wgCurRevisionId":8}', ("A b", 7, 8)),
        (
            r'RLCONF={"wgPageName":"Say_\"wgArticleId\":5","wgArticleId":7,"wgRevisionId":9}',
            ('Say "wgArticleId":5', 7, 9),
        ),
        ('RLCONF={"wgPageName":"A\\u003Cb","wgArticleId":7,"wgRevisionId":9,,,', ("A<b", 7, 9)),
        ('RLCONF={"wgPageName":["A"],"wgArticleId":true,"wgRevisionId":"9"}', (None, None, None)),
        ('RLCONF={"wgPageName":"A_b","wgArticleId":' + "[" * 100_000, ("A b", None, None)),
        ('RLCONF={"wgPageName":', (None, None, None)),
        ("alert(1)", (None, None, None)),
    ],
    ids=[
        "minified",
        "older",
        "no revision shown",
        "a name like a setting",
        "broken",
        "wrong types",
        "deep",
        "cut",
        "none",
    ],
)
def test_settings_are_read_however_they_are_written(script, expected):
    found = facts(head=f"<script>{script}</script>")
    assert (found.get("title"), found.get("pageid"), found.get("revid")) == expected


def test_a_redirect_says_where_it_came_from_and_went_to():
    settings = (
        '"wgPageName":"Hogger","wgRedirectedFrom":"Old_Hogger","wgInternalRedirectTargetUrl":"/wiki/Hogger#His_end"'
    )
    found = facts(head=f"<script>RLCONF={{{settings}}};</script>")
    assert (found["redirected_from"], found["redirected_to_fragment"]) == ("Old Hogger", "His_end")


def test_categories_are_read_from_the_skin_where_no_script_names_them():
    links = (
        '<div id="catlinks"><div id="mw-normal-catlinks"><a href="/s">Categories</a>: <ul><li><a href="/c">Gnolls</a></li>'
        '</ul></div><div id="mw-hidden-catlinks">Hidden: <ul><li><a href="/h">Stubs</a></li></ul></div></div>'
    )
    found = facts(around=links)
    assert (found["categories"], found["hidden_categories"]) == (["Gnolls"], ["Stubs"])


@pytest.mark.parametrize(
    ("head", "around", "expected"),
    [
        ('<link rel="license" href="//cc.example.org/by">', "", {"url": "https://cc.example.org/by"}),
        (
            "",
            '<li id="footer-info-copyright">Under <a href="/by">CC BY</a></li>',
            {"url": "https://wiki.example.org/by", "text": "CC BY"},
        ),
        ("", '<li id="footer-info-copyright">All rights reserved</li>', None),
    ],
    ids=["head", "footer", "none"],
)
def test_the_licence_is_found(head, around, expected):
    assert facts(head=head, around=around).get("license") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            '<h2><span id="A.26B"></span><span class="mw-headline" id="A&amp;B">A &amp; B</span></h2>',
            (2, "A & B", "A&B"),
        ),
        (
            '<div class="mw-heading mw-heading3"><h3 id="X">X</h3><span class="mw-editsection">[e]</span></div>',
            (3, "X", "X"),
        ),
        (
            '<h2 id="N">Notes<sup class="reference"><a href="#n">[1]</a></sup></h2><ol class="references"><li id="n">x</li></ol>',
            (2, "Notes", "N"),
        ),
        ('<h2 id="E"><math alttext="x_1"></math></h2>', (2, "$x_1$", "E")),
    ],
    ids=["old markup", "new markup", "with a note", "formula"],
)
def test_sections_have_plain_titles_and_anchors(html, expected):
    level, title, anchor = expected
    assert facts(html)["sections"] == [{"level": level, "title": title, "anchor": anchor}]


@pytest.mark.parametrize("html", ['<h2 id="mw-toc-heading" class="toc">Contents</h2>', "<h2>No anchor</h2>"])
def test_other_headings_are_no_sections(html):
    assert "sections" not in facts(html)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("infobox", {"Level": "11 Elite", "Zones": "Elwynn, Westfall", "Drops": "Sword, Shield | pipe"}),
        ("infobox_rowspan", {"Crew": "Captain, 1, Sailors, 30", "Length": "30 m", "Speed": "10 kn, Range",
                             "Home": "Harbour", "Built": "1850"}),
        ("infobox_pairs", {"Born": "1950", "Died": "2000", "Wins": "10", "Losses": "3"}),
        ("infobox_nested", {"Mayor": "Ann", "Rivers": "Two", "Climate": "Jan, Jul, cold, hot"}),
        ("infobox_of_divs", {"Damage": "4 (melee)", "Use time": "15, Fast"}),
        ("portable_infobox", {"Race": "Gnoll", "Zones": "Elwynn Forest, Westfall"}),
        ("portable_infobox_horizontal", {"Damage": "10–20", "Speed": "1.8", "Buy": "5 gold", "Sell": "1 gold"}),
        ("portable_infobox_tabs", {"Health": "100, 900"}),
        ("two_infoboxes", {"Level": "1", "Only here": "x"}),
        ("infobox_images", None),
        ("infobox_unclosed", None),
    ],
)  # fmt: skip
def test_an_infobox_becomes_facts(name, expected):
    assert facts((CASES / f"{name}.html").read_text(encoding="utf-8")).get("infobox") == expected


@pytest.mark.parametrize(
    ("title", "head", "expected"),
    [
        ("<i>Nova</i>", "<title>Nova - Wiki</title>", "Nova"),
        ("", '<title>X - Wiki</title><script>RLCONF={"wgPageName":"Main_Page"}</script>', "Main Page"),
        ("", "<title>X - Wiki</title>", "X - Wiki"),
    ],
    ids=["displayed", "from the settings", "from the head"],
)
def test_the_title_is_the_pages_own(title, head, expected):
    page = f'<head>{head}</head><body class="mediawiki"><h1 id="firstHeading">{title}</h1><div id="mw-content-text">x</div>'
    assert extract(page.encode(), URL).title == expected
