"""Whenever a crawl is killed, nothing is lost and nothing is kept twice."""

import os
import threading
import time
from collections import Counter
from itertools import count
from random import Random

import pytest
from crash_checks import nothing_is_lost_or_twice, nothing_is_told_twice
from crash_site import crash_site

SEED = int(os.environ.get("CRASH_SEED", "1"))
CONCURRENCY = 16  # CONCURRENT_REQUESTS of each worker
WORKERS = ("worker-a", "worker-b")
IDLE_SECONDS = 60  # one that waits so long for the other's hosts is killed as well


class KillingRun:
    """Workers that crawl one site into one store and one feed, killed at random and started again at once."""

    def __init__(self, scrapy, site, feed, kills):
        self.scrapy, self.site, self.feed = scrapy, site, feed
        self.planned = kills
        self.kills = Counter()
        self.lock = threading.Lock()
        self.endings = {}

    def __call__(self):
        self.scrapy("crawl", "site", *self.arguments("first"), "-a", "max_pages=1")  # so that both hosts are known
        threads = [threading.Thread(target=self.keep_running, args=(name,)) for name in WORKERS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def keep_running(self, name):
        random = Random(f"{SEED}/{name}")
        most = max(2, self.site.size // self.planned)  # half of the pages are left when all kills are done
        for life in count():
            agent = f"{name}/{life}"
            process = self.start(agent)
            self.wait(process, agent, random.randint(1, most))
            with self.lock:
                if process.poll() is not None or self.kills.total() == self.planned:
                    break
                process.kill()
                self.kills[name] += 1
            process.wait()
        self.endings[name] = process.wait(300)

    def wait(self, process, agent, pages):
        """Until it has asked for so many pages, has ended, or need not be killed any more."""
        deadline = time.monotonic() + IDLE_SECONDS
        while process.poll() is None and self.kills.total() < self.planned and time.monotonic() < deadline:
            if self.site.wait_for_hits(pages, agent, 0.2):
                return

    def start(self, agent):
        return self.scrapy.start("crawl", "site", *self.arguments(agent), "-a", f"max_pages={self.site.size + 1}")

    def arguments(self, agent):
        given = ("-a", f"url={self.site.start}", "-a", "sitemap=false", "-a", "max_depth=20", "-o", str(self.feed))
        settings = {
            "USER_AGENT": agent,
            "TIERS_BROWSER": 0,
            "TRAPS_PREDICT": 0,  # its pages are called /page/n, as those of a list are
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "EXTRACT_PROCESSES": 1,
            "STORE_CLAIM_SIZE": 10,
        }
        return (*given, *(word for name, value in settings.items() for word in ("-s", f"{name}={value}")))


def crawl_and_kill(scrapy, folder, *, pages, kills):
    feed = folder / "pages.jsonl"
    with crash_site(pages) as site:
        run = KillingRun(scrapy, site, feed, kills)
        run()
        assert run.endings == dict.fromkeys(WORKERS, 0)
        assert run.kills.total() == kills
        nothing_is_lost_or_twice(scrapy.store_url, site)
        rows = nothing_is_told_twice(feed, site)
        print(f"\n{kills} kills, {pages} pages: {site.refetches} refetched, {pages - rows} without a row in the feed")
        assert site.refetches <= kills * CONCURRENCY
    return site


# CRASH_RUN=200/3000 is the long run; CRASH_SEED=n is another one.
@pytest.mark.slow
def test_random_kills_lose_no_page_and_keep_none_twice(scrapy, tmp_path):
    kills, pages = (int(word) for word in os.environ.get("CRASH_RUN", "40/400").split("/"))
    crawl_and_kill(scrapy, tmp_path, pages=pages, kills=kills)
