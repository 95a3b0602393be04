"""The content of a page is found in any language and script, as well as by trafilatura or better."""

import pytest
import trafilatura
from language_pages import KINDS, LANGUAGES

from wikicrawl.extract import extract
from wikicrawl.extract.structured import supplement
from wikicrawl.extract.text import weigh, words

URL = "https://example.org/page"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_what_is_wanted_is_kept_and_the_rest_left_out(language, kind):
    page = KINDS[kind](language)
    found = extract(page.html.encode(), URL)
    assert found.language == language.code
    assert [text for text in page.wanted if text not in found.markdown] == []
    assert [text for text in page.unwanted if text in found.markdown] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_no_language_loses_against_trafilatura(language, kind):
    page = KINDS[kind](language)
    theirs = trafilatura.extract(page.html, url=URL, output_format="markdown", include_comments=False) or ""
    assert points(page, extract(page.html.encode(), URL).markdown) >= points(page, theirs)


def points(page, markdown):
    return sum(text in markdown for text in page.wanted) - sum(text in markdown for text in page.unwanted)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_a_page_of_running_text_is_as_sure_in_every_language(language):
    page = KINDS["article"](language)
    assert extract(page.html.encode(), URL).confidence >= 0.9


def test_an_article_is_not_cut_where_most_of_it_follows():
    language = LANGUAGES[0]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in language.paragraphs)
    head = '<meta property="og:type" content="article">'
    html = f"<html><head>{head}</head><body><p>{language.lead}</p><h2>{language.comments}</h2>{text}</body></html>"
    assert language.paragraphs[2] in extract(html.encode(), URL).markdown


def test_a_quotation_is_kept_whatever_network_it_is_from():
    language = LANGUAGES[0]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in language.paragraphs)
    quoted = f'<blockquote class="twitter-tweet"><p>{language.comment}</p></blockquote>'
    assert language.comment in extract(f"<body><main>{text}{quoted}</main></body>".encode(), URL).markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Mühle mahlt", ["die", "mühle", "mahlt"]),
        ("水车转", ["水", "车", "转"]),
        ("水車が3回", ["水", "車", "が", "3", "回"]),
    ],
)
def test_words_are_signs_where_a_script_parts_none(text, expected):
    assert words(text) == expected


def test_a_sign_of_a_script_without_spaces_weighs_more_than_a_letter():
    assert weigh("water mill") == 10
    assert weigh("水车") == 4


def test_a_description_told_in_other_order_is_not_told_again():
    description = "停了四十年以后，河边的水轮在半个村子的人面前重新转动，大家都说没有想到真能等到这一天。"
    shown = "大家都说没有想到真能等到这一天：河边的水轮在半个村子的人面前重新转动，在停了四十年以后。"
    assert supplement(shown, {"product": {"description": description}}) == ""
