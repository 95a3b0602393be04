"""Read a loaded page once it is worth reading."""

from __future__ import annotations

import asyncio
import inspect
import re
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import DownloadCancelledError

from wikicrawl.tiers.judge import judge
from wikicrawl.tiers.settle import has_moved, settle

if TYPE_CHECKING:
    from playwright.async_api import Page

    from wikicrawl.tiers.options import BrowserOptions
    from wikicrawl.tiers.tab import Tab

CHALLENGE_LOOK_SECONDS = 1.0  # a challenge is looked at again this often, and whenever a new document comes
CLEARS_ITSELF = re.compile(rb"<script|http-equiv=.?refresh", re.IGNORECASE)  # without, waiting changes nothing
DOM_LENGTH = "document.documentElement?.outerHTML.length ?? 0"


@dataclass(frozen=True, slots=True)
class Rendering:
    body: bytes  # the DOM as UTF-8
    is_cleared: bool  # a wall stood before the page, and fell


async def render(tab: Tab, options: BrowserOptions) -> Rendering:
    """Let the page settle and pass its challenge, run the page hook, and return the DOM."""
    body = await _read(tab, options)
    is_blocked = was_blocked = _is_blocked(body, tab)
    until = min(monotonic() + options.challenge_seconds, tab.deadline)
    while is_blocked and CLEARS_ITSELF.search(body) and monotonic() < until:
        with suppress(TimeoutError):
            await asyncio.wait_for(tab.navigated.wait(), min(CHALLENGE_LOOK_SECONDS, until - monotonic()))
        body = await _read(tab, options)
        is_blocked = _is_blocked(body, tab)
    if options.page_hook:
        result = options.page_hook(tab.page)
        if inspect.isawaitable(result):
            await result
        body = await _read(tab, options)
    was_walled = was_blocked or tab.statuses[0] >= 400
    return Rendering(body, is_cleared=was_walled and not is_blocked and tab.statuses[-1] < 400)


async def _read(tab: Tab, options: BrowserOptions) -> bytes:
    while True:
        tab.navigated.clear()
        await settle(tab, options)
        try:
            return await _dom(tab.page, options.max_bytes)
        except PlaywrightError as error:
            if not has_moved(error) or monotonic() > tab.deadline:
                raise


async def _dom(page: Page, max_bytes: int) -> bytes:
    # The length is asked first, so that a huge document never crosses to this process.
    size = await page.evaluate(DOM_LENGTH)
    if not 0 < max_bytes < size:
        body = (await page.content()).encode("utf-8", "replace")
        size = len(body)
    if 0 < max_bytes < size:
        raise DownloadCancelledError(
            f"{page.url} is {size} bytes in the browser, more than DOWNLOAD_MAXSIZE ({max_bytes})"
        )
    return body


def _is_blocked(body: bytes, tab: Tab) -> bool:
    return judge(body, status=tab.answer.status, headers=tab.answer.headers, encoding="utf-8").kind == "blocked"
