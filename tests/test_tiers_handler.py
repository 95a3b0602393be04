import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from browser_site import BrowserSite, descendants, is_running
from scrapy.utils.test import get_crawler

from wikicrawl import settings as project
from wikicrawl.tiers.handler import TierDownloadHandler

SETTINGS = {
    **{name: value for name, value in vars(project).items() if name.startswith("TIERS_")},
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "wikicrawl.tiers.handler.TierDownloadHandler"),
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}
# Asks for the pages named on the command line, those with a «+» in the browser and those with a «*» in a slot of their
# own, and prints what came of each.
SPIDER = dedent("""
    import json, os, sys
    import scrapy
    from browser_site import descendants

    class Spider(scrapy.Spider):
        name = "tiers"
        custom_settings = json.loads(os.environ["SETTINGS"])

        async def start(self):
            for number, page in enumerate(self.pages.split()):
                meta = {"tiers_browser": True, "download_slot": "browser"} if page.endswith("+") else {}
                meta |= {"download_slot": "api"} if page.endswith("*") else {}
                url = f"{self.site}{page.rstrip('+*')}?{number}"
                yield scrapy.Request(url, meta=meta, callback=self.parse, errback=self.fail)

        def parse(self, response):
            line = [response.url, response.flags, len(descendants(os.getpid()))]
            print(json.dumps(line), flush=True)

        def fail(self, failure):
            print(json.dumps([failure.request.url, [type(failure.value).__name__], 0]), flush=True)
""")


@pytest.fixture
def site():
    site = BrowserSite()
    yield site
    site.close()


@pytest.fixture
def start(site, tmp_path):
    """Start a crawl of the site's pages in a process of its own."""
    crawls = []

    def start(pages, **settings):
        script = tmp_path / "spider.py"
        script.write_text(SPIDER)
        path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "runspider",
            str(script),
            "-a",
            f"site={site.url}",
            "-a",
            f"pages={pages}",
        ]
        kept = {"STORE_URL": f"sqlite:///{tmp_path}/store.db"}
        environment = {**os.environ, "PYTHONPATH": path, "SETTINGS": json.dumps({**SETTINGS, **kept, **settings})}
        crawls.append(
            subprocess.Popen(
                command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        )
        return crawls[-1]

    yield start
    for crawl in crawls:
        if crawl.poll() is None:
            crawl.kill()
        crawl.communicate()


def lines(crawl):
    output, log = crawl.communicate(timeout=40)
    assert "Traceback" not in log, log
    return [json.loads(line) for line in output.splitlines()]


def gaps(times):
    ordered = sorted(times)
    return [after - before for before, after in itertools.pairwise(ordered)]


async def test_one_handler_serves_both_schemes_of_a_crawl_and_closes_once():
    crawler, other = get_crawler(settings_dict=SETTINGS), get_crawler(settings_dict=SETTINGS)
    handler = TierDownloadHandler.from_crawler(crawler)
    assert TierDownloadHandler.from_crawler(crawler) is handler
    assert TierDownloadHandler.from_crawler(other) is not handler
    await handler.close()
    await handler.close()


@pytest.mark.slow
def test_http_pages_start_no_process(start):
    assert [line[1:] for line in lines(start("/plain /plain"))] == [[[], 0], [[], 0]]


@pytest.mark.browser
def test_a_request_goes_by_the_tier_it_names(start):
    assert sorted(flags for _, flags, _ in lines(start("/spa /spa+"))) == [[], ["browser"]]


@pytest.mark.browser
def test_the_concurrency_of_a_host_is_summed_over_both_tiers(start, site):
    crawl = start("/slow /slow+ " * 6, CONCURRENT_REQUESTS_PER_DOMAIN=2, TIERS_BROWSER_QUIET_MS=20)
    assert len(lines(crawl)) == 12
    assert len(site.hits["/slow"]) == 12
    assert site.open_at_most <= 2


@pytest.mark.browser
def test_the_delay_of_a_host_is_kept_over_both_tiers(start, site):
    slots = {"127.0.0.1": {"delay": 0.5, "jitter": 0}}  # that of HTTP; the one of browser pages has no delay
    crawl = start("/plain /plain+ " * 4, DOWNLOAD_SLOTS=slots, TIERS_BROWSER_QUIET_MS=20)
    assert len(lines(crawl)) == 8
    assert min(gaps(site.hits["/plain"])) > 0.45  # the server's clock, not ours


@pytest.mark.slow
def test_http_requests_alone_are_not_delayed_twice(start, site):
    assert len(lines(start("/plain " * 5, DOWNLOAD_DELAY=0.3, DOWNLOAD_DELAY_JITTER=0))) == 5
    assert all(0.25 < gap < 0.5 for gap in gaps(site.hits["/plain"]))


@pytest.mark.slow
def test_the_delay_of_a_host_holds_when_another_process_takes_it_over(start, site):
    for _ in range(2):
        assert len(lines(start("/plain", DOWNLOAD_DELAY=4, DOWNLOAD_DELAY_JITTER=0))) == 1
    (gap,) = gaps(site.hits["/plain"])
    assert 3.9 < gap < 8


@pytest.mark.slow
def test_requests_of_different_slots_share_the_delay_of_their_host(start, site):
    """As those of a wiki's API and those for its pages do."""
    assert len(lines(start("/plain /plain* " * 3, DOWNLOAD_DELAY=0.6, DOWNLOAD_DELAY_JITTER=0))) == 6
    assert min(gaps(site.hits["/plain"])) > 0.55


@pytest.mark.browser
def test_a_crawl_that_is_told_to_stop_leaves_no_process(start, site):
    crawl = start("/held+")
    site.wait_for("/hold", 20)
    left = descendants(crawl.pid)
    assert len(left) > 2
    crawl.send_signal(signal.SIGTERM)
    site.hold.set()
    assert len(lines(crawl)) == 1
    assert not [pid for pid in left if is_running(pid)]
