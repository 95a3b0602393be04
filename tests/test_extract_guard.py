"""Hostile shapes are seen in one cheap pass, and taming them loses no text."""

import time

import lxml.html
import pytest

from wikicrawl.extract.guard import is_hostile, tame

DEEP = "<div>" * 2_000 + "needle" + "</div>" * 2_000 + "<p>after</p>"
FLOOD = "<p " + " ".join(f"a{number}=1" for number in range(200_000)) + ">needle</p><p>after</p>"
QUOTED_FLOOD = "<p " + " ".join(f'a{number}="<b>"' for number in range(50_000)) + ">needle</p><p>after</p>"
HOSTILE = {
    "2 000 divs": DEEP,
    "100 000 divs": DEEP.replace("needle", "<div>" * 98_000 + "needle" + "</div>" * 98_000),
    "50 000 open bold tags": "<b>" * 50_000 + "needle<p>after",
    "bold tags that outlive their paragraphs": "<p><b>x</p>" * 3_000 + "needle<p>after",
    "stray end tags between": "<div></b>" * 2_000 + "needle<p>after",
    "end tags in comments": "<div><!--</div>-->" * 2_000 + "needle<p>after",
    "end tags in attributes": '<div title="</div>">' * 2_000 + "needle<p>after",
    "200 000 attributes": FLOOD,
    "attributes that hold tags": QUOTED_FLOOD,
}
HARMLESS = {
    "empty": "",
    "text": "no markup at all",
    "siblings": "<div><p>a<p>b<img src=x><br></div>" * 5_000,
    "unclosed list items": "<ul>" + "<li>x" * 5_000,
    "a drawing": "<svg>" + "<path d='M0 0'/>" * 5_000 + "</svg>",
    "an image inlined": f'<img src="data:image/png;base64,{"A" * 100_000}">',
    "tags in a script": "<script>" + "x='<div>';" * 5_000 + "</script><p>a</p>",
    "tags in a comment": "<!--" + "<div>" * 5_000 + "-->",
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_shape_is_seen(html):
    assert is_hostile(html.encode())


@pytest.mark.parametrize("html", HARMLESS.values(), ids=HARMLESS)
def test_an_ordinary_page_passes_untouched(html):
    assert not is_hostile(html.encode())
    assert tame(html) is html


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_a_tamed_page_keeps_its_text_and_is_harmless(html):
    tamed = tame(html)
    text = lxml.html.document_fromstring(tamed).text_content()
    assert "needle" in text
    assert "after" in text
    assert not is_hostile(tamed.encode())


@pytest.mark.parametrize(
    "unit", ["<script>", "<!--", '<a b="', "<a b='\"", "<", "<a ", "<a =", "<a /"], ids=lambda unit: unit
)
def test_the_guard_takes_linear_time(unit):
    page = unit.encode() * (2_000_000 // len(unit))
    started = time.process_time()
    is_hostile(page)
    assert time.process_time() - started < 0.5
