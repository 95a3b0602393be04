"""What a robots.txt means, as text."""

import json
import random
import re
import resource
import time
from pathlib import Path

import pytest

from wikicrawl.robots import MAX_BYTES, MAX_LINE, access_of, product_token, read_rules, to_text

CORPUS = Path(__file__).parents[2] / "shared" / "corpora" / "robots-google.json"


def allows(text, path="/x", agent="wikicrawl"):
    return read_rules(to_text(text if isinstance(text, bytes) else text.encode()), agent).allow(f"http://h{path}")


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not beside the project")
def test_googles_own_cases_hold():
    cases = json.loads(CORPUS.read_text(encoding="utf-8"))
    assert len(cases) == 140
    assert not [case for case in cases if read_rules(case["robots"], case["ua"]).allow(case["url"]) != case["allowed"]]


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        ("Disallow: /%62az", "/baz", False),  # by the RFC they are one
        ("Disallow: /baz", "/%62az", False),
        ("Disallow: /\nAllow: /%62az", "/baz", False),  # Google tells them apart
        ("Disallow: /\nAllow: /%62az", "/%62az", True),
        ("Disallow: /\nAllow: /caf%c3%a9", "/caf%C3%A9", True),
        ("Disallow: /\nAllow: /café", "/caf%C3%A9", True),
        ("Disallow: /\nAllow: /a*%20b$", "/a/c%20b", True),
        ("Disallow: /\nAllow: /a*%20b$", "/a/c%20bc", False),
    ],
)
def test_of_two_readings_of_an_escape_the_stricter_holds(rules, path, is_allowed):
    assert allows(f"User-agent: *\n{rules}", path) is is_allowed


def plainly_allows(text, path):
    """The same by the plainest reading: all groups at once, the longest matching rule, at a tie that which allows."""
    longest = {whom: {"allow": -1, "disallow": -1} for whom in ("wikicrawl", "*")}
    named, is_heading, is_own = set(), False, False
    for name, value in (line.split(": ", 1) for line in text.splitlines()):
        if name == "User-agent":
            named = {*(named if is_heading else ()), "*" if value == "*" else value.partition("/")[0].lower()}
            is_heading, is_own = True, is_own or "wikicrawl" in named
        elif name.lower() in ("allow", "disallow"):
            is_heading = False
            pattern = "".join(".*" if char == "*" else re.escape(char) for char in value.removesuffix("$"))
            if value and re.match(pattern + "$" * value.endswith("$"), path):
                for whom in named & longest.keys():
                    longest[whom][name.lower()] = max(longest[whom][name.lower()], len(value))
    found = longest["wikicrawl" if is_own else "*"]
    return found["allow"] >= found["disallow"]


def test_random_files_are_read_as_by_the_plainest_reading():
    dice = random.Random(9309)
    agents = ["*", "wikicrawl", "wiki", "wikicrawler", "other", "WikiCrawl/1.0", "crawl"]
    patterns = ["/", "/a", "/a/b", "/a/*", "/*b", "/b$", "/a*b$", "/a/b/c", "", "/*", "/a?x=1", "/a%20b"]
    lines = [
        *(f"User-agent: {agent}" for agent in agents),
        *(f"{name}: {pattern}" for name in ("Allow", "Disallow") for pattern in patterns),
        *("Crawl-delay: 1", "Sitemap: http://h/s.xml", "What-is-this: x"),
    ]
    paths = ["/", "/a", "/a/b", "/b", "/a/b/c", "/ab", "/c", "/a?x=1", "/x/b", "/a%20b"]
    for _ in range(5_000):
        text = "\n".join(
            f"User-agent: {dice.choice(agents)}" if dice.random() < 0.3 else dice.choice(lines) for _ in range(8)
        )
        path = dice.choice(paths)
        assert allows(text, path) == plainly_allows(text, path), (text, path)


@pytest.mark.parametrize(
    ("status", "access"),
    [
        (200, "rules"), (204, "rules"), (301, "allow"), (304, "allow"), (400, "allow"), (401, "allow"), (403, "allow"),
        (404, "allow"), (410, "allow"), (429, "wait"), (500, "wait"), (503, "wait"), (599, "wait"), (999, "wait"),
    ],
)  # fmt: skip
def test_a_status_means_rules_none_or_not_now(status, access):
    assert access_of(status) == access


