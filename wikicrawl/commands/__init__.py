"""The project's own `scrapy` commands."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from wikicrawl.store import open_store

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Iterable, Iterator

    from scrapy.crawler import CrawlerProcessBase
    from scrapy.settings import BaseSettings

    from wikicrawl.store import Store


def print_problem(problem: object) -> int:
    """Say in one line why a command cannot go on; its exit code."""
    print(f"wikicrawl: {problem}", file=sys.stderr)
    return 2


def run_crawls(process: CrawlerProcessBase, crawls: Iterable[Awaitable[None]]) -> int:
    """Run crawls to their end; 0, or the exit code of one that could not start, whose reason is told in one line."""
    tasks = [cast("asyncio.Task[None]", crawl) for crawl in crawls]
    process.start()
    # A crawl that was ended by force has no result to ask for.
    errors = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    refusals = {str(error) for error in errors if isinstance(error, ValueError)}  # a component refused its settings
    if refusals:
        return print_problem("\n".join(sorted(refusals)))
    for error in filter(None, errors):
        raise error
    return int(process.bootstrap_failed)


@contextmanager
def opened_store(settings: BaseSettings | None) -> Iterator[Store]:
    """The project's store while a command looks at it; the command ends where the store cannot be opened."""
    assert settings is not None
    try:
        store = open_store(settings["STORE_URL"])
    except ValueError as error:
        raise SystemExit(print_problem(error)) from None
    try:
        yield store
    finally:
        store.close()
