"""Crawl a wiki by its own lists of pages, and crawl again only what they say has changed."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import deque
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from scrapy_spider_metadata import Args

from wikicrawl.items import STOPPING
from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import continued
from wikicrawl.mediawiki.profile import folded
from wikicrawl.mediawiki.shapes import flag, mapping, rows, text
from wikicrawl.mediawiki.titles import namespace_of, normal_title, url_of
from wikicrawl.numbers import number
from wikicrawl.schedule import Policy
from wikicrawl.spiders.arguments import Address, Names, without_scrapyds
from wikicrawl.spiders.base import FrontierSpider
from wikicrawl.spiders.outcomes import DOWNLOAD_ERRORS
from wikicrawl.store.listings import Compared, Listed, Listing
from wikicrawl.urls import Refusal, Scope, netloc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from wikicrawl.mediawiki.profile import Wiki

logger = logging.getLogger(__name__)

KINDS = ("new", "changed", "touched", "same")  # of listed pages, as a comparison tells them apart
MAX_NAMESPACES = 100  # of content; the richest of Wikimedia's wikis has a dozen
MAX_ID = 2**53  # what JSON holds exactly
CATEGORY = 14  # the namespace of categories, on every wiki
ALL = 2**31 - 1  # pages; more than any wiki has
# Up to here a sweep takes no more than 20 requests, which is cheap enough for every run.
SMALL = 10_000
OVERLAP_SECONDS = 300  # recent changes are read again from so long before: clocks differ, and edits take time to show
CHANGES_SECONDS = 30 * 24 * 3600  # MediaWiki forgets recent changes after 90 days, some wikis after 30


class WikiError(Exception):
    """The wiki cannot be listed as the arguments ask; said in the log, and nothing is taken for deleted."""


UNLISTED: tuple[type[Exception], ...] = (*DOWNLOAD_ERRORS, WikiError)


class WikiArguments(BaseModel):
    """What `scrapy crawl wiki` takes by `-a name=value`."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    url: Address = Field(title="Wiki", description="Any page of the wiki; https:// where no scheme is given.")
    category: str = Field("", title="Category", description="Only the members of this category and of those in it.")
    depth: int = Field(3, ge=0, title="Depth", description="Levels of categories in the category; 0: its own members.")
    namespace: Names = Field(
        (), title="Namespaces", description="Names or numbers, with commas; empty: those the wiki calls its content."
    )
    prefix: str = Field("", title="Prefix", description="Only pages whose title, without its namespace, begins so.")
    max_pages: int = Field(0, ge=0, title="Pages", description="The most pages of the source that are visited; 0: all.")
    tier: Literal["auto", "api", "http", "browser"] = Field(
        "auto", title="Tier", description="auto: as WIKI_TRANSPORT says; or the way that is tried first."
    )
    source: str = Field("", title="Source", description="The name the pages are kept under; empty: host and choice.")

    @model_validator(mode="after")
    def _choice_is_one(self) -> WikiArguments:
        if self.category and self.prefix:
            raise ValueError("category and prefix cannot be combined: the wiki has no such list")
        return self

    @property
    def choice(self) -> str:
        """Which of the wiki's pages are wanted, in words; empty for all."""
        parts = [f"Category:{self.category} {self.depth}" if self.category else ""]
        parts += [f"namespace:{','.join(self.namespace)}" if self.namespace else ""]
        parts += [f"prefix:{self.prefix}" if self.prefix else ""]
        return "/".join(part for part in parts if part)


