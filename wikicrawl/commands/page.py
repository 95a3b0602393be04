"""Get one page now and print its markdown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import yaml
from scrapy import signals
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from wikicrawl.commands import print_problem, run_crawls
from wikicrawl.items import Page
from wikicrawl.spiders.base import FrontierSpider
from wikicrawl.store.frontier import Claim
from wikicrawl.urls import Refusal, Scope, netloc, path_of, typed_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy import Request

    from wikicrawl.sources import Sources
    from wikicrawl.store.pages import StoredPage

FRONT_MATTER = (
    "url", "final_url", "title", "description", "language", "source", "depth", "tier", "extractor", "text_hash",
    "fetched_at",
)  # fmt: skip
WIKI_FRONT_MATTER = ("revid", "categories", "license", "attribution")


class Command(ScrapyCommand):
    requires_project = True

    def syntax(self) -> str:
        return "[options] URL"

    def short_desc(self) -> str:
        return "Get one page by the cheapest tier that works and print its markdown"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--front-matter", action="store_true", help="put a YAML header before the markdown")
        parser.add_argument("--tier", choices=["auto", "api", "http", "browser"], default="auto")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        self.settings.set("LOG_LEVEL", "WARNING", priority="project")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one URL, for example: scrapy page https://example.org/")
        url = typed_url(args[0])
        if isinstance(url, Refusal):
            raise UsageError(f"{args[0]!r} is not a web address (http:// or https://)")
        page = self._get(url, opts.tier)
        if self.exitcode or page is None:
            return
        if not page.markdown:
            self.exitcode = print_problem(f"{url}: {page.error}")
            return
        if opts.front_matter:
            print(front_matter(page))
        print(page.markdown)

    def _get(self, url: str, tier: str) -> Page | None:
        assert self.crawler_process is not None
        pages: list[Page] = []
        crawler = self.crawler_process.create_crawler(OnePageSpider)
        crawler.signals.connect(lambda item, **_: pages.append(item), signals.item_scraped, weak=False)
        self.exitcode = run_crawls(self.crawler_process, [self.crawler_process.crawl(crawler, url=url, tier=tier)])
        return pages[0] if pages else None


class OnePageSpider(FrontierSpider):
    """Asks for one URL, past the frontier."""

    name = "page"
    max_depth = 0
    # Only what is on the page is wanted: nothing is kept or shown but the markdown.
    custom_settings = {  # noqa: RUF012
        "ITEM_PIPELINES": {"wikicrawl.pipelines.extract.ExtractPipeline": 100},
        "EXTENSIONS": {},
        "EXTRACT_PROCESSES": 1,
    }

    def __init__(self, url: str, tier: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scope = Scope(start=url)
        self.tier = tier
        self._url = url

    async def start(self) -> AsyncIterator[Request]:
        yield self._request(
            Claim(
                id=0,
                url=self._url,
                source=netloc(self._url),
                depth=0,
                attempt=1,
                version=0,
                text_hash="",
                owner="",
                interval=None,
                lastmod=None,
            )
        )


def to_item(page: StoredPage, sources: Sources) -> Page:
    """A kept page as the feeds show it."""
    told = sources.of(netloc(page.url), path_of(page.url))
    return Page(
        url=page.url,
        final_url=page.final_url or page.url,
        source=page.source,
        domain=netloc(page.url),
        depth=page.depth,
        title=page.title,
        description=page.description,
        language=page.language,
        markdown=page.markdown,
        text_hash=page.text_hash,
        links=page.links,
        images=page.images,
        tier=page.tier,
        verdict="page",
        http_status=page.http_status,
        fetched_at=datetime.fromtimestamp(page.fetched_at, UTC).isoformat(timespec="seconds"),
        bytes=page.bytes,
        extractor=page.extractor,
        weight=told.weight,
        source_tier=told.source_tier,
        wiki=page.meta.get("wiki", {}),
        confidence=page.meta.get("confidence", 0.0),
        hidden_text=page.meta.get("hidden_text", ""),
        injection_suspect=page.meta.get("injection_suspect", False),
    )


def front_matter(page: Page) -> str:
    header = {name: value for name in FRONT_MATTER if (value := getattr(page, name)) not in ("", None)}
    header |= {name: page.wiki[name] for name in WIKI_FRONT_MATTER if name in page.wiki}
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1_000)}---\n"
