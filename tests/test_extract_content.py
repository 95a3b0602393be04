"""The content of a page is found, whatever kind of page it is, and furniture stays out."""

import re

import pytest

from wikicrawl.extract import extract, to_markdown
from wikicrawl.extract.content import choose_content
from wikicrawl.extract.metadata import find_metadata
from wikicrawl.extract.tree import parse

URL = "https://example.org/page"
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
        '<div class="sidebarright"><p>Other words beside</p></div>',
        '<div class="entryfooter"><p>Other words beside</p></div>',
        '<div id="hauptnavi"><p>Other words beside</p></div>',
        '<div class="related-posts"><p>Other words beside</p></div>',
        '<div class="SocialShare"><p>Other words beside</p></div>',
        '<div role="navigation"><p>Other words beside</p></div>',
        '<div class="artikel-werbung"><p>Other words beside</p></div>',
        '<div id="compartir"><p>Other words beside</p></div>',
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
        f'<div style="visibility:hidden">{PARAGRAPH * 5}</div>',
        f"<button><svg><path>{PARAGRAPH * 5}",
        f"<video><source src=x></video><embed src=y>{PARAGRAPH * 3}",
    ],
    ids=["noscript", "streamed", "hidden until loaded", "unclosed button", "unclosed embed"],
)
def test_a_page_in_an_odd_place_is_found(html):
    assert to_markdown(f"<html><body>{html}", URL).count("The old mill") in {3, 5, 8, 12}


PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "Mug"}</script>'
ABOUT = (
    "<p>The mug is turned by hand from the clay of the old mill, and burnt for two days in a kiln of brick.</p>"
    "<p>It holds a quarter of a litre, keeps tea warm for half an hour and may be washed by machine.</p>"
    "<p>Each one bears the mark of the potter and the year under its foot.</p>"
)
TILES = "".join(f"<div><a href='/p/{n}'>Mug {n}</a><span>{n} €</span></div>" for n in range(40))
ROWS = "<tr><th>Height</th><td>98 mm</td></tr><tr><th>Weight</th><td>310 g</td></tr>"
POST = "<div class='post'><b>Ann</b><p>{} I would first look at the water wheel, and then at the dam.</p></div>"


def choose(html):
    tree = parse(html)
    return choose_content(tree, URL, find_metadata(tree, URL).get("types", ()))


@pytest.mark.parametrize(
    ("content", "head", "wanted", "unwanted"),
    [
        (
            f"<div class='story'><h1>The mill</h1>{PARAGRAPH * 6}</div><div class='related'><p>Elsewhere</p></div>",
            '<meta property="og:type" content="article">',
            ["# The mill", "The old mill"],
            ["Elsewhere"],
        ),
        (
            f"<div id=toc class='sidebar'><a href=/a>Elsewhere</a></div><main><h1>turn()</h1><pre>turn(3)</pre>{PARAGRAPH}"
            "<dl><dt>speed</dt><dd>in turns a minute</dd></dl></main>",
            "",
            ["# turn()", "turn(3)", "speed", "in turns a minute"],
            ["Elsewhere"],
        ),
        (
            "<h1>Which wheel?</h1>" + "".join(POST.format(n) for n in ("Yes.", "No.", "Well.")),
            '<meta name="generator" content="phpBB"><meta property="og:type" content="article">',
            ["Which wheel?", "Yes. I would", "No. I would", "Well. I would"],
            [],
        ),
        (
            f"<div><h1>Mug</h1>{ABOUT}<table>{ROWS}</table></div><div><p>See also</p>{TILES}</div>",
            PRODUCT,
            ["# Mug", "turned by hand", "quarter of a litre", "98 mm", "310 g"],
            ["Mug 7", "7 €"],
        ),
        (
            "<ul>"
            + "".join(f"<li><a href='/n/{n}'>News {n}</a><p>Told on day {n}.</p></li>" for n in range(9))
            + "</ul>",
            "",
            ["[News 0](https://example.org/n/0)", "Told on day 8."],
            [],
        ),
        (
            f"<h1>Mugs</h1><div>{TILES}</div>",
            '<meta property="og:type" content="product.group">',
            ["Mug 0", "39 €"],
            [],
        ),
        (
            "".join(f"<section><h2>Service {n}</h2>{PARAGRAPH}</section>" for n in range(5)),
            "",
            [f"## Service {n}" for n in range(5)],
            [],
        ),
        (
            "<div><div><h1>Mill &amp; Sons</h1></div></div><div><p>Flour since 1890.</p></div>"
            "<div><img src=/wheel.jpg alt='The wheel'></div><div><p>Mill Lane 1, open from 8 to 12.</p></div>",
            "",
            ["# Mill & Sons", "Flour since 1890.", "![The wheel]", "open from 8 to 12"],
            [],
        ),
        (
            "<h1>Index</h1><table>"
            + "".join(f"<tr><td><a href={n}.txt>{n}.txt</a><td>{n} kB" for n in range(9))
            + "</table>",
            "",
            ["# Index", "[8.txt](https://example.org/8.txt)", "8 kB"],
            [],
        ),
    ],
    ids=["article", "documentation", "forum", "product", "listing", "collection", "service", "brochure", "index"],
)
def test_each_kind_of_page_keeps_its_content(content, head, wanted, unwanted):
    markdown = to_markdown(page(content, head), URL)
    assert [text for text in wanted if text not in markdown] == []
    assert [text for text in [*unwanted, "Contact us", "Imprint"] if text in markdown] == []


