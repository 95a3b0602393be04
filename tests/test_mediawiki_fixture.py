"""The wiki of the tests is a real one, and its switches do what they say."""

import gzip
import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from mediawiki import find_mediawiki, running_wiki
from mediawiki_pages import ARTICLES, ODD_TITLES, REDIRECTS, generated_pages

pytestmark = pytest.mark.mediawiki

LAYOUTS = {
    "own folder": ("/wiki/$1", "/w"),
    "root": ("/$1", ""),
    "path of the script": ("/w/index.php/$1", "/w"),
    "query of the script": ("/index.php?title=$1", ""),
}


def get(url, **headers):
    """Status, headers and text of what the web server answers."""
    try:
        answer = urlopen(Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()}))
    except HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers, answer.read().decode()


def parse(wiki, title, **parameters):
    url = f"{wiki.api}?action=parse&format=json&formatversion=2&page={title}"
    return get(url + "".join(f"&{name}={value}" for name, value in parameters.items()))


def test_it_says_the_version_that_is_installed(wiki_site):
    general = wiki_site.query(meta="siteinfo")["query"]["general"]
    assert general["generator"] == f"MediaWiki {find_mediawiki()}"


def test_every_seed_page_has_the_title_it_was_given(wiki_site):
    articles, redirects = {*ODD_TITLES, *ARTICLES}, {*REDIRECTS}
    assert wiki_site.titles() == dict.fromkeys(articles, False) | dict.fromkeys(redirects, True)


def test_every_page_has_the_address_the_wiki_gives_it(wiki_site):
    titles = sorted(wiki_site.titles())
    batches = [titles[at : at + 50] for at in range(0, len(titles), 50)]
    pages = [
        page
        for batch in batches
        for page in wiki_site.query(titles="|".join(batch), prop="info", inprop="url")["query"]["pages"]
    ]
    assert {page["title"]: page["fullurl"] for page in pages} == {title: wiki_site.page_url(title) for title in titles}


