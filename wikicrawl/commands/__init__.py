"""The project's own `scrapy` commands."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wikicrawl.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from wikicrawl.store import Store


def print_problem(problem: object) -> int:
    """Say in one line why a command cannot go on; its exit code."""
    print(f"wikicrawl: {problem}", file=sys.stderr)
    return 2


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