def test_of_a_product_page_is_kept_what_others_keep_as_well():
    choice = choose(page(f"<div><h1>Mug</h1>{ABOUT}</div><div>{TILES}</div>", PRODUCT))
    assert choice.extractor == "blocks"
    assert re.fullmatch(r"\d+ letters of a product page that others keep as well", choice.reason)


def test_a_table_of_a_product_page_keeps_its_grid():
    price = "<tr><td>Price</td><td><p>only seen here by us</p></td></tr>"
    markdown = to_markdown(page(f"<div><h1>Mug</h1>{ABOUT}<table>{ROWS}{price}</table></div>", PRODUCT), URL)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {3}


def test_images_of_a_product_are_kept_but_not_those_of_other_products():
    images = "<div><img src=/mug.jpg alt=Mug></div><div><a href=/large.jpg><img src=/small.jpg alt=Small></a></div>"
    others = "".join(f"<div><a href='/p/{n}'><img src='/p{n}.jpg' alt='Other {n}'></a></div>" for n in range(3))
    found = extract(page(f"<div>{images}<h1>Mug</h1>{ABOUT}</div><div>{others}</div>", PRODUCT).encode(), URL)
    assert found.images == ["https://example.org/mug.jpg", "https://example.org/small.jpg"]


def test_text_that_a_product_page_says_twice_is_kept_once():
    markdown = to_markdown(page(f"<div>{ABOUT}<ul><li>98 mm<li>310 g</ul></div>" * 2, PRODUCT), URL)
    assert markdown.count("turned by hand") == 1
    assert markdown.count("98 mm") == 2  # a figure may come again


def test_a_description_in_what_looks_like_furniture_is_taken_from_trafilatura():
    beside = f"<aside>{PARAGRAPH * 3}</aside>"
    choice = choose(
        page(f"<main><h1>Mug</h1><p>12 € in red or blue</p><div role=dialog>{ABOUT}</div></main>{beside}", PRODUCT)
    )
    assert choice.extractor == "trafilatura"
    assert "so more is taken" in choice.reason
    assert "turned by hand" in choice.element.text_content()


def test_a_library_that_fails_has_no_say(monkeypatch):
    def fail(page, url):
        raise ValueError("a page it cannot read")

    monkeypatch.setattr("wikicrawl.extract.opinions.LIBRARIES", {"trafilatura": fail, "readability": fail})
    choice = choose(page(f"<main><h1>Mug</h1>{ABOUT}</main>", PRODUCT))
    assert choice.extractor == "main"
    assert "turned by hand" in choice.element.text_content()


