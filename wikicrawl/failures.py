"""Name the ways in which a download brings no answer, and pass over the one that means a stop."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

from wikicrawl.items import STOPPING

if TYPE_CHECKING:
    from collections.abc import Iterator

REASONS: dict[type[Exception], str] = {
    DownloadTimeoutError: "timeout",
    CannotResolveHostError: "dns",
    DownloadConnectionRefusedError: "refused",
    DownloadCancelledError: "too_large",
    ResponseDataLossError: "network",
    DownloadFailedError: "network",
}
NO_ANSWER: tuple[type[Exception], ...] = tuple(REASONS)
NO_RESPONSE: tuple[type[Exception], ...] = (*NO_ANSWER, IgnoreRequest)  # or nobody was asked


def reason_of(exception: Exception) -> str:
    """Empty for what is no failure to answer."""
    return next((reason for kind, reason in REASONS.items() if isinstance(exception, kind)), "")


@contextmanager
def unless_stopping() -> Iterator[None]:
    """What is asked beside the claimed pages is for the next crawl to ask, once this one is being stopped."""
    try:
        yield
    except IgnoreRequest as error:
        if str(error) != STOPPING:
            raise
