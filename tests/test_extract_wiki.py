"""A wiki page becomes the same clean markdown from the API, the wiki's own HTML and a browser."""

import random
import re
import time
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from wikicrawl.extract import extract, to_markdown
from wikicrawl.extract.markdown import ENGINES
from wikicrawl.extract.tree import parse
from wikicrawl.extract.wiki import is_wiki
from wikicrawl.extract.wikistrip import CLASSES, PANELS

URL = "https://wiki.example.org/wiki/Hogger"
CASES = Path(__file__).parent / "wiki_cases"
PAGES = Path(__file__).parent / "wiki_pages"
PAGES_URL = "http://127.0.0.1:8931/wiki/Hogger"
NAMES = sorted(path.stem for path in CASES.glob("*.html"))
# markdownify leaves no blank line after an item of several paragraphs; a reader sees the same.
RENDERED_EQUAL = {"lists"}


def page(html, *, body='class="mediawiki"', head="", title=""):
    heading = f'<h1 id="firstHeading">{title}</h1>' if title else ""
    content = f'<div id="mw-content-text"><div class="mw-parser-output">{html}</div></div>'
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'>{head}</head><body {body}>{heading}{content}</body></html>"
    )


def markdown(html, engine=ENGINES[0], **around):
    return extract(page(html, **around).encode(), URL, engine=engine).markdown


def case(name):
    html = (CASES / f"{name}.html").read_text(encoding="utf-8")
    return html, (CASES / f"{name}.md").read_text(encoding="utf-8").removesuffix("\n")


def test_every_case_has_its_markdown():
    assert len(NAMES) > 80
    assert {path.stem for path in CASES.glob("*.md")} == set(NAMES)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_wiki_markdown(name, engine):
    html, expected = case(name)
    written = markdown(html, engine)
    if engine == "markdownify" and name in RENDERED_EQUAL:
        assert render(written) == render(expected)
    else:
        assert written == expected


def render(text):
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", ["api", "page", "dom"])
def test_all_ways_to_a_page_give_the_same_markdown(way, engine):
    found = extract((PAGES / f"hogger.{way}.html").read_bytes(), PAGES_URL, engine=engine)
    expected = (PAGES / "hogger.md").read_text(encoding="utf-8").removesuffix("\n")
    assert found.extractor == "wiki"
    if engine == ENGINES[0]:
        assert found.markdown == expected
    else:
        assert render(found.markdown) == render(expected)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (page("x"), True),
        (page("x", body="", head='<meta name="generator" content="MediaWiki 1.43.0">'), True),
        ('<body class="mediawiki"><div id="mw-content-text"><p>search results</p></div>', True),
        ('<body class="mediawiki"><div class="mw-parser-output">a skin of its own</div>', True),
        ('<body class="mediawiki"><div id="bodyContent">of 2010</div>', True),
        ('<body class="mediawiki mw-parser-output"><section>by Parsoid</section>', True),
        (page("quoted", body='class="blog"'), False),
        (page("quoted", body="", head='<meta name="generator" content="WordPress 6.5">'), False),
        (page("x", body='class="mediawiki-theme"'), False),
        ('<body class="mediawiki"><p>No place for content</p>', False),
        ("<p>x</p>", False),
        ("", False),
    ],
    ids=[
        "body class", "generator", "special page", "own skin", "old skin", "Parsoid", "blog", "WordPress",
        "similar class", "no content", "plain page", "nothing",
    ],
)  # fmt: skip
def test_only_pages_that_mediawiki_made_are_wiki_pages(html, expected):
    assert is_wiki(parse(html)) is expected


def test_a_blog_that_quotes_an_article_keeps_its_own_text():
    html = page('<div class="navbox">quoted</div>', body="").replace("<body >", "<body><p>My thoughts on this.</p>")
    assert "My thoughts" in to_markdown(html, URL)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ('<span class="mw-page-title-main">Hogger</span>', "# Hogger\n\nx"),
        ("<i>Nova</i> &amp; <b>co</b>", "# *Nova* & co\n\nx"),
        ('<span style="display:none">Main Page</span>', "x"),
        ('iPhone <span class="mw-editsection">[edit]</span>', "# iPhone\n\nx"),
        ("# 1 * 2", "# # 1 * 2\n\nx"),
    ],
    ids=["plain", "marked up", "hidden", "with an edit link", "like markup"],
)
def test_the_markdown_starts_with_the_title(title, expected):
    assert markdown("<p>x</p>", title=title) == expected


def test_of_what_stands_outside_of_the_parsers_output_only_the_members_of_a_category_are_content():
    html = page("<p>Text.</p>", title="Category:Gnolls").replace(
        "</div></div></body>",
        '</div><div class="mw-category-generated">Members</div><div class="printfooter">Retrieved from</div></div>'
        '<div id="catlinks">Categories</div></body>',
    )
    assert to_markdown(html, URL) == "# Category:Gnolls\n\nText.\n\nMembers"


def test_all_outputs_of_a_page_are_content_and_none_is_written_twice():
    html = page('<p>One.</p><div class="mw-parser-output">Inner.</div>').replace(
        "</div></div></body>", '</div><div><div class="mw-parser-output">Two.</div></div></div></body>'
    )
    assert to_markdown(html, URL) == "One.\n\nInner.\n\nTwo."


