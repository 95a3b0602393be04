"""Rendered, the markdown shows every word of the page it was made from, and no sign of markup."""

import gzip
import re
from pathlib import Path
from urllib.parse import unquote

import lxml.html
import pytest
from golden import GOLDEN, URL, content_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt

from wikicrawl.extract.decode import decode
from wikicrawl.extract.links import base_of
from wikicrawl.extract.markdown import ENGINES, write_markdown
from wikicrawl.extract.marks import shield, unshield
from wikicrawl.extract.normalise import normalise
from wikicrawl.extract.tree import body_of, parse
from wikicrawl.extract.unread import write_unread

CORPUS = Path(__file__).parents[2] / "shared" / "corpora" / "wcxb-dev" / "dev" / "html"
PAGES = sorted(CORPUS.glob("*.html*"))[::6]
UNREAD = ("script", "style", "noscript", "template", "svg")
DOLLAR = shield("$")
FORMULA = re.compile(f"{DOLLAR}{DOLLAR}[^{DOLLAR}]+{DOLLAR}{DOLLAR}|{DOLLAR}[^{DOLLAR}]+{DOLLAR}")
GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])
GFM_WITH_NOTES = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("reference")


def words(text):
    return "".join(text.split())


def rendered(markdown, formulas, *, has_notes):
    for formula in formulas:
        markdown = markdown.replace(unshield(formula), "", 1)
    html = (GFM_WITH_NOTES if has_notes else GFM).render(markdown)
    return lxml.html.fromstring(f"<div>{html}</div>")


def check(content, engine=ENGINES[0]):
    """That the markdown of normalised content shows its words and leads where it leads."""
    text = content.text_content()
    formulas = FORMULA.findall(text)
    links = [unquote(link.get("href")) for link in content.iter("a")]
    shown = rendered(write_markdown(content, engine), formulas, has_notes=shield("[^") in text)
    expected = re.sub("[\ufdd0\ufdd1]", "", FORMULA.sub("", text))
    assert words(shown.text_content()) == words(unshield(expected))
    assert [unquote(link.get("href")) for link in shown.iter("a")] == links


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("html", "markdown"), GOLDEN)
def test_a_golden_case_shows_its_words(html, markdown, engine):
    check(content_of(html), engine)


@pytest.mark.skipif(not PAGES, reason="the corpus of real pages is not here")
@pytest.mark.parametrize("path", PAGES, ids=[path.name.partition(".")[0] for path in PAGES])
def test_a_real_page_shows_its_words(path):
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rb") as file:
        tree = parse(decode(file.read()))
    body, base = body_of(tree), base_of(tree, URL)
    write_unread(body)
    etree.strip_elements(body, *UNREAD, with_tail=False)
    normalise(body, base)
    check(body)


SIGNS = st.sampled_from(
    [
        *"ab1 .,!*_`~^$|\\[](){}<>#+-=:&;/\"'\n",
        "ä",
        "中",
        "。",
        "&amp;",
        "&lt;",
        "  ",
        "1.",
        "- ",
        "**",
        "~~",
        "](",
        "```",
        "[^1]",
    ]
)
TEXT = st.lists(SIGNS, max_size=8).map("".join)
INLINE = "b i em strong del s code a span sup sub small u mark abbr q kbd cite br img"
BLOCK = "p div h2 ul ol li blockquote pre table tr td th dl dt dd section figure figcaption details summary hr"
TAGS = st.sampled_from((INLINE + " " + BLOCK).split())
VOID = {"br": "<br>", "hr": "<hr>", "img": '<img src="/i.png" alt="a">'}


def element(tag, inner):
    if tag in VOID:
        return VOID[tag]
    attribute = ' href="/x"' if tag == "a" else ""
    return f"<{tag}{attribute}>{inner}</{tag}>"


HTML = st.recursive(
    TEXT,
    lambda inner: st.lists(st.builds(element, TAGS, inner) | inner, max_size=4).map("".join),
    max_leaves=12,
)


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(HTML)
def test_any_page_shows_its_words(html):
    content = body_of(parse(html))
    normalise(content, URL)
    check(content)
