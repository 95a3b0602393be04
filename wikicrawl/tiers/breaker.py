"""Leave a host alone that fails page after page, and try it again with one page."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http.request import NO_CALLBACK

from wikicrawl.failures import reason_of
from wikicrawl.items import LEFT_ALONE
from wikicrawl.numbers import number
from wikicrawl.store import open_store
from wikicrawl.store.breakers import Circuit
from wikicrawl.tiers.choose import path_pattern
from wikicrawl.tiers.pauses import RELOAD_SECONDS, Postponed
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

PROBE_SECONDS = 120  # in which a page has been tried three times over HTTP, or has waited for the browser
# A site may forbid a part of itself to guests, and its links come in bunches. A 403 without the marks of a wall weighs
# this much, unless it is the first of its kind of address in a row, or its kind has been answered before.
FORBIDDEN_WEIGHT = 1 / 3
MAX_PATTERNS = 200  # kinds of address remembered for a host
GOOD, UNKNOWN = "", None  # what a visit says of its host, beside the reasons of its failure
REASONS = {
    "blocked": "page after page was answered by a bot wall, also in the browser",
    "status_5xx": "page after page was answered HTTP 5xx",
    "timeout": "page after page was not answered in time",
    "dns": "the host has no address",
    "refused": "the host refuses connections",
    "network": "page after page the connection failed in another way",
}


@dataclass
class _Host:
    circuit: Circuit = field(default_factory=Circuit)
    loaded_at: float = float("-inf")
    loading: asyncio.Lock = field(default_factory=asyncio.Lock)
    failures: float = 0.0  # pages in a row, by weight
    tries: int = 0  # over HTTP, in a row
    is_probed: bool = False  # a page of ours is under way to see whether it works again
    answered: set[str] = field(default_factory=set)  # kinds of address that brought something
    forbidden: set[str] = field(default_factory=set)  # those met with 403 since the last good answer


class BreakerMiddleware:
    """Counts how pages end, by what the last tier made of them: one good answer, be it a 404, and a host is well."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._limit = int(number(settings, "TIERS_BREAKER_FAILURES", least=1))
        # Scrapy puts retries behind all other pages. A dead host must not cost a try, or a timeout, of each of those.
        self._max_tries = self._limit * (1 + settings.getint("RETRY_TIMES"))
        self._seconds = number(settings, "TIERS_BREAKER_SECONDS", least=1)
        self._max_seconds = number(settings, "TIERS_BREAKER_MAX_SECONDS", least=1)
        self._store = open_store(settings["STORE_URL"])
        self._hosts: dict[str, _Host] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def spider_closed(self) -> None:
        self._store.close()

    async def process_request(self, request: Request) -> None:
        name = netloc(request.url)
        if request.meta.get("tiers_probe", name) != name:  # it has answered, with a redirect to another host
            await self._judge(request, GOOD, request.meta["tiers_probe"])
        host = await self._load(name)
        if host.circuit.state == "closed":
            return
        self.check(request)
        if request.callback is not NO_CALLBACK and "tiers_probe" not in request.meta:
            await self._probe(name, host, request)

    def check(self, request: Request) -> None:
        """Refuse a request to a host that is left alone, also one that waited for its turn when that began."""
        name = netloc(request.url)
        host = self._hosts.get(name)
        if host is None or host.circuit.state == "closed" or "tiers_probe" in request.meta:
            return
        now = time.time()
        is_own = request.callback is NO_CALLBACK  # asked on behalf of a page: the probe's robots.txt, the API's answer
        if host.circuit.state == "open" and host.circuit.until > now:
            until = host.circuit.until
        elif host.is_probed and not is_own:
            until = int(now + self._seconds)
        else:
            return
        self._count("tiers/breaker/refused")
        raise Postponed(name, until, LEFT_ALONE)

    async def note_try(self, request: Request, answer: Response | Exception) -> None:
        """Count a try over HTTP, before its page's visit has come to an end."""
        host = self._hosts.get(netloc(request.url))
        if host is None or request.callback is NO_CALLBACK:
            return
        reason = _by_exception(answer) if isinstance(answer, Exception) else _by_status(answer)
        if reason == GOOD:
            host.tries = 0
        elif reason is not UNKNOWN and host.circuit.state == "closed":
            host.tries += 1
            if host.tries >= self._max_tries:
                await self._open(netloc(request.url), host, reason, times=host.tries)

    async def process_response(self, request: Request, response: Response) -> Response:
        if trail := request.meta.get("tiers_trail"):
            await self._judge(request, _by_step(trail[-1]), netloc(request.url))
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        if "tiers_trail" not in request.meta and "tiers_probe" not in request.meta:
            return
        reason = _by_exception(exception)
        if request.meta.get("tiers_browser"):
            reason = _by_earlier_step(request.meta["tiers_trail"], reason)
        if request.meta.get("tiers_probe", netloc(request.url)) != netloc(request.url):
            reason = GOOD  # of the host that led elsewhere
        await self._judge(request, reason, request.meta.get("tiers_probe") or netloc(request.url))

    async def _judge(self, request: Request, reason: str | None, name: str) -> None:
        host = await self._load(name)
        is_probe = request.meta.pop("tiers_probe", None) is not None
        if is_probe:
            host.is_probed = False
        if reason == GOOD:
            if len(host.answered) < MAX_PATTERNS:
                host.answered.add(path_pattern(request.url))
            host.forbidden.clear()
            await self._close(name, host)
        elif reason is UNKNOWN:
            if is_probe and host.circuit.state == "half_open":  # the next page tells
                await self._save(name, host, state="open", until=int(time.time()))
        elif host.circuit.state == "closed" or is_probe:
            host.failures += _weight(host, request)
            if is_probe or host.failures > self._limit - 0.01:  # thirds do not add up to whole numbers
                await self._open(name, host, reason, times=round(host.failures))

    async def _probe(self, name: str, host: _Host, request: Request) -> None:
        request.meta["tiers_probe"] = name
        host.is_probed = True
        self._count("tiers/breaker/probes")
        logger.info("Trying %(host)s again with %(url)s", {"host": name, "url": request.url}, extra=self._extra)
        await self._save(name, host, state="half_open", until=int(time.time() + PROBE_SECONDS))

    async def _open(self, name: str, host: _Host, reason: str, *, times: int) -> None:
        host.tries = 0
        openings = host.circuit.openings
        seconds = min(self._seconds * 2.0 ** min(openings, 30), self._max_seconds)
        self._count(f"tiers/breaker/opened/{reason}")
        logger.warning(
            "%(host)s is left alone for %(seconds)d s: %(reason)s, %(times)d times in a row",
            {"host": name, "seconds": seconds, "reason": reason, "times": times},
            extra=self._extra,
        )
        opened = {"failures": times, "openings": openings + 1, "reason": reason}
        await self._save(name, host, state="open", until=int(time.time() + seconds), **opened)

    async def _close(self, name: str, host: _Host) -> None:
        host.failures = host.tries = 0
        if host.circuit.state == "closed":
            return
        self._count("tiers/breaker/closed")
        logger.info("%(host)s answers again", {"host": name}, extra=self._extra)
        await self._save(name, host, state="closed", until=0, failures=0, openings=0, reason="")

    async def _load(self, name: str) -> _Host:
        """Another process may have found out in the meantime: one short read a host and minute."""
        host = self._hosts.setdefault(name, _Host())
        async with host.loading:  # nobody passes before the first knows
            if not host.is_probed and monotonic() - host.loaded_at >= RELOAD_SECONDS:
                circuit = await self._store.run(self._store.breakers.load, name)
                host.loaded_at = monotonic()
                if circuit.changed_at > host.circuit.changed_at:
                    host.circuit = circuit
        return host

    async def _save(self, name: str, host: _Host, **changes: Any) -> None:
        host.circuit = replace(host.circuit, changed_at=int(time.time()), **changes)
        await self._store.run(self._store.breakers.save, name, host.circuit)

    @property
    def _extra(self) -> dict[str, Any]:
        return {"spider": self._crawler.spider}

    def _count(self, stat: str) -> None:
        self._crawler.stats.inc_value(stat)


