"""Read the settings of the browser tier."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wikicrawl.hooks import load_hook
from wikicrawl.numbers import number
from wikicrawl.tiers.executable import find_browser

if TYPE_CHECKING:
    from typing import Self

    from playwright.async_api import Page
    from scrapy.settings import BaseSettings

PageHook = Callable[["Page"], Awaitable[None] | None]


@dataclass(frozen=True)
class BrowserOptions:
    executable: str | None
    endpoint: str  # of a browser elsewhere; empty: our own
    headers: dict[str, str]  # names in lower case
    user_agent: str | None  # None: the request's own
    viewport: dict[str, int]
    block_media: bool
    page_hook: PageHook | None
    verify_certificates: bool
    max_bytes: int
    timeout_seconds: float
    quiet_seconds: float
    scroll_rounds: int
    scroll_wait_seconds: float
    challenge_seconds: float
    context_pages: int
    max_mb: int

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        endpoint = _endpoint(settings.get("TIERS_BROWSER_ENDPOINT"))
        headers = {name.lower(): str(value) for name, value in settings.getdict("TIERS_BROWSER_HEADERS").items()}
        return cls(
            executable=None if endpoint else find_browser(settings.get("TIERS_BROWSER_EXECUTABLE")),
            endpoint=endpoint,
            user_agent=headers.pop("user-agent", None),  # scripts must see the same
            headers=headers,
            viewport=_viewport(settings),
            block_media=settings.getbool("TIERS_BROWSER_BLOCK_MEDIA"),
            page_hook=load_hook(
                "TIERS_BROWSER_PAGE_HOOK", settings.get("TIERS_BROWSER_PAGE_HOOK"), called_with="the page"
            ),
            verify_certificates=settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"),
            max_bytes=settings.getint("DOWNLOAD_MAXSIZE"),
            timeout_seconds=number(settings, "TIERS_BROWSER_TIMEOUT_MS", least=1000) / 1000,
            quiet_seconds=number(settings, "TIERS_BROWSER_QUIET_MS", least=1) / 1000,
            scroll_rounds=int(number(settings, "TIERS_BROWSER_SCROLL_ROUNDS", least=0)),
            scroll_wait_seconds=number(settings, "TIERS_BROWSER_SCROLL_WAIT_MS", least=0) / 1000,
            challenge_seconds=number(settings, "TIERS_BROWSER_CHALLENGE_SECONDS", least=0),
            context_pages=int(number(settings, "TIERS_BROWSER_CONTEXT_PAGES", least=1)),
            max_mb=int(number(settings, "TIERS_BROWSER_MAX_MB", least=1)),
        )

    @property
    def browser(self) -> str | None:
        """Where the browser is; None where there is none."""
        return self.endpoint or self.executable


def _endpoint(told: str | None) -> str:
    address = urlsplit(told or "")
    if told and (address.scheme not in ("http", "https", "ws", "wss") or not address.hostname):
        raise ValueError(
            f"TIERS_BROWSER_ENDPOINT is {told!r}; it must be the address of a browser's DevTools (http://host:9222, or "
            "ws://…/devtools/browser/…) or of a Playwright server (ws://host:port/path); leave it empty for our own"
        )
    return told or ""


def _viewport(settings: BaseSettings) -> dict[str, int]:
    told = settings.getdict("TIERS_BROWSER_VIEWPORT")
    if set(told) != {"width", "height"} or not all(isinstance(side, int) and side > 0 for side in told.values()):
        raise ValueError(f'TIERS_BROWSER_VIEWPORT is {told!r}; it must be {{"width": pixels, "height": pixels}}')
    return {"width": told["width"], "height": told["height"]}
