"""What answers.py reads from the bytes of an API."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from email.utils import formatdate

import pytest

from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import ApiError, continued, read_answer

TRUNCATED = "This result was truncated because it would otherwise be larger than the limit of 12,582,912 bytes."


def read(answer, status=200, **headers):
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return read_answer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def test_an_answer_is_an_object():
    assert read({"parse": {"title": "A"}}) == {"parse": {"title": "A"}}


def test_a_byte_order_mark_is_no_harm():
    assert read(b'\xef\xbb\xbf{"query": {}}') == {"query": {}}


def test_an_empty_list_is_how_php_writes_an_empty_object():
    assert read(b"[]") == {}


def test_the_wrappers_of_formatversion_1_are_taken_off():
    old = {"parse": {"title": "A", "text": {"*": "<p>"}}, "query": {"pages": {"7": {"pageid": 7}}}}
    assert read(old) == {"parse": {"title": "A", "text": "<p>"}, "query": {"pages": [{"pageid": 7}]}}


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><title>Login</title>",
        b"",
        b'"text"',
        b"[1]",
        b"\xff\xfe",
        b'{"a": ',
        b"[" * 100_000,
    ],
    ids=["html", "nothing", "string", "list", "no_utf8", "cut", "deep"],
)
def test_what_is_no_json_object_is_an_error(body):
    error = read(body)
    assert (error.code, error.rule.action) == ("not_json", "site_down")
    assert len(error.text) <= 500


@pytest.mark.parametrize("status", [200, 500])
def test_an_api_that_is_switched_off_says_so_in_html(status):
    error = read(b"MediaWiki API is not enabled for this site. <pre>$wgEnableAPI=true;</pre>", status)
    assert (error.code, error.rule.action) == ("apidisabled", "site_down")


@pytest.mark.parametrize(
    ("code", "word"),
    [("maxlag", "maxlag"), ("internal_api_error_A\\B", "internal_api_error_A_B"), ("x<y>", "api_error")],
)
def test_the_word_of_an_error_is_a_code_of_the_table(code, word):
    assert read({"error": {"code": code, "info": ""}}).word == word


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        ({"error": {"code": "missingtitle", "info": "No."}}, "missingtitle", "No."),
        ({"error": {"code": "missingtitle", "*": "Old."}}, "missingtitle", "Old."),
        ({"errors": [{"code": "maxlag", "text": "Lag."}, {"code": "b"}]}, "maxlag", "Lag."),
        ({"errorKey": "rest-rate-limit-exceeded", "message": "Slow."}, "rest-rate-limit-exceeded", "Slow."),
        ({"error": {}}, "unknown", ""),
        ({"error": {"code": "x" * 5, "info": "y" * 600}}, "xxxxx", "y" * 500),
    ],
    ids=["usual", "old", "several", "rest", "empty", "long"],
)
def test_an_error_has_its_code_and_its_words(answer, code, text):
    error = read(answer)
    assert (error.code, error.text) == (code, text)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"<html>", 429, "http_429"),
        (b"<html>", 503, "http_503"),
        (b"<html>Just a moment...", 403, "http_403"),
        (b"{}", 404, "http_404"),
        (b'{"error": {"code": "readapidenied"}}', 403, "readapidenied"),
        (b'{"error": {"code": "internal_api_error_DBQueryError"}}', 500, "internal_api_error_DBQueryError"),
        (b'{"error": {"code": "gateway"}}', 429, "http_429"),
        (b'{"error": "too many requests"}', 429, "http_429"),
    ],
)
def test_an_http_status_counts_unless_the_wiki_says_more(body, status, code):
    assert read(body, status).code == code


def test_the_longest_pause_that_is_asked_for_counts():
    lagging = {"error": {"code": "maxlag", "info": "", "lag": 7.5}}
    assert read(lagging, retry_after="5").wait_seconds == 7.5
    assert read(lagging, retry_after="20").wait_seconds == 20
    assert read(lagging).wait_seconds == 7.5
    assert read({"errors": [{"code": "maxlag", "text": "", "data": {"lag": 3}}]}).wait_seconds == 3


def test_a_pause_may_be_a_date_by_the_servers_clock():
    at = 1_000_000_000
    error = read(b"", 429, retry_after=formatdate(at + 90, usegmt=True), date=formatdate(at, usegmt=True))
    assert error.wait_seconds == 90
    soon = read(b"", 429, retry_after=formatdate(time.time() + 90, usegmt=True))
    assert 0 < soon.wait_seconds <= 90


@pytest.mark.parametrize("after", ["", "soon", "-5", "0", "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 400, "١٢"])
def test_a_senseless_pause_is_none(after):
    assert read(b"", 429, retry_after=after).wait_seconds is None


@pytest.mark.parametrize(
    "warnings",
    [
        {"result": {"warnings": TRUNCATED}},
        {"result": {"*": TRUNCATED}},
        [{"code": "truncatedresult", "module": "result"}],
    ],
    ids=["usual", "old", "list"],
)
def test_an_answer_cut_short_is_an_error(warnings):
    error = read({"parse": {"title": "A"}, "warnings": warnings})
    assert (error.code, error.rule.action) == ("truncated", "html")


def test_a_list_cut_short_is_continued():
    answer = {"query": {}, "continue": {"gapcontinue": "B"}, "warnings": {"result": {"warnings": TRUNCATED}}}
    assert read(answer) == answer


def test_other_warnings_are_no_error():
    answer = {"parse": {}, "warnings": {"parse": {"warnings": "Unrecognized value: truncated"}}}
    assert read(answer) == answer


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        (
            {"continue": {"gapcontinue": "B", "continue": "gapcontinue||"}},
            {"gapcontinue": "B", "continue": "gapcontinue||"},
        ),
        ({"continue": {"rccontinue": 7}}, {"rccontinue": "7"}),
        ({"query-continue": {"allpages": {"gapcontinue": "B"}}}, {"gapcontinue": "B"}),
        ({"batchcomplete": True}, None),
        ({"continue": []}, None),
    ],
    ids=["usual", "number", "old", "end", "empty"],
)
def test_the_rest_of_a_list_is_asked_for(answer, rest):
    assert continued(answer) == rest


def ask(url):
    try:
        response = urllib.request.urlopen(url)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return read_answer(response.read(), response.status, headers)


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("params", "code"),
    [
        (queries.parse(title="No such page"), "missingtitle"),
        (queries.parse(title="Broken redirect"), "missingtitle"),
        (queries.parse(pageid=999999), "nosuchpageid"),
        (queries.parse(title="A[b"), "invalidtitle"),
        (queries.parse(title="de:Hogger"), "invalidtitle"),
        (queries.parse(title="Special:Log"), "pagecannotexist"),
        (queries.list_members("Hogger"), "invalidcategory"),
        (queries.list_pages(namespace=77), "badvalue"),
        ({**queries.resolve([1]), "pageids": "|".join(map(str, range(1, 61)))}, "toomanyvalues"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_real_wiki_gives_the_codes_of_the_table(wiki_site, params, code):
    error = ask(queries.address(wiki_site.api, params))
    assert error.code == code
    assert error.text


@pytest.mark.mediawiki
def test_a_real_wiki_in_trouble_says_what_is_to_be_done(mediawiki):
    page = queries.parse(title="Hogger")
    mediawiki.lag(9)
    lagging = ask(queries.address(mediawiki.api, {**page, "maxlag": "5"}))
    assert (lagging.code, lagging.wait_seconds, lagging.rule.action) == ("maxlag", 9, "retry")
    mediawiki.reset()
    mediawiki.private()
    assert ask(queries.address(mediawiki.api, page)).code == "readapidenied"
    mediawiki.reset()
    mediawiki.fault("api.php", status=429, headers={"Retry-After": "3"}, body=b"slow down", times=1)
    assert ask(queries.address(mediawiki.api, page)).wait_seconds == 3
    mediawiki.api_off()
    assert ask(queries.address(mediawiki.api, page)).code == "apidisabled"
    mediawiki.reset()
    assert not isinstance(ask(queries.address(mediawiki.api, page)), ApiError)


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept():
    answer = read_answer(b'{"a": "x\\ud800y", "b": "\\ud83d\\ude00"}', 200, {})
    assert answer == {"a": "x?y", "b": "😀"}
