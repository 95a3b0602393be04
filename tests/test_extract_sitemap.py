"""What sitemap.py reads from sitemaps, good, broken and hostile."""

from __future__ import annotations

import gzip
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikicrawl.extract import sitemap as module
from wikicrawl.extract.sitemap import MAX_BYTES, MAX_ENTRIES, Sitemap, read_sitemap, sitemap_lines

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
GOOD = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {NAMESPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url><image:image><image:loc>http://h/i.png</image:loc></image:image><loc> http://h/a </loc><lastmod>2024-05-01</lastmod></url>
  <!-- a comment --><url><loc>http://h/b?x=1&amp;y=2</loc><xhtml:link rel="alternate" hreflang="de" href="http://h/de"/></url>
</urlset>""".encode()
GOOD_PAGES = [("http://h/a", 1714521600), ("http://h/b?x=1&y=2", None)]
INDEX = f"""<sitemapindex {NAMESPACE}><sitemap><loc>http://h/1.xml</loc><lastmod>2024</lastmod></sitemap>
<sitemap><loc>http://h/2.xml.gz</loc></sitemap></sitemapindex>""".encode()
RSS = b"""<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://h/</link>
<item><title>t</title><atom:link rel="self" href="http://h/feed"/><link>http://h/post</link></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://h/"/><entry><link rel="edit" href="http://h/edit"/>
<link href="http://h/post"/><updated>2024-05-01T00:00:00Z</updated></entry></feed>"""
TEXT = b"\xef\xbb\xbfhttp://h/a\r\n\r\n  https://h/b  \nnot a url\nftp://h/c\n"


def pages(*addresses):
    return Sitemap(pages=[(address, None) for address in addresses])


def urlset(text):
    return f"<urlset>{text}</urlset>".encode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (GOOD, Sitemap(pages=GOOD_PAGES)),
        (gzip.compress(GOOD), Sitemap(pages=GOOD_PAGES)),
        (gzip.compress(GOOD[:200]) + gzip.compress(GOOD[200:]), Sitemap(pages=GOOD_PAGES)),
        (INDEX, Sitemap(indexes=[("http://h/1.xml", 1704067200), ("http://h/2.xml.gz", None)])),
        (RSS, pages("http://h/post")),
        (ATOM, Sitemap(pages=[("http://h/post", 1714521600)])),
        (TEXT, pages("http://h/a", "https://h/b")),
        (urlset("<url><loc><![CDATA[http://h/?a&b]]></loc></url>"), pages("http://h/?a&b")),
    ],
    ids=["urlset", "gzip", "gzip-members", "index", "rss", "atom", "text", "cdata"],
)
def test_every_legal_form_is_read(body, expected):
    assert read_sitemap(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + GOOD,
        b"\n\n  " + GOOD,
        b"<br />\n<b>Warning</b>: junk & more\n" + GOOD,
        GOOD[: GOOD.index(b"</urlset>")],
        GOOD + b"<!-- trailing -->garbage<",
        GOOD.replace(b"&amp;", b"&"),
        GOOD.replace(b"UTF-8", b"utf-16"),
        GOOD.replace(b"UTF-8", b"no-such"),
        GOOD.decode().encode("utf-16"),
        GOOD.replace(NAMESPACE.encode(), b""),
        GOOD.replace(b"xmlns:image", b"xmlns:other"),
        gzip.compress(GOOD)[:-6],
    ],
    ids=[
        "bom", "blank-lines", "junk", "truncated", "trailing", "bare-ampersand", "mislabelled", "unknown-label", "utf-16",
        "no-namespace", "undeclared-prefix", "gzip-truncated",
    ],
)  # fmt: skip
def test_a_broken_sitemap_loses_nothing_that_can_be_read(body):
    assert read_sitemap(body) == Sitemap(pages=GOOD_PAGES)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   \n",
        b"<",
        b"\x1f\x8b",
        b"\x1f\x8bgarbage",
        b"\x00" * 100,
        b"not found",
        b'<!DOCTYPE html><html><head><link rel="canonical" href="http://h/"></head><body><a href="/x">x</a><br></body></html>',
        b'{"urls": ["http://h/"]}',
    ],
    ids=["empty", "blank", "bracket", "gzip-magic", "gzip-garbage", "nul", "words", "html", "json"],
)
def test_what_is_no_sitemap_lists_nothing(body):
    assert read_sitemap(body) == Sitemap()


def test_a_cut_address_is_not_taken_for_a_whole_one():
    assert read_sitemap(b"<urlset><url><loc>http://h/a</loc></url><url><loc>http://h/long-na") == pages("http://h/a")
    assert read_sitemap(b"<urlset><url><loc>http://h/a</loc><lastmod>2024-0") == pages("http://h/a")


