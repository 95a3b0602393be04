"""Show what the store holds and which pages are not in a final state."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from scrapy.commands import ScrapyCommand

from wikicrawl.commands import opened_store
from wikicrawl.commands.resting import print_resting
from wikicrawl.extensions import count_words, local_time

if TYPE_CHECKING:
    import argparse

    from wikicrawl.store.pages import StoredPage
    from wikicrawl.store.status import SourceStatus

COLUMNS = ("source", "known", "visited", "versions", "claimed", "due", "next visit", "last outcomes", "last job")
SHOWN = 20  # unfinished pages listed; the rest is counted


class Command(ScrapyCommand):
    requires_project = True
    requires_crawler_process = False

    def short_desc(self) -> str:
        return "Show what the store holds and any page that is not in a final state"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        console = Console(width=None if Console().is_terminal else 140, highlight=False, markup=False)
        with opened_store(self.settings) as store:
            sources = store.pages.status(now=int(time.time()))
            unfinished = store.pages.unfinished(limit=SHOWN + 1)
            resting = store.breakers.resting(now=int(time.time()))
        if not sources:
            console.print("The store is empty: scrapy crawl site -a url=https://…")
            return
        console.print(_table(sources))
        console.print()
        for status in sources:
            self._print_ledger(console, status)
        _print_unfinished(console, unfinished)
        print_resting(console, resting)

    def _print_ledger(self, console: Console, status: SourceStatus) -> None:
        """Every claim is an outcome, held or returned: what cannot be told apart by looking is proved by counting."""
        parts = {**status.visits, "held": status.leased, "returned": status.returned}
        sum_of_parts = " + ".join(f"{count} {name}" for name, count in parts.items())
        if status.claimed == status.accounted:
            console.print(f"{status.id}: {status.claimed} claims = {sum_of_parts}", soft_wrap=True)
            return
        self.exitcode = 1
        console.print(
            f"{status.id}: CLAIMS DO NOT ADD UP: {status.claimed} claims, but {status.accounted} = {sum_of_parts}",
            style="bold red",
            soft_wrap=True,
        )


def _table(sources: list[SourceStatus]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in COLUMNS:
        table.add_column(heading, overflow="fold")
    now = int(time.time())
    for status in sources:
        due = status.next_due
        job = status.last_job
        table.add_row(
            status.id,
            str(status.pages),
            str(status.visited),
            str(status.versions),
            str(status.leased),
            str(status.due_now),
            "–" if due is None else "now" if due <= now else local_time(due),
            count_words(status.outcomes),
            "–" if job is None else job.reason or "running or died",
        )
    return table


def _print_unfinished(console: Console, pages: list[StoredPage]) -> None:
    if not pages:
        console.print("\nEvery page that was claimed is in a final state.")
        return
    console.print(f"\nNot in a final state{' (the first ones)' if len(pages) > SHOWN else ''}:")
    for page in pages[:SHOWN]:
        state = f"claimed, try {page.attempt}" if page.lease_owner else "given back: the same crawl again visits it"
        console.print(f"  {page.url}  {state}", soft_wrap=True)
