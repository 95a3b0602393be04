"""Say which sources a claim over all of them takes pages from first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, func, select

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
    ranked = []
    # All rows at once: one at a time costs as much as the query.
    for name, admitted, most, waiting, due in connection.execute(SOURCES, {"now": now}).all():
        max_pages = most or NO_LIMIT
        if waiting is not None and admitted < max_pages:
            ranked.append((0, name <= after, name, max_pages, waiting))
        elif due is not None:
            ranked.append((due, False, name, max_pages, waiting or ""))
    return [Rank(name, max_pages, host) for _, _, name, max_pages, host in sorted(ranked)]


def _first(column: Column[T], is_wanted: ColumnElement[bool]) -> ScalarSelect[T]:
    is_free = page.c.source == source.c.id, page.c.lease_until.is_(None)
    return select(func.min(column)).where(*is_free, is_wanted).scalar_subquery()


# Of waiting pages the first host, not whether there is one: for that PostgreSQL reads the table, sure to find one soon.
SOURCES = select(
    source.c.id,
    source.c.admitted,
    source.c.arguments["max_pages"].as_integer(),
    _first(page.c.host, page.c.due == 0),
    _first(page.c.due, and_(page.c.due > 0, page.c.due <= bindparam("now", type_=page.c.due.type))),
)