def test_unclosed_entries_are_told_apart():
    assert read_sitemap(urlset("<url><loc>http://h/a</url><url><loc>http://h/b</loc></url>")) == pages(
        "http://h/a", "http://h/b"
    )


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://h/&x;</loc></url></urlset>',
        b'<!DOCTYPE u [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
        '<!DOCTYPE u [<!ENTITY a "http://h/">]><urlset><url><loc>&a;</loc></url></urlset>'.encode("utf-16"),
    ],
    ids=["external", "laughs", "utf-16"],
)
def test_declared_entities_are_never_expanded(body):
    assert read_sitemap(body) == Sitemap()


def test_an_undeclared_entity_stays_as_written():
    assert read_sitemap(urlset("<url><loc>http://h/&eacute;</loc></url>")) == pages("http://h/&eacute;")


def test_no_more_than_the_protocol_allows_is_taken():
    entries = "".join(f"<url><loc>http://h/{number}</loc></url>" for number in range(MAX_ENTRIES + 10))
    assert len(read_sitemap(urlset(entries)).pages) == MAX_ENTRIES
    lines = "\n".join(f"http://h/{number}" for number in range(MAX_ENTRIES + 10))
    assert len(read_sitemap(lines.encode()).pages) == MAX_ENTRIES


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [b"<url/>", b"<x/>", b"<x>", b"&", b"<![CDATA[", b"<?xml ", b"<url><loc>", b"x", b"http://h\n"],
    ids=["entries", "elements", "depth", "ampersands", "cdata", "declarations", "unclosed", "text", "lines"],
)
def test_fifty_megabytes_of_one_thing_cost_seconds_at_most(unit):
    prefix = b"" if unit[:1] in {b"x", b"h"} else b"<urlset>"
    began = time.process_time()
    read_sitemap(prefix + unit * (MAX_BYTES // len(unit)))
    assert time.process_time() - began < 5


def test_a_gzip_bomb_is_cut_at_the_limit():
    bomb = gzip.compress(b"<urlset>" + b" " * 2 * MAX_BYTES, compresslevel=1)
    assert MAX_BYTES <= len(module._gunzip(bomb)) < MAX_BYTES + module.CHUNK_BYTES
    assert read_sitemap(bomb) == Sitemap()


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_read_without_an_exception(body):
    read_sitemap(body)
    read_sitemap(b"\x1f\x8b\x08" + body)
    read_sitemap(b"<urlset>" + body)


@settings(deadline=None)
@given(
    st.sampled_from([GOOD, INDEX, RSS, ATOM, TEXT, gzip.compress(GOOD), GOOD.decode().encode("utf-16")]),
    st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=4)), max_size=6),
    st.integers(0, 2000),
)
def test_mutated_sitemaps_are_read_without_an_exception(body, edits, length):
    mutated = bytearray(body)
    for position, replacement in edits:
        place = position % len(body)
        mutated[place : place + len(replacement)] = replacement
    read_sitemap(bytes(mutated))
    for address, changed in read_sitemap(bytes(mutated[:length])).pages:
        assert address == address.strip() != ""
        assert changed is None or changed > 0


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024", 1704067200),
        ("2024-05", 1714521600),
        ("2024-05-01", 1714521600),
        ("2024-05-01T10:00Z", 1714557600),
        ("2024-05-01T10:00:30+02:00", 1714550430),
        ("2024-05-01T10:00:30.45-05:00", 1714575630),
        ("2024-05-01T10:00:30", 1714557630),
        ("\n 2024-05-01 ", 1714521600),
        ("2024-13-01", None),
        ("yesterday", None),
        ("", None),
        ("0001-01-01T00:00:00+00:00", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", 253402351199),
        ("1970-01-01", None),
    ],
)
def test_lastmod_is_a_w3c_date(written, expected):
    body = urlset(f"<url><loc>http://h/</loc><lastmod>{written}</lastmod></url>")
    assert read_sitemap(body).pages == [("http://h/", expected)]


def test_robots_names_its_sitemaps():
    robots = (
        "\ufeffSitemap: http://h/1.xml\r\nUser-agent: *\r\nDisallow: /\r\n  SITEMAP :http://h/2.xml # main\rsitemap: /rel.xml\n"
        "Sitemap:\n# Sitemap: http://h/no.xml\nSitemap: http://h/1.xml\nsitemaps: http://h/no.xml"
    )
    assert sitemap_lines(robots) == ["http://h/1.xml", "http://h/2.xml", "/rel.xml"]


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("Wed, 01 May 2024 00:00:00 GMT", 1714521600),
        ("Wed, 01 May 2024 02:00:00 +0200", 1714521600),
        ("yesterday", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
    ],
)
def test_entries_of_rss_have_the_date_of_their_publication(date, expected):
    body = f"<rss><channel><item><link>http://h/post</link><pubDate>{date}</pubDate></item></channel></rss>"
    assert read_sitemap(body.encode()).pages == [("http://h/post", expected)]
