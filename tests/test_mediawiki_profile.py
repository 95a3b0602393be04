"""What profile.py reads from a wiki's siteinfo, and what it does where something is missing."""

from __future__ import annotations

import json
import pickle

import pytest

from wikicrawl.mediawiki.profile import Namespace, from_json, read_profile, to_json
from wikicrawl.mediawiki.titles import Target, target_of, url_of

API = "https://wiki.example/w/api.php"
GENERAL = {
    "generator": "MediaWiki 1.39.17",
    "server": "//wiki.example",
    "articlepath": "/wiki/$1",
    "script": "/w/index.php",
    "sitename": "Beispiel",
    "mainpage": "Hauptseite",
    "lang": "de",
    "rtl": False,
    "case": "first-letter",
    "fallback8bitEncoding": "windows-1251",
}
MODERN = {
    "general": GENERAL,
    "namespaces": {
        "-1": {"id": -1, "case": "first-letter", "name": "Spezial", "canonical": "Special", "content": False},
        "0": {"id": 0, "case": "case-sensitive", "name": "", "content": True},
        "4": {"id": 4, "case": "first-letter", "name": "Beispiel", "canonical": "Project", "content": False},
        "6": {"id": 6, "case": "first-letter", "name": "Datei", "canonical": "File", "content": False},
        "3000": {"id": 3000, "case": "first-letter", "name": "Alte Quest", "content": True},
    },
    "namespacealiases": [{"id": 6, "alias": "Image"}, {"id": 6, "alias": "Project"}, {"id": 99, "alias": "Nowhere"}],
    "rightsinfo": {"url": "https://licence.example/", "text": "CC BY-SA 4.0"},
    "statistics": {"pages": 1234},
}
OLD = {
    "general": {key: value for key, value in GENERAL.items() if key != "rtl"},
    "namespaces": {
        "-1": {"id": -1, "case": "first-letter", "*": "Spezial", "canonical": "Special"},
        "0": {"id": 0, "case": "case-sensitive", "*": "", "content": ""},
        "4": {"id": 4, "case": "first-letter", "*": "Beispiel", "canonical": "Project"},
        "6": {"id": 6, "case": "first-letter", "*": "Datei", "canonical": "File"},
        "3000": {"id": 3000, "case": "first-letter", "*": "Alte Quest", "content": ""},
    },
    "namespacealiases": [{"id": 6, "*": "Image"}, {"id": 6, "*": "Project"}, {"id": 99, "*": "Nowhere"}],
    "rightsinfo": {"url": "https://licence.example/", "text": "CC BY-SA 4.0"},
    "statistics": {"pages": "1234"},
}


def with_general(**general):
    return read_profile({"general": {"generator": "MediaWiki 1.39.17", **general}}, API)


@pytest.mark.parametrize("siteinfo", [MODERN, {"query": MODERN}, OLD], ids=["query", "answer", "formatversion_1"])
def test_a_wiki_is_what_its_siteinfo_says(siteinfo):
    wiki = read_profile(siteinfo, API)
    assert wiki.api == API
    assert wiki.server == "https://wiki.example"
    assert (wiki.article_path, wiki.script) == ("/wiki/$1", "/w/index.php")
    assert (wiki.sitename, wiki.main_page, wiki.language) == ("Beispiel", "Hauptseite", "de")
    assert (wiki.case, wiki.is_rtl, wiki.encoding) == ("first-letter", False, "cp1251")
    assert (wiki.license_url, wiki.license_text) == ("https://licence.example/", "CC BY-SA 4.0")
    assert wiki.pages == 1234
    assert wiki.content_namespaces == (0, 3000)
    assert wiki.by_id[3000] == Namespace(id=3000, name="Alte Quest", canonical="", is_content=True)
    assert wiki.by_id[0].case == "case-sensitive"
    assert wiki.hosts == ("wiki.example",)


def test_a_namespace_is_known_by_all_its_names_and_the_canonical_one_wins():
    aliases = read_profile(MODERN, API).aliases
    assert aliases["datei"] == aliases["file"] == aliases["image"] == 6
    assert aliases["alte quest"] == 3000
    assert aliases["project"] == aliases["beispiel"] == 4
    assert aliases["media"] == -2
    assert "nowhere" not in aliases


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ({}, "no query.general"),
        ({"query": []}, "no query.general"),
        ({"general": {}}, "no MediaWiki as its generator"),
        ({"general": {"generator": "WordPress"}}, "no MediaWiki as its generator"),
        ({**MODERN, "namespaces": [{"name": "A"}]}, "a number was expected"),
        ({**MODERN, "statistics": {"pages": "many"}}, "many"),
    ],
    ids=["empty", "list", "no_generator", "another_engine", "namespace_without_id", "pages_without_number"],
)
def test_an_answer_that_is_no_mediawiki_is_refused_by_name(answer, named):
    with pytest.raises(ValueError, match=named):
        read_profile(answer, API)


def test_an_api_must_have_an_address():
    with pytest.raises(ValueError, match="no address of an API"):
        read_profile(MODERN, "ftp://wiki.example/api.php")


