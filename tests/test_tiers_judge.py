from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.challenges import CHALLENGES, CLOUDFLARE_522, CLOUDFLARE_1015, COOKIE_WALL, HTML
from judge.legitimate import LEGITIMATE, PARAGRAPHS
from judge.shells import SHELLS, document
from selectolax.lexbor import LexborHTMLParser

from wikicrawl.tiers.judge import REASONS, Verdict, judge

CORPUS = Path(__file__).parents[2] / "shared" / "corpora" / "wcxb-dev"
KINDS = ("page", "shell", "blocked", "throttled", "missing", "failed", "not_html")


def judge_html(html, *, status=200, **headers):
    return judge(html.encode(), status=status, headers=HTML | headers)


@pytest.mark.parametrize("html", SHELLS.values(), ids=SHELLS.keys())
def test_a_shell_is_sent_to_the_browser(html):
    assert judge_html(html).kind == "shell"


@pytest.mark.parametrize("html", LEGITIMATE.values(), ids=LEGITIMATE.keys())
def test_a_poor_but_finished_page_is_a_page(html):
    assert judge_html(html).kind == "page"


@pytest.mark.parametrize(("status", "headers", "body", "reason"), CHALLENGES.values(), ids=CHALLENGES.keys())
def test_a_wall_is_named(status, headers, body, reason):
    verdict = judge(body.encode(), status=status, headers=headers)
    assert (verdict.kind, verdict.reason) == ("blocked", reason)


def test_there_are_twenty_of_each():
    assert min(len(SHELLS), len(LEGITIMATE), len(CHALLENGES)) >= 20


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("vite_react", "empty_mount"),
        ("gwt", "noscript_plea"),
        ("remix_spa_mode", "loading"),
        ("skeleton_cards", "skeleton"),
        ("nav_and_footer_around_an_empty_main", "empty_main"),
        ("flutter_web", "no_text"),
    ],
)
def test_a_shell_is_named_by_its_sign(name, reason):
    assert judge_html(SHELLS[name]).reason == reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("server_rendered_next", "content"),
        ("one_sentence", "short"),
        ("disambiguation_list", "list"),
        ("gallery", "media"),
        ("login_page", "form"),
        ("forum_whose_posts_are_in_noscript", "noscript"),
    ],
)
def test_a_page_is_named_by_what_it_offers(name, reason):
    assert judge_html(LEGITIMATE[name]).reason == reason


SENTENCE = "The old mill stands by the river, and guests come for weddings, concerts and long walks in autumn. "
ARTICLE = "".join(f"<p>{number}. {SENTENCE}</p>" for number in range(15))


def with_state(state):
    written = json.dumps(state).replace("</", "<\\/")
    body = f'<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{written}</script>'
    return document("", body + '<script src="/_next/main.js"></script>').replace("<title>", "<title>The old mill - ", 1)


def test_a_shell_that_carries_its_article_in_json_is_a_page():
    verdict = judge_html(with_state({"props": {"pageProps": {"post": {"title": "The old mill", "body": ARTICLE}}}}))
    assert (verdict.kind, verdict.reason) == ("page", "embedded")
    assert verdict.text_chars >= 15 * len(SENTENCE)