def test_names_that_would_take_nearly_all_are_not_believed():
    named = "".join(f"<div class='promo'><h2>Part {n}</h2>{PARAGRAPH}</div>" for n in range(5))
    choice = choose(page(f"<p>Welcome.</p>{named}"))
    assert choice.element.text_content().count("The old mill") == 5
    assert re.search(r"names of furniture would take 9\d% of the text, and are not believed", choice.reason)
    assert choice.confidence < choose(page(f"<p>Welcome.</p>{named.replace('promo', 'part')}")).confidence


def test_a_main_element_with_too_little_of_the_text_is_not_enough():
    named = f"<div class='promo'>{PARAGRAPH * 2}</div>" * 13
    choice = choose(page(f"<main>{PARAGRAPH * 4}</main><div>{PARAGRAPH.replace('old', 'new') * 3}</div>{named}"))
    assert choice.extractor == "body"
    assert "<main> keeps only 12% of the text, so more is taken" in choice.reason
    assert choice.element.text_content().count("The new mill") == 3


def test_the_reason_names_the_element_and_its_share():
    choice = choose(page(f"<main>{PARAGRAPH * 3}</main>"))
    assert (choice.extractor, choice.reason) == ("main", "<main> holds 100% of the text outside links")


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("<main>" + "<p>Rooms</p>" * 30 + "</main>", f"<main>{PARAGRAPH * 3}</main>"),
        (f"<main>{PARAGRAPH * 3}</main><div>{PARAGRAPH * 2}</div>", f"<main>{PARAGRAPH * 3}</main>"),
        ("", "<p>Rooms</p>"),
    ],
    ids=["labels", "a part of the text", "nothing"],
)
def test_confidence_is_less_for(less, more):
    assert 0 <= choose(f"<body>{less}</body>").confidence < choose(f"<body>{more}</body>").confidence <= 1


def test_base_is_honoured():
    html = page(
        "<main><p><a href='x'>link</a> and <img src='i.png' alt='I'> some text</p></main>", "<base href='/deep/er/'>"
    )
    found = extract(html.encode(), URL)
    assert "[link](https://example.org/deep/er/x)" in found.markdown
    assert found.images == ["https://example.org/deep/er/i.png"]


def test_comments_of_an_article_stay_out_however_many_they_are():
    comment = "<li class='comment'><p>I was there last week, and what I heard was very good indeed.</p></li>"
    content = f"<article>{PARAGRAPH * 4}</article><div id='comments'><ol class='commentlist'>{comment * 300}</ol></div>"
    markdown = to_markdown(page(content, '<meta property="og:type" content="article">'), URL)
    assert markdown.count("The old mill") == 4
    assert "last week" not in markdown


def test_an_article_that_is_called_a_comment_is_kept():
    content = f"<div class='comment'>{PARAGRAPH * 4}</div><p>By Ann</p>"
    assert "The old mill" in to_markdown(page(content, '<meta property="og:type" content="article">'), URL)


@pytest.mark.parametrize("tag", ["h2", "h3", "section"])
def test_a_chapter_is_not_dropped_for_the_words_of_its_id(tag):
    chapter = f"<{tag} id='search-and-menu'>Search and menu</{tag}>"
    assert "Search and menu" in to_markdown(page(f"<main>{PARAGRAPH * 3}{chapter}{PARAGRAPH}</main>"), URL)


def test_a_link_within_a_sentence_is_not_dropped_for_its_name():
    sentence = "<p>The mill of <a class='searchLink' href='/search?q=Borno'>Borno</a> is older than its river.</p>"
    assert "[Borno]" in to_markdown(page(f"<main>{PARAGRAPH * 3}{sentence}</main>"), URL)