@pytest.mark.parametrize(("article_path", "script_path"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_wiki_runs_in_any_layout(mediawiki_template, tmp_path, article_path, script_path):
    with running_wiki(
        mediawiki_template, tmp_path / "wiki", article_path=article_path, script_path=script_path
    ) as wiki:
        general = wiki.query(meta="siteinfo")["query"]["general"]
        assert (general["articlepath"], general["scriptpath"]) == (article_path, script_path)
        status, _, text = get(wiki.page_url("AC/DC"))
        assert status == 200
        assert '"wgPageName":"AC/DC"' in text
        assert f'href="{article_path.replace("$1", "Hogger")}"' in text


def test_an_answer_is_compressed_for_who_accepts_it(wiki_site):
    for url in (wiki_site.page_url("Hogger"), f"{wiki_site.api}?action=parse&page=Hogger&format=json"):
        with urlopen(Request(url, headers={"Accept-Encoding": "gzip"})) as answer:
            packed = answer.read()
            assert answer.headers["Content-Encoding"] == "gzip"
        assert b"Riverpaw" in gzip.decompress(packed)


def test_formulas_are_mathml_with_their_tex(wiki_site):
    text = wiki_site.query(action="parse", page="Formulas")["parse"]["text"]
    assert text.count('<annotation encoding="application/x-tex">') == 3
    assert 'class="mwe-math-fallback-image-display"' in text
    assert "texerror" not in text


def test_code_is_coloured(wiki_site):
    assert '<span class="k">def</span>' in wiki_site.query(action="parse", page="Code")["parse"]["text"]


def test_a_picture_is_served(wiki_site):
    page = wiki_site.query(titles="File:Hogger.png", prop="imageinfo", iiprop="url")["query"]["pages"][0]
    with urlopen(page["imageinfo"][0]["url"]) as answer:
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.read().startswith(b"\x89PNG")


def test_pages_in_other_languages_are_linked(wiki_site):
    links = wiki_site.query(action="parse", page="Hogger", prop="langlinks")["parse"]["langlinks"]
    assert [link["url"] for link in links] == [
        "https://de.wiki.example/wiki/Hogger",
        "https://fr.wiki.example/wiki/Lardeur",
    ]


def test_what_was_asked_is_remembered(mediawiki):
    get(mediawiki.url("/wiki/Hogger?x=1"), User_Agent="me/1.0", Accept_Encoding="identity")
    mediawiki.query(meta="siteinfo")
    (seen,) = mediawiki.requests()
    assert (seen.method, seen.url) == ("GET", mediawiki.url("/wiki/Hogger?x=1"))
    assert (seen.headers["user-agent"], seen.headers["accept-encoding"]) == ("me/1.0", "identity")
    mediawiki.forget_requests()
    assert mediawiki.requests() == []


def test_changes_are_recent_changes(mediawiki):
    before = mediawiki.titles()
    mediawiki.edit("Westfall", "Now green.")
    mediawiki.edit("New page", "Hello.")
    mediawiki.delete("Dot.")
    mediawiki.move("Star*", "Moon*", redirect=False)
    mediawiki.move("Gnoll", "Gnolls")
    after = mediawiki.titles()
    assert before.keys() - after.keys() == {"Dot.", "Star*"}
    assert after.keys() - before.keys() == {"New page", "Moon*", "Gnolls"}
    assert after["Gnoll"] is True
    assert "Now green." in get(mediawiki.page_url("Westfall"))[2]
    changes = mediawiki.query(list="recentchanges", rcprop="title|loginfo", rclimit=20)["query"]["recentchanges"]
    seen = {(change["type"], change["title"], change.get("logaction")) for change in changes}
    assert seen >= {
        ("edit", "Westfall", None),
        ("new", "New page", None),
        ("log", "Dot.", "delete"),
        ("log", "Star*", "move"),
        ("log", "Gnoll", "move"),
    }


def test_a_change_that_cannot_be_made_raises(mediawiki):
    with pytest.raises(RuntimeError, match="nonexistent"):
        mediawiki.delete("No such page")
    with pytest.raises(RuntimeError, match="FAILED"):
        mediawiki.move("No such page", "Elsewhere")
    with pytest.raises(RuntimeError, match="Invalid title"):
        mediawiki.edit("a[b", "text")


def test_a_template_reaches_its_pages_with_the_jobs(mediawiki):
    def touched():
        return mediawiki.query(titles="Westfall", prop="info")["query"]["pages"][0]["touched"]

    before = touched()
    mediawiki.edit("Template:Navbox", "New navbox.")
    assert touched() == before
    mediawiki.run_jobs()
    assert touched() > before
    assert "New navbox." in get(mediawiki.page_url("Westfall"))[2]


def test_a_lagging_wiki_refuses_a_smaller_maxlag(mediawiki):
    mediawiki.lag(7)
    _, headers, text = parse(mediawiki, "Hogger", maxlag=5)
    assert (headers["MediaWiki-API-Error"], headers["Retry-After"]) == ("maxlag", "5")
    assert json.loads(text)["error"]["lag"] == 7
    assert "error" not in json.loads(parse(mediawiki, "Hogger")[2])


def test_a_private_wiki_lets_nobody_read(mediawiki):
    mediawiki.private()
    assert json.loads(parse(mediawiki, "Hogger")[2])["error"]["code"] == "readapidenied"
    assert "Login required" in get(mediawiki.page_url("Hogger"))[2]


def test_a_readonly_wiki_says_why(mediawiki):
    mediawiki.readonly("Moving house.")
    general = mediawiki.query(meta="siteinfo")["query"]["general"]
    assert (general["readonly"], general["readonlyreason"]) == (True, "Moving house.")


def test_a_fault_ends_after_its_times(mediawiki):
    mediawiki.fault("Hogger", status=429, headers={"Retry-After": "3"}, body=b"Slow down", times=2)
    answers = [get(mediawiki.page_url("Hogger")) for _ in range(3)]
    assert [status for status, _, _ in answers] == [429, 429, 200]
    assert (answers[0][1]["Retry-After"], answers[0][2]) == ("3", "Slow down")
    assert get(mediawiki.page_url("Westfall"))[0] == 200


@pytest.mark.parametrize("status", [500, 403, 404])
def test_the_api_can_be_off_while_pages_are_served(mediawiki, status):
    mediawiki.api_off(status)
    assert parse(mediawiki, "Hogger")[0] == status
    assert get(mediawiki.page_url("Hogger"))[0] == 200


def test_a_slow_answer_takes_its_time(mediawiki):
    mediawiki.slow(r"api\.php", 0.3)
    started = time.monotonic()
    parse(mediawiki, "Hogger")
    assert time.monotonic() - started >= 0.3


def test_reset_turns_all_switches_off(mediawiki):
    mediawiki.lag(7)
    mediawiki.private()
    mediawiki.fault("")
    mediawiki.robots("User-agent: *\nDisallow: /w/\n")
    mediawiki.reset()
    assert "error" not in json.loads(parse(mediawiki, "Hogger", maxlag=5)[2])
    assert get(mediawiki.url("/robots.txt"))[0] == 404
    assert len(mediawiki.requests()) == 2


def test_robots_txt_is_what_it_was_set_to(mediawiki):
    mediawiki.robots("User-agent: *\nDisallow: /w/\n")
    status, _, text = get(mediawiki.url("/robots.txt"))
    assert (status, text) == (200, "User-agent: *\nDisallow: /w/\n")


def test_generated_articles_are_long_and_linked():
    pages = generated_pages(40)
    assert len(pages) == 40
    assert all(6_500 < len(text.encode()) < 7_500 for text in pages.values())
    assert all(text.count("<ref>") == 24 for text in pages.values())
    assert "[[Article 2]]" in pages["Article 1"]
