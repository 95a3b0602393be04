"""The demo web is what its ground truth says, and behaves as the sites it stands for."""

import gzip
import json
import re
import shutil
import socket
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import quote, urljoin, urlsplit

import pytest
from lxml import etree, html
from protego import Protego

from wikicrawl.demo import SITES, DemoWeb
from wikicrawl.demo.wall import fnv1a

STATIC = ("brochure", "docs", "news", "wiki")
LINKS = "//a/@href | //iframe/@src | //form[@method='get']/@action"
AGENT = "test-agent/1.0"


@pytest.fixture(scope="module")
def web():
    with DemoWeb() as running:
        yield running


@pytest.fixture
def fresh_web():
    with DemoWeb() as running:
        yield running


def get(url, method="GET", **headers):
    parts = urlsplit(url)
    with closing(HTTPConnection(parts.netloc, timeout=5)) as connection:
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request(method, path, headers={"User-Agent": AGENT, **headers})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def visible_text(body):
    return " ".join(html.fromstring(body.decode()).xpath("string(//body)").split())


def api(web, **parameters):
    query = "&".join(
        f"{name}={quote(value)}" for name, value in {"format": "json", "formatversion": "2", **parameters}.items()
    )
    status, headers, body = get(f"{web.urls['wiki']}w/api.php?{query}")
    assert status == 200
    return json.loads(body), headers


def crawl(base):
    """Every HTML page that links lead to from the start page and robots.txt allows, with its body."""
    rules = Protego.parse(get(base + "robots.txt")[2].decode())
    queue, seen, found = [base], {base}, {}
    while queue:
        url = queue.pop()
        status, headers, body = get(url)
        targets = [headers["Location"]] if 300 <= status < 400 else []
        if status == 200 and headers.get_content_type() == "text/html":
            found[url] = body
            targets = [urljoin(url, link) for link in html.fromstring(body.decode()).xpath(LINKS)]
        for target in (target.partition("#")[0].partition("?utm_")[0] for target in targets):
            if target.startswith(base) and target not in seen and rules.can_fetch(target, AGENT):
                seen.add(target)
                queue.append(target)
    return found


@pytest.fixture(scope="module")
def crawled(web):
    return {site: crawl(web.urls[site]) for site in STATIC}


@pytest.mark.parametrize("site", STATIC)
def test_links_lead_to_every_page_and_to_no_other(web, crawled, site):
    pages = {url: body for url, body in crawled[site].items() if "mw-redirectedfrom" not in body.decode()}
    assert set(pages) == set(web.pages(site))


@pytest.mark.parametrize("site", STATIC)
def test_each_page_holds_its_own_sentence_and_no_other_page_does(web, crawled, site):
    texts = {url: visible_text(crawled[site][url]) for url in web.pages(site)}
    for url in texts:
        assert [other for other, text in texts.items() if web.text(site, url) in text] == [url]


@pytest.mark.parametrize(
    ("site", "least"),
    [("brochure", 14), ("docs", 40), ("news", 80), ("spa", 15), ("wall", 12), ("wiki", 45)],
)
def test_each_site_is_of_the_promised_size(web, site, least):
    assert least <= len(set(web.pages(site))) <= least + 15


def test_the_six_sites_have_addresses_of_their_own(web):
    assert tuple(web.urls) == SITES
    assert len({urlsplit(url).netloc for url in web.urls.values()}) == 6


@pytest.mark.parametrize("site", SITES)
def test_robots_names_a_sitemap(web, site):
    status, headers, body = get(web.urls[site] + "robots.txt")
    assert (status, headers.get_content_type()) == (200, "text/plain")
    assert next(iter(Protego.parse(body.decode()).sitemaps)).startswith(web.urls[site])


@pytest.mark.parametrize("site", ["brochure", "docs", "news", "wiki"])
def test_an_unknown_path_is_missing(web, site):
    assert get(web.urls[site] + "no/such/page")[0] == 404