@pytest.mark.parametrize(
    "state",
    [
        {"props": {"pageProps": {}}, "page": "/mill"},
        {"props": {"i18n": {"en": {"title": "The old mill", "body": ARTICLE}}}},
        {"props": {"pageProps": {"t": {f"key.{number}": SENTENCE for number in range(100)}}}},
        {"products": [{"slug": f"p{number}", "description": SENTENCE * 15} for number in range(10)]},
        {"post": {"title": "The old mill", "body": SENTENCE * 2}},
    ],
    ids=["nothing", "translations", "dictionary", "catalogue", "teaser"],
)
def test_a_shell_whose_json_holds_no_article_stays_a_shell(state):
    assert judge_html(with_state(state)) == Verdict("shell", "empty_mount", judge_html(with_state({})).text_chars)


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind", "reason"),
    [
        pytest.param(404, HTML, "<h1>Not found</h1>", "missing", "status_404", id="not_found"),
        pytest.param(410, HTML, "", "missing", "status_410", id="gone"),
        pytest.param(429, HTML, "<p>Slow down</p>", "throttled", "status_429", id="too_many"),
        pytest.param(429, HTML, CLOUDFLARE_1015, "throttled", "status_429", id="cloudflare_rate_limit"),
        pytest.param(503, HTML | {"retry-after": "60"}, "<p>Back soon</p>", "throttled", "status_503", id="come_back"),
        pytest.param(503, HTML, "<p>Back soon</p>", "failed", "status_5xx", id="unavailable"),
        pytest.param(522, HTML, CLOUDFLARE_522, "failed", "status_5xx", id="origin_behind_cloudflare_is_down"),
        pytest.param(500, HTML, "", "failed", "status_5xx", id="server_error"),
        pytest.param(401, HTML, "<h1>Authorization Required</h1>", "failed", "status_401", id="credentials"),
        pytest.param(418, HTML, "<p>No</p>", "failed", "status_4xx", id="other_refusal"),
        pytest.param(302, HTML, "<p>Moved</p>", "failed", "status_3xx", id="redirect_to_nowhere"),
        pytest.param(403, {"content-type": "application/json"}, "{}", "failed", "status_403", id="refused_data"),
        pytest.param(403, HTML, "", "blocked", "status_403", id="refused_without_a_word"),
        pytest.param(404, HTML, COOKIE_WALL, "missing", "status_404", id="not_found_with_a_cookie_script"),
        pytest.param(200, HTML, "", "failed", "empty_body", id="nothing"),
        pytest.param(204, {}, "", "failed", "empty_body", id="no_content"),
        pytest.param(200, HTML, " \r\n", "failed", "empty_body", id="blank"),
        pytest.param(200, HTML, "<html><body></body></html>", "failed", "empty_body", id="blank_page_without_script"),
    ],
)
def test_a_status_is_judged(status, headers, body, kind, reason):
    verdict = judge(body.encode(), status=status, headers=headers)
    assert (verdict.kind, verdict.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("application/pdf", b"%PDF-1.7", "pdf"),
        ("image/webp", b"RIFF", "image"),
        ("video/mp4", b"\0\0", "media_file"),
        ("application/json; charset=utf-8", b"{}", "json"),
        ("application/rss+xml", b"<rss/>", "xml"),
        ("text/plain", b"<html>", "text"),
        ("application/octet-stream", b"<html>", "other"),
        (None, b"%PDF-1.7\n", "pdf"),
        (None, b"\x89PNG\r\n\x1a\n\0\0", "image"),
        (None, b' {"a": 1}', "json"),
        (None, b"<?xml version='1.0'?><rss/>", "xml"),
        (None, b"just words", "text"),
        (None, b"MZ\0\0", "other"),
    ],
)
def test_what_is_not_html_is_named_by_its_type(content_type, body, reason):
    headers = {"content-type": content_type} if content_type else {}
    assert judge(body, status=200, headers=headers) == Verdict("not_html", reason)


@pytest.mark.parametrize("headers", [{}, {"content-type": "application/xhtml+xml"}], ids=["no_type", "xhtml"])
def test_html_is_known_without_its_usual_type(headers):
    assert judge(b"\xef\xbb\xbf <!DOCTYPE html><p>" + b"word " * 20, status=200, headers=headers).kind == "page"


@pytest.mark.parametrize(
    "headers", [{"cf-ray": "8f00-LHR", "server": "cloudflare"}, {"x-datadome": "protected"}, {"x-iinfo": "9-33"}]
)
def test_a_header_of_every_customer_page_is_no_evidence(headers):
    assert judge_html(LEGITIMATE["one_sentence"], **headers).kind == "page"


def test_an_ordinary_explanation_of_a_403_is_blocked_without_a_vendor():
    article = document("", f"<h1>Forbidden</h1>{PARAGRAPHS * 4}<p>Cloudflare and a captcha have no part in this.</p>")
    assert judge_html(article, status=403) == Verdict("blocked", "status_403")


def test_text_chars_counts_what_stands_outside_the_frame():
    nav = "<nav><a href='/'>Home</a></nav>"
    assert judge_html(f"{nav}<main><p>Twelve words.</p></main><footer>©</footer>").text_chars == len("Twelve words.")


def test_hidden_text_is_not_text():
    shell = '<div style="display: none">Something went wrong. Reload the page to try once more, or write to us.</div>'
    assert judge_html(f"<body>{shell}<script src=a.js></script>") == Verdict("shell", "no_text")


def test_chinese_weighs_more_than_its_characters():
    html = "<body><p>{}</p><script src=a.js></script>"
    assert judge_html(html.format("潮" * 26)).kind == "page"
    assert judge_html(html.format("ab" * 13)).kind == "shell"


def test_a_given_encoding_is_used():
    html = document("", "<main><p>" + "Загрузка" + "…</p></main><script src='/a.js'></script>")
    headers = {"content-type": "text/html; charset=windows-1251"}
    assert judge(html.encode("cp1251"), status=200, headers=headers, encoding="cp1251").reason == "loading"


@pytest.mark.parametrize("encoding", ["no-such-codec", "idna", "unicode_escape", "base64", "utf-16"])
def test_a_senseless_encoding_does_no_harm(encoding):
    body = b'<meta charset="unicode_escape"><p>\\ud800 \xff ' + b"word " * 30
    assert judge(body, status=200, headers=HTML, encoding=encoding).kind in ("page", "shell", "failed")


