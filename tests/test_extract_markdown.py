"""Both engines write the house's markdown, and text that looks like markup stays text."""

import time
from pathlib import Path

import pytest
from golden import FILES, GOLDEN, content_of
from markdown_it import MarkdownIt

from wikicrawl.extract.markdown import ENGINES, write_markdown
from wikicrawl.extract.text import clean

DOCS = Path(__file__).parents[1] / "docs" / "markdown.md"


def convert(html, engine=ENGINES[0]):
    return clean(write_markdown(content_of(html), engine))


def render(markdown):
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


def test_every_case_is_read_and_has_its_own_name():
    written = sum(path.read_text(encoding="utf-8").count("\n--------\n") for path in FILES)
    assert written == len(GOLDEN) >= 240
    assert len({case.id for case in GOLDEN}) == len(GOLDEN)


@pytest.mark.parametrize(("html", "markdown"), GOLDEN)
def test_house_markdown(html, markdown):
    assert convert(html) == markdown


@pytest.mark.parametrize(("html", "markdown"), GOLDEN)
def test_markdownify_shows_the_same(html, markdown):
    assert render(convert(html, "markdownify")) == render(markdown)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_page_on_markdown_names_every_file_of_cases(path):
    assert f"{path.stem}.txt" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "html",
    ["<ul><li>" * 150, "<div>" * 240, "<b>" * 240, "<blockquote>" * 120, "<table><tr><td>x<td>" * 80],
    ids=["lists", "divs", "bold", "quotations", "tables"],
)
def test_deep_nesting_is_survived(html, engine):
    assert "needle" in convert(html + "needle", engine)


def test_a_span_attack_stays_small():
    html = "<table>" + "<tr><td rowspan=60000 colspan=1000>x</td><td>y</td></tr>" * 300 + "</table>"
    assert len(convert(html, ENGINES[0])) < 100_000


@pytest.mark.parametrize(
    "html",
    [
        "<b>a</b>" * 20_000,
        "<b>a.</b>b" * 20_000,
        "<i><b>" * 100 + "x" * 10 + "<code>a</code>" * 20_000,
        "<sup>abc</sup>" * 20_000,
        '<a href="#n" id="r">1</a>' * 5_000 + '<p id="n">note <a href="#r">^</a></p>' * 5_000,
        "<ul>" + "text<li>a</li>" * 10_000 + "</ul>",
        "a<br>" * 20_000,
        '<span class="math">$x$</span>' * 5_000,
        "<math>" + "<msup>" * 200 + "x",
    ],
    ids=["marks", "marks at letters", "codes", "superscripts", "notes", "list", "breaks", "formulas", "deep formula"],
)
def test_a_flood_of_one_element_takes_little_time(html):
    begun = time.process_time()
    convert(html)
    assert time.process_time() - begun < 3  # all take under half a second here; what is squared takes minutes


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match=r"MARKDOWN_ENGINE is 'pandoc'.*html-to-markdown, markdownify"):
        convert("<p>x</p>", "pandoc")
