import asyncio
import gc
import os
import re
import signal
from time import monotonic
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from browser_site import PAGES, TEXT, BrowserSite, descendants, is_running
from forward_proxy import forward_proxy
from scrapy import Request
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from wikicrawl import settings as project
from wikicrawl.tiers.browser import Browser
from wikicrawl.tiers.executable import PROGRAMS, find_browser
from wikicrawl.tiers.tab import MAX_NAVIGATIONS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
]
DEFAULTS = {name: value for name, value in vars(project).items() if name.startswith("TIERS_BROWSER")}
AGENT = "wikicrawl-test/1.0"


def new_browser(**settings):
    return Browser(get_crawler(settings_dict={**DEFAULTS, "DOWNLOAD_MAXSIZE": 2_000_000, **settings}))


@pytest.fixture(scope="module")
def site():
    site = BrowserSite()
    yield site
    site.close()


@pytest.fixture(autouse=True)
def quiet_log(site, caplog):
    site.hits.clear()
    site.hold.clear()
    yield
    gc.collect()  # a task whose exception nobody fetched says so when it is collected
    # the latter two are what Playwright leaves when its driver is killed
    expected = re.compile(
        "did not start|closed while reading from the driver|Task was destroyed .*_on_route", re.DOTALL
    )
    assert [record for record in caplog.records if not expected.search(record.getMessage())] == []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared():
    """One browser for the pages that do it no harm."""
    browser = new_browser()
    yield browser
    await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def brisk():
    """One browser that gives a page four seconds, for those that use up what they are given."""
    browser = new_browser(TIERS_BROWSER_TIMEOUT_MS=4000)
    yield browser
    await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def own():
    browsers = []

    def make(**settings):
        browsers.append(new_browser(**settings))
        return browsers[-1]

    yield make
    for browser in browsers:
        await browser.close()


def ask(site, path, **meta):
    return Request(site.url + path, headers={"User-Agent": AGENT}, meta=meta)


def stat(browser, name):
    return browser._crawler.stats.get_value(f"tiers/browser/{name}", 0)


def processes(word):
    return [pid for pid, command in descendants(os.getpid()).items() if word in command]


async def test_a_page_made_by_script_is_returned_as_it_stands_after_rendering(shared, site):
    request = ask(site, "/spa")
    response = await shared.fetch(request)
    assert "<h1>Rendered</h1>" in response.text
    assert (response.status, response.url, response.flags) == (200, request.url, ["browser"])
    assert response.request is request
    assert "playwright" not in request.meta


async def test_the_body_got_over_http_is_not_asked_for_again(shared, site):
    shell = HtmlResponse(
        site.url + "/spa",
        headers={"Content-Encoding": "gzip", "Content-Length": "7", "Bad Name": "x", "X-Bad": "a\x01b", "ETag": "e"},
        body=PAGES["/spa"].encode(),
    )
    request = ask(site, "/spa", tiers_handover=shell)
    response = await shared.fetch(request)
    assert "tiers_handover" not in request.meta
    assert "<h1>Rendered</h1>" in response.text
    assert response.headers["ETag"] == b"e"
    assert (len(site.hits["/spa"]), len(site.hits["/slow.json"])) == (0, 1)


async def test_a_body_that_the_browser_does_not_take_is_fetched(shared, site):
    nothing = HtmlResponse(site.url + "/plain", status=204)
    response = await shared.fetch(ask(site, "/plain", tiers_handover=nothing))
    assert (response.status, response.css("title::text").get()) == (200, "Plain")
    assert len(site.hits["/plain"]) == 1


async def test_the_page_handed_over_after_a_redirect_is_that_of_its_own_url(shared, site):
    page = HtmlResponse(site.url + "/plain", body=PAGES["/plain"].encode())
    response = await shared.fetch(ask(site, "/redirect", tiers_handover=page))
    assert response.url == site.url + "/plain"
    assert not site.hits["/redirect"]
    assert not site.hits["/plain"]


async def test_media_are_not_loaded(shared, site):
    await shared.fetch(ask(site, "/media"))
    assert site.hits["/script.js"]
    assert not {"/image.png", "/font.woff2", "/video.mp4"} & {path for path, times in site.hits.items() if times}


async def test_media_are_loaded_when_asked_for(own, site):
    await own(TIERS_BROWSER_BLOCK_MEDIA=False).fetch(ask(site, "/media"))
    assert site.hits["/image.png"]


async def test_scrolling_brings_what_loads_late(shared, own, site):
    response = await shared.fetch(ask(site, "/lazy"))
    assert "loaded late" in response.css("#more").get()


async def test_without_scrolling_it_does_not_come(own, site):
    response = await own(TIERS_BROWSER_SCROLL_ROUNDS=0).fetch(ask(site, "/lazy"))
    assert "loaded late" not in response.css("#more").get()


@pytest.mark.parametrize(
    "path",
    ["/endless-frame", "/no-timers", "/alerts", "/closes-itself", "/wants-204", "/starts-download"],
    ids=lambda path: path[1:],
)
async def test_the_page_is_got_all_the_same(shared, site, path):
    started = monotonic()
    response = await shared.fetch(ask(site, path))
    assert TEXT.strip() in response.text
    assert (response.status, response.url) == (200, site.url + path)
    assert monotonic() - started < 3


