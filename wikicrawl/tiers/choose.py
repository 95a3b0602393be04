"""Remember, per host and path pattern, which tier its pages need."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wikicrawl.numbers import number
from wikicrawl.store.hosts import HostMemory, PatternVotes
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from typing import Self

    from scrapy.settings import BaseSettings

    from wikicrawl.store import Store

DAY = 86_400
# Two pages must agree before a third skips HTTP: one odd page of a pattern is common, two in a row are its nature.
MARGIN = 1.5
SITE_MARGIN = 0.5  # the first page decides
MAX_VOTES = 5.0  # so that a site that changed is believed after two re-tests
AGAINST = 0.5  # what a vote for the other tier leaves of the older ones

_VARIABLE = re.compile(r"\d|^[0-9a-f-]{12,}$|.{25,}", re.IGNORECASE)


def path_pattern(url: str) -> str:
    """`/blog/2024/a-post` → `/blog/*/*`: the first segment, unless it varies, and how many follow (three at most)."""
    segments = [segment for segment in urlsplit(url).path.split("/") if segment]
    if not segments:
        return "/"
    first = segments[0] if len(segments) > 1 and not _VARIABLE.search(segments[0]) else "*"
    return "/" + "/".join([first, *["*"] * min(len(segments) - 1, 3)])


class TierMemory:
    """The votes of visited pages, decaying with time, kept in the store."""

    def __init__(self, store: Store, *, scope: str, retest_every: int, half_life_days: float) -> None:
        if scope not in ("pattern", "site"):
            raise ValueError(f"TIERS_SCOPE is {scope!r}; it must be 'pattern' or 'site'")
        self._store = store
        self._is_site = scope == "site"
        self._retest_every = retest_every
        self._half_life_seconds = half_life_days * DAY
        self._hosts: dict[str, HostMemory] = {}
        self._browser_choices: dict[tuple[str, str], int] = {}

    @classmethod
    def from_settings(cls, store: Store, settings: BaseSettings) -> Self:
        return cls(
            store,
            scope=settings["TIERS_SCOPE"],
            retest_every=int(number(settings, "TIERS_RETEST_EVERY", least=2)),
            half_life_days=number(settings, "TIERS_HALF_LIFE_DAYS", least=0.01),
        )

    async def choose(self, url: str) -> str:
        """The tier to start with: `browser` only where earlier pages needed it, and not for every n-th of them."""
        key = self._pattern(url)
        if not await self._leans(url, key, "browser"):
            return "http"
        count = self._browser_choices.get((netloc(url), key), 0) + 1
        self._browser_choices[netloc(url), key] = count
        return "http" if count % self._retest_every == 0 else "browser"

    async def vote(self, url: str, tier: str) -> None:
        key = self._pattern(url)
        if tier == "http" and key not in (await self._host(url)).patterns:
            return  # HTTP is where every page starts; only a doubt needs an answer
        await self._vote(url, key, tier)

    async def vote_no_gain(self, url: str, reason: str) -> None:
        """The browser was tried for this reason and gave no more text."""
        await self._vote(url, f"{self._pattern(url)} {reason}", "http")

    async def is_known_static(self, url: str, reason: str) -> bool:
        return await self._leans(url, f"{self._pattern(url)} {reason}", "http")

    async def cookies(self, url: str) -> list[dict[str, str]]:
        """Cookies that a cleared challenge left for the host, unless they have expired."""
        now = time.time()
        kept = (await self._host(url)).cookies
        return [cookie for cookie in kept if float(cookie.get("expires", -1)) < 0 or float(cookie["expires"]) > now]

    async def keep_cookies(self, url: str, cookies: list[dict[str, str]]) -> None:
        memory = await self._host(url)
        memory.cookies[:] = cookies
        await self._store.run(self._store.hosts.save_cookies, netloc(url), cookies, int(time.time()))

    def _pattern(self, url: str) -> str:
        return "*" if self._is_site else path_pattern(url)

    async def _host(self, url: str) -> HostMemory:
        host = netloc(url)
        if host in self._hosts:
            return self._hosts[host]
        memory = await self._store.run(self._store.hosts.load, host)
        return self._hosts.setdefault(host, memory)

    async def _leans(self, url: str, key: str, tier: str) -> bool:
        votes = (await self._host(url)).patterns.get(key)
        if votes is None:
            return False
        lead = (votes.browser - votes.http) * self._decay(votes.voted_at)
        return (lead if tier == "browser" else -lead) >= (SITE_MARGIN if self._is_site else MARGIN)

    def _decay(self, voted_at: int) -> float:
        return float(0.5 ** (max(0.0, time.time() - voted_at) / self._half_life_seconds))

    async def _vote(self, url: str, key: str, tier: str) -> None:
        patterns = (await self._host(url)).patterns
        old = patterns.get(key) or PatternVotes(browser=0.0, http=0.0, voted_at=int(time.time()))
        decay = self._decay(old.voted_at)
        browser, http = old.browser * decay, old.http * decay
        if tier == "browser":
            browser, http = min(browser + 1, MAX_VOTES), http * AGAINST
        else:
            browser, http = browser * AGAINST, min(http + 1, MAX_VOTES)
        patterns[key] = PatternVotes(browser=browser, http=http, voted_at=int(time.time()))
        await self._store.run(self._store.hosts.save_pattern, netloc(url), key, patterns[key])
