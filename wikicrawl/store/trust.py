"""Keep how far what a site says of its pages' changes can be believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import host_trust
from wikicrawl.urls import netloc, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection, Engine

    from wikicrawl.store.validators import Validator

# Changes that a site must have told of before it is believed. A part of 100 pages of which 2 change a day is believed
# after two days; guarded by bench/fresh.py.
PROVEN = 3.0
MOST_WRONG = 0.1  # of what it told; beyond, it is not believed
MOST = 20.0  # what counts of the past, so that two wrongs of a site that has changed its ways are enough
HALF_LIFE_SECONDS = 30 * 24 * 3600
# A page that is the same under the same tag says little: 150 of them make a tag as good as three changes told. With 60
# the part of bench/fresh.py whose tags never change was believed before one of its changes was seen.
WEAK = 0.02
WASTED = 0.25  # what it counts against a list that it told of a change where there was none: a visit, not a loss

DATED = ("lastmod", "feed")  # kinds of lists
Key = tuple[str, str]  # place and kind


@dataclass(frozen=True, slots=True)
class Trust:
    confirmed: float = 0.0
    refuted: float = 0.0
    tested_at: int = 0

    @property
    def is_refuted(self) -> bool:
        return self.refuted > MOST_WRONG * (self.confirmed + self.refuted)

    @property
    def is_proven(self) -> bool:
        return self.confirmed >= PROVEN and not self.is_refuted


UNKNOWN = Trust()


def place_of(url: str) -> str:
    """The part of a host that a page belongs to: its first folder, where it is in one."""
    first, slash, _ = path_of(url)[1:].partition("/")
    return f"{netloc(url)}/{first}" if slash and first else netloc(url)


def has_moved(old: int | None, new: int | None, visited_at: int | None) -> bool:
    """Whether lists say that a page has changed since its visit; a first date only where it is later than that."""
    if new is None or new == old:
        return False
    return old is not None or visited_at is None or new > visited_at


class Trusts:
    def __init__(self, engine: Engine) -> None:
        self._reading = reading(engine)

    def find(self, place: str, kind: str) -> Trust:
        with self._reading.connect() as connection:
            return load(connection, [place]).get((place, kind), UNKNOWN)


def load(connection: Connection, places: Iterable[str]) -> dict[Key, Trust]:
    rows = connection.execute(select(host_trust).where(host_trust.c.host.in_(list(places))))
    return {(row.host, row.kind): Trust(row.confirmed, row.refuted, row.tested_at) for row in rows}


def ensure(connection: Connection, places: Iterable[str], kind: str, now: int) -> None:
    """Places whose pages a list names; from now on it is compared with what their visits bring."""
    rows = [{"host": place, "kind": kind, "confirmed": 0, "refuted": 0, "tested_at": now} for place in sorted(places)]
    if rows:
        connection.execute(insert_into(connection, host_trust).on_conflict_do_nothing(), rows)


def note(connection: Connection, key: Key, old: Trust, *, confirmed: float, refuted: float, now: int) -> None:
    if not confirmed and not refuted:
        return
    fading = 0.5 ** (max(0, now - old.tested_at) / HALF_LIFE_SECONDS)
    most = MOST if confirmed != WEAK else max(PROVEN, old.confirmed)
    row = {
        "confirmed": min(old.confirmed * fading + confirmed, most),
        "refuted": min(old.refuted * fading + refuted, MOST),
        "tested_at": now,
    }
    statement = insert_into(connection, host_trust).values(host=key[0], kind=key[1], **row)
    connection.execute(statement.on_conflict_do_update(index_elements=[host_trust.c.host, host_trust.c.kind], set_=row))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A visit beside the one before it."""

    url: str
    has_changed: bool
    old: Validator
    new: Validator
    visited_at: int | None  # the time of the one before


def learn(connection: Connection, visit: Comparison, now: int) -> None:
    """Hold what the site said of a page against what its visit brought."""
    place = place_of(visit.url)
    trusts = load(connection, [place])
    if visit.old and visit.new:
        confirmed, refuted = weigh_tag(is_same=visit.old.is_same(visit.new), has_changed=visit.has_changed)
        key = place, "etag"
        note(connection, key, trusts.get(key, UNKNOWN), confirmed=confirmed, refuted=refuted, now=now)
    kind = governing(trusts, place, visit.new.lastmod)
    if kind:
        moved = has_moved(visit.old.lastmod, visit.new.lastmod, visit.visited_at)
        confirmed, refuted = weigh_date(has_moved=moved, has_changed=visit.has_changed)
        note(connection, (place, kind), trusts[place, kind], confirmed=confirmed, refuted=refuted, now=now)


def governing(trusts: dict[Key, Trust], place: str, lastmod: int | None) -> str:
    """The kind of list that tells of a page's changes. A feed is for all of its place: what it names, it names late."""
    if (place, "lastmod") in trusts:
        return "lastmod" if lastmod is not None else ""
    return "feed" if (place, "feed") in trusts else ""


def weigh_tag(*, is_same: bool, has_changed: bool) -> tuple[float, float]:
    if has_changed:
        return (0.0, 1.0) if is_same else (1.0, 0.0)
    return (WEAK, 0.0) if is_same else (0.0, 0.0)


def weigh_date(*, has_moved: bool, has_changed: bool) -> tuple[float, float]:
    """Only changes tell whether a list knows of them: that an unchanged page is not named proves nothing."""
    if has_changed:
        return (1.0, 0.0) if has_moved else (0.0, 1.0)
    return (0.0, WASTED) if has_moved else (0.0, 0.0)