@pytest.mark.parametrize("path", ["/restless", "/endless-script", "/endless-poll"], ids=lambda path: path[1:])
async def test_of_a_page_that_does_not_settle_what_is_there_is_taken(brisk, site, path):
    response = await brisk.fetch(ask(site, path))
    assert TEXT.strip() in response.text


async def test_popups_ask_nothing_of_their_origin(shared, site):
    popups = stat(shared, "popups")
    response = await shared.fetch(ask(site, "/popups"))
    assert TEXT.strip() in response.text
    assert len(site.hits["/popup"]) <= 1  # fifty windows opened by script were refused, the clicked link was closed
    assert stat(shared, "popups") == popups + 1


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/attachment", DownloadFailedError),
        ("/no-content", DownloadFailedError),
        ("/leads-nowhere", DownloadFailedError),
        ("/huge", DownloadCancelledError),
    ],
    ids=lambda value: str(value).strip("/"),
)
async def test_what_is_no_page_fails_at_once(shared, site, path, error):
    started = monotonic()
    with pytest.raises(error) as caught:
        await shared.fetch(ask(site, path))
    assert "\n" not in str(caught.value)
    assert monotonic() - started < 4


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://nowhere.invalid/", CannotResolveHostError),
        ("http://127.0.0.1:1/", DownloadFailedError),  # a port that Chromium holds unsafe
        ("http://127.0.0.1:{free}/", DownloadConnectionRefusedError),
    ],
)
async def test_a_host_that_does_not_answer_is_named_as_over_http(shared, unused_tcp_port, url, error):
    with pytest.raises(error):
        await shared.fetch(Request(url.format(free=unused_tcp_port)))


@pytest.mark.parametrize("path", ["/loop-after-load", "/loop-at-once"], ids=lambda path: path[1:])
async def test_a_page_without_end_is_given_up_in_time_and_the_next_one_is_got(brisk, site, path):
    await brisk.fetch(ask(site, "/plain"))
    started = monotonic()
    with pytest.raises(DownloadTimeoutError):
        await brisk.fetch(ask(site, path))
    assert monotonic() - started < 4.5
    assert (await brisk.fetch(ask(site, "/plain"))).status == 200


async def test_a_page_that_reloads_for_ever_does_not_ask_its_origin_for_ever(shared, site):
    response = await shared.fetch(ask(site, "/reloads-for-ever"))
    assert TEXT.strip() in response.text
    assert len(site.hits["/reloads-for-ever"]) == MAX_NAVIGATIONS


async def test_a_challenge_that_clears_itself_is_waited_for(shared, site):
    request = ask(site, "/wall")
    response = await shared.fetch(request)
    assert (response.status, response.css("title::text").get()) == (200, "Plain")
    assert [(cookie["name"], cookie["value"]) for cookie in request.meta["tiers_cookies"]] == [("pass", "1")]
    assert set(request.meta["tiers_cookies"][0]) == {"name", "value", "domain", "path", "expires"}


async def test_a_challenge_that_does_not_clear_is_returned_as_it_is(own, site):
    request = ask(site, "/solid-wall")
    response = await own(TIERS_BROWSER_CHALLENGE_SECONDS=1).fetch(request)
    assert (response.status, response.css("title::text").get()) == (403, "Just a moment...")
    assert "tiers_cookies" not in request.meta


async def test_an_ordinary_page_leaves_no_cookies(shared, site):
    request = ask(site, "/plain")
    await shared.fetch(request)
    assert "tiers_cookies" not in request.meta


async def test_the_response_is_that_of_the_page_shown_last(shared, site):
    response = await shared.fetch(ask(site, "/moves-on"))
    assert (response.url, response.status) == (site.url + "/plain", 200)


async def test_the_dom_is_utf8_whatever_the_origin_sent(shared, site):
    response = await shared.fetch(ask(site, "/latin"))
    assert "Ærøskøbing" in response.body.decode()
    assert (response.encoding, response.headers["Content-Type"]) == ("utf-8", b"text/html; charset=utf-8")


async def test_scripts_and_servers_see_the_agent_headers_and_referer_of_the_request(own, site):
    request = ask(site, "/agent")
    request.headers["Referer"] = site.url + "/from"
    response = await own(TIERS_BROWSER_HEADERS={"X-Club": "yes"}).fetch(request)
    assert response.css("#a::text").get() == AGENT
    seen = site.headers["/agent"]
    assert (seen["User-Agent"], seen["X-Club"], seen["Referer"]) == (AGENT, "yes", site.url + "/from")


async def test_pages_and_what_they_load_come_through_the_requests_proxy(own, site):
    browser = own()
    with forward_proxy("user", "word") as proxy:
        request = ask(site, "/spa", proxy=proxy.url)
        HttpProxyMiddleware().process_request(request)  # takes the password out of the address
        response = await browser.fetch(request)
        assert "word" not in request.meta["proxy"]
    assert response.css("h1::text").get() == "Rendered"
    assert {urlsplit(url).path for url in proxy.asked} >= {"/spa", "/slow.json"}
    asked = len(proxy.asked)
    await browser.fetch(ask(site, "/plain"))
    assert len(proxy.asked) == asked


