"""Get wiki pages from the wiki's API."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, TextResponse
from scrapy.http.request import NO_CALLBACK

from wikicrawl.failures import NO_RESPONSE
from wikicrawl.mediawiki import queries
from wikicrawl.mediawiki.answers import ApiError
from wikicrawl.mediawiki.page import facts, to_document
from wikicrawl.mediawiki.titles import Target, namespace_of, target_of, url_of
from wikicrawl.sources import Source
from wikicrawl.tiers.etiquette import ApiClient
from wikicrawl.tiers.wikis import KnownWiki, KnownWikis, PrivateWiki
from wikicrawl.urls import Refusal

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.store import Store
    from wikicrawl.tiers.etiquette import Answer

logger = logging.getLogger(__name__)

TRANSPORTS = ("auto", "api", "html")
MORE_IN_HTML = frozenset({6, 14})  # files and categories: the API gives neither the file nor the members
MAX_FAILURES = 2
FLAG = "mwapi"  # on responses that were made of an API's answer
# What the wiki's own page would have answered.
STATUS = {"gone": 404, "private": 403, "not_a_page": 400, "throttled": 429, "failed": 502}
REASONS = {
    "parse": "page: the wiki's API gave it",
    "missingtitle": "gone: the wiki has no such page",
    "readapidenied": "private: the wiki lets only its members read",
    "api_down": "html: the wiki's API has failed, and is not asked again for WIKI_DOWN_SECONDS",
    "api_*": "html, gone, private, not_a_page or throttled: another error of the wiki's API, by its code",
    "edit": "not_a_page: an address to edit a page, or to do something else to it than read it",
    "redlink": "not_a_page: an address to write a page that does not exist",
    "revision": "not_a_page: an older version of a page",
    "special": "not_a_page: a special page, made anew for each reader",
    "script": "not_a_page: the address of a program of the wiki's",
    "title": "not_a_page: a title that no page can have",
}
TAG = re.compile(r"<[^<>]*>")  # linear, whatever the text


@dataclass(frozen=True, slots=True)
class Fallback:
    """Why a page of a wiki is to be got as HTML."""

    reason: str


class MediaWikiTier:
    def __init__(self, crawler: Crawler, store: Store) -> None:
        self._crawler = crawler
        self._transport = crawler.settings["WIKI_TRANSPORT"]
        if self._transport not in TRANSPORTS:
            raise ValueError(f"WIKI_TRANSPORT is {self._transport!r}; it must be one of {', '.join(TRANSPORTS)}")
        self._client = ApiClient(crawler)
        self._wikis = KnownWikis(crawler, self._client, store)

    async def get(self, request: Request) -> Response | Fallback | None:
        """The page from its wiki's API, or why not; None for what is no wiki's, or is to be got as HTML anyway."""
        told, asked = _told(request), request.meta.get("tier", "auto")
        is_asked = asked == "api"
        known = await (self._wikis.probe(request.url, told, is_sure=True) if is_asked else self._find(request))
        if known is None:
            return Fallback("no_api") if is_asked else None
        request.meta["wiki"] = known.wiki
        target = target_of(known.wiki, request.url)
        if isinstance(target, Refusal):
            return self._refuse(request, "not_a_page", target.reason)
        goes_by_api = asked in ("auto", "api") and self._goes_by_api(known, target, is_asked=is_asked)
        if known.is_down and (goes_by_api or known.state == "private"):
            return self._while_down(request, known)
        return await self._parse(request, known, target) if goes_by_api and target else None

    async def rescue(self, request: Request) -> Response | None:
        """The page from an API where its HTML was refused, if it looks like a wiki's."""
        if self._transport == "html" or request.meta.get("tier", "auto") != "auto":
            return None
        known = await self._wikis.probe(request.url, _told(request))
        target = target_of(known.wiki, request.url) if known else None
        if known is None or known.is_down or not isinstance(target, Target):
            return None
        request.meta["wiki"] = known.wiki
        response = await self._parse(request, known, target)
        return None if isinstance(response, Fallback) else response

    async def look(self, request: Request, response: Response) -> bool:
        """Learn from a page's HTML that it is a wiki's; false for a private wiki's, which shows its login page."""
        known = await self._wikis.look(response, _told(request))
        if isinstance(known, PrivateWiki) or (known and known.state == "private" and known.is_down):
            return False
        if known is not None:
            request.meta["wiki"] = known.wiki
        return True

    def is_page(self, request: Request) -> bool:
        """Whether the request is for a page of a known wiki: if its HTML is missing, the page is gone."""
        wiki = request.meta.get("wiki")
        return wiki is not None and isinstance(target_of(wiki, request.url), Target)

    async def answer(self, request: Request) -> Response:
        """What the API says to `meta["wiki_query"]`; to an empty one nothing, but the wiki at the URL is found."""
        if _told(request).mediawiki == "off":
            raise IgnoreRequest("sources.yml has this wiki read as a website (mediawiki: off)")
        known = await self._find_somehow(request)
        if known is None:
            raise IgnoreRequest(f"no wiki API was found for {request.url}")
        request.meta["wiki"] = known.wiki
        if not request.meta["wiki_query"]:
            return TextResponse(request.url, body=b"{}", request=request)
        answer = await self._client.ask(known.wiki.api, request.meta["wiki_query"])
        assert answer is not None
        if isinstance(answer.said, ApiError):
            if answer.said.rule.is_for_site:
                await self._wikis.mark(known, "private", answer.said.word)
            raise IgnoreRequest(f"the wiki's API answered {answer.said.code}: {answer.said.text}")
        return TextResponse(request.url, body=json.dumps(answer.said).encode(), request=request)

    async def _find(self, request: Request) -> KnownWiki | None:
        return await self._wikis.find(request.url, _told(request))

    async def _find_somehow(self, request: Request) -> KnownWiki | None:
        """The wiki at a URL: known, named by the page there, or where wikis have their API."""
        told, url = _told(request), request.url
        is_root = urlsplit(url).path in ("", "/")
        known = await (self._wikis.on_host(url, told) if is_root else self._find(request))
        if known is not None:
            return known
        page = Request(url, callback=NO_CALLBACK, dont_filter=True, meta={"dont_retry": True})
        try:
            response = await self._crawler.engine.download_async(page)
        except NO_RESPONSE as error:
            logger.info("No page at %(url)s: %(error)s", {"url": url, "error": error})
        else:
            url = response.url
            looked = await self._wikis.look(response, told)
            if isinstance(looked, PrivateWiki):
                raise IgnoreRequest(f"the wiki of {looked.api} is private")
            if looked is not None:
                return looked
        return await self._wikis.probe(url, told, is_sure=True) or await self._wikis.on_host(url, told)

    def _goes_by_api(self, known: KnownWiki, target: Target | None, *, is_asked: bool) -> bool:
        if is_asked or self._transport == "api":
            return True
        if target and target.title and namespace_of(known.wiki, target.title).id in MORE_IN_HTML:
            return False
        # Wikimedia allows robots four times as many pages as answers of its API.
        return self._transport == "auto" and not known.wiki.is_wikimedia

    async def _parse(self, request: Request, known: KnownWiki, target: Target) -> Response | Fallback:
        question = queries.parse(title=target.title, pageid=target.pageid)
        answer = await self._client.ask(known.wiki.api, question, is_off=lambda: known.is_down)
        if answer is None:  # another page has found out in the meantime
            return self._while_down(request, known)
        if isinstance(answer.said, ApiError):
            return await self._fail(request, known, answer.said)
        known.failures = 0
        parsed = answer.said.get("parse")
        if isinstance(parsed, dict) and all(isinstance(parsed.get(name), str) for name in ("title", "text")):
            try:
                return self._page(request, known, answer, parsed)
            except (TypeError, ValueError, AttributeError, KeyError) as error:  # whatever shape the rest has
                logger.debug("An odd answer about %(url)s: %(error)r", {"url": request.url, "error": error})
        return await self._fail(request, known, ApiError.of("no_text"))

    def _page(self, request: Request, known: KnownWiki, answer: Answer, parsed: dict[str, Any]) -> Response:
        response = HtmlResponse(
            url_of(known.wiki, parsed["title"]),
            status=answer.status,
            headers={"Content-Type": "text/html; charset=utf-8"},
            body=to_document(parsed, known.wiki).encode(),
            request=request,
            flags=[FLAG],
        )
        request.meta["wiki_facts"] = facts(parsed, known.wiki)
        step = {"verdict": "page", "reason": "parse", "status": answer.status}
        chars = len(" ".join(TAG.sub(" ", parsed["text"]).split()))
        request.meta["tiers_trail"].append({"tier": "api", **step, "chars": chars, "bytes": answer.bytes})
        return response

    async def _fail(self, request: Request, known: KnownWiki, error: ApiError) -> Response | Fallback:
        rule = error.rule
        if rule.action == "final":
            if rule.is_for_site:
                await self._wikis.mark(known, "private", error.word)
            return self._refuse(request, rule.outcome, error.word)
        if rule.reason == "throttled":  # busy to the end of our patience; its HTML would burden it more
            return self._refuse(request, "throttled", error.word)
        known.failures += rule.action == "retry"  # one page may be what the wiki chokes on; two are its own trouble
        if rule.action == "site_down" or known.failures >= MAX_FAILURES:
            await self._wikis.mark(known, "down", error.word)
        return self._give_up(request, error.word)

    def _while_down(self, request: Request, known: KnownWiki) -> Response | Fallback:
        if known.state == "private":
            return self._refuse(request, "private", known.reason)
        return self._give_up(request, "api_down")

    def _give_up(self, request: Request, reason: str) -> Response | Fallback:
        if self._transport == "api":
            return self._refuse(request, "failed", reason)
        return Fallback(reason)

    def _refuse(self, request: Request, verdict: str, reason: str) -> Response:
        """A response that says how the visit ends."""
        status = STATUS[verdict]
        step = {"tier": "api", "verdict": verdict, "reason": reason, "status": status, "chars": 0, "bytes": 0}
        request.meta["tiers_trail"].append(step)
        request.meta["dont_retry"] = True  # the client has been patient enough
        return TextResponse(request.url, status=status, request=request, flags=[FLAG])


def _told(request: Request) -> Source:
    told: Source = request.meta.get("told") or Source()
    return told
