"""The content of a page is found, whatever kind of page it is, and furniture stays out."""

import gzip
import json
from pathlib import Path
from statistics import fmean

import pytest

from wikicrawl.extract import extract, to_markdown
from wikicrawl.extract.content import choose_content
from wikicrawl.extract.tree import parse

URL = "https://example.org/page"
CORPUS = Path(__file__).parents[2] / "shared" / "corpora"
QUALITY = 0.79  # word-F1 on every fourth page
PARAGRAPH = "<p>The old mill stands by the river and has rooms for weddings, concerts and meetings of many guests.</p>"
NAV = '<nav><a href="/">Home</a> <a href="/rooms">Rooms</a> <a href="/contact">Contact us</a></nav>'
FOOTER = '<footer>© 2024 The Mill · <a href="/imprint">Imprint</a></footer>'


def page(content, head=""):
    return f"<html><head><title>T</title>{head}</head><body><header>{NAV}</header>{content}{FOOTER}</body></html>"


def test_navigation_and_footer_stay_out():
    markdown = to_markdown(page(f"<main><h1>The mill</h1>{PARAGRAPH * 3}</main>"), URL)
    assert markdown.startswith("# The mill\n\nThe old mill stands")
    assert "Contact us" not in markdown
    assert "Imprint" not in markdown


@pytest.mark.parametrize(
    "furniture",
    [
        '<div class="cookie-banner">We use cookies, accept them</div>',
        '<div id="sidebar"><p>Other words beside</p></div>',
        "<aside><p>Other words beside</p></aside>",
        '<div class="related-posts"><p>Other words beside</p></div>',
        '<div class="SocialShare"><p>Other words beside</p></div>',
        '<div role="navigation"><p>Other words beside</p></div>',
        "<script>other()</script><style>.other{}</style><button>Other</button><select><option>Other</select>",
    ],
)
def test_furniture_in_the_content_stays_out(furniture):
    markdown = to_markdown(page(f"<main>{PARAGRAPH * 4}{furniture}{PARAGRAPH}</main>"), URL)
    assert markdown.count("The old mill") == 5
    assert "ther" not in markdown.replace("other many", "")
    assert "cookies" not in markdown


def test_a_page_is_not_lost_to_the_names_of_its_wrappers():
    markdown = to_markdown(f'<div class="modal-page popup"><div class="banner">{PARAGRAPH * 3}</div></div>{NAV}', URL)
    assert markdown.count("The old mill") == 3


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Short.</p>", "Short."),
        ("just text", "just text"),
        (NAV, "[Rooms](https://example.org/rooms)"),
        (FOOTER, "[Imprint](https://example.org/imprint)"),
        ('<img src="/a.jpg" alt="A room">', "![A room](https://example.org/a.jpg)"),
        (
            "<ul class='menu'><li><a href=/x>One</a></li><li><a href=/y>Two</a></li></ul>",
            "- [Two](https://example.org/y)",
        ),
        ("<header><h1>Welcome</h1></header><main></main>", "# Welcome"),
        ("<form action='/asp'><h1>All</h1><p>of the page in a form</p></form>", "of the page in a form"),
    ],
    ids=["paragraph", "text", "links", "footer", "image", "menu", "heading", "form"],
)
def test_a_short_page_is_not_empty(html, expected):
    assert expected in to_markdown(f"<html><body>{html}</body></html>", URL)


def test_a_gallery_beside_the_text_is_kept():
    images = "".join(
        f'<a href="/g/{n}.jpg"><img src="data:image/gif;base64,R0" data-src="/t/{n}.jpg" alt="Room {n}"></a>'
        for n in range(8)
    )
    html = page(f'<div><div class="text">{PARAGRAPH * 3}</div><div class="gallery">{images}</div></div>')
    found = extract(html.encode(), URL)
    assert found.images == [f"https://example.org/t/{n}.jpg" for n in range(8)]
    assert "![Room 7](https://example.org/t/7.jpg)" in found.markdown