async def press(page):
    await page.click("button")


async def test_the_page_hook_acts_on_the_page(own, site):
    response = await own(TIERS_BROWSER_PAGE_HOOK=f"{__name__}.press").fetch(ask(site, "/button"))
    assert "pressed" in response.text


async def test_a_killed_renderer_costs_one_retry(own, site):
    browser = own()
    page = asyncio.create_task(browser.fetch(ask(site, "/held")))
    await asyncio.to_thread(site.wait_for, "/hold")
    for pid in processes("--type=renderer"):
        os.kill(pid, signal.SIGKILL)
    site.hold.set()
    assert "released" in (await page).text
    assert (stat(browser, "retried"), stat(browser, "pages")) == (1, 1)


@pytest.mark.parametrize("word", ["--headless", "run-driver"], ids=["browser", "driver"])
async def test_a_killed_browser_costs_one_retry_of_each_page(own, site, word):
    browser = own()
    pages = [asyncio.create_task(browser.fetch(ask(site, "/held"))) for _ in range(2)]
    await asyncio.to_thread(site.wait_for, "/hold", 2)
    for pid in processes(word):
        os.kill(pid, signal.SIGKILL)
    site.hold.set()
    assert all("released" in response.text for response in await asyncio.gather(*pages))
    assert stat(browser, "retried") == 2


async def test_a_frozen_browser_is_killed_and_replaced(own, site):
    browser = own(TIERS_BROWSER_TIMEOUT_MS=2000)
    page = asyncio.create_task(browser.fetch(ask(site, "/held")))
    await asyncio.to_thread(site.wait_for, "/hold")
    frozen = processes("--headless")
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    with pytest.raises(DownloadTimeoutError):
        await page
    assert (await browser.fetch(ask(site, "/plain"))).status == 200
    assert stat(browser, "killed") == 1
    assert not [pid for pid in frozen if is_running(pid)]


async def test_a_context_is_recycled_after_its_number_of_pages(own, site):
    browser = own(TIERS_BROWSER_CONTEXT_PAGES=2)
    for _ in range(2):
        await asyncio.gather(browser.fetch(ask(site, "/plain")), browser.fetch(ask(site, "/wall")))
    assert stat(browser, "recycled") == 2
    assert len(site.hits["/wall"]) == 4  # the second context knows no cookie of the first


async def test_a_browser_that_grew_too_large_is_replaced(own, site):
    browser = own(TIERS_BROWSER_MAX_MB=1, TIERS_BROWSER_QUIET_MS=20)
    for _ in range(11):
        await browser.fetch(ask(site, "/plain"))
    assert stat(browser, "restarted") == 1


async def test_nothing_is_started_before_the_first_page_and_nothing_is_left_after_the_last(own, site):
    before = descendants(os.getpid()).keys()
    browser = own()
    assert descendants(os.getpid()).keys() == before
    await browser.fetch(ask(site, "/plain"))
    started = descendants(os.getpid()).keys() - before
    assert len(started) > 2
    await browser.close()
    assert not [pid for pid in started if is_running(pid)]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("TIERS_BROWSER_EXECUTABLE", "/no/such/chromium"),
        ("TIERS_BROWSER_PAGE_HOOK", "no.such.hook"),
        ("TIERS_BROWSER_PAGE_HOOK", "os.sep"),
        ("TIERS_BROWSER_TIMEOUT_MS", 10),
        ("TIERS_BROWSER_TIMEOUT_MS", "soon"),
        ("TIERS_BROWSER_SCROLL_ROUNDS", -1),
        ("TIERS_BROWSER_CONTEXT_PAGES", 0),
        ("TIERS_BROWSER_VIEWPORT", {"width": 100}),
    ],
)
async def test_a_senseless_setting_is_refused_by_name(setting, value):
    with pytest.raises(ValueError, match=setting):
        new_browser(**{setting: value})


async def test_the_browser_is_looked_for_on_path_and_then_among_playwrights(tmp_path, monkeypatch):
    own = tmp_path / "chromium-1200" / "chrome-linux" / "chrome"
    own.parent.mkdir(parents=True)
    own.touch(mode=0o755)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser(None) == str(own)
    on_path = tmp_path / PROGRAMS[-1]
    on_path.touch(mode=0o755)
    assert find_browser(None) == str(on_path)
    assert find_browser(str(own)) == str(own)


async def test_a_machine_without_a_browser_fails_the_page(own, site, tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DownloadFailedError, match="No browser was found"):
        await own().fetch(ask(site, "/plain"))


async def test_a_program_that_is_no_browser_fails_the_page(own, site):
    with pytest.raises(DownloadFailedError, match="did not start"):
        await own(TIERS_BROWSER_EXECUTABLE="true").fetch(ask(site, "/plain"))
