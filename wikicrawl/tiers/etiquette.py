"""Ask a wiki's API as its etiquette wants: one question at a time, with pauses, and with patience when it is busy."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from wikicrawl.failures import NO_ANSWER
from wikicrawl.items import PAUSED, STOPPING
from wikicrawl.mediawiki.answers import ApiError, read_answer
from wikicrawl.mediawiki.queries import address
from wikicrawl.mediawiki.signs import bare_host
from wikicrawl.numbers import number
from wikicrawl.tiers.pauses import Pauses
from wikicrawl.urls import canonical, netloc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

ROBOTS = ("page", "strict")
TICK_SECONDS = 0.5  # how soon a pause notices that the crawl is being stopped
MAX_REDIRECTS = 3  # from http to https, and to or from www.


@dataclass(frozen=True, slots=True)
class Answer:
    """What an API said: an object or an error; `api` is where it was in the end."""

    said: dict[str, Any] | ApiError
    api: str
    status: int = 0
    bytes: int = 0


class _Host:
    def __init__(self, name: str) -> None:
        self.name = name
        self.turn = asyncio.Lock()
        self.free_at = float("-inf")


class ApiClient:
    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._maxlag = int(number(settings, "WIKI_MAXLAG", least=1))
        self._slow_seconds = number(settings, "WIKI_SLOW_SECONDS", least=0)
        self._slow_pause_seconds = number(settings, "WIKI_SLOW_PAUSE_SECONDS", least=0)
        self._retry_times = int(number(settings, "WIKI_RETRY_TIMES", least=0))
        self._max_pause_seconds = number(settings, "WIKI_MAX_PAUSE_SECONDS", least=1)
        robots = settings["WIKI_API_ROBOTS"]
        if robots not in ROBOTS:
            raise ValueError(f"WIKI_API_ROBOTS is {robots!r}; it must be one of {', '.join(ROBOTS)}")
        self._is_strict = robots == "strict"
        self._pauses = Pauses.of(crawler)
        self._hosts: dict[str, _Host] = {}

    async def ask(
        self, api: str, question: Mapping[str, str], *, is_off: Callable[[], bool] = lambda: False
    ) -> Answer | None:
        """Put a question, and put it again while the API says that it is busy; None if `is_off` when its turn comes."""
        url = address(api, {**question, "maxlag": str(self._maxlag)})
        host = self._hosts.setdefault(netloc(api), _Host(netloc(api)))
        await self._pauses.load(host.name)
        for attempt in range(self._retry_times + 1):
            async with host.turn:
                if self._seconds(host) > self._max_pause_seconds:
                    return Answer(ApiError.of("paused"), api)
                await self._rest(host)
                if is_off():
                    return None
                answer = await self._ask_once(url, host)
                error = answer.said
                if not isinstance(error, ApiError) or error.rule.action != "retry":
                    return answer
                asked = error.wait_seconds if error.wait_seconds is not None else 2.0**attempt
                self._pause(host, asked, url, error.word)
                if error.wait_seconds is not None:  # it holds for the wiki's pages, too
                    await self._pauses.pause(host.name, asked, error.word)
                if asked > self._max_pause_seconds:
                    return answer
        return answer

    async def _ask_once(self, url: str, host: _Host) -> Answer:
        try:
            response = await self._get(url)
        except IgnoreRequest as error:
            if str(error) == STOPPING:
                raise
            code = "robots" if "robots.txt" in str(error) else "paused" if PAUSED in str(error) else "ignored"
            return Answer(ApiError.of(code, str(error)), url.partition("?")[0])
        except NO_ANSWER as error:
            return Answer(ApiError.of("no_answer", str(error)), url.partition("?")[0])
        if response.meta.get("download_latency", 0.0) > self._slow_seconds:
            self._pause(host, self._slow_pause_seconds, url, "slow")
        return _read(response)

    async def _get(self, url: str) -> Response:
        """Follow redirects on the site itself: one to another would let a wiki choose whom we ask."""
        for _ in range(MAX_REDIRECTS + 1):
            self._count("wiki/requests")
            response = await self._crawler.engine.download_async(self._request(url))
            location = (response.headers.get("Location") or b"").decode("latin-1")
            target = canonical(location, url) if 300 <= response.status < 400 and location else None
            if not isinstance(target, str) or bare_host(netloc(target)) != bare_host(netloc(url)):
                break
            url = target
        return response

    def _request(self, url: str) -> Request:
        slot = f"api:{netloc(url)}"
        self._crawler.engine.downloader.per_slot_settings.setdefault(slot, {"concurrency": 1})
        meta: dict[str, Any] = {"download_slot": slot, "dont_retry": True, "dont_redirect": True, "dont_cache": True}
        if not self._is_strict:
            meta["dont_obey_robotstxt"] = True  # it was asked for the page
        return Request(url, callback=NO_CALLBACK, dont_filter=True, meta=meta)

    async def _rest(self, host: _Host) -> None:
        while (seconds := self._seconds(host)) > 0:
            if not self._crawler.crawling:
                raise IgnoreRequest(STOPPING)
            await asyncio.sleep(min(seconds, TICK_SECONDS))

    def _seconds(self, host: _Host) -> float:
        """How long the API is not to be asked: what the host asks for holds as well as what etiquette wants."""
        return max(host.free_at - monotonic(), self._pauses.seconds(host.name))

    def _pause(self, host: _Host, seconds: float, url: str, reason: str) -> None:
        host.free_at = max(host.free_at, monotonic() + seconds)
        self._count(f"wiki/paused/{reason}")
        logger.info(
            "Pausing %(seconds).1f s before %(host)s is asked again: %(reason)s",
            {"seconds": seconds, "host": netloc(url), "reason": reason},
            extra={"spider": self._crawler.spider},
        )

    def _count(self, stat: str) -> None:
        self._crawler.stats.inc_value(stat)


def _read(response: Response) -> Answer:
    headers = {str(name).lower(): str(value) for name, value in response.headers.to_unicode_dict().items()}
    said = read_answer(response.body, response.status, headers)
    return Answer(said, response.url.partition("?")[0], response.status, len(response.body))
