"""Crawl a test wiki by the real command line, and see what was asked and what came of it."""

import json
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import parse_qs, urlsplit

from wikicrawl.store import open_store


@dataclass
class Crawled:
    """One run: its items by URL, what it printed, and what the wiki was asked."""

    rows: dict
    printed: str
    requests: list = field(repr=False)

    def by_api(self):
        """The API's questions, each as its parameters."""
        return [
            {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}
            for request in self.requests
            if "api.php" in request.url
        ]

    def parsed(self):
        """The titles of the pages that the API was asked for, in their order."""
        return [question["page"] for question in self.by_api() if question.get("action") == "parse"]

    def as_html(self):
        """The paths of what was got beside the API."""
        paths = (request.url.split("/", 3)[3] for request in self.requests if "api.php" not in request.url)
        return [path for path in paths if path != "robots.txt"]

    def titles(self, **wanted):
        """The titles of the items that have these values."""
        chosen = (row for row in self.rows.values() if all(row[name] == value for name, value in wanted.items()))
        return {row["wiki"].get("title", row["url"]) for row in chosen}


class WikiCrawl:
    def __init__(self, scrapy, folder, wiki):
        self.scrapy = scrapy
        self.folder = folder
        self.wiki = wiki
        self._numbers = count()

    def __call__(self, *arguments, spider="wiki", url=None, **settings):
        """`arguments` are the spider's, as name=value; `settings` Scrapy's."""
        feed = self.folder / f"feed-{next(self._numbers)}.jsonl"
        # PHP on a busy machine takes longer than a second, and need not be given a rest.
        settings = {"WIKI_SLOW_SECONDS": 60, **settings}
        self.wiki.forget_requests()
        done = self.scrapy(
            "crawl", spider,
            "-a", f"url={url or self.wiki.page_url('Main Page')}",
            *(part for argument in arguments for part in ("-a", argument)),
            *(part for name, value in settings.items() for part in ("-s", f"{name}={value}")),
            "-O", str(feed),
        )  # fmt: skip
        print(done.stderr)  # pytest shows it where a fact does not hold
        lines = feed.read_text(encoding="utf-8").splitlines() if feed.exists() else []
        rows = {row["url"]: row for row in map(json.loads, lines)}
        return Crawled(rows, done.stderr, self.wiki.requests())

    def kept(self):
        """The pages with content in the store, by URL."""
        store = open_store(self.scrapy.store_url)
        try:
            return {page.url: page for page in store.pages.each()}
        finally:
            store.close()

    def page(self, title):
        store = open_store(self.scrapy.store_url)
        try:
            return store.pages.find(self.wiki.page_url(title))
        finally:
            store.close()
