"""Tell of a crawl while it runs and when it ends: the job in the store, the progress in the terminal."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console
from rich.file_proxy import FileProxy
from rich.live import Live
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.utils.asyncio import create_looping_call

from wikicrawl.numbers import number
from wikicrawl.store import StoreUnavailable, open_store
from wikicrawl.store.patience import REMEDIES

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

REFRESH_SECONDS = 0.5


def _source(crawler: Crawler) -> str | None:
    """What is crawled; None for `scrapy shell`, `scrapy fetch` and spiders that keep no pages."""
    return getattr(crawler.spider, "source", None)


class JobRecorder:
    """Writes the crawl run into the store: scrapyd calls a job that died finished, we do not."""

    def __init__(self, crawler: Crawler) -> None:
        if _source(crawler) is None:
            raise NotConfigured
        self._crawler = crawler
        self._store = open_store(crawler.settings["STORE_URL"])

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        recorder = cls(crawler)
        crawler.signals.connect(recorder.spider_opened, signals.spider_opened)
        crawler.signals.connect(recorder.spider_closed, signals.spider_closed)
        return recorder

    async def spider_opened(self, spider: Spider) -> None:
        self._job = getattr(spider, "job_id", None) or uuid.uuid4().hex
        spider.job_id = self._job  # type: ignore[attr-defined]
        await self._store.run(
            self._store.jobs.start,
            self._job,
            spider=spider.name,
            source=_source(self._crawler) or "",
            arguments=spider.args.model_dump(mode="json") if hasattr(spider, "args") else {},
            now=int(time.time()),
        )

    async def spider_closed(self, reason: str) -> None:
        stats = {key: value for key, value in self._crawler.stats.get_stats().items() if isinstance(value, int | float)}
        with suppress(StoreUnavailable):
            await self._store.run(self._store.jobs.finish, self._job, reason=reason, stats=stats, now=int(time.time()))
        self._store.close()


class StoreWatch:
    """Pauses the crawl while the store cannot be written to, and ends it when that takes too long."""

    def __init__(self, crawler: Crawler) -> None:
        if _source(crawler) is None:
            raise NotConfigured
        self._crawler = crawler
        self._url = without_password(crawler.settings["STORE_URL"])
        self._seconds = number(crawler.settings, "STORE_PATIENCE_SECONDS", least=0)
        self._store = open_store(crawler.settings["STORE_URL"])
        self._store.patience.seconds = self._seconds
        self._store.patience.watchers.append(self)
        self._ending: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        watch = cls(crawler)
        crawler.signals.connect(watch.spider_closed, signals.spider_closed)
        return watch

    def is_waiting(self) -> bool:
        return self._crawler.crawling and self._ending is None

    def store_lost(self, reason: str, error: str) -> None:
        self._crawler.engine.pause()
        self._crawler.stats.inc_value("store/paused")
        self._log(
            "Paused, because STORE_URL %(url)s cannot be written to (%(reason)s: %(error)s): %(remedy)s. It is tried "
            "again every few seconds for %(seconds)g s.",
            reason=reason,
            error=error,
            remedy=REMEDIES[reason],
        )

    def store_back(self, seconds: float) -> None:
        self._crawler.engine.unpause()
        self._log("Resumed after %(after).0f s: STORE_URL %(url)s can be written to again.", after=seconds)

    def store_given_up(self) -> None:
        if not self.is_waiting():
            return
        self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="store_unavailable"))
        self._log(
            "Ending, because STORE_URL %(url)s could not be written to for %(seconds)g s (STORE_PATIENCE_SECONDS). The "
            "same command goes on where this one was."
        )

    def spider_closed(self) -> None:
        self._store.patience.watchers.remove(self)
        self._store.close()

    def _log(self, message: str, **words: Any) -> None:
        words = {"url": self._url, "seconds": self._seconds, **words}
        logger.warning(message, words, extra={"spider": self._crawler.spider})


@dataclass
class _Run:
    """What the progress line and the summary show of one crawl."""

    crawler: Crawler
    started: float
    seconds: float = 0.0
    next_due: int | None = None
    feeds: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return _source(self.crawler) or str(getattr(self.crawler.spider, "name", ""))

    def stats(self, prefix: str) -> dict[str, int]:
        stats = self.crawler.stats.get_stats()
        return {key.removeprefix(prefix): value for key, value in stats.items() if key.startswith(prefix)}


class Progress:
    """A live table while crawls run in this process (in a terminal), and one summary after the last of them."""

    _runs: ClassVar[list[_Run]] = []
    _open: ClassVar[int] = 0
    _live: ClassVar[Live | None] = None

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("PROGRESS_ENABLED") or _source(crawler) is None:
            raise NotConfigured
        self._run = _Run(crawler, time.monotonic(), feeds=tuple(map(str, crawler.settings.getdict("FEEDS"))))
        self._store = open_store(crawler.settings["STORE_URL"])
        Progress._open += 1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        progress = cls(crawler)
        crawler.signals.connect(progress.spider_opened, signals.spider_opened)
        crawler.signals.connect(progress.spider_closed, signals.spider_closed)
        return progress

    def spider_opened(self) -> None:
        self._runs.append(self._run)
        if Progress._live is None and sys.stderr.isatty():
            Progress._live = _start_live(self._runs)
        self._ticking = create_looping_call(self._tick)
        self._ticking.start(REFRESH_SECONDS, now=False)

    def _tick(self) -> None:
        self._run.seconds = time.monotonic() - self._run.started
        if Progress._live is not None:
            Progress._live.update(_table(self._runs))

    async def spider_closed(self) -> None:
        self._ticking.stop()
        self._tick()
        with suppress(StoreUnavailable):
            self._run.next_due = await self._store.run(self._store.frontier.next_due, self._run.source)
        self._store.close()
        Progress._open -= 1
        if Progress._open == 0:
            self._finish()

    def _finish(self) -> None:
        if Progress._live is not None:
            Progress._live.update(Text(""))
            Progress._live.stop()
            Progress._live = None
        _summarise(_console(width=None if sys.stderr.isatty() else 120), self._runs)
        self._runs.clear()


def _console(width: int | None = None) -> Console:
    return Console(stderr=True, width=width, highlight=False, markup=False)  # [::1] is an address, not a style


def _start_live(runs: list[_Run]) -> Live:
    console = _console()
    live = Live(_table(runs), console=console, refresh_per_second=4, redirect_stdout=False, redirect_stderr=False)
    live.start()
    for handler in logging.getLogger().handlers:  # log lines go above the table, not through it
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
            handler.setStream(FileProxy(console, sys.stderr))
    return live


def _table(runs: list[_Run]) -> Table:
    """A row a site: pages by tier, escalations and outcomes with their reasons, bytes and time."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in (("site", "left"), ("pages", "right"), ("by tier", "left"), ("escalated", "left")):
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for heading, justify in (("outcomes", "left"), ("MB", "right"), ("s", "right")):
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for run in runs:
        outcomes = run.stats("store/outcome/")
        listed = sum(count for name, count in run.stats("wiki/listed/").items() if name != "absent")
        table.add_row(
            run.source,
            str(run.stats("store/").get("pages", 0)),
            count_words({tier: count for tier, count in run.stats("store/tier/").items() if tier != "none"}),
            count_words(run.stats("tiers/escalated/")),
            count_words(outcomes if outcomes or not listed else {"listed": listed}),
            f"{run.stats('store/').get('bytes', 0) / 1e6:.2f}",
            f"{run.seconds:.1f}",
        )
    return table


