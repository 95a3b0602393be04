"""Wait until a page shows what it is going to show."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.async_api import Page

    from wikicrawl.tiers.options import BrowserOptions
    from wikicrawl.tiers.tab import Tab

# Of the time left, for a document whose parser waits for a script that does not come; then what is there is taken.
READY_SHARE = 0.5
# For a page that never comes to rest: a clock, an advertisement, an endless list.
RESTLESS_SECONDS = 5.0

READY = """() => document.readyState === "loading" && new Promise(resolve =>
    document.addEventListener("readystatechange", () => resolve(), {once: true}))"""
# Style and class are not observed: a carousel changes them for ever and the text not at all.
QUIET = """quiet => new Promise(resolve => {
    const end = () => { observer.disconnect(); resolve(); };
    let timer = setTimeout(end, quiet);
    const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, quiet); });
    const attributeFilter = ["src", "srcset"];
    observer.observe(document, {childList: true, subtree: true, characterData: true, attributeFilter});
})"""
SCROLL = """() => {
    const before = window.scrollY;
    window.scrollTo(0, document.documentElement.scrollHeight);
    return window.scrollY > before;
}"""


def is_gone(error: PlaywrightError) -> bool:
    """Whether the tab died, rather than the page having moved on under our hands."""
    return "has been closed" in error.message or "crashed" in error.message


def has_moved(error: PlaywrightError) -> bool:
    """Whether the page navigated while we were at it."""
    return "because of a navigation" in error.message or "page is navigating" in error.message


async def settle(tab: Tab, options: BrowserOptions) -> None:
    """Return when the page is at rest, or its time for that is over; raise only if the tab is gone."""
    now = monotonic()
    await _await_document(tab.page, now + (tab.deadline - now) * READY_SHARE)
    until = min(monotonic() + RESTLESS_SECONDS, tab.deadline)
    is_at_rest = await _await_rest(tab, options, until)
    for _ in range(options.scroll_rounds):
        if not await _scroll(tab.page):
            break
        is_at_rest = await _await_rest(tab, options, min(monotonic() + options.scroll_wait_seconds, tab.deadline))
    if not is_at_rest:
        await _await_rest(tab, options, until)


async def _await_document(page: Page, until: float) -> None:
    # Asked of the page: Playwright's load states wait in vain once a document has tried to go where nothing is.
    while await _run(page, READY, None, until) == "moved":
        pass


async def _await_rest(tab: Tab, options: BrowserOptions, until: float) -> bool:
    """Whether the DOM stood still for the quiet time, and nothing that it is built from is on its way."""
    while monotonic() < until:
        ending = await _run(tab.page, QUIET, options.quiet_seconds * 1000, until)
        if ending == "moved":
            await _await_document(tab.page, until)
        elif ending != "done":
            return False
        elif tab.is_idle(options.quiet_seconds / 2):  # what came a moment ago may not show yet
            return True
    return False


async def _run(page: Page, script: str, argument: float | None, until: float) -> str:
    """How the script ended: done, late, moved (a navigation took its document), or failed."""
    try:
        async with asyncio.timeout(until - monotonic()):
            await page.evaluate(script, argument)
    except TimeoutError:
        return "late"
    except PlaywrightError as error:
        if is_gone(error):
            raise
        return "moved" if has_moved(error) else "failed"
    return "done"


async def _scroll(page: Page) -> bool:
    """Whether there was anything left to scroll to."""
    try:
        return bool(await page.evaluate(SCROLL))
    except PlaywrightError as error:
        if is_gone(error):
            raise
        return False
