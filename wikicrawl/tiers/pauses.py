"""Know how long each host wants to be left alone, whichever tier or process was told so."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import defaultdict
from time import monotonic
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakValueDictionary

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from wikicrawl.numbers import number
from wikicrawl.retry_after import retry_after
from wikicrawl.store import open_store
from wikicrawl.store.hosts import DELAY

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from wikicrawl.store import Store

logger = logging.getLogger(__name__)

RELOAD_SECONDS = 60  # what another process was told is asked of the store again: one short read a host


class Pauses:
    """The pauses of a crawl's hosts. They are kept in the store, so that other processes and later runs obey."""

    _of_crawler: ClassVar[WeakValueDictionary[Crawler, Pauses]] = WeakValueDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._default_seconds = number(crawler.settings, "TIERS_PAUSE_SECONDS", least=0)
        self._max_seconds = number(crawler.settings, "TIERS_MAX_PAUSE_SECONDS", least=1)
        self.patience_seconds = number(crawler.settings, "TIERS_PATIENCE_SECONDS", least=0)
        self._free_at: dict[str, float] = {}
        self._loaded_at: dict[str, float] = {}
        self._loading: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._opened: Store | None = None
        crawler.signals.connect(self.close, signals.engine_stopped)

    @classmethod
    def of(cls, crawler: Crawler) -> Pauses:
        """The one that all tiers of a crawl share."""
        pauses = cls._of_crawler.get(crawler) or cls(crawler)
        cls._of_crawler[crawler] = pauses
        return pauses

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def seconds(self, host: str) -> float:
        """How long the host is still to be left alone."""
        return max(0.0, self._free_at.get(host, 0.0) - monotonic())

    def until(self, host: str) -> int:
        return math.ceil(time.time() + self.seconds(host))

    async def load(self, host: str) -> None:
        async with self._loading[host]:  # nobody passes before the first knows
            if monotonic() - self._loaded_at.get(host, -math.inf) < RELOAD_SECONDS:
                return
            until = await self._store.run(self._store.hosts.paused_until, host)
            self._loaded_at[host] = monotonic()
            self._extend(host, until - time.time())

    async def note(self, response: Response, host: str) -> float:
        """Obey an answer of 429 or 503; the seconds it asks for, 0 if none."""
        if response.status not in (429, 503):
            return 0.0
        asked = retry_after(_text(response, "Retry-After"), _text(response, "Date"))
        if not asked and response.status == 429:
            asked = self._default_seconds
        if not asked:
            return 0.0
        await self.pause(host, asked, f"status_{response.status}")
        return self.seconds(host)

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        if not self._extend(host, seconds):
            return
        self._crawler.stats.inc_value(f"tiers/paused/{reason}")
        logger.info(
            "%(host)s is left alone for %(seconds).1f s: %(reason)s",
            {"host": host, "seconds": self.seconds(host), "reason": reason},
            extra={"spider": self._crawler.spider},
        )
        await self._store.run(self._store.hosts.pause, host, self.until(host), reason)

    async def hand_over(self, host: str, seconds: float) -> None:
        """Have other processes leave the host alone, as we do by our own pace."""
        if seconds > self.seconds(host):
            until = math.ceil(time.time() + seconds)
            await self._store.run(self._store.hosts.pause, host, until, DELAY)

    def _extend(self, host: str, seconds: float) -> bool:
        """False where as long a pause is known; several pages under way are often told the same."""
        free_at = monotonic() + min(seconds, self._max_seconds)
        if free_at <= max(monotonic(), self._free_at.get(host, 0.0)):
            return False
        self._free_at[host] = free_at
        return True

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = open_store(self._crawler.settings["STORE_URL"])
        return self._opened


class Postponed(IgnoreRequest):
    """Ends the visit of a page, or what is asked on its behalf, because of its host; it is due again at `retry_at`."""

    def __init__(self, host: str, retry_at: int, why: str) -> None:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(retry_at))
        super().__init__(f"{why}: {host}, until {at}")
        self.retry_at = retry_at


def _text(response: Response, header: str) -> str:
    return (response.headers.get(header) or b"").decode("latin-1")
