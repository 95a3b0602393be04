"""Say which hosts are left alone, why, and until when."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from wikicrawl.extensions import local_time

if TYPE_CHECKING:
    from rich.console import Console

    from wikicrawl.store.breakers import Resting

SHOWN = 20  # hosts listed; the rest is counted
SENTENCES = {
    "paused": "asked for a pause until {until} ({reason})",
    "open": "fails and is left alone until {until} ({reason})",
    "half_open": "has failed and is being tried again ({reason})",
    "due": "has failed and is tried again with the next crawl ({reason})",
}


def resting_line(resting: Resting) -> str:
    is_over = resting.state == "open" and resting.until <= time.time()
    sentence = SENTENCES["due" if is_over else resting.state]
    return sentence.format(until=local_time(resting.until), reason=resting.reason)


def print_resting(console: Console, hosts: list[Resting]) -> None:
    if hosts:
        console.print("\nHosts that are left alone:")
    for resting in hosts[:SHOWN]:
        console.print(f"  {resting.host}  {resting_line(resting)}", soft_wrap=True)
    if len(hosts) > SHOWN:
        console.print(f"  and {len(hosts) - SHOWN} more")