def _weight(host: _Host, request: Request) -> float:
    """How much a failure counts."""
    trail = request.meta.get("tiers_trail")
    if not trail or trail[-1]["reason"] != "status_403":
        return 1.0
    pattern = path_pattern(request.url)
    is_telling = pattern in host.answered or pattern not in host.forbidden
    host.forbidden.add(pattern)
    return 1.0 if is_telling else FORBIDDEN_WEIGHT


def _by_exception(exception: Exception) -> str | None:
    reason = reason_of(exception)
    if reason == "too_large":  # it had more to say than we want to hear
        return GOOD
    return reason or UNKNOWN


def _by_status(response: Response) -> str | None:
    if response.status < 500:
        return GOOD
    return UNKNOWN if response.status == 503 and "Retry-After" in response.headers else "status_5xx"


def _by_step(step: dict[str, Any]) -> str | None:
    """What the last tier's verdict on a page says of its host."""
    if step["verdict"] == "blocked":
        return "blocked"
    if step["verdict"] == "throttled" or (step["tier"] == "api" and step["verdict"] == "failed"):
        return UNKNOWN  # a pause is not a failure, and an API may be down where the wiki is not
    return "status_5xx" if step["reason"] == "status_5xx" else GOOD


def _by_earlier_step(trail: Sequence[dict[str, Any]], reason: str | None) -> str | None:
    """A browser that fails may be at fault itself: what came over HTTP decides, if anything did."""
    step = next((step for step in trail if step["tier"] == "http"), None)
    if step is None:
        return reason if reason in ("dns", "refused") else UNKNOWN
    if step["verdict"] == "error":
        return "timeout" if step["reason"] == "timeout" else "network"
    return _by_step(step)
