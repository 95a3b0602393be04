"""What urls.py promises about the identity of links and the borders of a crawl."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wikicrawl.urls import MAX_CHARS, Refusal, Scope, canonical, netloc, path_of, resolve, typed_url

WPT = Path(__file__).parents[2] / "shared" / "corpora" / "urltestdata.json"


def wpt_cases():
    if not WPT.exists():
        pytest.skip("../shared/corpora/urltestdata.json is absent")
    return [case for case in json.loads(WPT.read_text()) if isinstance(case, dict)]


def spelt(url):
    """An independent reading of «hex in upper case, unreserved characters decoded, nothing beside a stray %»."""
    if re.search(r"%(?![0-9a-fA-F]{2})", url):
        return url
    upper = re.sub(r"%..", lambda escape: escape[0].upper(), url)
    return re.sub(r"%(2D|2E|5F|7E|3\d|[46][1-9A-F]|[57][0-9A])", lambda escape: chr(int(escape[1], 16)), upper)


def test_all_wpt_cases_resolve_as_in_browsers():
    cases = wpt_cases()
    wrong = [
        case
        for case in cases
        if resolve(case["input"], case["base"]) != (Refusal("invalid") if case.get("failure") else case["href"])
    ]
    assert len(cases) == 891
    assert wrong == []


def test_every_wpt_case_has_the_canonical_form_that_its_parts_make():
    for case in wpt_cases():
        result = canonical(case["input"], case["base"])
        if case.get("failure"):
            assert result == Refusal("invalid"), case
        elif case["protocol"] not in {"http:", "https:"}:
            assert result == Refusal("scheme"), case
        else:
            assert result == spelt(f"{case['protocol']}//{case['host']}{case['pathname']}{case['search']}"), case
            assert canonical(result) == result


# fmt: off
PIECES = st.sampled_from([
    "http", "https", "://", ":", "//", "/", "\\", ".", "..", "@", "#", "?", "&", "=", "%", "%%", "%2", "%2e", "%2E",
    "%41", "%7b", "%25", "%zz", "{", "{{", "${", "<%", "[", "]", "|", "^", "'", '"', "utm_a=", "%75tm_a=%",
    "fbclid=", "a", "b", "é", "ß", "ſ", "ツ", "①", "xn--", "example.com", "www.", "127.1", "0x7f", ":80", ":443",
    ":8080", "user:pw@", "\ud800", "\x00", "\t", "\n", "﹛", "＠", "index.html",
])
# fmt: on
URLISH = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=12).map(lambda pieces: "http://h/" + "".join(pieces)),
    st.lists(PIECES, max_size=8).map(lambda pieces: "https://" + "".join(pieces)),
)


@settings(deadline=None, max_examples=500)
@given(URLISH, st.sampled_from([None, "http://base.test/a/b?c=d", "https://u:p@base.test:8443"]))
@example("http://h/?utm_x=%&a=%41", None)
@example("http://h/?%75tm_x=1", None)
@example("http://h/?{\t{x", None)
@example("http://h/%7B{x", None)
@example("http://｛{x/", None)
@example("http://h/%%341", None)
@example("http://h?", None)
def test_canonical_is_idempotent_and_never_raises(link, base):
    once = canonical(link, base)
    if isinstance(once, str):
        assert canonical(once) == once
        assert once.startswith(("http://", "https://"))
        assert once.isascii()
        assert "#" not in once
        assert "@" not in netloc(once)
        assert path_of(once).startswith("/")


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("b", "http://h/x/b"),
        ("../b?c#d", "http://h/b?c"),
        ("//other/b", "http://other/b"),
        ("?q=1", "http://h/x/a?q=1"),
        ("", "http://h/x/a"),
        ("#top", "http://h/x/a"),
        ("  \n/b\t/c ", "http://h/b/c"),
        ("\\b", "http://h/b"),
        ("HTTP://H.Example/", "http://h.example/"),
        ("http://h:80/", "http://h/"),
        ("https://h:443/", "https://h/"),
        ("http://h:443/", "http://h:443/"),
        ("https://h:80/", "https://h:80/"),
        ("http://user:secret@h/a@b", "http://h/a@b"),
        ("http://127.0.0.1:80\\@example.com/", "http://127.0.0.1/@example.com/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
        ("/?", "http://h/"),
        ("/?utm_source=a&b=2&UTM_Medium=c&a=1&gclid=x", "http://h/?b=2&a=1"),
        ("/?fbclid=x", "http://h/"),
        ("/?%75tm_source=a&z", "http://h/?z"),
        ("/?a=%20&b=+&&c", "http://h/?a=%20&b=+&&c"),
        ("/?a=%&utm_x=1&b=%41", "http://h/?a=%&b=%41"),
        ("/%7euser/%2fa%c3%a9", "http://h/~user/%2Fa%C3%A9"),
        ("/100%/%41", "http://h/100%/%41"),
        ("/a/%2e%2E/b", "http://h/b"),
        ("/\ud800", "http://h/%EF%BF%BD"),
    ],
)
def test_a_link_has_one_form(link, expected):
    assert canonical(link, "http://h/x/a") == expected


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("javascript:void(0)", "scheme"),
        (" JavaScript:alert(1)", "scheme"),
        ("mailto:a@b", "scheme"),
        ("tel:+1", "scheme"),
        ("data:text/html,x", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://h/", "scheme"),
        ("blob:http://h/x", "scheme"),
        ("view-source:http://h/", "scheme"),
        ("about:blank", "scheme"),
        ("/{{ item.url }}", "template"),
        ("/%7b%7bx%7D%7D", "template"),
        ("https://{{host}}:{{port}}/", "template"),
        ("/a?b=${id}", "template"),
        ("${url}", "template"),
        ("<%= link %>", "template"),
        ("/<%ad_link%>", "template"),
        ("http://", "invalid"),
        ("http://a b/", "invalid"),
        ("http://h:99999/", "invalid"),
        ("/" + "a" * MAX_CHARS, "too_long"),
    ],
)
def test_a_link_that_is_no_page_is_refused(link, reason):
    assert canonical(link, "http://h/") == Refusal(reason)


def test_a_relative_link_without_base_is_invalid():
    assert canonical("/a") == Refusal("invalid")


def test_the_longest_url_is_still_taken():
    url = "http://h/".ljust(MAX_CHARS, "a")
    assert canonical(url) == url
    assert canonical(f"{url}?utm_source=x#y") == url


def test_netloc_keeps_the_port():
    assert netloc("http://h:8080/a/b?c=/d") == "h:8080"
    assert netloc("http://[::1]/") == "[::1]"


HOST = Scope("https://www.example.com/docs/")
PORT = Scope("http://127.0.0.1:8080/")
SUBDOMAINS = Scope("https://www.example.com/", kind="subdomains")


@pytest.mark.parametrize(
    ("scope", "link", "expected"),
    [
        (HOST, "/a", "https://www.example.com/a"),
        (HOST, "http://example.com/a", "http://example.com/a"),
        (HOST, "http://example.com:443/a", "offsite"),
        (HOST, "https://example.com:8443/a", "offsite"),
        (HOST, "https://docs.example.com/a", "offsite"),
        (HOST, "https://badexample.com/a", "offsite"),
        (HOST, "https://www.example.com@evil.com/", "offsite"),
        (HOST, "mailto:a@example.com", "scheme"),
        (PORT, "/a", "http://127.0.0.1:8080/a"),
        (PORT, "http://127.0.0.1:8081/a", "offsite"),
        (PORT, "http://127.0.0.1/a", "offsite"),
        (SUBDOMAINS, "https://a.docs.example.com/x", "https://a.docs.example.com/x"),
        (SUBDOMAINS, "https://example.com/x", "https://example.com/x"),
        (SUBDOMAINS, "https://badexample.com/x", "offsite"),
        (SUBDOMAINS, "https://example.com.evil.com/x", "offsite"),
        (SUBDOMAINS, "https://docs.example.com:8443/x", "offsite"),
    ],
)
def test_the_host_rule(scope, link, expected):
    admitted = scope.admit(link, scope.start)
    assert (admitted.reason if isinstance(admitted, Refusal) else admitted) == expected


@pytest.mark.parametrize("start", ["/docs", "/docs/", "/docs/index.html", "/docs/?page=/x/y"])
def test_a_path_scope_keeps_to_the_folder_of_its_start(start):
    scope = Scope(f"http://h{start}", kind="path")
    assert scope.admit("/docs/deep/page") == Refusal("invalid")
    assert scope.admit("/docs/deep/page", scope.start) == "http://h/docs/deep/page"
    assert scope.admit(scope.start) == scope.start
    for outside in ("/", "/docs2", "/docs.html", "/blog/docs/", "/docs/../blog"):
        assert scope.admit(outside, scope.start) == Refusal("path"), outside
    assert scope.admit("http://other/docs/a") == Refusal("offsite")


def test_a_path_scope_at_the_root_is_the_whole_host():
    for start in ("http://h", "http://h/", "http://h/index.html"):
        assert Scope(start, kind="path").admit("http://h/a/b") == "http://h/a/b"


def test_a_version_number_in_the_start_path_is_a_folder():
    scope = Scope("http://h/docs/v1.2", kind="path")
    assert scope.admit("http://h/docs/v1.2/a") == "http://h/docs/v1.2/a"
    assert scope.admit("http://h/docs/v1.3/a") == Refusal("path")


def test_where_the_start_redirects_to_counts_as_the_start():
    scope = Scope("http://h/", also=("www.new.example:8080",))
    assert scope.admit("http://new.example:8080/a") == "http://new.example:8080/a"
    assert scope.admit("http://h/a") == "http://h/a"
    assert scope.admit("http://new.example/a") == Refusal("offsite")


def test_one_include_must_match_and_no_exclude_may():
    scope = Scope("http://h/", include=("/wiki/", "/blog/"), exclude=(r"[?&]action=", "/blog/draft"))
    assert scope.admit("http://h/wiki/A") == "http://h/wiki/A"
    assert scope.admit("http://h/other") == Refusal("not_included")
    assert scope.admit("http://h/wiki/A?action=edit") == Refusal("excluded")
    assert scope.admit("http://h/blog/draft-1") == Refusal("excluded")


def test_rewriting_comes_before_the_tests_and_is_made_canonical():
    scope = Scope(
        "http://h/",
        include=("^http://h/page/",),
        normalize=((r"/p/(\d+)", r"/page/\1"), (r"([?&])sid=[^&]*&?", r"\1"), (r"[?&]$", "")),
    )
    assert scope.admit("http://h/p/7?sid=abc") == "http://h/page/7"
    assert scope.admit("http://h/p/7?sid=abc&x=1") == "http://h/page/7?x=1"
    assert Scope("http://h/", normalize=(("^http:", "HTTPS:"),)).admit("http://h/a") == "https://h/a"
    assert Scope("http://h/", normalize=(("^.*$", "gone"),)).admit("http://h/a") == Refusal("invalid")
    assert Scope("http://h/", normalize=(("//h/", "//evil/"),)).admit("http://h/a") == Refusal("offsite")


@pytest.mark.parametrize(
    "path", ["/a.jpg", "/a.PNG?w=1", "/a/b.tar.gz", "/x.woff2", "/app.js", "/site.css", "/v.mp4", "/a%2Ejpg"]
)
def test_media_are_no_pages(path):
    assert Scope("http://h/").admit(f"http://h{path}") == Refusal("media")


@pytest.mark.parametrize(
    "path",
    [
        "/a.pdf",
        "/a.docx",
        "/a.html",
        "/a.php",
        "/feed.xml",
        "/a.jpg/",
        "/a?file=b.jpg",
        "/wiki/Node.js",
        "/File:Photo.jpg",
        "/index.php/Vue.js",
        "/png",
    ],
)
def test_documents_and_wiki_titles_are_pages(path):
    assert Scope("http://h/").admit(f"http://h{path}") == f"http://h{path}"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"include": ("ok", "(")}, r"include: bad pattern '\('"),
        ({"exclude": ("[a",)}, r"exclude: bad pattern '\[a'"),
        ({"normalize": (("*", ""),)}, r"normalize: bad pattern '\*'"),
        ({"normalize": (("a", r"\1"),)}, r"normalize: bad replacement '\\\\1' for 'a'"),
        ({"normalize": (("a", r"\g<x>"),)}, "normalize: bad replacement"),
        ({"kind": "world"}, r"kind: unknown 'world' \(host, subdomains, path\)"),
    ],
)
def test_a_bad_argument_is_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        Scope("http://h/", **arguments)


def test_a_start_that_cannot_be_crawled_is_named():
    with pytest.raises(ValueError, match=r"start: 'ftp://h/' is no crawlable URL \(scheme\)"):
        Scope("ftp://h/")


def test_a_scope_survives_pickling_and_keeps_its_start_canonical():
    scope = Scope("HTTP://u:p@H/a#b", kind="path", include=("a",), normalize=(("a", "a"),), also=("x",))
    assert scope.start == "http://h/a"
    scope.admit("http://h/a/b")
    copy = pickle.loads(pickle.dumps(scope))
    assert copy == scope
    assert hash(copy) == hash(scope)
    assert copy.admit("http://h/a/b") == "http://h/a/b"


def test_sifting_canonical_urls_is_admitting_each_of_them_once():
    scope = Scope(start="http://a.example/", exclude=("/private",))
    links = [
        "http://a.example/x",
        "http://b.example/",
        "http://a.example/private/1",
        "http://a.example/x",
        "http://a.example/y.png",
    ]
    assert scope.sift(links) == ["http://a.example/x"]
    rewriting = Scope(start="http://a.example/", normalize=((r"\?.*", ""),))
    assert rewriting.sift(["http://a.example/x?a=1", "http://a.example/x?b=2"]) == ["http://a.example/x"]


@pytest.mark.parametrize(
    ("text", "url"), [("example.org", "https://example.org/"), ("http://a.example", "http://a.example/")]
)
def test_an_address_may_be_typed_without_its_scheme(text, url):
    assert typed_url(text) == url


def wiki_rule(url):
    if "/wiki/" not in url:
        return None
    return Refusal("special") if "Special:" in url else url.replace("/wiki/the_", "/wiki/The_")


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        pytest.param("/wiki/the_page", "https://site.test/wiki/The_page", id="its one form"),
        pytest.param("/wiki/Node.js", "https://site.test/wiki/Node.js", id="a page that ends like a script"),
        pytest.param("/wiki/Special:Random", Refusal("special"), id="refused"),
        pytest.param("/about", "https://site.test/about", id="not known to the rule"),
        pytest.param("/lib/a.js", Refusal("media"), id="a script that the rule does not know"),
        pytest.param("https://other.test/wiki/A", Refusal("offsite"), id="known, but offsite"),
    ],
)
def test_a_rule_knows_the_pages_of_its_site(link, expected):
    scope = Scope(start="https://site.test/", rules=(wiki_rule,))
    url = f"https://site.test{link}" if link.startswith("/") else link
    assert scope.admit(url) == expected
    assert scope.sift([url, url]) == ([] if isinstance(expected, Refusal) else [expected])


@pytest.mark.parametrize(
    ("link", "kept"),
    [
        ("http://h/a;jsessionid=1A2B3C?x=1", "http://h/a?x=1"),
        ("http://h/a;%6Asessionid=1A2B3C", "http://h/a"),
        ("http://h/(S(lit3py55t21z5v55vlm25s55))/page.aspx", "http://h/page.aspx"),
        ("http://h/a?PHPSESSID=1&b=2", "http://h/a?b=2"),
        ("http://h/a?sid=4f3a9c4f3a9c4f3a9c4f&b=2", "http://h/a?b=2"),
        ("http://h/story?sid=23873421", "http://h/story?sid=23873421"),
        ("http://h/search?s=ferries", "http://h/search?s=ferries"),
    ],
)
def test_a_session_is_no_part_of_an_address(link, kept):
    assert canonical(link) == kept
    assert canonical(kept) == kept


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a/a/a", "repeats"),
        ("x/a/b/a/b/a/b/y", "repeats"),
        ("a/b/c/a/b/c/a/b/c", "repeats"),
        ("a?b=1&b=1&b=1", "repeats"),
        ("/".join(map(str, range(16))), "too_deep"),
        ("a/a", ""),
        ("2011/11/11/11", ""),
        ("a/ab/abc", ""),
        ("a?b=1&b=2&b=3", ""),
        ("/".join(map(str, range(15))), ""),
    ],
)
def test_an_address_that_has_grown_is_refused(path, reason):
    url = f"http://h/{path}"
    assert Scope("http://h/").admit(url) == (Refusal(reason) if reason else url)


def test_a_page_that_a_rule_knows_may_have_any_title():
    scope = Scope("http://h/", rules=(lambda url: url,))
    assert scope.admit("http://h/wiki/No/No/No") == "http://h/wiki/No/No/No"


class Learned:
    def fold(self, url):
        return url.replace("/b", "/a")

    def is_trap(self, url):
        return "calendar" in url


def test_what_was_learned_folds_and_refuses_links():
    scope = Scope("http://h/", habits=Learned())
    assert scope.admit("http://h/b") == "http://h/a"
    assert scope.admit("http://h/calendar") == Refusal("trap")
    assert scope.sift(["http://h/a", "http://h/b", "http://h/calendar", "http://h/c"]) == ["http://h/a", "http://h/c"]


def test_nothing_folds_into_what_is_not_of_the_crawl():
    scope = Scope("http://h/", exclude=("/a",), habits=Learned())
    assert scope.admit("http://h/b") == "http://h/b"
