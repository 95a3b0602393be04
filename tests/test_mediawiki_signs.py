"""A wiki is told by its pages, and by its addresses where no page can be had."""

import pytest

from wikicrawl.mediawiki.signs import api_named_by, likely_apis, looks_like_wiki

PAGE = "https://wiki.example/wiki/A"
GENERATOR = '<meta name="generator" content="MediaWiki 1.39.17"/>'


def edit_uri(href):
    return f'<link rel="EditURI" type="application/rsd+xml" href="{href}"/>'


@pytest.mark.parametrize(
    ("head", "url", "expected"),
    [
        pytest.param(
            edit_uri("https://wiki.example/w/api.php?action=rsd"), PAGE, "https://wiki.example/w/api.php", id="EditURI"
        ),
        pytest.param(
            edit_uri("//wiki.example/api.php?action=rsd"), PAGE, "https://wiki.example/api.php", id="without a scheme"
        ),
        pytest.param(
            "<link href='/w/api.php?action=rsd&amp;x' rel='EditURI'>",
            PAGE,
            "https://wiki.example/w/api.php",
            id="order",
        ),
        pytest.param(
            edit_uri("//en.wikipedia.org/w/api.php?action=rsd"),
            "https://en.m.wikipedia.org/wiki/A",
            "https://en.wikipedia.org/w/api.php",
            id="mobile page",
        ),
        pytest.param(
            edit_uri("https://www.wiki.example/w/api.php"), PAGE, "https://www.wiki.example/w/api.php", id="www"
        ),
        pytest.param(edit_uri("http://169.254.169.254/api.php"), PAGE, None, id="another host is not believed"),
        pytest.param(edit_uri("http://wiki.example:8080/api.php"), PAGE, None, id="nor another port"),
        pytest.param(GENERATOR, PAGE, "", id="generator alone"),
        pytest.param(GENERATOR + edit_uri("http://other.example/api.php"), PAGE, "", id="generator, and another's API"),
        pytest.param(edit_uri(""), PAGE, None, id="empty"),
        pytest.param(edit_uri("/xmlrpc.php?rsd"), PAGE, None, id="WordPress has one, too"),
        pytest.param('<meta name="description" content="MediaWiki for beginners">', PAGE, None, id="about MediaWiki"),
        pytest.param('<meta name="generator" content="WordPress 6"/>', PAGE, None, id="a blog"),
        pytest.param("<p>Set <code>rel=EditURI</code> in the link</p>", PAGE, None, id="words about it"),
    ],
)
def test_a_page_names_its_api(head, url, expected):
    assert api_named_by(f"<!DOCTYPE html><html><head>{head}</head>".encode(), url) == expected


def test_what_stands_deep_in_a_page_is_not_its_head():
    assert api_named_by(b" " * 200_000 + edit_uri("/w/api.php").encode(), PAGE) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/wiki/A", True),
        ("https://example.org/w/index.php?title=A", True),
        ("https://example.org/index.php/A", True),
        ("https://wow.fandom.com/de/A", True),
        ("https://warcraft.wiki.gg/x", True),
        ("https://minecraftwiki.net/A", True),
        ("https://example.org/blog/wikis-are-fun", False),
        ("https://example.org/shop?title=A", False),
        ("https://example.org/", False),
    ],
)
def test_a_url_may_look_like_a_wiki(url, expected):
    assert looks_like_wiki(url) is expected


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("https://a.example/wiki/X", "https://a.example/api.php"),
        ("https://a.fandom.com/de/wiki/X", "https://a.fandom.com/de/api.php"),
        ("https://a.fandom.com/pt-br/wiki/X", "https://a.fandom.com/pt-br/api.php"),
        ("http://127.0.0.1:81/w/index.php?title=X", "http://127.0.0.1:81/api.php"),
    ],
)
def test_an_api_is_looked_for_where_wikis_have_it(url, first):
    apis = likely_apis(url)
    assert apis[0] == first
    assert [api.rpartition("/api.php")[0].rsplit("/", 1)[-1] for api in apis[-3:]] == ["w", "wiki", "mediawiki"]