def test_comments_are_content_of_a_forum_but_not_of_an_article():
    comment = "<div class='comment'><p>I was there last week, and what I heard was very good indeed.</p></div>"
    content = f"<article>{PARAGRAPH * 5}</article><section class='comments'>{comment * 3}</section>"
    article = '<meta property="og:type" content="article">'
    assert "last week" not in to_markdown(page(content, article), URL)
    assert "last week" in to_markdown(page(content, article + '<meta name="generator" content="phpBB">'), URL)


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>needle</div>",
        '<div style="display: none">needle</div>',
        '<div style="color:red;visibility:hidden;">needle</div>',
        '<span style="opacity:0">needle</span>',
        '<span style="font-size:0px">needle</span>',
        '<span style="position:absolute;left:-9999px">needle</span>',
        '<div aria-hidden="true">needle</div>',
        '<span class="sr-only">needle</span>',
        "<template>needle</template>",
        "<!-- needle -->",
        "<noscript>needle</noscript>",
    ],
)
def test_hidden_text_is_dropped(hidden):
    assert "needle" not in to_markdown(page(f"<main>{PARAGRAPH * 2}{hidden}</main>"), URL)


@pytest.mark.parametrize(
    "disclosed",
    [
        "<details><summary>Q</summary><p>needle</p></details>",
        '<div class="accordion"><h3>Q</h3><div style="display:none">needle</div></div>',
        '<div role="tabpanel" hidden>needle</div>',
        '<div class="mw-collapsible" style="display:none">needle</div>',
        '<a aria-controls="a1">Q</a><div id="a1" aria-hidden="true">needle</div>',
        '<span style="opacity:0.9;font-size:0.8em">needle</span>',
    ],
)
def test_what_a_click_opens_is_kept(disclosed):
    assert "needle" in to_markdown(page(f"<main>{PARAGRAPH * 2}{disclosed}</main>"), URL)


@pytest.mark.parametrize(
    "html",
    [
        f"<noscript><div>{PARAGRAPH * 8}</div></noscript><div id=app>Loading</div>",
        f'<div id="S:0" hidden>{PARAGRAPH * 3}</div>{PARAGRAPH * 9}',
        f'<div style="visibility:hidden">{PARAGRAPH * 3}</div>',
        f"<button><svg><path>{PARAGRAPH * 5}",
        f"<video><source src=x></video><embed src=y>{PARAGRAPH * 3}",
    ],
    ids=["noscript", "streamed", "hidden until loaded", "unclosed button", "unclosed embed"],
)
def test_a_page_in_an_odd_place_is_found(html):
    assert to_markdown(f"<html><body>{html}", URL).count("The old mill") in {3, 5, 8, 12}


def test_a_product_page_gets_a_second_opinion():
    head = '<script type="application/ld+json">{"@type": "Product", "name": "Mug"}</script>'
    others = "".join(f"<div><a href='/p/{n}'>Mug {n}</a><span>{n} €</span></div>" for n in range(40))
    html = page(f"<div><article>{PARAGRAPH * 6}</article></div><div>{others}</div>", head)
    content, extractor = choose_content(parse(html), html, URL, ["Product"])
    assert extractor in {"main", "body", "trafilatura", "readability"}
    assert content.text_content().count("The old mill") >= 1


def test_base_is_honoured():
    html = page(
        "<main><p><a href='x'>link</a> and <img src='i.png' alt='I'> some text</p></main>", "<base href='/deep/er/'>"
    )
    found = extract(html.encode(), URL)
    assert "[link](https://example.org/deep/er/x)" in found.markdown
    assert found.images == ["https://example.org/deep/er/i.png"]


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared/corpora")
def test_quality_on_real_pages_does_not_fall(monkeypatch):
    monkeypatch.syspath_prepend(CORPUS)
    evaluate = pytest.importorskip("evaluate_extract")
    scores = []
    for path in sorted((CORPUS / "wcxb-dev/dev/ground-truth").glob("*.json"))[::4]:
        page = json.loads(path.read_text(encoding="utf-8"))
        html = gzip.decompress((CORPUS / f"wcxb-dev/dev/html/{path.stem}.html.gz").read_bytes())
        text = evaluate.markdown_text(extract(html, page["url"]).markdown)
        scores.append(evaluate.word_prf(page["ground_truth"]["main_content"] or "", text)[0])
    assert fmean(scores) >= QUALITY