def test_without_a_parsers_output_the_whole_area_is_content():
    html = '<body class="mediawiki"><p>Skin.</p><div id="mw-content-text"><p>Nothing was found.</p></div>'
    assert to_markdown(html, URL) == "Nothing was found."


def test_small_wiki_pages_are_not_judged_by_their_text():
    html = page('<aside class="portable-infobox"><div class="pi-data"><h3 class="pi-data-label">HP</h3>'
                '<div class="pi-data-value">5</div></div></aside>')  # fmt: skip
    found = extract(html.encode(), URL)
    assert (found.markdown, found.extractor) == ("|  |  |\n| --- | --- |\n| HP | 5 |", "wiki")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "tex", [r"a_1^{*} \[x\] `y` <z> #1 &~ 1. - + !", r"\begin{matrix}a & b \\ c\end{matrix}", "# a"]
)
def test_tex_is_written_as_it_is(tex, engine):
    escaped = tex.replace("&", "&amp;").replace("<", "&lt;")
    assert markdown(f'<p><math alttext="{escaped}"></math></p>', engine) == f"${tex}$"


def test_every_note_is_found_under_its_label():
    notes = "".join(f'<li id="n{n}"><span class="reference-text">Note {n}</span></li>' for n in range(40))
    refs = "".join(f'x<sup class="reference"><a href="#n{n}">[{n % 7}]</a></sup> ' for n in range(40))
    written = markdown(f'<p>{refs}</p><ol class="references">{notes}</ol>')
    used = re.findall(r"\[\^([\w-]+)\](?!:)", written)
    defined = dict(re.findall(r"^\[\^([\w-]+)\]: (.*)$", written, re.M))
    assert [defined[label] for label in used] == [f"Note {n}" for n in range(40)]


HOSTILE = {
    "infobox that never ends": '<table class="infobox"><tr><th>a<td>' + "<p>x" * 20_000,
    "rowspans": '<table class="infobox">' + '<tr><th rowspan="60000">a</th><td rowspan="60000">b</td></tr>' * 5_000,
    "infobox in infobox": '<table class="infobox"><tr><td>' * 60 + "<p>x" * 10_000,
    "one label, many notes": "".join(
        f'<sup class="reference"><a href="#n{n}">[1]</a></sup><ol class="references"><li id="n{n}">x</li></ol>'
        for n in range(5_000)
    ),
    "one note, many references": '<sup class="reference"><a href="#n">[1]</a></sup>x' * 20_000
    + '<ol class="references"><li id="n">x</li></ol>',
    "furniture": '<span class="noprint">a</span>b ' * 30_000,
    "formulas": '<b>$</b><span class="mwe-math-element"><math alttext="x"></math></span>' * 10_000,
    "tabs": '<div class="tabber"><div class="tabbertab">x</div></div>' * 10_000,
    "tables in tables": '<table class="wikitable"><tr><td>a<td>' * 80 + "x<br>" * 20_000,
    "nested notes": '<div class="hatnote">' * 200 + "x<br>" * 20_000,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_takes_no_more_than_its_size(html):
    started = time.process_time()
    found = extract(page(html).encode(), URL)
    assert found.extractor == "wiki"
    assert time.process_time() - started < 5  # 0.2 to 0.5 s; one step that took the square of the size cost 15 s


def names(text):
    return text.split()


TAGS = names(
    "div div p span table tr td th ul li ol sup a b i h2 aside section figure figcaption img br pre math dl dt dd"
)
WIKI_CLASSES = [
    *sorted(CLASSES | PANELS)[::5],
    *names(
        "infobox portable-infobox wikitable gallery gallerybox gallerytext reference references reference-text image"
    ),
    *names("thumbcaption hatnote mwe-math-element texerror tabber wds-tabs pi-data pi-data-label mw-collapsible new"),
]
ATTRIBUTES = ['style="display:none"', 'rowspan="2"', 'colspan="x"', "hidden", 'typeof="mw:File"', 'alttext="{x_1"']


def fuzz(noise, depth=0):
    parts = []
    for _ in range(noise.randrange(1, 5)):
        if noise.random() < 0.35 or depth > 7:
            parts.append(
                noise.choice(["word ", "1", "$5 ", "[^1]", "a_b*c ", "| ", "!", "(see)", ": ", "&lt;b> ", "\n"])
            )
            continue
        tag = noise.choice(TAGS)
        classes = " ".join(noise.sample(WIKI_CLASSES, noise.randrange(3)))
        extra = noise.choice(ATTRIBUTES) if noise.random() < 0.2 else ""
        target = f'id="n{noise.randrange(4)}" href="#n{noise.randrange(4)}" src="/i.png"'
        parts += [f'<{tag} class="{classes}" {target} {extra}>', fuzz(noise, depth + 1)]
        parts += [f"</{tag}>"] if noise.random() < 0.93 else []
    return "".join(parts)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(40))
def test_no_page_is_too_odd(seed, engine):
    found = extract(page(fuzz(random.Random(seed)), title="T").encode(), URL, engine=engine)
    assert found.markdown.startswith("# T")
    assert not re.search("[\ufdd0-\ufdef]", found.markdown + repr(found.wiki))