@pytest.mark.parametrize(
    "body",
    [b"<div>" * 100_000 + b"text", b"<p " + b" ".join(b"a%d" % n for n in range(40_000)) + b">text"],
    ids=["nested", "attributes"],
)
def test_a_hostile_page_is_left_to_the_worker(body):
    assert judge(body, status=200, headers=HTML) == Verdict("page", "unjudged")
    assert judge(body, status=404, headers=HTML) == Verdict("missing", "status_404")


def test_a_page_of_countless_empty_elements_is_left_to_the_worker():
    assert judge(b"<blockquote>" * 200 + b"<i></i>" * 25_000, status=200, headers=HTML).reason == "unjudged"


def test_hostile_markup_cannot_hide_behind_an_encoding():
    body = ("<div>" * 100_000).encode("utf-16")
    assert judge(body, status=200, headers=HTML, encoding="utf-16") == Verdict("page", "unjudged")


def test_the_first_two_megabytes_decide():
    late = b"<body><script>" + b"x" * 2_000_000 + b"</script>" + PARAGRAPHS.encode() * 5
    assert judge(late, status=200, headers=HTML) == Verdict("shell", "no_text")


@given(st.binary(max_size=300), st.sampled_from([200, 202, 301, 401, 403, 404, 429, 500, 503, 999]))
def test_any_bytes_get_a_known_verdict(body, status):
    verdict = judge(body, status=status, headers=HTML)
    assert verdict.kind in KINDS
    assert verdict.reason in REASONS


TAGS = "html body head main article nav header footer aside dialog div p a noscript script template frameset iframe table svg h1"
ATTRIBUTES = [
    "",
    " hidden",
    ' id="root"',
    ' class="footer"',
    ' style="display:none"',
    ' role="main"',
    ' aria-busy="true"',
]


@given(
    st.lists(
        st.one_of(
            st.builds(
                lambda tag, slash, attribute: f"<{slash}{tag}{attribute}>",
                st.sampled_from(TAGS.split()),
                st.sampled_from(["", "/"]),
                st.sampled_from(ATTRIBUTES),
            ),
            st.sampled_from(["text ", "Loading…", "<!--", "-->", "document.cookie = 1; location.reload()"]),
        ),
        max_size=40,
    )
)
def test_any_tag_soup_gets_a_known_verdict(parts):
    for status in (200, 403):
        assert judge_html("".join(parts), status=status).reason in REASONS


@dataclass
class Sample:
    verdict: Verdict
    is_spa: bool
    visible: str
    wanted: list[str]

    @property
    def is_sent(self):
        return self.verdict.kind in ("shell", "blocked")

    @property
    def is_complete(self):
        """Whether all wanted text stands in the raw page; then a browser can add nothing."""
        return not self.is_spa and all(squeezed(snippet) in squeezed(self.visible) for snippet in self.wanted)


def squeezed(text):
    """Letters and digits only: blanks and quotes differ between an annotation and its page."""
    return re.sub(r"\W+", "", text).lower()


def visible_text(body):
    """What is left of the body without script, style, noscript and template."""
    tree = LexborHTMLParser(body, scripting=True)
    tree.strip_tags(["head", "script", "style", "noscript", "template"], recursive=True)
    return " ".join(tree.root.text(separator=" ").split())


def read_sample(path):
    truth = json.loads(path.read_text())
    body = gzip.decompress((CORPUS / "dev" / "html" / f"{path.stem}.html.gz").read_bytes())
    verdict = judge(body, status=200, headers=HTML)
    is_spa = truth["_internal"].get("spa", False)
    return Sample(verdict, is_spa, visible_text(body), truth["ground_truth"]["with"])


@pytest.fixture(scope="module")
def samples():
    if not CORPUS.exists():
        pytest.skip(f"needs the page corpus at {CORPUS}")
    return [read_sample(path) for path in sorted((CORPUS / "dev" / "ground-truth").glob("*.json"))]


@pytest.mark.slow
def test_hardly_any_complete_page_is_sent_to_the_browser(samples):
    complete = [sample for sample in samples if sample.is_complete]
    assert len(complete) > 400
    assert sum(sample.is_sent for sample in complete) <= 0.03 * len(complete)


@pytest.mark.slow
def test_most_real_shells_are_sent_to_the_browser(samples):
    spas = [sample for sample in samples if sample.is_spa]
    assert len(spas) == 19
    assert sum(sample.is_sent for sample in spas) >= 10
    assert all(sample.is_sent for sample in spas if len(sample.visible) < 1300)
