"""Pages rendered by a browser that somebody else started, and that goes on after us."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import pytest
import pytest_asyncio
from browser_site import BrowserSite, descendants
from odd_site import SHELL, WORDS, Handler, odd_site
from playwright.async_api import async_playwright
from scrapy import Request
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy.utils.test import get_crawler

from wikicrawl import settings as project
from wikicrawl.store import open_store
from wikicrawl.tiers.browser import Browser
from wikicrawl.tiers.executable import find_browser

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
DEFAULTS = {name: value for name, value in vars(project).items() if name.startswith("TIERS_BROWSER")}
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0")


class RemoteChromium:
    """A Chromium with an open port, started as an operator would start it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        command = [find_browser(None), *FLAGS, f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = next(line for line in self.process.stderr if "DevTools listening on" in line)
        self.socket = re.search(r"ws://\S+", line)[0]
        self.url = f"http://{self.socket.split('/')[2]}"

    def targets(self):
        with urllib.request.urlopen(f"{self.url}/json/list", timeout=5) as answer:
            return [target["url"] for target in json.load(answer)]

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def chromium():
    chromium = RemoteChromium()
    yield chromium
    chromium.close()


@pytest.fixture(scope="module")
def site():
    site = BrowserSite()
    yield site
    site.close()


@pytest_asyncio.fixture(loop_scope="module")
async def connect():
    browsers = []

    def connect(endpoint, **settings):
        told = {**DEFAULTS, "TIERS_BROWSER_ENDPOINT": endpoint, "TIERS_BROWSER_EXECUTABLE": "/no/such/chromium"}
        browsers.append(Browser(get_crawler(settings_dict={**told, **settings})))
        return browsers[-1]

    yield connect
    for browser in browsers:
        await browser.close()


def stat(browser, name):
    return browser._crawler.stats.get_value(f"tiers/browser/{name}", 0)


async def contexts(chromium):
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(chromium.url)
        session = await browser.new_browser_cdp_session()
        found = (await session.send("Target.getBrowserContexts"))["browserContextIds"]
        await browser.close()
    return found


@pytest.mark.parametrize("by", ["url", "socket"])
async def test_pages_are_rendered_there_and_nothing_of_ours_is_left(chromium, site, connect, by):
    browser = connect(getattr(chromium, by), TIERS_BROWSER_CONTEXT_PAGES=2)
    pages = [browser.fetch(Request(f"{site.url}/spa")) for _ in range(2)]
    assert all("<h1>Rendered</h1>" in response.text for response in await asyncio.gather(*pages))
    await browser.fetch(Request(f"{site.url}/plain"))
    assert (stat(browser, "pages"), stat(browser, "recycled")) == (3, 1)
    assert not [command for command in descendants(os.getpid()).values() if "--remote-debugging-pipe" in command]
    await browser.close()
    assert chromium.is_running()
    assert await contexts(chromium) == []
    assert not [url for url in chromium.targets() if url.startswith(site.url)]


async def test_a_page_without_end_is_given_up_and_the_browser_goes_on(chromium, site, connect):
    browser = connect(chromium.url, TIERS_BROWSER_TIMEOUT_MS=3000)
    with pytest.raises(DownloadTimeoutError):
        await browser.fetch(Request(f"{site.url}/loop-after-load"))
    assert (await browser.fetch(Request(f"{site.url}/plain"))).status == 200
    await browser.close()
    assert chromium.is_running()
    assert await contexts(chromium) == []


async def test_a_connection_that_is_lost_is_opened_again_once(chromium, site, connect):
    browser = connect(chromium.url)
    site.hold.clear()
    site.hits.clear()
    page = asyncio.create_task(browser.fetch(Request(f"{site.url}/held")))
    await asyncio.to_thread(site.wait_for, "/hold")
    for pid, command in descendants(os.getpid()).items():
        if "run-driver" in command:
            os.kill(pid, signal.SIGKILL)
    site.hold.set()
    assert "released" in (await page).text
    assert stat(browser, "retried") == 1


async def test_a_browser_that_is_gone_ends_the_page_and_the_next_by_name(chromium, site, connect):
    browser = connect(chromium.url)
    site.hold.clear()
    site.hits.clear()
    page = asyncio.create_task(browser.fetch(Request(f"{site.url}/held")))
    await asyncio.to_thread(site.wait_for, "/hold")
    chromium.kill()
    site.hold.set()
    for fetch in (page, browser.fetch(Request(f"{site.url}/plain"))):
        with pytest.raises(DownloadFailedError, match=f"{chromium.url} cannot be reached .TIERS_BROWSER_ENDPOINT"):
            await fetch


async def test_a_playwright_server_serves_as_well(site, connect, tmp_path):
    config = tmp_path / "server.json"
    launch = {"executablePath": find_browser(None), "args": ["--no-sandbox"], "port": 0, "host": "127.0.0.1"}
    config.write_text(json.dumps(launch))
    command = [sys.executable, "-m", "playwright", "launch-server", "--browser", "chromium", "--config", str(config)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        endpoint = next(line.strip() for line in server.stdout if line.startswith("ws://"))
        browser = connect(endpoint)
        assert "<h1>Rendered</h1>" in (await browser.fetch(Request(f"{site.url}/spa"))).text
        await browser.close()
        assert server.poll() is None
    finally:
        below = descendants(server.pid)
        server.kill()
        for pid in below:
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGKILL)
        server.wait()
        server.stdout.close()


@pytest.mark.parametrize("endpoint", ["localhost:9222", "ftp://host/", "http://", "/usr/bin/chromium"])
async def test_what_is_no_endpoint_is_refused_by_name(connect, endpoint):
    with pytest.raises(ValueError, match="TIERS_BROWSER_ENDPOINT"):
        connect(endpoint)


# whole crawls


class Apps(Handler):
    def get_app(self):
        filled = f"<script>document.getElementById('root').innerHTML='<p>{WORDS * 8}</p>'</script></body>"
        self.send(200, SHELL.replace("</body>", filled))


def crawl(scrapy, endpoint):
    with odd_site("/app/1") as site:
        site.RequestHandlerClass = Apps
        limits = ("-a", "sitemap=false", "-s", f"TIERS_BROWSER_ENDPOINT={endpoint}")
        scrapy.environment["PATH"] = ""  # so that no browser is found here
        scrapy.environment["PLAYWRIGHT_BROWSERS_PATH"] = "/nowhere"
        done = scrapy("crawl", "site", "-a", f"url={site.url}", *limits)
        store = open_store(scrapy.store_url)
        page = store.pages.find(f"{site.url}app/1")
        (visit,) = store.pages.visits(page.id)
        store.close()
    return page, visit, done.stderr


async def test_a_machine_without_a_browser_crawls_with_one_elsewhere(chromium, scrapy):
    page, visit, _ = await asyncio.to_thread(crawl, scrapy, chromium.url)
    assert (page.outcome, visit.tier) == ("ok", "browser")
    assert WORDS.strip() in page.markdown
    assert chromium.is_running()


async def test_an_endpoint_where_nobody_listens_is_named_in_log_and_outcome(scrapy, unused_tcp_port):
    endpoint = f"http://127.0.0.1:{unused_tcp_port}"
    page, visit, log = await asyncio.to_thread(crawl, scrapy, endpoint)
    assert page.outcome == "network"
    assert visit.error == f"The browser {endpoint} cannot be reached (TIERS_BROWSER_ENDPOINT)"
    assert f"The browser {endpoint} cannot be reached (TIERS_BROWSER_ENDPOINT): " in log


async def test_the_commands_name_the_endpoint(scrapy, chromium):
    for command in (["browser"], ["explain", "http://127.0.0.1:9/"]):
        done = await asyncio.to_thread(scrapy, *command, "-s", f"TIERS_BROWSER_ENDPOINT={chromium.url}")
        assert re.search(rf"browser +{chromium.url}", done.stdout)
