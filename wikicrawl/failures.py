"""Name the ways in which a download brings no answer."""

from __future__ import annotations

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)

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
