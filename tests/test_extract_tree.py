"""Any bytes become text, and any text becomes a tree."""

import pytest

from wikicrawl.extract.decode import decode
from wikicrawl.extract.tree import body_of, parse

UMLAUTS = "Größe, Übermaß, Äpfel, öde, süß, Straße, Bäume, Hügel, Löwe, Mühe, Tür, Nüsse"
JAPANESE = "これは日本語のページです。"
PADDING = b"<script>" + b"x" * 12_000 + b"</script>"

DECODED = {
    "utf-8 undeclared": (UMLAUTS.encode(), None, UMLAUTS),
    "utf-8 undeclared, one bad byte": (UMLAUTS.encode() + b"\xff", None, UMLAUTS + "\ufffd"),
    "utf-8 guessed as ascii": (UMLAUTS.encode() + b"\xff", "ascii", UMLAUTS + "\ufffd"),
    "utf-8 labelled iso-8859-1": (f'<meta charset="iso-8859-1">{UMLAUTS}'.encode(), "iso-8859-1", UMLAUTS),
    "latin-1 undeclared": (UMLAUTS.encode("latin-1"), None, UMLAUTS),
    "latin-1 labelled utf-8": (UMLAUTS.encode("latin-1"), "utf-8", UMLAUTS),
    "windows-1252 quotes": ("“so”".encode("cp1252"), "iso-8859-1", "“so”"),
    "shift_jis by header": (JAPANESE.encode("shift_jis"), "Shift_JIS", JAPANESE),
    "shift_jis by meta": (f'<meta charset="shift_jis">{JAPANESE}'.encode("shift_jis"), None, JAPANESE),
    "gb2312 declared late": (
        PADDING + '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">中文网页'.encode("gb2312"),
        None,
        "中文网页",
    ),
    "iso-2022-jp": (JAPANESE.encode("iso-2022-jp"), "iso-2022-jp", JAPANESE),
    "utf-16 with mark": (JAPANESE.encode("utf-16"), None, JAPANESE),
    "utf-16 by header": (f"<p>{JAPANESE}".encode("utf-16-le"), "utf-16le", JAPANESE),
    "utf-16 claimed of ascii": (b"<p>plain</p>", "utf-16", "plain"),
    "utf-8 with mark": (b"\xef\xbb\xbf" + UMLAUTS.encode(), "latin-1", UMLAUTS),
    "unknown label": (UMLAUTS.encode("latin-1"), "x-nonsense", UMLAUTS),
    "a codec that is none for text": (b"x\x9c\xe9", "zlib", "x"),
}


@pytest.mark.parametrize(("body", "encoding", "expected"), DECODED.values(), ids=DECODED)
def test_a_body_is_decoded(body, encoding, expected):
    assert expected in decode(body, encoding)


@pytest.mark.parametrize(
    "label", ["idna", "punycode", "unicode_escape", "undefined", "hex", "rot13", "utf-7", "\x00", " "]
)
def test_a_label_never_raises(label):
    assert decode(b"<p>caf\xe9</p>", label) == "<p>café</p>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", ""),
        ("  \n ", ""),
        ("<!-- only a comment -->", ""),
        ("plain", "plain"),
        ("<?xml version='1.0' encoding='utf-8'?><html><body><p>x</p></body></html>", "x"),
        ("<p>a\x00b</p>", "ab"),
        ("<p>a\ud800b</p>", "ab"),
        ("<p>a\ufdd0b</p>", "ab"),
        ("<p>caf&eacute; &#x1F600; &#55296;", "café 😀"),
    ],
    ids=["empty", "blank", "comment", "text", "xml declaration", "NUL", "lone surrogate", "non-character", "entities"],
)
def test_anything_becomes_a_tree(html, expected):
    assert parse(html).text_content().strip().startswith(expected)


def test_text_below_two_thousand_elements_is_kept():
    assert "needle" in parse("<div>" * 2_000 + "needle").text_content()


def test_a_text_of_eleven_megabytes_is_kept():
    assert parse("<p>" + "x" * 11_000_000 + "needle</p>").text_content().endswith("needle")


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html><title>T</title><main><p>One</p></main>",
        "<!doctype html><html><head><title>T</title><meta charset=utf-8><article><p>One</p></article> two <p>three</p>",
        "<title>T</title><section>One </section><body class=x><p>two</p></body>",
    ],
)
def test_what_follows_an_unclosed_head_is_in_the_body_and_in_order(html):
    tree = parse(html)
    assert tree.findtext("head/title") == "T"
    words = " ".join(body_of(tree).text_content().split())
    assert words == " ".join(word for word in ("One", "two", "three") if word in html)
    assert body_of(tree).tag == "body"


@pytest.mark.parametrize(
    "html",
    [
        "<html><body><p>One</p></body></html><p>two</p>",
        "<html><body><p>One</p></html><html><body class=x><p>two</p></html>",
        "<html><body><p>One</p></BODY ></HTML >two</body></html>",
        "<p>One</p></body></html>\n<!-- cached --><div><p>two</p></div>",
    ],
    ids=["closed early", "two pages", "odd tags", "behind a comment"],
)
def test_what_follows_the_end_of_the_page_is_kept(html):
    assert " ".join(body_of(parse(html)).text_content().split()).replace("Onetwo", "One two") == "One two"
