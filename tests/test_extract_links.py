"""What links.py finds on a page."""

from __future__ import annotations

import time

import lxml.html
import pytest

from wikicrawl.extract.links import MAX_LINKS, base_of, find_feeds, find_links, find_next, find_signposts

URL = "http://h/a/page"


def links(html, url=URL):
    return find_links(lxml.html.document_fromstring(html), url)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="b">x</a>', ["http://h/a/b"]),
        ('<map><area href="/b"></map>', ["http://h/b"]),
        ('<iframe src="/frame"></iframe>', ["http://h/frame"]),
        ('<form action="/find"></form>', ["http://h/find"]),
        ('<form action="/find" method=" GET "></form>', ["http://h/find"]),
        ('<form action="/buy" method="post"></form>', []),
        ('<form action=""></form><form></form>', []),
        ('<link rel="next" href="?p=2">', ["http://h/a/page?p=2"]),
        ('<link rel="nofollow NEXT" href="?p=2">', ["http://h/a/page?p=2"]),
        ('<link rel="canonical" href="http://h/b">', ["http://h/b"]),
        ('<link rel="prev" href="/p"><link rel="stylesheet" href="/s"><link href="/t">', []),
        ('<a rel="nofollow" href="/b">x</a>', ["http://h/b"]),
        ('<a href="javascript:x()">x</a><a href="{{ url }}">x</a><a href="mailto:a@b">x</a>', []),
        ('<a name="x">x</a><a href="">x</a><iframe src="about:blank"></iframe>', []),
        ('<a href="http://other/">x</a>', ["http://other/"]),
        ('<img src="/i.png"><script src="/s.js"></script>', []),
    ],
)
def test_links_come_from_what_leads_to_pages(html, expected):
    assert links(f"<html><body>{html}</body></html>") == expected


def test_links_keep_document_order_and_come_once():
    html = '<a href="/c">1</a><iframe src="/b"></iframe><a href="/a">2</a><a href="/c#x">3</a><a href="/b?utm_source=y">4</a>'
    assert links(html) == ["http://h/c", "http://h/b", "http://h/a"]


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("", URL),
        ('<base href="/docs/">', "http://h/docs/"),
        ('<base href="https://cdn/x/y">', "https://cdn/x/y"),
        ('<base target="_blank"><base href="/first/"><base href="/second/">', "http://h/first/"),
        ('<base href="javascript:1"><base href="/second/">', URL),
        ('<base href="http://[bad">', URL),
        (f'<base href="/{"a" * 5000}">', URL),
    ],
    ids=["none", "relative", "absolute", "first-wins", "bad-scheme", "invalid", "too-long"],
)
def test_the_base_element_is_honoured(head, base):
    tree = lxml.html.document_fromstring(f'<html><head>{head}</head><body><a href="//k/">x</a></body></html>')
    assert base_of(tree, URL) == base


def test_links_resolve_against_the_base():
    assert links('<head><base href="/docs/"></head><a href="a">x</a><a href="?q">y</a>') == [
        "http://h/docs/a",
        "http://h/docs/?q",
    ]


def test_a_hundred_thousand_links_are_capped_and_cheap():
    tree = lxml.html.document_fromstring("".join(f'<a href="/p{number}">x</a>' for number in range(100_000)))
    began = time.process_time()
    found = find_links(tree, URL)
    assert time.process_time() - began < 5
    assert len(found) == MAX_LINKS
    assert found[-1] == f"http://h/p{MAX_LINKS - 1}"


def test_a_hundred_thousand_refused_links_are_cheap():
    tree = lxml.html.document_fromstring("".join(f'<a href="mailto:{number}@h">x</a>' for number in range(100_000)))
    began = time.process_time()
    assert find_links(tree, URL) == []
    assert time.process_time() - began < 5


def test_feeds_are_those_that_the_head_names():
    html = """<head><link rel="alternate" type="application/rss+xml" href="/feed"><link rel=alternate hreflang=de href=/de>
        <link rel="Alternate" type="Application/Atom+XML" href="atom.xml"><link rel="stylesheet" href="/a.css">
        <link rel="alternate" type="application/rss+xml" href="/feed"><link rel=alternate type=application/rss+xml></head>"""
    assert find_feeds(lxml.html.fromstring(html), "https://site.test/blog/") == [
        "https://site.test/feed",
        "https://site.test/blog/atom.xml",
    ]


@pytest.mark.parametrize(
    "html",
    [
        '<footer><a href="/x">Site map</a></footer>',
        '<a href="/x">Archive</a>',
        '<a href="/x"><span>All</span>\n posts</a>',
        '<a href="/x">Older entries</a>',
        '<a href="/x">Plan du site</a>',
        '<a href="/x">Alle Beiträge</a>',
    ],
)
def test_what_leads_to_all_pages_is_known_by_its_name(html):
    assert find_signposts(lxml.html.document_fromstring(html), URL) == ["http://h/x"]


@pytest.mark.parametrize(
    "path", ["/sitemap", "/sitemap.html", "/blog/archive/", "/archives.php", "/site-map", "/all-posts"]
)
def test_what_leads_to_all_pages_is_known_by_its_address(path):
    assert find_signposts(lxml.html.document_fromstring(f'<a href="{path}">go</a>'), URL) == [f"http://h{path}"]


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/x">Archive of the ferry company, and what became of it</a>',
        '<a href="/archived-story">Story</a>',
        '<a href="/x">Indexes in databases</a>',
        f'<a href="/x">Archive{" word" * 1000}</a>',
    ],
)
def test_a_page_about_archives_is_none(html):
    assert find_signposts(lxml.html.document_fromstring(html), URL) == []


def test_the_next_page_is_what_the_page_calls_so():
    assert find_next(
        lxml.html.document_fromstring('<a href="/b">x</a><a rel="nofollow next" href="?p=2">x</a>'), URL
    ) == ("http://h/a/page?p=2")
    assert find_next(lxml.html.document_fromstring('<a rel="prev" href="/b">x</a>'), URL) == ""
