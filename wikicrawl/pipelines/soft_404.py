"""Tell a page from what a host shows, with status 200, for a page that does not exist."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from wikicrawl.extract.worker import ExtractFailed
from wikicrawl.failures import NO_RESPONSE
from wikicrawl.numbers import number
from wikicrawl.store import open_store
from wikicrawl.traps.sameness import key_of, sketch_of
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from wikicrawl.extract.worker import Workers
    from wikicrawl.items import Page, Visit
    from wikicrawl.traps.sameness import Sketch

logger = logging.getLogger(__name__)

REASONS = {"soft_404": "missing: what the host shows, with status 200, for any page that does not exist"}
# How error pages begin. An article about errors begins so, too: the words only lead to the question.
ERROR = re.compile(
    r"\b404\b|\bnot (?:be )?found\b|\bno longer (?:available|exists?)\b|\bdoes ?n[o'’]t exist\b|\bpage unavailable\b"
    r"|nicht gefunden|existiert nicht|introuvable|no encontrad[ao]|non trovat[ao]|não encontrad[ao]|niet gevonden",
    re.IGNORECASE,
)
BEGINNING = 200  # characters of a text in which an error says what it is
OFTEN = 10  # addresses that have shown one text: is it what the host shows for all?
ALIKE = 0.8  # of the lines of two texts are in both
MAX_LINES = 60


class Soft404:
    """Each host is asked once for a page that cannot exist, when one of its pages gives reason to."""

    def __init__(self, crawler: Crawler, workers: Workers) -> None:
        self._crawler = crawler
        self._workers = workers
        self._store = open_store(crawler.settings["STORE_URL"])
        self._seconds = number(crawler.settings, "TRAPS_SOFT_404_DAYS", least=0) * 86_400
        self._answers: dict[str, asyncio.Future[str]] = {}

    def close(self) -> None:
        self._store.close()

    async def judge(self, page: Page, visit: Visit) -> None:
        """A page that is the host's answer for what does not exist ends as missing."""
        if visit.habits is None or visit.wiki is not None or visit.is_start or not self._seconds:
            return
        visit.sketch = sketch_of(page.markdown, page.final_url)
        if not self._is_suspect(page, visit):
            return
        answer = await self._answer(page.final_url)
        if not _is_alike(answer, _signature(page.markdown, page.final_url)):
            return
        visit.outcome = page.verdict = "missing"
        page.reason, page.error = "soft_404", "the site shows this, as if it were a page, for what does not exist"
        page.markdown = page.text_hash = ""
        page.links = []
        self._crawler.stats.inc_value("traps/soft_404")

    def _is_suspect(self, page: Page, visit: Visit) -> bool:
        assert visit.habits is not None
        assert visit.sketch is not None
        is_error = ERROR.search(page.title) or ERROR.search(page.markdown[:BEGINNING])
        return bool(is_error) or visit.habits.times_seen(visit.sketch) >= OFTEN

    async def _answer(self, url: str) -> str:
        """The signature of what the host shows for a page beside this one that cannot exist; empty for an error."""
        host = netloc(url)
        if host not in self._answers:
            self._answers[host] = asyncio.ensure_future(self._find(host, url))
        return await self._answers[host]

    async def _find(self, host: str, url: str) -> str:
        now = int(time.time())
        kept = await self._store.run(self._store.soft_404s.find, host, since=int(now - self._seconds))
        if kept is not None:
            return kept
        signature = await self._probe(url.partition("?")[0].rpartition("/")[0] + "/" + secrets.token_hex(12))
        if signature is None:
            return ""
        await self._store.run(self._store.soft_404s.save, host, signature, now)
        logger.info(
            "%(host)s answers for what does not exist %(how)s",
            {"host": host, "how": "as if it did" if signature else "that it does not"},
            extra={"spider": self._crawler.spider},
        )
        return signature

    async def _probe(self, url: str) -> str | None:
        """None where the host has not answered, or must not be asked."""
        self._crawler.stats.inc_value("traps/soft_404_probes")
        try:
            response = await self._crawler.engine.download_async(Request(url, callback=NO_CALLBACK))
            if response.status != 200 or response.url != url:  # an error, or it leads home
                return ""
            found = await self._workers.extract(response.body, url)
        except NO_RESPONSE:
            return None
        except ExtractFailed:
            return ""
        return _signature(found.markdown, url)


def _signature(markdown: str, url: str) -> str:
    """The lines of a text, as they are and without the words of its address, which errors like to repeat."""
    return "|".join(_lines(sketch_of(markdown, url, is_error=is_error)) for is_error in (False, True))


def _lines(sketch: Sketch) -> str:
    return " ".join(sorted({f"{key_of(' '.join(words)) & 0xFFFFFFFF:08x}" for _, words in sketch.lines[:MAX_LINES]}))


def _is_alike(answer: str, signature: str) -> bool:
    pairs = zip(answer.split("|"), signature.split("|"), strict=False)
    return any(_share(set(lines.split()), set(others.split())) >= ALIKE for lines, others in pairs)


def _share(lines: set[str], others: set[str]) -> float:
    return len(lines & others) / len(lines | others) if lines else 0.0