class WikiSpider(Args[WikiArguments], FrontierSpider):
    name = "wiki"
    max_depth = 0  # the wiki's lists name every page; links need not be followed
    _policy: Policy
    _sweep_seconds: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **without_scrapyds(kwargs))
        self.job_id: str | None = kwargs.get("_job")
        self.start_url = self.args.url
        self.scope = Scope(start=self.start_url)
        self.max_pages = self.args.max_pages or ALL
        self.tier = self.args.tier
        self.source = self.args.source or "/".join(filter(None, (netloc(self.start_url), self.args.choice)))
        self._wiki: Wiki | None = None
        self._listing = ""  # the name of the list of pages that is asked for
        self._is_new = False  # it has never been read to its end

    def equip(self) -> None:
        super().equip()
        self._policy = Policy.from_settings(self.settings)
        self._sweep_seconds = number(self.settings, "WIKI_SWEEP_SECONDS", least=0)

    def namespaces_of(self, wiki: Wiki) -> list[int]:
        """Pages of the namespaces that are asked for belong to the crawl, too."""
        wanted = super().namespaces_of(wiki)
        with suppress(WikiError):  # said where the pages are listed
            wanted += self._namespaces(wiki)
        return wanted

    async def prepare(self) -> None:
        store = self.store
        told = self.args.model_dump(mode="json")
        now = int(time.time())
        await store.run(store.sources.ensure, self.source, self.start_url, now, spider=self.name, arguments=told)
        async with self.start_host():
            with self._said_if_unlisted():
                wiki = await self._find_wiki()
                self._listing = f"{wiki.api} {self.args.choice}".strip()
                kept = await store.run(store.listings.find, self.source, self._listing)
                self._is_new = kept is None
                if kept is not None:
                    # Before anything is claimed: the list tells which of the pages that are due need no visit.
                    await self._look_again(kept)

    async def discover(self) -> None:
        if self._is_new:
            with self._said_if_unlisted():
                await self._sweep(int(time.time()))

    @contextmanager
    def _said_if_unlisted(self) -> Iterator[None]:
        """What is due from earlier runs is visited all the same, and nothing is taken for deleted."""
        try:
            yield
        except UNLISTED as error:
            if str(error) == STOPPING:
                return
            self.crawler.stats.inc_value("wiki/unlisted")
            logger.error(
                "The pages of %(url)s cannot be listed: %(error)s. If it is no MediaWiki, or keeps its API to itself, "
                "use: scrapy crawl site -a url=%(url)s",
                {"url": self.start_url, "error": error},
                extra={"spider": self},
            )

    async def _look_again(self, kept: Listing) -> None:
        # Sweeps are told apart by the whole second in which they begin.
        await asyncio.sleep(min(1.0, max(0.0, kept.swept_at + 1 - time.time())))
        now = int(time.time())
        if self._is_sweep_due(kept, now):
            await self._sweep(now)
        else:
            await self._read_changes(kept.changes_at - OVERLAP_SECONDS, now)

    def _is_sweep_due(self, kept: Listing, now: int) -> bool:
        longest = min(CHANGES_SECONDS, self._sweep_seconds)
        return bool(self.args.category) or kept.pages <= SMALL or now - kept.swept_at >= longest

    # the sweep

    async def _sweep(self, now: int) -> None:
        """Compare all that the wiki lists with what is kept; the end of it tells what is no longer listed."""
        pages: set[int] = set()
        redirects: list[Listed] = []
        async for listed in self._listed():
            fresh = [entry for entry in listed if entry.pageid not in pages]
            pages.update(entry.pageid for entry in fresh)
            compared = await self.store.run(
                self.store.listings.compare, self.source, self._listing, fresh, started_at=now, policy=self._policy
            )
            redirects += compared.redirects
            self._count(compared)
        await self._keep_aliases(redirects, now)
        absent = await self.store.run(
            self.store.listings.close, self.source, self._listing, started_at=now, pages=len(pages)
        )
        self.crawler.stats.inc_value("wiki/listed/absent", absent)
        counts = {name: self.crawler.stats.get_value(f"wiki/listed/{name}", 0) for name in KINDS}
        logger.info(
            "%(url)s lists %(pages)d pages: %(new)d new, %(changed)d changed, %(touched)d touched, %(same)d the same; "
            "%(absent)d are no longer listed",
            {"url": self.start_url, "pages": len(pages), "absent": absent, **counts},
            extra={"spider": self},
        )

    def _count(self, compared: Compared) -> None:
        """Part by part, so that whoever watches sees a long list being read."""
        for name in KINDS:
            self.crawler.stats.inc_value(f"wiki/listed/{name}", getattr(compared, name))
        self.crawler.stats.inc_value("wiki/listed/redirects", len(compared.redirects))

    async def _listed(self) -> AsyncIterator[list[Listed]]:
        wiki = await self._find_wiki()
        if self.args.category:
            async for listed in self._members(wiki):
                yield listed
            return
        for namespace in self._namespaces(wiki):
            async for query in self._each(queries.list_pages(namespace, self.args.prefix)):
                yield _listed(rows(query.get("pages")), wiki)

    async def _members(self, wiki: Wiki) -> AsyncIterator[list[Listed]]:
        """The pages of a category and of those in it; each category once, however they are nested."""
        wanted = frozenset(self._namespaces(wiki))
        start = self._category(wiki)
        waiting, seen = deque([(start, 0)]), {start}
        while waiting:
            category, depth = waiting.popleft()
            async for query in self._each(queries.list_members(category, "page|subcat")):
                pages = rows(query.get("pages"))
                inner = {text(page, "title") for page in pages if page.get("ns") == CATEGORY} - seen
                if depth < self.args.depth:
                    seen |= inner
                    waiting.extend((title, depth + 1) for title in sorted(inner))
                yield _listed((page for page in pages if page.get("ns") in wanted), wiki)

    def _category(self, wiki: Wiki) -> str:
        """The category's title, whether or not its namespace was given."""
        given = self.args.category
        if namespace_of(wiki, given).id != CATEGORY:
            namespace = wiki.by_id.get(CATEGORY)
            given = f"{namespace.name if namespace else 'Category'}:{given}"
        title = normal_title(wiki, given)
        if isinstance(title, Refusal):
            raise WikiError(f"{self.args.category!r} cannot be the name of a category")
        return title

    async def _keep_aliases(self, redirects: Sequence[Listed], now: int) -> None:
        """Ask where redirects lead, and keep them as other names of those pages."""
        wiki = await self._find_wiki() if redirects else None
        for start in range(0, len(redirects), queries.MAX_IDS):
            batch = redirects[start : start + queries.MAX_IDS]
            answer = await self._ask(queries.resolve([entry.pageid for entry in batch]))
            assert wiki is not None
            leads = {text(lead, "from"): text(lead, "to") for lead in rows(mapping(answer, "query").get("redirects"))}
            urls = {url_of(wiki, title): url_of(wiki, _end(leads, title)) for title in leads}
            aliases = [(entry, urls.get(entry.url)) for entry in batch]
            await self.store.run(self.store.listings.keep_aliases, self.source, self._listing, aliases, started_at=now)

    # recent changes

    async def _read_changes(self, since: int, now: int) -> None:
        wiki = await self._find_wiki()
        wanted = frozenset(self._namespaces(wiki))
        urls: dict[str, None] = {}
        async for query in self._each(queries.recent_changes(since)):
            for change in rows(query.get("recentchanges")):
                moved_to = text(mapping(change, "logparams"), "target_title")
                for title in filter(None, (text(change, "title"), moved_to)):
                    if namespace_of(wiki, title).id in wanted and self._is_chosen(wiki, title):
                        urls[url_of(wiki, title)] = None
        new = await self.store.run(
            self.store.listings.note_changes, self.source, self._listing, list(urls), until=now, now=now
        )
        self.crawler.stats.inc_value("wiki/recent_changes", len(urls))
        logger.info(
            "%(url)s: %(changes)d pages with recent changes, %(new)d of them new",
            {"url": self.start_url, "changes": len(urls), "new": new},
            extra={"spider": self},
        )

    def _is_chosen(self, wiki: Wiki, title: str) -> bool:
        name = namespace_of(wiki, title).name
        prefix = normal_title(wiki, self.args.prefix) if self.args.prefix else ""  # as the wiki itself reads it
        own = title.removeprefix(f"{name}:" if name else "")
        return own.startswith(self.args.prefix if isinstance(prefix, Refusal) else prefix)

    # questions to the wiki

    def _namespaces(self, wiki: Wiki) -> list[int]:
        if not self.args.namespace:
            return list(wiki.content_namespaces)[:MAX_NAMESPACES]
        found = []
        for name in self.args.namespace:
            number_of = int(name) if re.fullmatch(r"\d{1,6}", name) else wiki.aliases.get(folded(name))
            if name.lower() in ("main", "article", "articles"):
                number_of = 0
            if number_of is None or number_of < 0 or number_of not in wiki.by_id:
                names = ", ".join(f"{space.id} {space.name or 'main'}" for space in wiki.namespaces if space.id >= 0)
                raise WikiError(f"the wiki has no namespace {name!r} for pages (it has {names})")
            found.append(number_of)
        return found

    async def _find_wiki(self) -> Wiki:
        """The wiki at the start URL, which the API tier finds for whoever asks, be it for nothing."""
        if self._wiki is None:
            await self._ask({})
        assert self._wiki is not None
        return self._wiki

    async def _each(self, question: dict[str, str]) -> AsyncIterator[dict[str, Any]]:
        """All parts of a list, to its end."""
        more: dict[str, str] | None = {}
        asked: set[str] = set()
        while more is not None:
            answer = await self._ask({**question, **more})
            yield mapping(answer, "query")
            more = continued(answer)
            place = json.dumps(more, sort_keys=True)
            if place in asked:
                raise WikiError(f"its list leads back to itself at {place}")
            asked.add(place)

    async def _ask(self, question: dict[str, str]) -> dict[str, Any]:
        # The start URL may lead to the wiki without being a page of it.
        url = url_of(self._wiki, self._wiki.main_page) if self._wiki else self.start_url
        # robots.txt is asked for this page: a site that forbids it does not want to be listed either.
        meta = {"wiki_query": question, "told": self.told(url)}
        request = Request(url, callback=NO_CALLBACK, dont_filter=True, meta=meta)
        response = await self.crawler.engine.download_async(request)
        if self._wiki is None:
            self._wiki = request.meta["wiki"]
        answer: dict[str, Any] = json.loads(response.body)
        return answer


def _listed(pages: Iterable[dict[str, Any]], wiki: Wiki) -> list[Listed]:
    """Pages that the wiki lists; of those without a revision the next part of the list tells more."""
    try:
        return [
            Listed(
                url=url_of(wiki, page["title"]),
                pageid=_id(page["pageid"]),
                revid=_id(page["lastrevid"]),
                touched=int(datetime.fromisoformat(page["touched"]).timestamp()),
                is_redirect=flag(page, "redirect"),
            )
            for page in pages
            if page.get("pageid") and "lastrevid" in page
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WikiError(f"its list cannot be read ({type(error).__name__}: {error})") from error


def _id(value: Any) -> int:
    if not 0 <= int(value) < MAX_ID:
        raise ValueError(f"no id: {str(value)[:40]}")
    return int(value)


def _end(leads: dict[str, str], title: str) -> str:
    """Where a redirect ends, over redirects to redirects."""
    seen = {title}
    while (title := leads.get(title, title)) not in seen:
        seen.add(title)
    return title