@pytest.mark.parametrize(
    ("site", "old", "new"),
    [
        ("brochure", "wedding-packages/", "prices/"),
        ("docs", "docs/quickstart.html", "docs/getting-started/quickstart/"),
        ("wiki", "", "wiki/Main_Page"),
        ("wiki", "wiki/emberfen", "wiki/Emberfen"),
        ("wiki", "wiki/Image:Lantern_Oath.png", "wiki/File:Lantern_Oath.png"),
    ],
)
def test_an_old_address_leads_to_the_new_one(web, site, old, new):
    status, headers, _ = get(web.urls[site] + old)
    assert (status, headers["Location"]) == (301, web.urls[site] + new)


def locations(body):
    return etree.fromstring(body).xpath("//*[local-name()='loc']/text()")


@pytest.mark.parametrize("site", ["brochure", "docs", "wiki"])
def test_the_sitemap_lists_pages_with_their_dates(web, site):
    body = get(web.urls[site] + "sitemap.xml")[2]
    assert set(locations(body)) <= set(web.pages(site))
    assert len(locations(body)) == body.count(b"<lastmod>") > 10


def test_the_news_sitemap_is_an_index_of_gzipped_files(web):
    parts = locations(get(web.urls["news"] + "sitemap_index.xml")[2])
    listed = [url for part in parts for url in locations(gzip.decompress(get(part)[2]))]
    assert len(listed) > 60
    assert set(listed) <= set(web.pages("news"))


def test_the_feed_lists_the_newest_articles(web):
    body = get(web.urls["news"] + "feed.xml")[2]
    assert set(etree.fromstring(body).xpath("//item/link/text()")) <= set(web.pages("news"))


@pytest.mark.parametrize("site", STATIC)
def test_a_known_page_is_not_sent_again(web, site):
    url = web.pages(site)[0]
    _, headers, body = get(url)
    for condition in (
        {"If-None-Match": headers["ETag"]},
        {"If-None-Match": f'"other", W/{headers["ETag"]}'},
        {"If-Modified-Since": headers["Last-Modified"]},
    ):
        assert get(url, **condition)[::2] == (304, b"")
    assert get(url, **{"If-None-Match": '"other"', "If-Modified-Since": headers["Last-Modified"]})[2] == body


def test_a_connection_is_kept_for_the_next_request(web):
    with closing(HTTPConnection(urlsplit(web.urls["docs"]).netloc, timeout=5)) as connection:
        for method in ("GET", "HEAD", "GET"):
            connection.request(method, "/")
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (200, method == "GET")


def test_a_hit_is_recorded_before_its_answer(fresh_web):
    get(fresh_web.urls["docs"] + "search?q=lease")
    assert fresh_web.hits_of("docs") == [("docs", "GET", "/search?q=lease", AGENT, 200)]
    assert fresh_web.hits_of("news") == []


@pytest.mark.parametrize("site", STATIC)
def test_a_change_shows_in_text_and_validators(fresh_web, site):
    url, other = fresh_web.pages(site)[1], fresh_web.pages(site)[2]
    before, kept = fresh_web.text(site, url), get(other)[2]
    etag = get(url)[1]["ETag"]
    fresh_web.change(site, url)
    status, headers, body = get(url, **{"If-None-Match": etag})
    assert (status, headers["ETag"] == etag) == (200, False)
    assert before not in visible_text(body)
    assert fresh_web.text(site, url) in visible_text(body)
    assert get(other)[2] == kept


def test_a_change_shows_in_the_sitemap(fresh_web):
    sitemap = fresh_web.urls["docs"] + "sitemap.xml"
    before = get(sitemap)[2].decode().split()
    fresh_web.change("docs", fresh_web.urls["docs"])
    after = get(sitemap)[2].decode().split()
    assert len([line for line, old in zip(after, before, strict=True) if line != old]) == 1


def test_a_change_shows_in_the_spa_json(fresh_web):
    before = get(fresh_web.urls["spa"] + "api/pages/about.json")[2]
    fresh_web.change("spa", fresh_web.urls["spa"] + "about")
    after = get(fresh_web.urls["spa"] + "api/pages/about.json")[2]
    assert after != before
    assert fresh_web.text("spa", fresh_web.urls["spa"] + "about") in after.decode()


def test_two_webs_tell_the_same_story(web, fresh_web):
    for site in SITES:
        for url, same in zip(web.pages(site), fresh_web.pages(site), strict=True):
            assert web.text(site, url) == fresh_web.text(site, same)


