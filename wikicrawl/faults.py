"""End this process at a named point, where a test asks for it."""

from __future__ import annotations

import os
import signal
from itertools import count

POINTS = {
    "after_claim": "pages are leased, none is asked for",
    "after_fetch": "a page has come, nothing of it is kept",
    "before_commit": "all of a finished page is written, and its transaction is open",
    "after_commit": "a page is finished, and in no feed yet",
    "during_export": "a file of an export is written, and not in its place",
}


def parse_fault(text: str) -> tuple[str, int]:
    """`after_claim:3` is the third passing of that point; without a number it is the first."""
    point, _, nth = text.partition(":")
    if (point and point not in POINTS) or not (nth or "1").isdecimal():
        raise ValueError(f"WIKICRAWL_FAULT is {text!r}; write {' | '.join(POINTS)}, and :n for the n-th passing")
    return point, int(nth or 1)


_point, _nth = parse_fault(os.environ.get("WIKICRAWL_FAULT", ""))
_passings = count(1)


def passing(point: str) -> None:
    """Killed, not raised: nothing is told, flushed or given back, as when the machine fails."""
    if point == _point and next(_passings) == _nth:
        os.kill(os.getpid(), signal.SIGKILL)
