"""Ask under another User-Agent, or through another proxy, after a stall."""

from __future__ import annotations

import logging
from itertools import cycle
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured

from wikicrawl.items import STALLED
from wikicrawl.mediawiki.profile import is_wikimedia
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

HELPED = frozenset({"network", "host", "blocked"})  # causes of a stall that may be about who asks, and whence


class GuiseMiddleware:
    """Nothing is changed before the first stall."""

    def __init__(self, crawler: Crawler) -> None:
        user_agents = crawler.settings.getlist("STALL_USER_AGENTS")
        proxies = crawler.settings.getlist("STALL_PROXIES")
        if not user_agents and not proxies:
            raise NotConfigured
        for proxy in proxies:
            if urlsplit(proxy).scheme not in ("http", "https") or not urlsplit(proxy).hostname:
                raise ValueError(
                    f"STALL_PROXIES has {proxy!r}; a proxy is http://host:port or http://user:pass@host:port"
                )
        self._crawler = crawler
        self._user_agents, self._proxies = cycle(user_agents or [""]), cycle(proxies or [""])
        self._user_agent = self._proxy = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.stalled, STALLED)
        return middleware

    def stalled(self, cause: str) -> None:
        if cause not in HELPED:
            return
        self._user_agent, self._proxy = next(self._user_agents), next(self._proxies)
        self._crawler.stats.inc_value("tiers/guises")
        logger.info(
            "Asking as %(agent)s through %(proxy)s from now on",
            {"agent": self._user_agent or "before", "proxy": urlsplit(self._proxy).hostname or "no proxy"},
            extra={"spider": self._crawler.spider},
        )

    def process_request(self, request: Request) -> None:
        # Wikimedia wants to know who runs a robot, and blocks those who hide.
        if self._user_agent and not is_wikimedia(netloc(request.url)):
            request.headers["User-Agent"] = self._user_agent
        if self._proxy:
            request.meta["proxy"] = self._proxy