@pytest.mark.parametrize("is_after", [False, True], ids=["before the text", "after it"])
def test_the_lead_between_headline_and_text_is_kept_once(is_after):
    lead = (
        "<div class='x'><p>It had stood still for forty years, and half of the village came to see it turn.</p></div>"
    )
    text = f"<div class='y'>{PARAGRAPH * 9}</div>"
    content = f"<h1>The mill</h1>{text}{lead}" if is_after else f"<h1>The mill</h1>{lead}{text}"
    markdown = to_markdown(page(content, '<meta property="og:type" content="article">'), URL)
    assert markdown.count("forty years") == (0 if is_after else 1)
    assert markdown.startswith("The old mill" if is_after else "It had stood still")


def test_a_label_on_every_tile_is_not_a_fact_of_the_product():
    tiles = "".join(f"<li><a href='/p/{n}'>Mug {n}</a></li><li>In stock</li>" for n in range(8))
    markdown = to_markdown(page(f"<div><h1>Mug</h1>{ABOUT}<ul><li>98 mm</li>{tiles}</ul></div>", PRODUCT), URL)
    assert "98 mm" in markdown
    assert "In stock" not in markdown


POSTED = "https://www.example.org/2024/05/the-mill/"
OWN = "<p>Read <a href='https://river.example/source'>the report on the river</a> for more.</p>"


def article(before, after):
    return to_markdown(page(f"<div><h1>The mill</h1>{before}{PARAGRAPH * 6}{after}</div>"), POSTED)


@pytest.mark.parametrize(
    "other",
    [
        "<p><a href='/'>Elsewhere</a> | <a href='/list'>Elsewhere, too</a></p>",
        "<div><ul><li><a href='/a'>Elsewhere</a><li><a href='/b.html'>Elsewhere, too</a></ul></div>",
        "<div><a href='/a'><img src='/a.png'></a><p>Elsewhere is a mill with no river.</p><a href='/a'>More</a></div>",
        "<ul><li><h3><a href='/a'>Elsewhere</a></h3><p>It has a mill with no river, and no guests.</p></ul>",
        "<h3>Elsewhere</h3><p><a href='https://shop.example.org/a'>Mills</a></p>",
    ],
)
def test_what_leads_to_other_pages_is_cut_off_the_end_of_an_article(other):
    markdown = article("", OWN + other)
    assert "Elsewhere" not in markdown
    assert markdown.count("The old mill") == 6
    assert "the report on the river" in markdown


def test_the_way_back_is_cut_off_the_top_of_an_article():
    markdown = to_markdown(page(f"<div><p><a href='/list'>Back</a></p>{PARAGRAPH * 6}</div>"), POSTED)
    assert markdown.startswith("The old mill")


@pytest.mark.parametrize(
    "own",
    [
        "<p><a href='https://river.example/'>Here is a source</a></p>",
        "<p><a href='/report.pdf'>Here is a report</a></p>",
        "<p><a href='#top'>Here is the top</a></p>",
        f"<p>Here: <a href='/a'>a mill</a> that has no river, which is a long story.</p>{OWN}",
    ],
)
def test_sources_files_and_sentences_stay_at_the_end_of_an_article(own):
    assert "Here" in article("", own)


def test_a_list_that_calls_itself_an_article_keeps_its_links():
    entries = "".join(f"<li><h2><a href='/{n}'>Mill number {n}</a></h2><p>By a river.</p></li>" for n in range(20))
    markdown = to_markdown(page(f"<div>{PARAGRAPH}<ul>{entries}</ul></div>"), POSTED)
    assert "Mill number 19" in markdown


TEASERS = "".join(
    f"<li><h3><a href='/{n}'>Mill {n}</a></h3><p>It has a long story, which is told.</p></li>" for n in range(40)
)


def teased(text, body=""):
    return to_markdown(
        f"<html><body {body}><div>{text}</div><div><h2>Elsewhere</h2><ul>{TEASERS}</ul></div></html>", POSTED
    )


def test_titled_teasers_are_cut_off_a_whole_text_however_many_they_are():
    markdown = teased(PARAGRAPH * 14)
    assert markdown.count("The old mill") == 14
    assert "Elsewhere" not in markdown


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (PARAGRAPH * 3, ""),
        (PARAGRAPH * 14, "class='archive category'"),
        (f"<h2><a href='/first'>The first</a></h2>{PARAGRAPH * 14}", ""),
    ],
    ids=["a few sentences over them", "an archive", "a list with long entries"],
)
def test_titled_teasers_are_the_content_of_a_list(text, body):
    assert "Mill 39" in teased(text, body)