def test_an_answer_without_details_gets_what_every_wiki_has():
    wiki = with_general()
    assert wiki.server == "https://wiki.example"
    assert wiki.script == "/w/index.php"
    assert wiki.article_path == "/w/index.php?title=$1"
    assert wiki.sitename == "wiki.example"
    assert (wiki.main_page, wiki.language, wiki.case) == ("Main Page", "en", "first-letter")
    assert [namespace.id for namespace in wiki.namespaces] == [-2, -1, 0]
    assert wiki.content_namespaces == (0,)
    assert wiki.aliases == {"special": -1, "media": -2}
    assert (wiki.license_url, wiki.license_text, wiki.pages) == ("", "", 0)


@pytest.mark.parametrize(
    ("general", "server"),
    [
        ({"server": "http://Wiki.Example:80"}, "http://wiki.example"),
        ({"server": "https://wiki.example:8443"}, "https://wiki.example:8443"),
        ({"server": "//www.wiki.example"}, "https://www.wiki.example"),
        ({"base": "http://old.example/wiki/Main_Page"}, "http://old.example"),
        ({"server": "http://a b/"}, "https://wiki.example"),
    ],
    ids=["own_port", "port", "without_scheme", "from_the_main_page", "senseless"],
)
def test_the_server_has_one_spelling(general, server):
    assert with_general(**general).server == server


@pytest.mark.parametrize(
    ("general", "path"),
    [
        ({"articlepath": "/$1"}, "/$1"),
        ({"articlepath": "https://wiki.example/wiki/$1"}, "/wiki/$1"),
        ({"articlepath": "/вики/$1"}, "/%D0%B2%D0%B8%D0%BA%D0%B8/$1"),
        ({"base": "https://wiki.example/x/Main_Page", "mainpage": "Main Page"}, "/x/$1"),
        ({"articlepath": "/nothing"}, "/w/index.php?title=$1"),
        ({"articlepath": "https://other.example/$1"}, "/w/index.php?title=$1"),
    ],
    ids=["root", "whole_url", "cyrillic", "from_the_main_page", "without_a_place", "elsewhere"],
)
def test_the_article_path_has_a_place_for_the_title(general, path):
    assert with_general(**general).article_path == path


@pytest.mark.parametrize(
    ("api", "general", "hosts"),
    [
        (API, {"server": "https://www.wiki.example"}, ("wiki.example",)),
        (API, {"server": "https://new.example"}, ("new.example", "wiki.example")),
        (API, {"mobileserver": "//m.wiki.example"}, ("wiki.example", "m.wiki.example")),
        ("https://en.wikipedia.org/w/api.php", {}, ("en.wikipedia.org", "en.m.wikipedia.org")),
        ("https://www.wikidata.org/w/api.php", {}, ("wikidata.org", "m.wikidata.org")),
        ("http://127.0.0.1:8080/api.php", {}, ("127.0.0.1:8080",)),
    ],
    ids=["www", "moved", "mobile", "wikipedia", "wikidata", "port"],
)
def test_a_wiki_is_met_under_its_hosts(api, general, hosts):
    wiki = read_profile({"general": {"generator": "MediaWiki 1.44.0", **general}}, api)
    assert wiki.hosts == hosts


@pytest.mark.parametrize(
    ("host", "is_wikimedia"),
    [
        ("en.wikipedia.org", True),
        ("www.wikidata.org", True),
        ("mediawiki.org", True),
        ("commons.wikimedia.org", True),
        ("notwikipedia.org", False),
        ("wikipedia.org.example", False),
    ],
)
def test_the_wikis_of_wikimedia_are_known(host, is_wikimedia):
    assert with_general(server=f"https://{host}").is_wikimedia is is_wikimedia


@pytest.mark.parametrize(
    "siteinfo", [MODERN, OLD, {"general": {"generator": "MediaWiki 1.8"}}], ids=["new", "old", "bare"]
)
def test_a_profile_survives_being_stored(siteinfo):
    wiki = read_profile(siteinfo, API)
    copy = from_json(json.loads(json.dumps(to_json(wiki))))
    assert copy == wiki
    assert hash(copy) == hash(wiki)
    assert pickle.loads(pickle.dumps(copy)) == wiki


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": 2}, "version 2, not 1"),
        ({"version": None}, "version None"),
        ({"hosts": None}, "incomplete"),
        ({"more": 1}, "incomplete"),
    ],
    ids=["newer", "none", "broken", "unknown_field"],
)
def test_a_stored_profile_of_another_kind_is_refused(change, named):
    with pytest.raises(ValueError, match=named):
        from_json({**to_json(read_profile(MODERN, API)), **change})


@pytest.mark.parametrize(
    "general",
    [
        pytest.param({"articlepath": "/$1/$1"}, id="two places for the title"),
        pytest.param({"variantarticlepath": "/$2/"}, id="no place for it"),
        pytest.param({"fallback8bitEncoding": "hex"}, id="an encoding of no text"),
        pytest.param({"fallback8bitEncoding": "idna"}, id="an encoding of names"),
        pytest.param({"fallback8bitEncoding": "no\0ne"}, id="no encoding"),
    ],
)
def test_a_profile_with_odd_details_can_be_worked_with(general):
    wiki = with_general(**general)
    assert isinstance(target_of(wiki, f"{wiki.server}{wiki.script}?title=Caf%E9"), Target)
    assert isinstance(url_of(wiki, "A"), str)
    assert target_of(wiki, f"{wiki.server}/de-at/A") is None
