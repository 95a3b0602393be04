"""An article that a page carries only in its scripts' JSON is found there; other strings are not taken for one."""

import json

import pytest

from wikicrawl.extract import extract
from wikicrawl.extract.embedded import LEAST_PROSE, LEAST_UNNAMED, find_embedded

URL = "https://example.org/mill"
SENTENCE = "The old mill stands by the river, and guests come for weddings, concerts and long walks in autumn. "
HTML = "".join(f"<p>Part {number}: {SENTENCE}</p>" for number in range(15))
TEXT = "\n\n".join(f"Part {number}: {SENTENCE}" for number in range(15))
TITLE = "The mill by the river"
RICH = {
    "nodeType": "document",
    "content": [{"nodeType": "heading-2", "content": [{"nodeType": "text", "value": "Rooms"}]}],
}
RICH["content"] += [
    {
        "nodeType": "paragraph",
        "content": [{"nodeType": "text", "value": f"Part {number}: "}, {"nodeType": "text", "value": SENTENCE}],
    }
    for number in range(15)
]


def state(value, attributes='type="application/json"'):
    written = json.dumps(value).replace("</", "<\\/")
    return f"<script {attributes}>{written}</script>"


def shell(script, title=TITLE):
    nav = '<nav><a href="/">Home</a></nav>'
    return f'<html><head><title>{title}</title></head><body>{nav}<div id="__next"></div>{script}</body></html>'


NUXT = [
    ["ShallowReactive", 1],
    {"data": 2, "state": 6},
    ["Reactive", 3],
    {"article": 4},
    {"title": 5, "body": 7, "self": 4, "tags": 8},
    TITLE,
    {},
    HTML,
    [5, 5],
]
CARRIERS = {
    "Next.js": state(
        {"props": {"pageProps": {"post": {"title": TITLE, "content": HTML}}}},
        'id="__NEXT_DATA__" type="application/json"',
    ),
    "Next.js, text": state({"props": {"pageProps": {"post": {"title": TITLE, "body": TEXT}}}}),
    "content below the title": state({"post": {"title": TITLE, "content": {"html": HTML}}}),
    "WordPress": state({"page": {"title": TITLE, "content": {"rendered": HTML}}}),
    "Nuxt 3": state(NUXT, 'type="application/json" id="__NUXT_DATA__"'),
    "Nuxt 2": f"<script>window.__NUXT__={json.dumps({'data': [{'article': {'title': TITLE, 'body': HTML}}]})};</script>",
    "Apollo": f"<script>window.__APOLLO_STATE__ = {json.dumps({'Article:1': {'headline': TITLE, 'body': HTML}})}</script>",
    "JSON in a string": f'<script>window["__STATE__"] = JSON.parse({json.dumps(json.dumps({"title": TITLE, "body": HTML}))})</script>',
    "Angular": "<script type=application/json id=state>"
    + json.dumps({"post": {"title": TITLE, "body": TEXT}}).replace('"', "&q;")
    + "</script>",
    "React Query": state(
        {"dehydratedState": {"queries": [{"state": {"data": {"title": TITLE, "body": HTML}}, "queryKey": ["x"]}]}}
    ),
    "sections": state(
        {"page": {"title": TITLE, "sections": [{"type": "text", "body": part} for part in TEXT.split("\n\n")]}}
    ),
    "Contentful": state({"page": {"title": TITLE, "body": RICH}}),
    "Contentful by Gatsby": state({"result": {"data": {"title": TITLE, "body": {"raw": json.dumps(RICH)}}}}),
    "Sanity": state(
        {
            "post": {
                "title": TITLE,
                "body": [
                    {"_type": "block", "style": "normal", "children": [{"_type": "span", "text": part}]}
                    for part in TEXT.split("\n\n")
                ],
            }
        }
    ),
    "Editor.js": state(
        {
            "post": {
                "title": TITLE,
                "body": {"blocks": [{"type": "paragraph", "data": {"text": part}} for part in TEXT.split("\n\n")]},
            }
        }
    ),
    "JSON-LD": state({"@type": "Article", "headline": TITLE, "articleBody": TEXT}, 'type="application/ld+json"'),
}
WORDS = {f"key.{number}": SENTENCE for number in range(100)}
NO_ARTICLE = {
    "words of the interface": state(
        {"props": {"i18n": {"en": {"body": HTML, "text": TEXT}}, "messages": {"content": HTML}}}
    ),
    "a dictionary": state({"props": {"pageProps": {"t": WORDS, "title": TITLE}}}),
    "a catalogue": state(
        {"title": TITLE, "products": [{"slug": f"p{n}", "description": f"{n}. {SENTENCE * 12}"} for n in range(30)]}
    ),
    "teasers": state({"title": TITLE, "posts": [{"url": f"/p{n}", "body": HTML} for n in range(3)]}),
    "settings": state({"config": {"description": HTML}, "theme": {"content": "a{color:red}" * 300}}),
    "a cookie notice": state({"title": TITLE, "cookieBanner": {"text": TEXT}, "footer": {"content": HTML}}),
    "comments": state({"title": TITLE, "comments": [{"body": SENTENCE * 20}]}),
    "code": state({"title": TITLE, "body": "function a(){return 1;} var b = {c: 2};\n" * 100}),
    "addresses": state({"title": TITLE, "content": "https://example.org/a.b/c.d?e=f. " * 100}),
    "labels": state({"title": TITLE, "body": "Home Rooms Contact Imprint " * 100}),
    "little": state({"title": TITLE, "body": SENTENCE * 3}),
    "another article, not long": state({"post": {"title": "Something else entirely", "body": SENTENCE * 15}}),
    "a script": f"<script>window.a = function () {{ return {json.dumps(TEXT)} }}</script>",
    "broken": f'<script type="application/json">{{"title": "{TITLE}", "body": "{SENTENCE * 30}"</script>',
    "deep": f'<script type="application/json">{"[" * 100_000}</script>',
    "holding itself": state([[1], {"a": 0, "b": 1}, "x"]),
    "nothing": "",
}


