"""Watch one browser tab: what it shows, what it still waits for, what it must not load."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Frame, Page, Route
    from playwright.async_api import Request as PlaywrightRequest
    from playwright.async_api import Response as PlaywrightResponse
    from scrapy import Request
    from scrapy.http import Response

MEDIA = frozenset({"image", "font", "media"})
# What a page builds its text from. Style sheets and frames come and go without changing it.
CONTENT_SOURCES = frozenset({"script", "fetch", "xhr"})
# A call for data that takes longer is a long poll or an event stream, which never ends.
PATIENCE_SECONDS = 3.0
# A page that reloads itself for ever asks its origin for nothing more after this; a challenge takes two or three.
MAX_NAVIGATIONS = 10
# What a popup blocker answers. Closing the new tab would come too late: it has asked its origin by then.
NO_POPUPS = "window.open = () => null"
# True of the wire, not of the body we hold.
WIRE_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
# Chromium leaves a navigation hanging when it is answered with a header that breaks this.
SOUND_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
UNSOUND_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Tab:
    """What happened in one tab, from before its first navigation until it is closed."""

    page: Page  # from `watch` on
    answer: PlaywrightResponse  # to the navigation that brought the document shown

    def __init__(
        self,
        *,
        deadline: float,
        block_media: bool,
        handover: Response | None,
        on_send: Callable[[], None],
        count: Callable[[str], None],
    ) -> None:
        self.deadline = deadline
        self.is_open = False
        self.navigated = asyncio.Event()  # to a new document
        self.statuses: list[int] = []  # of the documents shown, in order
        self._block_media = block_media
        self._handover = handover
        self._on_send = on_send
        self._count = count
        self._navigations = 0
        self._answers: dict[str, PlaywrightResponse] = {}
        self._pending: dict[PlaywrightRequest, float] = {}
        self._active_at = monotonic()

    async def watch(self, page: Page, _: Request) -> None:
        """To be called with the new page, before it navigates."""
        self.page, self.is_open = page, True
        page.on("popup", self._close_popup)
        page.on("request", self._request_started)
        page.on("requestfinished", self._request_ended)
        page.on("requestfailed", self._request_ended)
        page.on("response", self._response_came)
        page.on("framenavigated", self._frame_navigated)
        await page.add_init_script(NO_POPUPS)
        # The last route registered is asked first, so this one stands before scrapy-playwright's own.
        await page.route("**", self._route)

    def is_idle(self, seconds: float) -> bool:
        """Whether nothing that text is built from came or is expected."""
        now = monotonic()
        if any(now - since < PATIENCE_SECONDS for since in self._pending.values()):
            return False
        return now - self._active_at >= seconds

    async def _route(self, route: Route) -> None:
        with suppress(PlaywrightError):  # the tab was closed meanwhile
            if route.request.is_navigation_request() and route.request.frame == self.page.main_frame:
                await self._route_document(route)
            elif self._block_media and route.request.resource_type in MEDIA:
                self._count("aborted")
                await route.abort()
            else:
                await route.continue_()

    async def _route_document(self, route: Route) -> None:
        self._navigations += 1
        self._on_send()
        if self._navigations > MAX_NAVIGATIONS:
            await route.abort("aborted")  # which leaves the document where it is
        elif not await self._hand_over(route):
            await route.continue_()

    async def _hand_over(self, route: Route) -> bool:
        """Answer the first navigation with the body got over HTTP, so that the origin is not asked again."""
        response, self._handover = self._handover, None
        if response is None:
            return False
        try:
            await route.fulfill(status=response.status, headers=_sound_headers(response), body=response.body)
        except PlaywrightError:
            return False
        self._count("handed_over")
        return True

    async def _close_popup(self, popup: Page) -> None:
        self._count("popups")
        with suppress(PlaywrightError):
            await popup.close()

    def _request_started(self, request: PlaywrightRequest) -> None:
        if request.resource_type in CONTENT_SOURCES:
            self._pending[request] = self._active_at = monotonic()

    def _request_ended(self, request: PlaywrightRequest) -> None:
        if self._pending.pop(request, None) is not None:
            self._active_at = monotonic()

    def _response_came(self, response: PlaywrightResponse) -> None:
        if response.request.is_navigation_request() and response.frame == self.page.main_frame:
            self._answers[_without_fragment(response.url)] = response

    def _frame_navigated(self, frame: Frame) -> None:
        # A navigation answered with 204 or a download changes nothing that is shown, and a pushState brings no answer.
        answer = self._answers.pop(_without_fragment(frame.url), None) if frame == self.page.main_frame else None
        if answer is None:
            return
        self._answers.clear()
        self.answer = answer
        self.statuses.append(answer.status)
        self._pending.clear()
        self.navigated.set()


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _sound_headers(response: Response) -> dict[str, str]:
    headers = {}
    for name, values in response.headers.items():
        key = name.decode("latin-1").lower()
        sound = [text for text in (value.decode("latin-1") for value in values) if not UNSOUND_VALUE.search(text)]
        if sound and key not in WIRE_HEADERS and SOUND_NAME.fullmatch(key):
            headers[key] = ("\n" if key == "set-cookie" else ", ").join(sound)
    return headers