def test_pictures_are_served(web):
    page = html.fromstring(get(web.urls["brochure"] + "gallery/ceremonies/")[2])
    sources = page.xpath("//img/@data-src")
    assert len(sources) == 8
    _, headers, body = get(urljoin(web.urls["brochure"], sources[0]))
    assert (headers["Content-Type"], body[:4]) == ("image/png", b"\x89PNG")


def test_the_spa_answers_every_address_with_the_same_empty_page(web):
    bodies = {get(url)[2] for url in [*web.pages("spa"), web.urls["spa"] + "no/such/page"]}
    assert [visible_text(body) for body in bodies] == [""]


def test_the_spa_sitemap_lists_only_the_home_page(web):
    assert locations(get(web.urls["spa"] + "sitemap.xml")[2]) == [web.urls["spa"]]


def test_the_spa_text_comes_as_json(web):
    for url in web.pages("spa"):
        name = urlsplit(url).path.rstrip("/") or "/home"
        assert web.text("spa", url) in get(f"{web.urls['spa']}api/pages{name}.json")[2].decode()


def pass_wall(web):
    """What the challenge's script does."""
    body = get(web.urls["wall"])[2].decode()
    nonce = re.search(r'hash\("(\w+):"', body)[1]
    token = next(token for token in range(10**6) if fnv1a(f"{nonce}:{token}") % 4096 == 0)
    return f"wall_{urlsplit(web.urls['wall']).port}={token}"


def test_the_wall_refuses_without_the_cookie(web):
    for url in web.pages("wall"):
        status, _, body = get(url)
        assert status == 403
        assert web.text("wall", url) not in body.decode()


def test_the_wall_admits_any_page_with_the_cookie(web):
    cookie = pass_wall(web)
    for url in web.pages("wall"):
        status, _, body = get(url, Cookie=f"theme=dark; {cookie}")
        assert status == 200
        assert web.text("wall", url) in visible_text(body)


@pytest.mark.parametrize("change", [{"User-Agent": "another"}, {"Cookie": "wall=1"}], ids=["agent", "cookie"])
def test_the_token_is_worth_nothing_elsewhere(web, change):
    assert get(web.urls["wall"], **{"Cookie": pass_wall(web), **change})[0] == 403


def test_the_wiki_describes_itself(web):
    answer, _ = api(
        web, action="query", meta="siteinfo", siprop="general|namespaces|namespacealiases|rightsinfo|statistics"
    )
    site = answer["query"]
    assert site["general"]["server"] + "/" == web.urls["wiki"]
    assert (site["general"]["articlepath"], site["general"]["script"]) == ("/wiki/$1", "/w/index.php")
    assert site["general"]["generator"].startswith("MediaWiki ")
    assert site["namespaces"]["14"]["name"] == "Category"
    assert {"id": 6, "alias": "Image"} in site["namespacealiases"]
    assert site["rightsinfo"]["url"].startswith("https://creativecommons.org/")
    assert site["statistics"]["articles"] > 30


def test_the_wiki_lists_its_pages_in_batches(web):
    titles, position = [], {}
    while True:
        answer, _ = api(web, action="query", list="allpages", aplimit="7", apfilterredir="nonredirects", **position)
        titles += [page["title"] for page in answer["query"]["allpages"]]
        if "continue" not in answer:
            break
        position = answer["continue"]
    addresses = {web.urls["wiki"] + "wiki/" + quote(title.replace(" ", "_"), safe=";@$!*(),/~:") for title in titles}
    assert len(addresses) == len(titles)
    assert addresses == {url for url in web.pages("wiki") if not re.search("wiki/(Category|File|Fenwiki):", url)}


def test_a_wiki_sweep_shows_what_changed(fresh_web):
    def sweep():
        answer, _ = api(fresh_web, action="query", generator="allpages", gaplimit="max", prop="info", maxlag="5")
        return {page["title"]: (page["lastrevid"], page["touched"]) for page in answer["query"]["pages"]}

    before = sweep()
    fresh_web.change("wiki", fresh_web.urls["wiki"] + "wiki/Ashmere")
    after = sweep()
    assert [title for title in after if after[title] != before[title]] == ["Ashmere"]
    assert after["Ashmere"] > before["Ashmere"]


