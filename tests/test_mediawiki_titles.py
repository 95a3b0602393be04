"""What titles.py promises about the addresses of a wiki's pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wikicrawl.mediawiki.profile import read_profile
from wikicrawl.mediawiki.titles import Target, namespace_of, normal_title, page_rule, target_of, url_of
from wikicrawl.urls import Refusal, canonical

NAMESPACES = {
    -2: ("Medium", "Media"),
    -1: ("Spezial", "Special"),
    0: ("", ""),
    1: ("Diskussion", "Talk"),
    2: ("Benutzer", "User"),
    6: ("Datei", "File"),
    14: ("Kategorie", "Category"),
    3000: ("Quest", "Quest"),
}


def wiki_at(api="https://wiki.example/w/api.php", names=NAMESPACES, **general):
    siteinfo = {
        "general": {
            "generator": "MediaWiki 1.39.17",
            "server": "https://wiki.example",
            "articlepath": "/wiki/$1",
            "script": "/w/index.php",
            "mainpage": "Hauptseite",
            "lang": "de",
            **general,
        },
        "namespaces": {
            str(number): {"id": number, "name": name, "canonical": english, "case": "first-letter"}
            for number, (name, english) in names.items()
        },
        "namespacealiases": [{"id": 6, "alias": "Bild"}, {"id": 6, "alias": "Image"}, {"id": 2, "alias": "Benutzerin"}],
    }
    return read_profile(siteinfo, api)


SHORT = wiki_at()
ROOT = wiki_at("https://wiki.example/api.php", articlepath="/$1", script="/index.php")
ROOT_W = wiki_at(articlepath="/$1")
QUERY = wiki_at(articlepath="/w/index.php?title=$1")
PATH_INFO = wiki_at(articlepath="/w/index.php/$1")
SUFFIX = wiki_at(articlepath="/wiki/$1.html")
ONE_FOLDER = wiki_at("https://wiki.example/wiki/api.php", script="/wiki/index.php")
GERMAN = wiki_at("https://wiki.example/de/api.php", articlepath="/de/wiki/$1", script="/de/index.php")
WIKIPEDIA = wiki_at("https://de.wikipedia.org/w/api.php", server="//de.wikipedia.org")
WIKIDATA = wiki_at("https://www.wikidata.org/w/api.php", server="//www.wikidata.org", mobileserver="//m.wikidata.org")
PORT = wiki_at("http://127.0.0.1:8080/w/api.php", server="http://127.0.0.1:8080")
CHINESE = wiki_at(
    articlepath="/$1", variantarticlepath="/$2/$1", variants=[{"code": "zh-cn"}, {"code": "zh-tw"}], lang="zh"
)
MAIN_AT_ROOT = wiki_at(mainpageisdomainroot=True)
HOME_QUERY = wiki_at(articlepath="/?title=$1")
API_ELSEWHERE = wiki_at("https://wiki.example/tools/mw.php", articlepath="/$1")
RUSSIAN = wiki_at(fallback8bitEncoding="windows-1251", lang="ru")
CYRILLIC = wiki_at(articlepath="/вики/$1")


@pytest.mark.parametrize(
    ("wiki", "url", "title"),
    [
        pytest.param(SHORT, "https://wiki.example/wiki/Hogger", "Hogger", id="article_path"),
        pytest.param(SHORT, "http://wiki.example/wiki/Hogger", "Hogger", id="http"),
        pytest.param(SHORT, "https://www.wiki.example/wiki/Hogger", "Hogger", id="www"),
        pytest.param(SHORT, "https://WIKI.example:443/wiki/Hogger", "Hogger", id="host_in_capitals"),
        pytest.param(SHORT, "https://wiki.example/wiki/Hogger#Loot", "Hogger", id="fragment"),
        pytest.param(SHORT, "https://wiki.example/wiki/Hogger%23Loot", "Hogger", id="escaped_fragment"),
        pytest.param(SHORT, "https://wiki.example/wiki/hogger", "Hogger", id="first_letter"),
        pytest.param(SHORT, "https://wiki.example/wiki/Elwynn_Forest", "Elwynn Forest", id="underscore"),
        pytest.param(SHORT, "https://wiki.example/wiki/Elwynn%20Forest", "Elwynn Forest", id="space"),
        pytest.param(SHORT, "https://wiki.example/wiki/_Elwynn__Forest_", "Elwynn Forest", id="many_underscores"),
        pytest.param(SHORT, "https://wiki.example/wiki/Elwynn%C2%A0Forest", "Elwynn Forest", id="no_break_space"),
        pytest.param(SHORT, "https://wiki.example/wiki/C++", "C++", id="plus_in_path"),
        pytest.param(SHORT, "https://wiki.example/wiki/C%2B%2B", "C++", id="escaped_plus"),
        pytest.param(SHORT, "https://wiki.example/wiki/AC%2fDC", "AC/DC", id="escaped_slash"),
        pytest.param(SHORT, "https://wiki.example/wiki//dev/null", "/dev/null", id="leading_slash"),
        pytest.param(SHORT, "https://wiki.example/wiki/50%25_off", "50% off", id="escaped_percent"),
        pytest.param(SHORT, "https://wiki.example/wiki/50%_off", "50% off", id="stray_percent"),
        pytest.param(SHORT, "https://wiki.example/wiki/%3F", "?", id="escaped_question_mark"),
        pytest.param(SHORT, "https://wiki.example/wiki/日本語", "日本語", id="unescaped"),
        pytest.param(SHORT, "https://wiki.example/wiki/e%CC%81t%C3%A9", "Été", id="decomposed"),
        pytest.param(SHORT, "https://wiki.example/wiki/:Kategorie:Gnolle", "Kategorie:Gnolle", id="leading_colon"),
        pytest.param(SHORT, "https://wiki.example/wiki/Category:gnolle", "Kategorie:Gnolle", id="canonical_namespace"),
        pytest.param(SHORT, "https://wiki.example/wiki/KATEGORIE_:_x", "Kategorie:X", id="namespace_in_capitals"),
        pytest.param(SHORT, "https://wiki.example/wiki/Image:A.png", "Datei:A.png", id="namespace_alias"),
        pytest.param(SHORT, "https://wiki.example/wiki/Bild%3AA.png", "Datei:A.png", id="escaped_colon"),
        pytest.param(SHORT, "https://wiki.example/wiki/Benutzerin:Eva", "Benutzer:Eva", id="gendered_namespace"),
        pytest.param(SHORT, "https://wiki.example/wiki/Talk:Hogger", "Diskussion:Hogger", id="talk_is_a_page"),
        pytest.param(SHORT, "https://wiki.example/wiki/Foo:_bar", "Foo: bar", id="colon_without_namespace"),
        pytest.param(SHORT, "https://wiki.example/wiki/api.php", "Api.php", id="title_like_a_script"),
        pytest.param(SHORT, "https://wiki.example/wiki/images/A", "Images/A", id="title_like_a_folder"),
        pytest.param(SHORT, "https://wiki.example/wiki/", "Hauptseite", id="no_title"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?action=view", "A", id="action_view"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?redirect=no", "A", id="redirect_no"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?useskin=timeless&printable=yes", "A", id="useless_query"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?uselang=fr", "A", id="uselang"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?oldid=&diff=0", "A", id="empty_revision"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?title=B", "A", id="path_before_query"),
        pytest.param(
            SHORT, "https://wiki.example/wiki/Category:A?pagefrom=B#mw-pages", "Kategorie:A", id="category_page"
        ),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=Hogger", "Hogger", id="script"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?useskin=x&title=hogger", "Hogger", id="title_comes_late"),
        pytest.param(
            SHORT, "https://wiki.example/w/index.php?title=Elwynn+Forest", "Elwynn Forest", id="plus_is_space"
        ),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=C%2B%2B", "C++", id="script_escaped_plus"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=Q%26A", "Q&A", id="script_ampersand"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=Caf%E9", "Café", id="script_latin1"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=A&title=B", "B", id="last_title"),
        pytest.param(SHORT, "https://wiki.example/w/index.php/Hogger", "Hogger", id="script_path_info"),
        pytest.param(SHORT, "https://wiki.example/w/index.php", "Hauptseite", id="bare_script"),
        pytest.param(SHORT, "https://wiki.example/w/?title=Hogger", "Hogger", id="script_folder"),
        pytest.param(ROOT, "https://wiki.example/Hogger", "Hogger", id="root"),
        pytest.param(ROOT, "https://wiki.example/", "Hauptseite", id="root_without_title"),
        pytest.param(ROOT, "https://wiki.example/AC/DC", "AC/DC", id="root_slash"),
        pytest.param(ROOT, "https://wiki.example//dev/null", "/dev/null", id="root_leading_slash"),
        pytest.param(ROOT, "https://wiki.example/index.php?title=Hogger", "Hogger", id="root_script"),
        pytest.param(ROOT, "https://wiki.example/index.php/Hogger", "Hogger", id="root_path_info"),
        pytest.param(ROOT, "https://wiki.example/LocalSettings.php", "LocalSettings.php", id="root_title_like_a_file"),
        pytest.param(ROOT, "https://wiki.example/Images/A", "Images/A", id="root_title_like_a_folder"),
        pytest.param(ROOT, "https://wiki.example/wiki/A", "Wiki/A", id="root_subpage"),
        pytest.param(ROOT_W, "https://wiki.example/w/index.php?title=A", "A", id="root_beside_w"),
        pytest.param(ROOT_W, "https://wiki.example/Wander", "Wander", id="root_beginning_like_w"),
        pytest.param(ROOT, "https://wiki.example/?title=Hogger", "Hauptseite", id="root_path_before_query"),
        pytest.param(RUSSIAN, "https://wiki.example/w/index.php?title=%CC%E8%F0", "Мир", id="script_cyrillic"),
        pytest.param(HOME_QUERY, "https://wiki.example/?title=Hogger", "Hogger", id="query_path_at_root"),
        pytest.param(QUERY, "https://wiki.example/w/index.php?title=Hogger", "Hogger", id="query_path"),
        pytest.param(QUERY, "https://wiki.example/w/index.php/Hogger", "Hogger", id="query_path_path_info"),
        pytest.param(PATH_INFO, "https://wiki.example/w/index.php/AC/DC", "AC/DC", id="path_info"),
        pytest.param(PATH_INFO, "https://wiki.example/w/index.php?title=A", "A", id="path_info_script"),
        pytest.param(SUFFIX, "https://wiki.example/wiki/Hogger.html", "Hogger", id="suffix"),
        pytest.param(ONE_FOLDER, "https://wiki.example/wiki/Hogger", "Hogger", id="one_folder"),
        pytest.param(ONE_FOLDER, "https://wiki.example/wiki/index.php?title=A", "A", id="one_folder_script"),
        pytest.param(GERMAN, "https://wiki.example/de/wiki/Hogger", "Hogger", id="language_path"),
        pytest.param(GERMAN, "https://wiki.example/de/index.php?title=A", "A", id="language_script"),
        pytest.param(WIKIPEDIA, "https://de.m.wikipedia.org/wiki/Hogger", "Hogger", id="mobile_host"),
        pytest.param(WIKIDATA, "https://m.wikidata.org/wiki/Q1", "Q1", id="mobile_host_of_www"),
        pytest.param(PORT, "http://127.0.0.1:8080/wiki/A", "A", id="port"),
        pytest.param(CHINESE, "https://wiki.example/zh-tw/A/B", "A/B", id="variant"),
        pytest.param(CHINESE, "https://wiki.example/zh-xx/A", "Zh-xx/A", id="unknown_variant"),
        pytest.param(MAIN_AT_ROOT, "https://wiki.example/", "Hauptseite", id="main_page_at_root"),
        pytest.param(CYRILLIC, "https://wiki.example/вики/A", "A", id="cyrillic_path"),
    ],
)
def test_a_page_is_known_by_any_of_its_addresses(wiki, url, title):
    assert target_of(wiki, url) == Target(title)


@pytest.mark.parametrize(
    ("wiki", "url", "pageid"),
    [
        pytest.param(SHORT, "https://wiki.example/w/index.php?curid=7", 7, id="script"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?curid=7", 7, id="beside_a_title"),
        pytest.param(SHORT, "https://wiki.example/wiki/?curid=7", 7, id="article_path"),
        pytest.param(SHORT, "https://wiki.example/w/?curid=7", 7, id="folder"),
        pytest.param(ROOT, "https://wiki.example/?curid=7", 7, id="root"),
        pytest.param(WIKIPEDIA, "https://de.wikipedia.org/?curid=7", 7, id="wikimedia"),
    ],
)
def test_a_page_is_known_by_its_id(wiki, url, pageid):
    assert target_of(wiki, url) == Target(pageid=pageid)


@pytest.mark.parametrize(
    ("wiki", "url", "reason"),
    [
        pytest.param(SHORT, "https://wiki.example/wiki/Special:RecentChanges", "special", id="special"),
        pytest.param(SHORT, "https://wiki.example/wiki/Spezial:Suche", "special", id="special_in_german"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=special:log", "special", id="special_by_script"),
        pytest.param(SHORT, "https://wiki.example/wiki/Media:A.png", "special", id="media"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=A&action=edit", "edit", id="edit"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?action=history", "edit", id="history"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?veaction=edit", "edit", id="visual_editor"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=A&action=edit&redlink=1", "redlink", id="red_link"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?title=A&oldid=7", "revision", id="oldid"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?oldid=7", "revision", id="oldid_alone"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?diff=prev", "revision", id="diff"),
        pytest.param(SHORT, "https://wiki.example/wiki/A?stableid=7", "revision", id="stable_revision"),
        pytest.param(SHORT, "https://wiki.example/wiki/Special:Block/" + "a" * 256, "special", id="long_special"),
        pytest.param(API_ELSEWHERE, "https://wiki.example/tools/mw.php?x=y", "script", id="api_elsewhere"),
        pytest.param(SHORT, "https://wiki.example/wiki/A%5Bb", "title", id="bracket"),
        pytest.param(SHORT, "https://wiki.example/wiki/A%0Ab", "title", id="line_break"),
        pytest.param(SHORT, "https://wiki.example/wiki/%2541", "title", id="escape"),
        pytest.param(SHORT, "https://wiki.example/wiki/A%26amp;b", "title", id="entity"),
        pytest.param(SHORT, "https://wiki.example/wiki/~~~~", "title", id="signature"),
        pytest.param(SHORT, "https://wiki.example/wiki/Talk:File:A", "title", id="talk_of_namespace"),
        pytest.param(SHORT, "https://wiki.example/wiki/User:", "title", id="namespace_alone"),
        pytest.param(SHORT, "https://wiki.example/wiki/Caf%E9", "title", id="no_utf8"),
        pytest.param(SHORT, "https://wiki.example/wiki/" + "a" * 256, "title", id="too_long"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?curid=x", "title", id="id_without_number"),
        pytest.param(SHORT, "https://wiki.example/w/index.php?search=x", "script", id="script_without_title"),
        pytest.param(SHORT, "https://wiki.example/w/api.php?action=query", "script", id="api"),
        pytest.param(SHORT, "https://wiki.example/w/load.php?modules=x", "script", id="load"),
        pytest.param(SHORT, "https://wiki.example/w/rest.php/v1/page/A", "script", id="rest"),
        pytest.param(ROOT, "https://wiki.example/api.php", "script", id="root_api"),
        pytest.param(ROOT, "https://wiki.example/load.php?x=y", "script", id="root_load"),
        pytest.param(ROOT_W, "https://wiki.example/api.php", "script", id="api_at_root_beside_w"),
        pytest.param(GERMAN, "https://wiki.example/de/api.php", "script", id="language_api"),
        pytest.param(ONE_FOLDER, "https://wiki.example/wiki/api.php", "script", id="api_among_titles"),
    ],
)
def test_what_is_no_page_is_refused(wiki, url, reason):
    assert target_of(wiki, url) == Refusal(reason)
    assert page_rule(wiki)(canonical(url)) == Refusal(reason)


@pytest.mark.parametrize(
    ("wiki", "url"),
    [
        pytest.param(SHORT, "https://other.example/wiki/A", id="other_host"),
        pytest.param(SHORT, "https://de.wiki.example/wiki/A", id="subdomain"),
        pytest.param(SHORT, "https://wiki.example:8443/wiki/A", id="other_port"),
        pytest.param(SHORT, "https://wiki.example/", id="root"),
        pytest.param(SHORT, "https://wiki.example/about", id="other_path"),
        pytest.param(SHORT, "https://wiki.example/de/wiki/A", id="other_language"),
        pytest.param(SHORT, "https://wiki.example/?curid=7", id="id_at_the_root"),
        pytest.param(SHORT, "https://wiki.example/w/skins/a.css", id="skin"),
        pytest.param(SHORT, "https://wiki.example/w/images/a/b.png", id="image"),
        pytest.param(GERMAN, "https://wiki.example/wiki/A", id="language_parent"),
        pytest.param(ROOT, "https://wiki.example/static/a.css", id="root_static"),
        pytest.param(ROOT, "https://wiki.example/images/a.png", id="root_images"),
        pytest.param(ROOT, "https://wiki.example/skins/a.css", id="root_skins"),
        pytest.param(ROOT, "https://wiki.example/extensions/a.js", id="root_extensions"),
        pytest.param(ROOT, "https://wiki.example/resources/a.js", id="root_resources"),
        pytest.param(ROOT, "https://wiki.example/robots.txt", id="robots"),
        pytest.param(ROOT, "https://wiki.example/favicon.ico", id="favicon"),
        pytest.param(ROOT_W, "https://wiki.example/w/a.css", id="folder_of_scripts"),
        pytest.param(ONE_FOLDER, "https://wiki.example/wiki/skins/a.css", id="skin_among_titles"),
        pytest.param(PORT, "http://127.0.0.1/wiki/A", id="without_its_port"),
    ],
)
def test_what_is_not_of_the_wiki_is_left_alone(wiki, url):
    assert target_of(wiki, url) is None
    assert page_rule(wiki)(url) is None


def test_what_is_no_url_of_the_web_is_not_of_the_wiki():
    assert target_of(SHORT, "mailto:a@wiki.example") is None


@pytest.mark.parametrize(
    ("wiki", "title", "url"),
    [
        pytest.param(SHORT, "Elwynn Forest", "https://wiki.example/wiki/Elwynn_Forest", id="space"),
        pytest.param(SHORT, "Foo: bar", "https://wiki.example/wiki/Foo:_bar", id="colon"),
        pytest.param(SHORT, "A;@$!*(),/~:", "https://wiki.example/wiki/A;@$!*(),/~:", id="kept"),
        pytest.param(SHORT, "'\"%&+=?\\^`", "https://wiki.example/wiki/%27%22%25%26%2B%3D%3F%5C%5E%60", id="escaped"),
        pytest.param(SHORT, "Été", "https://wiki.example/wiki/%C3%89t%C3%A9", id="utf8"),
        pytest.param(ROOT, "$100", "https://wiki.example/$100", id="dollar"),
        pytest.param(QUERY, "Q&A", "https://wiki.example/w/index.php?title=Q%26A", id="query"),
        pytest.param(SUFFIX, "A", "https://wiki.example/wiki/A.html", id="suffix"),
        pytest.param(WIKIPEDIA, "A", "https://de.wikipedia.org/wiki/A", id="server_without_scheme"),
        pytest.param(MAIN_AT_ROOT, "Hauptseite", "https://wiki.example/", id="main_page_at_root"),
        pytest.param(CYRILLIC, "A", "https://wiki.example/%D0%B2%D0%B8%D0%BA%D0%B8/A", id="cyrillic_path"),
    ],
)
def test_a_title_has_one_address(wiki, title, url):
    assert url_of(wiki, title) == url
    assert canonical(url) == url


@pytest.mark.parametrize(
    ("language", "title", "normal"),
    [
        ("de", "ärger", "Ärger"),
        ("de", "ß", "ß"),
        ("de", "ﬁn", "ﬁn"),
        ("de", "µ", "Μ"),
        ("de", "ǆ", "Ǆ"),
        ("ka", "აბ", "აბ"),
        ("de", "ⓐ", "ⓐ"),
        ("de", "izmir", "Izmir"),
        ("tr", "izmir", "İzmir"),
        ("tr", "ılık", "Ilık"),
        ("de", "\u200eA\u202b", "A"),
        ("de", " : A ", "A"),
        ("de", "Foo :bar", "Foo :bar"),
        ("de", "file: talk:a", "Datei:Talk:a"),
    ],
)
def test_a_title_has_one_spelling(language, title, normal):
    assert normal_title(replace(SHORT, language=language), title) == normal


def test_a_namespace_decides_about_its_first_letters():
    names = tuple(replace(name, case="case-sensitive") if name.id == 0 else name for name in SHORT.namespaces)
    wiki = replace(SHORT, case="case-sensitive", namespaces=names)
    assert normal_title(wiki, "iPod") == "iPod"
    assert normal_title(wiki, "file:iPod.png") == "Datei:IPod.png"


@pytest.mark.parametrize(("title", "number"), [("A", 0), ("Quest:A", 3000), ("Foo:A", 0), ("Datei:A:B", 6), ("A:", 0)])
def test_the_namespace_of_a_title(title, number):
    assert namespace_of(SHORT, title).id == number


def test_a_rule_gives_each_page_its_one_address_in_the_wanted_namespaces():
    rule = page_rule(SHORT, namespaces=frozenset({0, 14}))
    assert rule("http://www.wiki.example/w/index.php?title=elwynn+Forest") == "https://wiki.example/wiki/Elwynn_Forest"
    assert rule("https://wiki.example/wiki/Category:A") == "https://wiki.example/wiki/Kategorie:A"
    assert rule("https://wiki.example/wiki/Talk:A") == Refusal("namespace")
    assert rule("https://wiki.example/w/index.php?curid=7") == "https://wiki.example/w/index.php?curid=7"
    assert page_rule(SHORT)("https://wiki.example/wiki/Talk:A") == "https://wiki.example/wiki/Diskussion:A"


# fmt: off
PIECES = st.sampled_from([
    " ", "_", ":", "#", "/", ".", "..", "%", "%41", "&", "&amp;", "~", "~~~", "+", "=", "?", "talk", "File", "Special",
    "Quest", "a", "B", "ß", "ა", "ǆ", "ı", "i", "µ", "ſ", "é", "\u0301", "\u0345", "日", "\xa0", "\u200e", "\ufffd",
    "\x00", "\n", "\x7f", "\x85", "[", "|", "<", '"', "'", "$1", "*", "(", "!", ";", "@", "\\", "^", "`", "😀", "\ud800",
    "a" * 130, "api.php", "images/", "w/", "index.php", "robots.txt", "zh-tw/", ".html",
])
# fmt: on
LAYOUTS = (SHORT, ROOT, ROOT_W, QUERY, PATH_INFO, SUFFIX, ONE_FOLDER, GERMAN, CHINESE, MAIN_AT_ROOT)


@settings(deadline=None, max_examples=500)
@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map("".join)), st.sampled_from(LAYOUTS))
@example("e\u200e\u0301", SHORT)
@example("ſ\u0301", SHORT)
@example("$1", ROOT)
def test_a_normal_title_is_found_again_at_its_address(text, wiki):
    title = normal_title(wiki, text)
    if isinstance(title, Refusal):
        assert title == Refusal("title")
        return
    assert normal_title(wiki, title) == title
    url = url_of(wiki, title)
    assert canonical(url) == url
    found = target_of(wiki, url)
    if namespace_of(wiki, title).id < 0:
        assert found == Refusal("special")
    elif found is not None and found != Refusal("script"):  # a title that is spelt like a file of the web server
        assert found == Target(title)
        assert page_rule(wiki)(url) == url
    else:
        assert not title[0].isupper()


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=60), st.sampled_from(LAYOUTS), st.sampled_from(["/wiki/", "/", "/w/index.php?title=", "/w/"]))
def test_any_address_is_answered_and_a_rule_changes_its_own_result_no_more(text, wiki, before):
    url = canonical(f"https://wiki.example{before}{text}")
    if isinstance(url, Refusal):
        return
    ruled = page_rule(wiki)(url)
    if isinstance(ruled, str):
        assert canonical(ruled) == ruled
        assert page_rule(wiki)(ruled) == ruled
