"""Say which sources a claim over all of them takes pages from first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, select

from wikicrawl.store.schema import page, source

if TYPE_CHECKING:
    from typing import TypeVar

    from sqlalchemy import Column, ColumnElement, Connection, ScalarSelect

    T = TypeVar("T")

NO_LIMIT = 2**62  # more pages than any source has


@dataclass(frozen=True, slots=True)
class Rank:
    source: str
    max_pages: int  # that may be admitted, over all crawls
    host: str = ""  # the first that has pages never admitted


def rank_sources(connection: Connection, now: int, after: str) -> list[Rank]:
    """First the sources with pages never admitted, from the one behind `after`; then the others by their first due."""
    max_pages = source.c.arguments["max_pages"].as_integer()
    # The first host, not whether there is one: for that PostgreSQL reads the table, sure to find a waiting page soon.
    waiting = _first(page.c.host, page.c.due == 0).label("waiting")
    due = _first(page.c.due, and_(page.c.due > 0, page.c.due <= now)).label("due")
    query = select(source.c.id, source.c.admitted, max_pages.label("max_pages"), waiting, due)
    ranked = []
    for row in connection.execute(query):
        rank = Rank(row.id, row.max_pages or NO_LIMIT, row.waiting or "")
        if row.waiting is not None and row.admitted < rank.max_pages:
            ranked.append(((0, row.id <= after, row.id), rank))
        elif row.due is not None:
            ranked.append(((row.due, False, row.id), rank))
    return [rank for _, rank in sorted(ranked, key=lambda pair: pair[0])]


def _first(column: Column[T], is_wanted: ColumnElement[bool]) -> ScalarSelect[T]:
    is_free = page.c.source == source.c.id, page.c.lease_until.is_(None)
    return select(func.min(column)).where(*is_free, is_wanted).scalar_subquery()
