"""A wiki page gives the same markdown, whichever way it came."""

import pytest
from command import ScrapyCommand
from mediawiki import running_wiki
from wiki_crawl import WikiCrawl

pytestmark = pytest.mark.mediawiki

# What a page says of itself; the API and the page's HTML know it alike.
FACTS = ("title", "pageid", "revid", "namespace", "displaytitle", "sections", "infobox", "categories", "permalink")


def crawl_by(folder, wiki, *arguments, **settings):
    """The items of every page, got into a store of their own."""
    folder.mkdir()
    return WikiCrawl(ScrapyCommand(folder), folder, wiki)(*arguments, **settings).rows


@pytest.fixture(scope="module")
def by_api(wiki_site, tmp_path_factory):
    wiki_site.reset()
    return crawl_by(tmp_path_factory.mktemp("api") / "crawl", wiki_site, WIKI_TRANSPORT="api")


def differences(rows, others):
    return [url for url, row in rows.items() if others[url]["markdown"] != row["markdown"]]


def test_every_page_has_the_same_markdown_and_facts_from_its_html(wiki_site, by_api, tmp_path):
    by_html = crawl_by(tmp_path / "html", wiki_site, WIKI_TRANSPORT="html")
    assert {row["tier"] for row in by_html.values()} == {"http"}
    assert by_html.keys() == by_api.keys()
    assert differences(by_api, by_html) == []
    told = {url: [row["wiki"].get(name) for name in FACTS] for url, row in by_api.items()}
    assert {url: [row["wiki"].get(name) for name in FACTS] for url, row in by_html.items()} == told


@pytest.mark.browser
@pytest.mark.slow
def test_every_page_has_the_same_markdown_from_a_browser(wiki_site, by_api, tmp_path):
    by_browser = crawl_by(tmp_path / "browser", wiki_site, "tier=browser")
    assert {row["tier"] for row in by_browser.values()} == {"browser"}
    assert by_browser.keys() == by_api.keys()
    assert differences(by_api, by_browser) == []


@pytest.mark.parametrize("skin", ["vector-2022", "monobook", "timeless", "minerva"])
def test_every_page_has_the_same_markdown_in_every_skin(mediawiki_template, by_api, tmp_path, wiki_site, skin):
    with running_wiki(mediawiki_template, tmp_path / "wiki", skin=skin) as wiki:
        rows = crawl_by(tmp_path / "crawl", wiki, WIKI_TRANSPORT="html")
    own, shared = wiki.url(""), wiki_site.url("")
    in_skin = {url.replace(own, shared): row["markdown"].replace(own, shared) for url, row in rows.items()}
    assert [url for url, row in by_api.items() if in_skin[url] != row["markdown"]] == []


def test_a_redirect_leads_to_the_same_page_by_either_transport(wiki_site, tmp_path):
    wiki_site.reset()
    url = wiki_site.page_url("Hogger's loot")
    rows = {}
    for transport in ("api", "html"):
        folder = tmp_path / transport
        folder.mkdir()
        crawl = WikiCrawl(ScrapyCommand(folder), folder, wiki_site)
        (rows[transport],) = crawl("max_depth=0", spider="site", url=url, WIKI_TRANSPORT=transport).rows.values()
    assert rows["api"]["markdown"] == rows["html"]["markdown"]
    assert {row["final_url"] for row in rows.values()} == {wiki_site.page_url("Hogger")}
    assert {row["wiki"]["redirected_from"] for row in rows.values()} == {"Hogger's loot"}
