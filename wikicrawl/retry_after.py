"""Read for how long a server asks to be left alone."""

from __future__ import annotations

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime

SECONDS = re.compile(r"\d+(?:\.\d*)?", re.ASCII)  # the standard has whole ones; some servers write 1.5


def retry_after(header: str, date: str = "") -> float | None:
    """Seconds that a Retry-After asks for: 0 if its date is over, None if it says nothing that can be understood.

    `date` is the answer's Date: the server means its own clock, be it right or wrong.
    """
    text = header.strip()
    if SECONDS.fullmatch(text):
        return float(text)
    until = _timestamp(text)
    if until is None:
        return None
    now = _timestamp(date)
    return max(0.0, until - (time.time() if now is None else now))


def _timestamp(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
