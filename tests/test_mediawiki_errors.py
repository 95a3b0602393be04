"""Each error of a wiki's API leads to one action."""

from __future__ import annotations

import pytest

from wikicrawl.items import OUTCOMES
from wikicrawl.mediawiki.errors import TABLE, look_up


@pytest.mark.parametrize(
    ("code", "action", "outcome"),
    [
        ("missingtitle", "final", "gone"),
        ("nosuchpageid", "final", "gone"),
        ("nosuchrevid", "final", "gone"),
        ("invalidtitle", "final", "not_a_page"),
        ("pagecannotexist", "final", "not_a_page"),
        ("readapidenied", "final", "private"),
        ("permissiondenied", "final", "private"),
        ("categorylockdown", "final", "private"),
        ("maxlag", "retry", ""),
        ("ratelimited", "retry", ""),
        ("rest-rate-limit-exceeded", "retry", ""),
        ("actionthrottledtext", "retry", ""),
        ("cirrussearch-too-busy-error", "retry", ""),
        ("concurrency-limit", "retry", ""),
        ("readonly", "retry", ""),
        ("internal_api_error_DBQueryError", "retry", ""),
        ("internal_api_error_DBConnectionError", "retry", ""),
        ("internal_api_error_TypeError", "html", ""),
        ("internal_api_error_", "html", ""),
        ("truncated", "html", ""),
        ("badvalue", "html", ""),
        ("badvalue_gapcontinue", "html", ""),
        ("toomanyvalues", "html", ""),
        ("unknown_prop", "html", ""),
        ("unknown_action", "site_down", ""),
        ("not_json", "site_down", ""),
        ("http_403", "site_down", ""),
        ("http_404", "site_down", ""),
        ("http_429", "retry", ""),
        ("http_500", "retry", ""),
        ("http_503", "retry", ""),
        ("http_414", "html", ""),
        ("never-heard-of", "html", ""),
        ("", "html", ""),
    ],
)
def test_a_code_leads_to_its_action(code, action, outcome):
    rule = look_up(code)
    assert (rule.action, rule.outcome) == (action, outcome)


def test_only_a_private_wiki_is_final_for_the_whole_site():
    assert [rule.code for rule in TABLE if rule.is_for_site] == ["readapidenied"]


def test_an_unknown_code_says_so():
    assert look_up("never-heard-of").reason == "api_error"


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.code)
def test_a_rule_is_found_by_its_code_and_is_whole(rule):
    assert look_up(rule.code.replace("*", "X")) is rule
    assert rule.sentence.endswith(".")
    assert (rule.outcome in OUTCOMES) == (rule.action == "final")
    assert rule.reason
