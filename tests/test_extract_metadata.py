"""What a page says about itself is found, and nothing it says breaks the reading."""

import json

import pytest

from wikicrawl.extract.metadata import MAX_DESCRIPTION, MAX_TITLE, find_metadata
from wikicrawl.extract.tree import parse

URL = "https://example.org/news/mill"
ARTICLE = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "Organization", "name": "The Paper", "description": "A paper"},
        {
            "@type": ["NewsArticle"],
            "headline": "The mill reopens",
            "description": "From JSON-LD",
            "datePublished": "2024-03-05T08:30:00Z",
            "dateModified": "2024-03-06",
            "author": [{"@type": "Person", "name": "A. Miller"}, {"@type": "Person", "name": "B. Baker"}],
            "keywords": "mills, rivers",
            "inLanguage": "en-GB",
        },
    ],
}


def of(head, attributes=""):
    return find_metadata(parse(f"<html {attributes}><head>{head}</head><body><p>x</p></body></html>"), URL)


def json_ld(value):
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_meta_tags_are_read():
    head = """<title>  The
        mill </title><meta name="Description" content="An old mill"><meta name=author content="A. Miller">
        <meta name=keywords content="mill, river; mill"><link rel="canonical" href="/news/mill/#top">
        <meta property="article:published_time" content="2024-03-05T08:30:00+01:00">
        <meta property="article:modified_time" content="2024-03-06">"""
    assert of(head, 'lang="de_at"') == {
        "title": "The mill",
        "description": "An old mill",
        "language": "de-AT",
        "canonical": "https://example.org/news/mill/",
        "published": "2024-03-05T08:30:00+01:00",
        "modified": "2024-03-06",
        "author": "A. Miller",
        "keywords": ["mill", "river"],
        "types": ["og:article"],
    }


def test_json_ld_fills_what_meta_tags_leave_out():
    found = of(json_ld(ARTICLE))
    assert found == {
        "title": "The mill reopens",
        "description": "From JSON-LD",
        "language": "en-GB",
        "published": "2024-03-05T08:30:00+00:00",
        "modified": "2024-03-06",
        "author": "A. Miller, B. Baker",
        "keywords": ["mills", "rivers"],
        "types": ["NewsArticle"],
    }


def test_open_graph_stands_in():
    found = of(
        '<meta property="og:title" content="OG"><meta property="og:description" content="D"><meta property="og:type" content="product">'
    )
    assert (found["title"], found["description"], found["types"]) == ("OG", "D", ["og:product"])


def test_the_heading_is_the_title_of_a_page_without_one():
    tree = parse("<svg><title>Icon</title></svg><h1> </h1><h1>The <b>mill</b></h1>")
    assert find_metadata(tree, URL)["title"] == "The mill"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024-03-05T08:30:00.123Z", "2024-03-05T08:30:00+00:00"),
        ("20240305", "2024-03-05"),
        ("05.03.2024", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("Tue, 05 Mar 2024 08:30:00 GMT", "2024-03-05T08:30:00+00:00"),
        ("0001-01-01", None),
        ("9999-12-31", None),
        ("yesterday", None),
        ("1" * 500, None),
    ],
)
def test_dates_are_iso_or_absent(raw, expected):
    assert of(f'<meta name="date" content="{raw}">').get("published") == expected


@pytest.mark.parametrize(
    "script",
    [
        "{not json",
        "[" * 100_000,
        "null",
        "[1, [2], {}]",
        '{"@type": 5, "author": [[]]}',
        '{"@type": "Article", "author": 7}',
    ],
    ids=["broken", "deep", "null", "odd list", "odd types", "odd author"],
)
def test_odd_json_ld_is_passed_over(script):
    assert of(f'<title>T</title><script type="application/ld+json">{script}</script>')["title"] == "T"


def test_strings_are_clean_and_capped():
    title, description = "a&#1;\u200b " * 5_000, "b " * 50_000
    found = of(f"<title>{title}</title><meta name=description content='{description}'>")
    assert len(found["title"]) <= MAX_TITLE
    assert set(found["title"]) == {"a", " "}
    assert len(found["description"]) <= MAX_DESCRIPTION


@pytest.mark.parametrize("href", ["javascript:alert(1)", "http://[", "", "mailto:a@b.c"])
def test_a_senseless_canonical_is_none(href):
    assert "canonical" not in of(f'<link rel=canonical href="{href}">')


def test_forum_software_is_named():
    assert of('<meta name="generator" content="Discourse 3.2">')["types"] == ["forum"]


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("https://a.org/2011/09/11/gefaellt-mir/", ""),
        ("https://a.org/blog/2011/9/gefaellt-mir.html", ""),
        ("https://a.org/gefaellt-mir/", "class='single single-post postid-3'"),
    ],
)
def test_a_post_is_known_by_its_address_or_its_body(url, body):
    assert find_metadata(parse(f"<html><body {body}><p>x</body></html>"), url)["types"] == ["post"]


@pytest.mark.parametrize("entry", ["<div class='post hentry'>x</div>", "<div itemprop='articleBody'>x</div>"])
def test_a_single_entry_is_a_post_and_several_are_not(entry):
    assert find_metadata(parse(entry), URL)["types"] == ["post"]
    assert "types" not in find_metadata(parse(entry * 2), URL)


def test_a_blogs_archive_says_so():
    tree = parse("<html><body class='archive tag'><div class='hentry'>x</div></body></html>")
    assert find_metadata(tree, "https://a.org/2011/09/mills/")["types"] == ["archive"]


@pytest.mark.parametrize(
    "path", ["/2011/09/11/", "/2011/09/", "/2011/09/page/2/", "/2011/99/a", "/9999/09/a", "/single-post"]
)
def test_an_archive_is_no_post(path):
    assert "types" not in find_metadata(parse("<html><body><p>x</body></html>"), f"https://a.org{path}")