@pytest.mark.parametrize(
    "lines",
    [
        ["User-agent: other", "Crawl-delay: 5", "User-agent: *", "Disallow: /"],
        ["User-agent: wikicrawl", "What-is-this: x", "User-agent: other", "Disallow: /"],
        ["User-agent: wikicrawl", "Sitemap: http://h/s.xml", "", "User-agent: other", "Disallow: /"],
        ["User-agent: WikiCrawl/2.0 (compatible)", "Disallow: /"],
        ["USER-AGENT : wikicrawl", "dissalow : /"],
        ["useragent wikicrawl", "Disallow /"],
        ["User-agent: *", "Allow: /", "User-agent: wikicrawl", "Disallow: /"],
        ["User-agent: wikicrawl", "Allow: /y", "User-agent: *", "Allow: /", "User-agent: wikicrawl", "Disallow: /"],
        ["User-agent: *", "Disallow: /", "Disallow: /y\u2028Allow: /x"],
    ],
    ids=" | ".join,
)
def test_the_page_is_forbidden(lines):
    assert not allows("\n".join(lines))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Disallow: /"],
        ["User-agent: wiki", "Disallow: /"],
        ["User-agent: wikicrawler", "Disallow: /"],
        ["User-agent: *", "Disallow: /", "User-agent: wikicrawl", "Disallow:"],
        ["User-agent: *", "Disallow: /", "Allow: /x"],
        ["User-agent: *", "Disallow: # /"],
        [
            "<!doctype html>",
            "<title>Not found: /</title>",
            "<p>User-agent: * is not welcome",
            "Disallow nothing at all",
        ],
    ],
    ids=" | ".join,
)
def test_the_page_is_allowed(lines):
    assert allows("\n".join(lines))


FORBIDDEN = "User-agent: *\nDisallow: /x\n"


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + FORBIDDEN.encode(),
        FORBIDDEN.replace("\n", "\r").encode(),
        FORBIDDEN.replace("\n", "\r\n").encode(),
        FORBIDDEN.encode("utf-16"),
        FORBIDDEN.encode("utf-16-le"),
        FORBIDDEN.encode("utf-16-be"),
        FORBIDDEN.replace("\n", "\x00\n").encode(),
        b"# caf\xe9\n" + FORBIDDEN.encode(),
    ],
    ids=["BOM", "CR", "CRLF", "UTF-16", "UTF-16LE without BOM", "UTF-16BE without BOM", "NUL", "Latin-1"],
)
def test_odd_bytes_are_read_as_they_are_meant(body):
    assert not allows(body)
    assert allows(body, "/y")


@pytest.mark.parametrize("line_end", ["\n", "\r"], ids=["LF", "CR"])
def test_the_first_512000_bytes_count_and_a_line_that_is_cut_off_does_not(line_end):
    head = line_end.join(["User-agent: *", "Disallow: /early", "#"])
    filled = head + "x" * (MAX_BYTES - len(head) - len(line_end) - 14) + line_end
    text = filled + line_end.join(["Disallow: /cut-off", "Disallow: /late", ""])
    assert len(filled) == MAX_BYTES - 14
    assert not allows(text, "/early")
    assert allows(text, "/cut-away")
    assert allows(text, "/late")


def test_a_line_without_end_is_cut_and_those_after_it_count():
    text = "User-agent: *\nDisallow: /" + "a" * 2 * MAX_LINE + "\nDisallow: /x\n"
    assert not allows(text)
    assert not allows(text, "/" + "a" * 2 * MAX_LINE)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"User-agent: bot{number}\n" for number in range(20_000))
        + "User-agent: wikicrawl\n"
        + "".join(f"Disallow: /{number}\n" for number in range(2_000)),
        "User-agent: *\n" + "".join(f"Disallow: /*a*b*{number}\n" for number in range(25_000)),
    ],
    ids=["20,000 agents with 2,000 rules", "25,000 rules with wildcards"],
)
def test_a_file_made_to_burn_time_and_memory_costs_little_of_either(text):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    rules = read_rules(to_text(text.encode()), "wikicrawl")
    assert not rules.allow("http://h/1999ab1999")
    assert time.process_time() - started < 1
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 50


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        (["User-agent: *", "Disallow: /x"], 0),
        (["User-agent: *", "Crawl-delay: 2.5", "Disallow: /x"], 2.5),
        (["User-agent: *", "Request-rate: 1/10", "Disallow: /x"], 10),
        (["User-agent: *", "Crawl-delay: 3", "Request-rate: 30/1m"], 3),
        (["User-agent: *", "Crawl-delay: soon"], 0),
        (["User-agent: *", "Crawl-delay: -1"], 0),
        (["User-agent: *", "Crawl-delay: inf"], 0),
        (["User-agent: other", "Crawl-delay: 9", "Disallow: /", "User-agent: *", "Crawl-delay: 1"], 1),
        (["User-agent: wikicrawl", "Disallow: /x", "User-agent: *", "Crawl-delay: 9"], 0),
    ],
    ids=lambda value: " | ".join(value) if isinstance(value, list) else str(value),
)
def test_the_delay_is_what_our_group_asks_for(lines, seconds):
    assert read_rules("\n".join(lines), "wikicrawl").delay_seconds == seconds


@pytest.mark.parametrize(
    ("agent", "token"),
    [("wikicrawl", "wikicrawl"), ("WikiCrawl/0.1 (+mail@example.org) Scrapy", "wikicrawl"), ("", "")],
)
def test_a_robot_is_known_by_the_first_word_of_its_agent(agent, token):
    assert product_token(agent) == token