@pytest.mark.parametrize("script", CARRIERS.values(), ids=CARRIERS)
def test_an_article_in_json_is_the_content(script):
    found = extract(shell(script).encode(), URL)
    assert found.extractor == "embedded"
    assert found.markdown.startswith(f"# {TITLE}\n\n")
    assert found.markdown.count("The old mill stands by the river") == 15
    assert found.markdown.index("Part 3: The old mill") < found.markdown.index("Part 12: The old mill")
    assert "in its scripts' JSON" in found.meta["chosen"]


@pytest.mark.parametrize("script", NO_ARTICLE.values(), ids=NO_ARTICLE)
def test_other_strings_are_no_article(script):
    found = extract(shell(script).encode(), URL)
    assert found.extractor != "embedded"
    assert "The old mill" not in found.markdown


def test_headings_of_rich_text_stay_headings():
    assert "## Rooms" in extract(shell(CARRIERS["Contentful"]).encode(), URL).markdown


def test_what_the_page_shows_itself_is_preferred():
    html = shell(CARRIERS["Next.js"]).replace('<div id="__next">', f'<div id="__next"><main>{HTML}<p>Shown.</p></main>')
    found = extract(html.encode(), URL)
    assert found.extractor == "main"
    assert found.markdown.endswith("Shown.")


def test_of_several_articles_the_one_with_the_pages_title_is_taken():
    others = {"a": {"title": "A longer story of something else", "body": HTML * 5}, "b": {"title": TITLE, "body": HTML}}
    found = extract(shell(state(others)).encode(), URL)
    assert found.markdown.startswith(f"# {TITLE}")


def test_an_article_without_the_pages_title_must_be_long():
    def of(chars):
        value = {"title": "Something else", "body": (SENTENCE * 40)[:chars].rstrip() + "."}
        return find_embedded([("application/json", json.dumps(value))], TITLE)

    assert LEAST_PROSE < LEAST_UNNAMED
    assert of(LEAST_UNNAMED - 100) is None
    assert of(LEAST_UNNAMED + 100) is not None


@pytest.mark.parametrize(("title", "extractor"), [(TITLE, "embedded"), ("News", "main")], ids=["its own", "another"])
def test_a_list_of_links_gives_way_only_to_the_pages_own_article(title, extractor):
    links = "".join(f"<li><a href='/{n}'>Story number {n} of the day, told at some length</a></li>" for n in range(80))
    html = shell(state({"post": {"title": TITLE, "body": HTML * 3}}), title)
    found = extract(html.replace('<div id="__next">', f"<div><main><ul>{links}</ul></main>").encode(), URL)
    assert found.extractor == extractor


def test_hidden_text_and_scripts_in_it_stay_out():
    body = HTML + "<p style='display:none'>needle</p><script>needle</script>"
    found = extract(shell(state({"title": TITLE, "body": body})).encode(), URL)
    assert "needle" not in found.markdown
    assert found.hidden_text == "needle"


def test_chinese_weighs_more_than_its_characters():
    value = json.dumps({"title": "河边的老磨坊和许多客人", "body": "老磨坊坐落在河边，有举办婚礼和会议的房间。" * 26})
    assert find_embedded([("application/json", value)], "河边的老磨坊和许多客人 - 新闻") is not None
