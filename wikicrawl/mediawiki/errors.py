"""Say what is done about each error of a wiki's API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["final", "retry", "html", "site_down"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows from an error.

    final: the page's visit ends with `outcome`; retry: the same question again, after a pause for the whole site;
    html: the page itself is fetched instead; site_down: so are all pages, until the API is tried again.
    """

    code: str  # the whole code, or its beginning where it ends in *
    action: Action
    outcome: str = ""
    is_for_site: bool = False  # a final answer about every page of the site
    sentence: str = ""
    reason: str = "api_error"  # the fixed word in log, stat and store


def _final(code: str, outcome: str, sentence: str, *, is_for_site: bool = False) -> Rule:
    return Rule(code, "final", outcome, is_for_site, sentence, reason=outcome)


def _retry(code: str, sentence: str) -> Rule:
    return Rule(code, "retry", sentence=sentence, reason="throttled")


def _broken(code: str, sentence: str) -> Rule:
    return Rule(code, "retry", sentence=sentence, reason="api_failed")


def _html(code: str, sentence: str) -> Rule:
    return Rule(code, "html", sentence=sentence)


def _down(code: str, sentence: str) -> Rule:
    return Rule(code, "site_down", sentence=sentence, reason="api_down")


# MediaWiki answers nearly every error with HTTP 200. The http_ codes are ours, and so are ignored, no_answer, no_text,
# not_json, paused, robots and truncated.
TABLE = (
    _final("missingtitle", "gone", "There is no page of this title."),
    _final("nosuchpageid", "gone", "There is no page of this id."),
    _final("nosuchrevid", "gone", "There is no revision of this id."),
    _final("missingcontent-pageid", "gone", "The page has lost its text."),
    _final("missingcontent-revid", "gone", "The revision has lost its text."),
    _final("invalidtitle", "not_a_page", "No page can have this title, or it is another wiki's."),
    _final("pagecannotexist", "not_a_page", "A special page has no text."),
    _final("invalidcategory", "not_a_page", "The title is not that of a category."),
    # The HTML page is a form to log in, with HTTP 200: it must not be asked for.
    _final("readapidenied", "private", "The wiki is for its members only.", is_for_site=True),
    _final("permissiondenied", "private", "The page is for some members only."),
    _final("categorylockdown", "private", "The page is in a category for some members only."),
    _final("badaccess*", "private", "The page is for some members only."),
    _retry("maxlag", "The wiki's databases lag behind."),
    _retry("ratelimited", "The wiki was asked too often."),
    _retry("actionthrottledtext", "The wiki was asked too often."),
    _retry("rest-rate-limit-exceeded", "The wiki was asked too often."),
    _retry("cirrussearch-too-busy-error", "The wiki's search is busy."),
    _retry("concurrency-limit", "The wiki renders too many pages at once."),
    _retry("paused", "The wiki asked for a longer pause than WIKI_MAX_PAUSE_SECONDS."),
    _retry("readonly", "The wiki is closed for writing."),
    _retry("http_429", "The wiki was asked too often."),
    _retry("http_503", "The wiki's server is busy."),
    _broken("internal_api_error_DB*", "The wiki's database failed."),
    _broken("http_5*", "The wiki's server failed."),
    _broken("no_answer", "The wiki's API did not answer."),
    _html("internal_api_error_*", "The wiki failed to answer about this page."),
    _html("ignored", "Another component of the crawler refused the question."),
    _html("no_text", "The answer has no page in it."),
    _html("truncated", "The answer was too long for the API."),
    _html("badvalue*", "The wiki does not know a parameter's value."),
    _html("toomanyvalues", "Too many values were asked for at once."),
    _html("unknown_*", "The wiki does not know what was asked for."),
    _html("http_400", "The wiki's server refused this question."),
    _html("http_413", "The question was too long for the wiki's server."),
    _html("http_414", "The question was too long for the wiki's server."),
    _down("unknown_action", "The wiki's API does not know the action."),
    _down("unknown_format", "The wiki's API does not speak JSON."),
    _down("apidisabled", "The wiki's API is switched off."),
    _down("robots", "robots.txt forbids the API, and WIKI_API_ROBOTS is strict."),
    _down("not_json", "The wiki's API answers with something else than JSON."),
    _down("http_*", "The wiki's API is not to be had."),
)
UNKNOWN = Rule("*", "html", sentence="The wiki's API gave an error that is not in the table.")

EXACT = {rule.code: rule for rule in TABLE if not rule.code.endswith("*")}
# The longest beginning wins, so that http_5* comes before http_*.
PREFIXES = sorted((rule for rule in TABLE if rule.code.endswith("*")), key=lambda rule: -len(rule.code))


def look_up(code: str) -> Rule:
    if code in EXACT:
        return EXACT[code]
    return next((rule for rule in PREFIXES if code.startswith(rule.code[:-1])), UNKNOWN)
