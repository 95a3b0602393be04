"""What a page describes for machines fills what its markup leaves out."""

import json

import pytest

from wikicrawl.extract import extract
from wikicrawl.extract.metadata import find_metadata
from wikicrawl.extract.structured import MAX_ANSWERS, plain
from wikicrawl.extract.tree import parse

URL = "https://example.org/mug"
DESCRIPTION = (
    "This mug of blue stoneware is thrown by hand in a small workshop near the coast and keeps tea warm for an hour."
)
PRODUCT = {
    "@type": "Product",
    "name": "Blue mug",
    "description": f"<p>{DESCRIPTION}</p>&lt;p&gt;Safe in the dishwasher.&lt;/p&gt;",
    "brand": {"@type": "Brand", "name": "Coast & Co"},
    "sku": 4711,
    "offers": [{"@type": "Offer", "price": 19.5, "priceCurrency": "EUR"}],
}
ANSWER = "Yes, all of our mugs may go into the dishwasher and the microwave, but please do not put them into an oven."
FAQ = {
    "@type": "FAQPage",
    "mainEntity": [
        {"@type": "Question", "name": "Is it safe?", "acceptedAnswer": {"@type": "Answer", "text": f"<b>{ANSWER}</b>"}},
        {"@type": "Question", "name": "Unanswered?"},
        "odd",
    ],
}
MICRODATA = f"""<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Blue <b>mug</b></h1>
<div itemprop="brand" itemscope itemtype="https://schema.org/Brand"><span itemprop="name">Coast &amp; Co</span></div>
<meta itemprop="sku" content="4711"><p itemprop="description">{DESCRIPTION}</p>
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><data itemprop="price" value="19.5">19,50</data>
<meta itemprop="priceCurrency" content="EUR"></div></div>"""
FACTS = {"name": "Blue mug", "brand": "Coast & Co", "sku": "4711", "price": "19.5", "currency": "EUR"}


def json_ld(*values):
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


def meta_of(html):
    return find_metadata(parse(f"<html><head><title>T</title></head><body>{html}</body></html>"), URL)


def test_a_product_is_read_from_json_ld():
    product = {**FACTS, "description": f"{DESCRIPTION}\nSafe in the dishwasher."}
    assert meta_of(json_ld(PRODUCT))["product"] == product


def test_a_product_is_read_from_microdata():
    assert meta_of(MICRODATA)["product"] == FACTS | {"description": DESCRIPTION}


def test_json_ld_is_preferred():
    assert meta_of(MICRODATA + json_ld({"@type": "Product", "name": "Mug, blue"}))["product"]["name"] == "Mug, blue"


def test_a_price_of_open_graph_makes_a_product():
    head = (
        '<meta property="product:price:amount" content="19.50"><meta property="product:price:currency" content="EUR">'
    )
    assert meta_of(head)["product"] == {"price": "19.50", "currency": "EUR"}


def test_the_lowest_of_many_prices_is_told():
    offers = {"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "20", "priceCurrency": "EUR"}
    assert meta_of(json_ld(PRODUCT | {"offers": offers}))["product"]["price"] == "10"


def test_questions_are_read_with_their_answers():
    assert meta_of(json_ld(FAQ))["faq"] == [{"question": "Is it safe?", "answer": ANSWER}]


def test_questions_are_read_from_microdata():
    html = f"""<div itemscope itemtype="https://schema.org/FAQPage"><div itemprop="mainEntity" itemscope
    itemtype="https://schema.org/Question"><h3 itemprop="name">Is it safe?</h3><div itemprop="acceptedAnswer" itemscope
    itemtype="https://schema.org/Answer"><p itemprop="text">{ANSWER}</p></div></div></div>"""
    assert meta_of(html)["faq"] == [{"question": "Is it safe?", "answer": ANSWER}]


def test_microdata_fills_author_and_date():
    html = """<article itemscope itemtype="https://schema.org/NewsArticle"><span itemprop="author" itemscope
    itemtype="https://schema.org/Person"><b itemprop="name">A. Miller</b></span>
    <time itemprop="datePublished" datetime="2024-03-05">March</time></article>"""
    found = meta_of(html)
    assert (found["author"], found["published"]) == ("A. Miller", "2024-03-05")


@pytest.mark.parametrize("label", ["product", "faq"])
def test_a_page_with_little_text_gets_what_it_lacks(label):
    value, expected = {
        "product": (PRODUCT, f"{DESCRIPTION}\n\nSafe in the dishwasher."),
        "faq": (FAQ, f"### Is it safe?\n\n{ANSWER}"),
    }[label]
    found = extract(f"<body><main><h1>Blue mug</h1><p>19,50 €</p></main>{json_ld(value)}</body>".encode(), URL)
    assert found.markdown.startswith("# Blue mug")
    assert found.markdown.endswith(expected)
    assert "from its structured data" in found.meta["chosen"]


@pytest.mark.parametrize(
    "content",
    [
        f"<p>{DESCRIPTION}</p><p>{ANSWER}</p>",
        "<p>This is a long text about other things, with many words of its own, and it says enough.</p>" * 15,
    ],
    ids=["says it itself", "says enough"],
)
def test_a_page_that_says_it_or_enough_is_left_alone(content):
    found = extract(f"<body><main><h1>Mug</h1>{content}</main>{json_ld(FAQ, PRODUCT)}</body>".encode(), URL)
    assert found.markdown.count("keeps tea warm") == content.count("keeps tea warm")
    assert found.markdown.count("microwave") == content.count("microwave")
    assert "structured data" not in found.meta.get("chosen", "")


def test_there_is_an_end_to_answers():
    many = {"@type": "FAQPage", "mainEntity": [{"name": f"Q{n}", "acceptedAnswer": {"text": "A."}} for n in range(200)]}
    assert len(meta_of(json_ld(many))["faq"]) == MAX_ANSWERS


@pytest.mark.parametrize(
    "value",
    [
        {"@type": "Product", "name": [], "offers": "x", "brand": [[]], "sku": {}, "description": 5},
        {"@type": "Product", "offers": [None, {"price": None}], "brand": {"name": {"a": 1}}},
        {"@type": "FAQPage", "mainEntity": {"name": ["Q"], "acceptedAnswer": [None, {"text": {}}]}},
        {"@type": ["FAQPage", "Product"], "mainEntity": None, "name": True},
    ],
)
def test_odd_values_do_no_harm(value):
    assert meta_of(json_ld(value))["title"] == "T"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a &lt;b&gt;c&lt;/b&gt; &amp;amp; d", "a c & d"),
        ("one<br>two</p>three", "one\ntwo\nthree"),
        ("1 < 2", "1 < 2"),
        ("  ", ""),
    ],
)
def test_values_become_plain_text(value, expected):
    assert plain(value) == expected
