"""Know which wiki a page is of: from the store, from sources.yml, or by a look at the site."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import ApiError
from wikicrawl.mediawiki.profile import Wiki, from_json, read_profile, to_json
from wikicrawl.mediawiki.signs import api_named_by, bare_host, likely_apis, looks_like_wiki
from wikicrawl.mediawiki.titles import target_of
from wikicrawl.numbers import number
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.sources import Source
    from wikicrawl.store import Store
    from wikicrawl.store.wikis import KeptWiki
    from wikicrawl.tiers.etiquette import ApiClient

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class KnownWiki:
    """A wiki, and whether its API may be asked: `state` (up, down, private) holds until `state_until`."""

    wiki: Wiki
    state: str = "up"
    state_until: int = 0
    reason: str = ""
    failures: int = 0  # pages in a row for which it failed
    asked: str = ""  # the API by which it was found, if that leads elsewhere

    def __post_init__(self) -> None:
        self.asked = self.asked or self.wiki.api

    @property
    def is_down(self) -> bool:
        return self.state != "up" and self.state_until > time.time()


@dataclass(frozen=True, slots=True)
class PrivateWiki:
    """A wiki that tells strangers nothing, not even what it is."""

    api: str


class _Host:
    """What is known of the wikis of one host."""

    def __init__(self, kept: list[KeptWiki], fresh_since: float) -> None:
        self.wikis: list[KnownWiki] = []
        self.private: set[str] = set()  # APIs that refuse to be asked
        self.has_none = False
        self.tried: set[str] = set()  # APIs that were asked for a profile in this crawl
        self.learning = asyncio.Lock()
        for row in kept:
            if row.learned_at >= fresh_since:
                self._recall(row)

    def _recall(self, row: KeptWiki) -> None:
        if not row.api:
            self.has_none = True
        elif row.profile:
            try:
                self.wikis.append(KnownWiki(from_json(row.profile), row.state, row.state_until, row.reason))
            except ValueError as error:  # written by another version; the wiki is asked again
                logger.debug("%(api)s: %(error)s", {"api": row.api, "error": error})
        elif row.state_until > time.time():
            self.private.add(row.api)

    def covering(self, url: str, told: Source) -> KnownWiki | None:
        """The wiki with this page; of several, as those of languages on one host, the one with the longest path."""
        wikis = [known for known in self.wikis if told.mediawiki in ("auto", known.asked)]
        fitting = [known for known in wikis if target_of(known.wiki, url) is not None]
        return max(fitting, key=lambda known: len(known.wiki.article_path), default=None)


class KnownWikis:
    def __init__(self, crawler: Crawler, client: ApiClient, store: Store) -> None:
        self._crawler = crawler
        self._client = client
        self._store = store
        self._profile_seconds = number(crawler.settings, "WIKI_PROFILE_SECONDS", least=60)
        self._down_seconds = int(number(crawler.settings, "WIKI_DOWN_SECONDS", least=1))
        self._hosts: dict[str, _Host] = {}
        self._loading: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def find(self, url: str, told: Source) -> KnownWiki | None:
        """The wiki of a page, as far as it can be known without looking at the site."""
        if told.mediawiki == "off":
            return None
        host = await self._host(url)
        if known := host.covering(url, told):
            return known
        if told.mediawiki != "auto":
            await self._learn(host, url, [told.mediawiki])
        return host.covering(url, told)

    async def look(self, response: Response, told: Source) -> KnownWiki | PrivateWiki | None:
        """The wiki of a page that has been got, which may name its API."""
        if told.mediawiki == "off":
            return None
        host = await self._host(response.url)
        if known := host.covering(response.url, told):
            return known
        api = api_named_by(response.body, response.url) if told.mediawiki == "auto" else told.mediawiki
        if api is None:
            return None
        apis = [api] if api else likely_apis(response.url)
        await self._learn(host, response.url, apis)
        private = next((PrivateWiki(api) for api in apis if api in host.private), None)
        return host.covering(response.url, told) or private

    async def probe(self, url: str, told: Source, *, is_sure: bool = False) -> KnownWiki | None:
        """The wiki of a page that could not be got, looked for where wikis have their API.

        `is_sure` where somebody says that it is a wiki, whatever its address looks like.
        """
        if known := await self.find(url, told):
            return known
        host = await self._host(url)
        if told.mediawiki == "auto" and (is_sure or (not host.has_none and looks_like_wiki(url))):
            await self._learn(host, url, likely_apis(url))
        return host.covering(url, told)

    async def on_host(self, url: str, told: Source) -> KnownWiki | None:
        """The wiki of a page, or the only one of its host: the root of a server is no page of the wiki there."""
        host = await self._host(url)
        return host.covering(url, told) or (host.wikis[0] if len(host.wikis) == 1 else None)

    async def mark(self, known: KnownWiki, state: str, reason: str) -> None:
        """Leave the API of a wiki alone for a while."""
        known.state, known.reason = state, reason
        known.state_until = int(time.time()) + self._down_seconds
        self._crawler.stats.inc_value(f"wiki/{state}/{reason}")
        logger.warning(
            "The API %(api)s is %(state)s for %(seconds)d s: %(reason)s",
            {"api": known.wiki.api, "state": state, "seconds": self._down_seconds, "reason": reason},
            extra={"spider": self._crawler.spider},
        )
        await self._store.run(self._store.wikis.mark, known.wiki.api, state, known.state_until, reason)

    async def _host(self, url: str) -> _Host:
        name = netloc(url)
        async with self._loading[name]:
            if name not in self._hosts:
                kept = await self._store.run(self._store.wikis.load, name)
                self._hosts[name] = _Host(kept, time.time() - self._profile_seconds)
            return self._hosts[name]

    async def _learn(self, host: _Host, url: str, apis: list[str]) -> None:
        """Ask one API after the other what it is, until one answers; each once in a crawl."""
        may_come_back = False
        async with host.learning:
            for api in apis:
                if api in host.tried or api in host.private:
                    continue
                host.tried.add(api)
                problem, is_passing = await self._ask_profile(host, url, api)
                if not problem:
                    return
                may_come_back = may_come_back or is_passing
                logger.info(
                    "No wiki was learned from %(api)s: %(problem)s",
                    {"api": api, "problem": problem},
                    extra={"spider": self._crawler.spider},
                )
            if not (host.wikis or host.private or host.has_none or may_come_back):
                host.has_none = True
                await self._store.run(self._store.wikis.save, netloc(url), "", {}, int(time.time()))

    async def _ask_profile(self, host: _Host, url: str, api: str) -> tuple[str, bool]:
        """Why the API gave no profile, empty where it did; and whether it may give one later."""
        answer = await self._client.ask(api, queries.siteinfo())
        assert answer is not None  # nobody says of an unknown API that it is off
        if isinstance(answer.said, ApiError):
            if answer.said.rule.outcome == "private":
                await self._keep_private(host, url, api, answer.said.code)
            return f"{answer.said.code}: {answer.said.text}", answer.said.rule.action == "retry"
        try:
            wiki = _at(read_profile(answer.said, answer.api), url)
        except (ValueError, TypeError, AttributeError, OverflowError) as error:  # no siteinfo, or an odd one
            return str(error), False
        await self._keep(host, url, wiki, api)
        return "", False

    async def _keep_private(self, host: _Host, url: str, api: str, reason: str) -> None:
        host.private.add(api)
        until = int(time.time()) + self._down_seconds
        self._crawler.stats.inc_value(f"wiki/private/{reason}")
        logger.warning("The wiki of %(api)s is private: %(reason)s", {"api": api, "reason": reason})
        await self._store.run(self._store.wikis.save, netloc(url), api, {}, int(time.time()))
        await self._store.run(self._store.wikis.mark, api, "private", until, reason)

    async def _keep(self, host: _Host, url: str, wiki: Wiki, asked: str) -> None:
        host.wikis.append(KnownWiki(wiki, asked=asked))
        self._crawler.stats.inc_value("wiki/learned")
        logger.info(
            "%(sitename)s is a wiki (%(generator)s, %(pages)d pages): its pages are asked of %(api)s",
            {"sitename": wiki.sitename, "generator": wiki.generator, "pages": wiki.pages, "api": wiki.api},
            extra={"spider": self._crawler.spider},
        )
        await self._store.run(self._store.wikis.save, netloc(url), wiki.api, to_json(wiki), int(time.time()))


def _at(wiki: Wiki, url: str) -> Wiki:
    """A wiki where it was found: one that calls itself by another name must not lead us there."""
    found = bare_host(netloc(url))
    hosts = tuple(host for host in wiki.hosts if bare_host(host) == found)
    origin = url[: -len("/" + url.split("/", 3)[3])]
    if bare_host(netloc(wiki.server)) == found:
        # Behind a proxy that speaks https a wiki may believe that it speaks http.
        server = origin if netloc(wiki.server) == netloc(url) else wiki.server
        return replace(wiki, server=server, hosts=hosts)
    return replace(wiki, server=origin, hosts=tuple(dict.fromkeys((netloc(url).removeprefix("www."), *hosts))))