def test_a_heading_over_nothing_goes_with_the_teasers_before_it_only():
    after = "<ul><li><a href='/a'>Elsewhere</a></li></ul><div><div><h3>Connect</h3></div></div>"
    assert "Connect" not in article("", OWN + after)
    assert "Connect" in article("", OWN + "<h3>Connect</h3>")


@pytest.mark.parametrize(
    "ending",
    [
        "<p><strong>Auch interessant:</strong></p><ul><li><a href='https://other.example/'>Elsewhere</a></li></ul>",
        "<div><div>À lire aussi</div><p>Elsewhere is <a href='/a'>a mill</a> with no river.</p></div>",
        "<div><p>Related posts</p></div><div><a href='https://other.example/'>Elsewhere</a></div>",
    ],
)
def test_a_line_over_links_to_others_is_a_title_like_a_heading(ending):
    markdown = article("", ending + OWN)
    assert "Elsewhere" not in markdown
    assert "the report on the river" in markdown


def test_a_line_over_text_is_none():
    assert "See also" in article("", f"<p>See also:</p>{PARAGRAPH}{OWN}")


def captioned(caption):
    return to_markdown(page(f"<main>{PARAGRAPH}<figure><img src='/a.png'>{caption}</figure>{PARAGRAPH}</main>"), URL)


@pytest.mark.parametrize(
    "credit",
    [
        "Credit: Amazon",
        "© dpa / Ann Lee",
        "Photo by Ann Lee",
        "Foto: dpa",
        "Image source: Some Agency.",
        "Bildnachweis: AFP",
    ],
)
def test_the_credit_of_an_image_is_not_content(credit):
    assert "*" not in captioned(f"<figcaption>{credit}</figcaption>")
    assert "*The mill.*" in captioned(f"<figcaption>The mill. ({credit})</figcaption>")
    assert "*The mill.*" in captioned(f"<figcaption>The mill. <span>{credit}</span></figcaption>")
    assert "*The **mill***" in captioned(f"<figcaption>The <b>mill</b> | {credit}</figcaption>")


@pytest.mark.parametrize(
    "caption",
    [
        "Bild: The mill at night",
        "Source: World Bank",
        "A photo by Ann Lee hangs there",
        "Photos by hand",
        "Copyright law",
    ],
)
def test_a_caption_that_tells_something_is_kept(caption):
    assert f"*{caption}*" in captioned(f"<figcaption>{caption}</figcaption>")


def test_an_article_that_is_scrolled_on_to_is_not_of_the_page():
    other = PARAGRAPH.replace("old mill", "new mill")
    articles = f"<article><h2>One</h2>{PARAGRAPH * 12}</article><article><h2>Two</h2>{other * 12}</article>"
    markdown = to_markdown(page(f"<main>{articles}</main>"), POSTED)
    assert "old mill" in markdown
    assert "new mill" not in markdown


def test_a_name_on_every_section_means_nothing_but_others_do():
    sections = "".join(f"<section class='part part--ads'><h2>{n}</h2>{PARAGRAPH * 2}</section>" for n in range(4))
    markdown = to_markdown(page(f"<div>{sections}<div class='author'>Ann likes rivers.</div></div>"), POSTED)
    assert markdown.count("The old mill") == 8
    assert "Ann" not in markdown


def test_a_column_of_links_is_not_the_article_however_long():
    links = "".join(f"<li><a href='/song/{n}'>Song number {n} of many</a> ({n} times played)</li>" for n in range(200))
    markdown = to_markdown(page(f"<div>{PARAGRAPH * 4}</div><div><aside><ul>{links}</ul></aside></div>"), POSTED)
    assert markdown.startswith("The old mill")
    assert "Song" not in markdown