def count_words(counts: dict[str, int]) -> str:
    """`{"ok": 3, "robots": 1}` → `ok 3, robots 1`, the most frequent first."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1])) or "–"


def _summarise(console: Console, runs: list[_Run]) -> None:
    console.print(_table(runs))
    lines = ["", *(_nothing_due(run) for run in runs if not run.stats("store/outcome/"))]
    if any(run.stats("tiers/no_browser") for run in runs):
        lines.append("No browser was found, so pages that need one were left out: scrapy browser --install")
    settings = runs[0].crawler.settings
    lines.append(f"database  {without_password(settings['STORE_URL'])}")
    lines.extend(f"feed      {feed}" for feed in dict.fromkeys(feed for run in runs for feed in run.feeds))
    console.print("\n".join(lines), soft_wrap=True)


def _nothing_due(run: _Run) -> str:
    if run.next_due is None:
        return f"{run.source}: nothing to fetch"
    return f"{run.source}: nothing is due, so nothing was fetched again; next visit {local_time(run.next_due)}"


def without_password(url: str) -> str:
    return re.sub(r"(?<=//)([^/@:]*):[^/@]*@", r"\1:***@", url)


def local_time(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


class QuietLogFormatter(LogFormatter):
    """Pages and their failures are outcomes in the store: each is worth a DEBUG line, not a warning."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return {"level": logging.DEBUG, "msg": "Scraped %(url)s", "args": {"url": getattr(item, "url", item)}}

    def download_error(
        self, failure: Failure, request: Any, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        return {
            "level": logging.DEBUG,
            "msg": "Could not get %(url)s: %(error)s",
            "args": {"url": request.url, "error": errmsg or failure.value},
        }
