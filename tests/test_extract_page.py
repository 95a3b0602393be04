"""One call gives all of a page, in strings that any store and feed takes."""

import hashlib
import pickle
import random

import pytest

from wikicrawl.extract import Extraction, extract, to_markdown

URL = "https://example.org/dir/page"
PAGE = """<!doctype html><html lang="en"><head><title>The mill</title><meta name="description" content="Old">
<meta name="author" content="A. Miller"></head><body><nav><a href="/rooms">Rooms</a></nav><main><h1>The mill</h1>
<p>It stands by the <a href="river">river</a>.</p><img src="/m.jpg" alt="Mill"></main></body></html>"""


def test_everything_of_a_page():
    markdown = (
        "# The mill\n\nIt stands by the [river](https://example.org/dir/river).\n\n![Mill](https://example.org/m.jpg)"
    )
    assert extract(PAGE.encode(), URL) == Extraction(
        title="The mill",
        description="Old",
        language="en",
        markdown=markdown,
        text_hash=hashlib.sha256(" ".join(markdown.split()).encode()).hexdigest(),
        links=["https://example.org/rooms", "https://example.org/dir/river"],
        images=["https://example.org/m.jpg"],
        extractor="main",
        text_chars=32,
        meta={"author": "A. Miller", "chosen": "<main> holds 100% of the text outside links"},
        confidence=0.75,
    )


def test_text_and_bytes_give_the_same_markdown():
    assert to_markdown(PAGE, URL) == to_markdown(PAGE.encode(), URL) == extract(PAGE.encode(), URL).markdown


def test_engines_agree_on_a_plain_page():
    assert extract(PAGE.encode(), URL, engine="markdownify") == extract(PAGE.encode(), URL)


def test_white_space_does_not_change_the_hash():
    spaced = PAGE.replace("by the", "by\n\n   the").replace("<main>", "<main>\n\n\n")
    assert extract(spaced.encode(), URL).text_hash == extract(PAGE.encode(), URL).text_hash


def test_an_extraction_crosses_processes():
    found = extract(PAGE.encode(), URL)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a\u200bb\u00adc\u2060d\ufeffe", "abcde"),
        ("abc\u202eevil\u202c", "abcevil"),
        ("x\U000e0041\U000e0042y", "xy"),
        ("a\u200cb", "ab"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("می\u061cخواهم", "میخواهم"),
        ("നന്\u200dമ", "നന്\u200dമ"),
        ("🤷🏽\u200d♀\ufe0f", "🤷🏽\u200d♀\ufe0f"),
        ("葛\U000e0100城", "葛\U000e0100城"),
        ("😀" + "".join(map(chr, range(0xE0100, 0xE0140))), "😀"),
        ("♥\ufe0f\ufe01\ufe02\ufe03", "♥\ufe0f"),
        ("a\u3164\u180eb", "ab"),
        ("a&#1;b&#x0;c&#xFFFE;d&#xFDD0;e&#55296;f&#12;g", "abcdefg"),
        ("a&nbsp;b", "a b"),
    ],
    ids=[
        "zero width",
        "direction",
        "tags",
        "joiner",
        "Persian",
        "Hindi",
        "emoji",
        "Arabic mark",
        "Malayalam",
        "shrug",
        "form of a Chinese sign",
        "smuggled by selectors",
        "a second selector",
        "fillers",
        "controls",
        "hard space",
    ],
)
def test_invisible_characters_go_and_spelling_stays(html, expected):
    assert to_markdown(f"<p>{html}</p>", URL) == expected


@pytest.mark.parametrize("seed", range(30))
def test_broken_pages_give_clean_strings(seed):
    noise = random.Random(seed)
    body = bytearray(PAGE.encode() * 3)
    for _ in range(60):
        body[noise.randrange(len(body))] = noise.randrange(256)
    found = extract(
        bytes(body), URL, encoding=noise.choice([None, "utf-8", "latin-1", "shift_jis", "utf-16", "nonsense"])
    )
    for text in (found.title, found.description, found.language, found.markdown, *found.links, *found.images):
        text.encode()
        assert not set(text) & {chr(code) for code in range(32)} - {"\n", "\t"}


@pytest.mark.parametrize("body", [b"", b"\x00" * 100, b"\xff\xfe", b"<", b"<!--", b"<html", b"%PDF-1.4\xe2\xe3"])
def test_a_body_that_is_no_page_gives_an_extraction(body):
    assert isinstance(extract(body, URL), Extraction)


def test_formulas_players_and_tasks_of_a_whole_page_are_written():
    html = (
        "<html><body><main><h1>Notes</h1>"
        + "<p>Words that make this a page of its own, long enough to be told from the frame around it.</p>" * 5
        + '<p>Energy: <script type="math/tex">E=mc^2</script>.</p>'
        + '<iframe src="https://www.youtube.com/embed/x" title="A talk"></iframe>'
        + '<ul><li class="task-list-item"><input type="checkbox" checked disabled> done</li></ul></main></body></html>'
    )
    markdown = to_markdown(html, "https://example.org/")
    assert "Energy: $E=mc^2$." in markdown
    assert "[A talk](https://www.youtube.com/embed/x)" in markdown
    assert "- [x] done" in markdown