def test_the_wiki_parses_a_page_as_its_html_shows_it(web, crawled):
    answer, headers = api(
        web, action="parse", page="Cinder hound", prop="text|links|categories|sections|revid|displaytitle|properties"
    )
    parse = answer["parse"]
    assert "MediaWiki-API-Error" not in headers
    assert parse["text"] in crawled["wiki"][web.urls["wiki"] + "wiki/Cinder_hound"].decode()
    assert {"ns": 0, "title": "Emberfen", "exists": True} in parse["links"]
    assert parse["categories"] == [{"sortkey": "", "category": "Creatures"}]
    assert [section["line"] for section in parse["sections"]][-1] == "References"
    assert parse["properties"] == {}
    without, _ = api(web, action="parse", page="Cinder hound", disableeditsection="1")
    assert "mw-editsection" not in without["parse"]["text"]


def test_a_wiki_redirect_is_followed_on_request(web):
    answer, _ = api(web, action="parse", page="The Flood", redirects="1")
    assert answer["parse"]["redirects"] == [{"from": "The Flood", "to": "Long Flood", "tofragment": "Aftermath"}]
    assert answer["parse"]["title"] == "Long Flood"
    assert "redirectMsg" in api(web, action="parse", page="The Flood")[0]["parse"]["text"]
    page = get(web.urls["wiki"] + "wiki/The_Flood")[2]
    assert web.text("wiki", web.urls["wiki"] + "wiki/Long_Flood") in visible_text(page)


@pytest.mark.parametrize(
    ("code", "parameters"),
    [
        ("missingtitle", {"action": "parse", "page": "Nine Wells"}),
        ("nosuchpageid", {"action": "parse", "pageid": "9999"}),
        ("invalidtitle", {"action": "parse", "page": "a[b]"}),
        ("pagecannotexist", {"action": "parse", "page": "Special:Random"}),
        ("missingparam", {"action": "parse"}),
        ("badvalue", {"action": "dance"}),
        ("badinteger", {"action": "query", "list": "allpages", "aplimit": "few"}),
    ],
)
def test_a_wiki_error_is_a_200_that_names_itself(web, code, parameters):
    answer, headers = api(web, **parameters)
    assert (answer["error"]["code"], headers["MediaWiki-API-Error"]) == (code, code)


def test_the_wiki_page_looks_like_mediawiki(web, crawled):
    page = html.fromstring(crawled["wiki"][web.urls["wiki"] + "wiki/Cinder_hound"].decode())
    assert page.xpath("//link[@rel='EditURI']/@href") == [web.urls["wiki"] + "w/api.php?action=rsd"]
    for path in (
        "//meta[@name='generator'][starts-with(@content, 'MediaWiki')]",
        "//body[contains(@class, 'mediawiki')]//*[@id='mw-content-text']/div[@class='mw-parser-output']",
        "//table[@class='infobox']",
        "//table[@class='wikitable']//td[@rowspan]",
        "//*[@class='navbox']",
        "//ol[@class='references']/li",
        "//span[@class='mw-editsection']",
        "//*[@id='catlinks']//a[@title='Category:Creatures']",
    ):
        assert page.xpath(path), path


def test_a_taken_port_is_named_with_the_remedy():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port} on 127.0.0.1 is taken; .*another first port"):
            DemoWeb(port)


def test_a_senseless_port_is_refused():
    with pytest.raises(ValueError, match="it must be 0"):
        DemoWeb(70000)


def test_closing_frees_the_ports_while_a_client_stays(fresh_web):
    with closing(HTTPConnection(urlsplit(fresh_web.urls["docs"]).netloc, timeout=5)) as connection:
        connection.request("GET", "/")
        connection.getresponse().read()
        fresh_web.close()
        assert connection.sock.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        get(fresh_web.urls["docs"])


@pytest.mark.browser
@pytest.mark.parametrize(("site", "number"), [("spa", 7), ("wall", 3)])
def test_a_browser_sees_the_text_that_http_does_not(web, site, number):
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on PATH")
    url = web.pages(site)[number]
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom")
    shown = subprocess.run([chromium, *flags, url], capture_output=True, timeout=30, check=True).stdout
    assert web.text(site, url) in visible_text(shown)
