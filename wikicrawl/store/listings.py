"""Compare what a wiki lists with what is kept, and make due what differs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, case, delete, or_, select, update

from wikicrawl.schedule import next_interval
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.frontier import Seed, add_pages, batches, discover, known_pages, lock_source
from wikicrawl.store.schema import page, wiki_listing, wiki_page
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine, Row

    from wikicrawl.schedule import Policy

DEPTH = 1  # of what a listing names; the start URL is 0
# Visits after which a page that the wiki says is unchanged has nothing new to give; others are tried when they are due.
SETTLED = frozenset({"ok", "landed", "redirected", "empty", "noindex"})
# Visits that may end otherwise the next time, so that a page is tried in every run.
PASSING = frozenset(
    {"throttled", "http_error", "blocked", "timeout", "dns", "refused", "network", "dropped", "error", "ignored"}
    | {"extract_timeout", "extract_memory", "extract_crash"}
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A page as the wiki lists it; `touched` also moves when a template of the page is edited."""

    url: str
    pageid: int
    revid: int
    touched: int  # Unix seconds
    is_redirect: bool = False


@dataclass(slots=True)
class Compared:
    """How many of some listed pages are new, changed, only touched or the same."""

    new: int = 0
    changed: int = 0
    touched: int = 0
    same: int = 0
    redirects: list[Listed] = field(default_factory=list)  # where these lead is not known yet

    def __iadd__(self, other: Compared) -> Compared:
        self.new, self.changed = self.new + other.new, self.changed + other.changed
        self.touched, self.same = self.touched + other.touched, self.same + other.same
        self.redirects += other.redirects
        return self


@dataclass(frozen=True, slots=True)
class Listing:
    pages: int
    swept_at: int
    changes_at: int


class Listings:
    """A sweep is `compare` for each part of a listing, `keep_aliases` for its redirects, and `close` at its end.

    Nothing is lost where it breaks off: what differs is due from the transaction that saw the difference.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def find(self, source: str, name: str) -> Listing | None:
        query = select(wiki_listing).where(wiki_listing.c.source == source, wiki_listing.c.name == name)
        with self._reading.connect() as connection:
            row = connection.execute(query).one_or_none()
        return Listing(row.pages, row.swept_at, row.changes_at) if row else None

    def compare(self, source: str, name: str, listed: Sequence[Listed], *, started_at: int, policy: Policy) -> Compared:
        total = Compared()
        for batch in batches(listed):
            with self._engine.begin() as connection:
                lock_source(connection, source)
                total += _compare(connection, (source, name), batch, started_at=started_at, policy=policy)
        return total

    def keep_aliases(
        self, source: str, name: str, aliases: Sequence[tuple[Listed, str | None]], *, started_at: int
    ) -> None:
        """Keep redirects as other names of the pages at the URLs given; they are not visited."""
        for batch in batches(aliases):
            with self._engine.begin() as connection:
                lock_source(connection, source)
                rows = [
                    {"source": source, "url": alias.url, "host": netloc(alias.url), "depth": DEPTH, "due": None}
                    | {"state": "alias", "outcome": "redirected", "final_url": target}
                    for alias, target in batch
                ]
                statement = insert_into(connection, page)
                values = {key: statement.excluded[key] for key in ("due", "state", "outcome", "final_url")}
                # A page that has content is visited instead, so that its readers hear of the redirect.
                is_plain = page.c.version == 0, page.c.lease_until.is_(None)
                connection.execute(
                    statement.on_conflict_do_update(
                        index_elements=[page.c.source, page.c.url],
                        set_=values,
                        where=is_plain[0] & is_plain[1],
                    ),
                    rows,
                )
                known = {row.url: row for row in _rows(connection, (source, name), [alias.url for alias, _ in batch])}
                _write(connection, (source, name), [(known[alias.url], alias) for alias, _ in batch], started_at)

    def close(self, source: str, name: str, *, started_at: int, pages: int) -> int:
        """End a sweep that saw the whole listing: how many pages have left it. These are due: a visit tells why."""
        is_absent = (
            wiki_page.c.source == source,
            wiki_page.c.listing == name,
            wiki_page.c.swept_at < started_at,
        )
        with self._engine.begin() as connection:
            lock_source(connection, source)
            absent = connection.scalars(select(wiki_page.c.page_id).where(*is_absent)).all()
            for ids in batches(absent):
                _wake(connection, [{"page_id": page_id, "at": started_at} for page_id in ids])
            connection.execute(delete(wiki_page).where(*is_absent))
            row = {"pages": pages, "swept_at": started_at, "changes_at": started_at}
            statement = insert_into(connection, wiki_listing).values(source=source, name=name, **row)
            key = [wiki_listing.c.source, wiki_listing.c.name]
            connection.execute(statement.on_conflict_do_update(index_elements=key, set_=row))
        return len(absent)

    def note_changes(self, source: str, name: str, urls: Sequence[str], *, until: int, now: int) -> int:
        """Make due what recent changes name, up to a time; how many of the pages are new."""
        new = 0
        with self._engine.begin() as connection:
            lock_source(connection, source)
            for batch in batches(urls):
                known = [row.id for row in connection.execute(known_pages(connection, source, batch)) if row.due != 0]
                _wake(connection, [{"page_id": page_id, "at": now} for page_id in known])
                seeds = [Seed(url, depth=DEPTH) for url in batch]
                new += add_pages(connection, source, discover(connection, source, seeds))
            is_ours = wiki_listing.c.source == source, wiki_listing.c.name == name
            connection.execute(update(wiki_listing).where(*is_ours).values(changes_at=until))
        return new


def _compare(
    connection: Connection, place: tuple[str, str], listed: Sequence[Listed], *, started_at: int, policy: Policy
) -> Compared:
    source, _ = place
    seeds = [Seed(entry.url, depth=DEPTH) for entry in listed if not entry.is_redirect]
    found = discover(connection, source, seeds)
    compared = Compared(new=add_pages(connection, source, found))
    fresh = {seed.url for seed in found.new}
    rows = {row.url: row for row in _rows(connection, place, [entry.url for entry in listed])}
    written, woken, rested = [], [], []
    for entry in listed:
        row = rows.get(entry.url)
        if row is None or (entry.is_redirect and not row.version and row.revid != entry.revid):
            compared.redirects.append(entry)
            continue
        written.append((row, entry))
        if row.url in fresh:
            continue
        if row.revid != entry.revid:
            compared.changed += 1
            woken.append({"page_id": row.id, "at": started_at - 1})  # before those that were only touched
        elif not entry.is_redirect and (row.touched != entry.touched or _is_behind(row, entry)):
            compared.touched += 1
            woken.append({"page_id": row.id, "at": started_at})
        else:
            compared.same += 1
            rested += _rest(row, started_at, policy)
    _write(connection, place, written, started_at)
    _wake(connection, woken)
    if rested:
        is_page = page.c.id == bindparam("page_id")
        later: dict[str, Any] = {"due": bindparam("later"), "interval": bindparam("seconds")}
        connection.execute(update(page).where(is_page).values(later), rested)
    return compared


def _rows(connection: Connection, place: tuple[str, str], urls: Sequence[str]) -> Sequence[Row[Any]]:
    """Pages with what their listing said last, if anything."""
    source, name = place
    known = known_pages(connection, source, urls).subquery()
    listed = wiki_page.c.revid, wiki_page.c.touched, wiki_page.c.got_revid, wiki_page.c.changed_at
    is_same = (wiki_page.c.page_id == known.c.id) & (wiki_page.c.listing == name)
    return connection.execute(select(known, *listed).join_from(known, wiki_page, is_same, isouter=True)).all()


def _is_behind(row: Row[Any], entry: Listed) -> bool:
    """Whether the visit failed in passing, or brought an older text than is listed, as a lagging server gives it."""
    return row.outcome in PASSING or 0 < row.got_revid < entry.revid


def _rest(row: Row[Any], now: int, policy: Policy) -> list[dict[str, int]]:
    """A page that is due and has not changed since its visit was as good as visited."""
    is_due = row.due is not None and 0 < row.due <= now and row.lease_until is None
    if not is_due or row.outcome not in SETTLED or row.visited_at is None or row.visited_at <= row.changed_at:
        return []
    seconds = next_interval(policy, row.interval, is_fresh=False)
    return [{"page_id": row.id, "later": now + seconds, "seconds": seconds}]


def _write(
    connection: Connection, place: tuple[str, str], listed: Sequence[tuple[Row[Any], Listed]], started_at: int
) -> None:
    if not listed:
        return
    source, name = place
    statement = insert_into(connection, wiki_page)
    columns = ("pageid", "revid", "touched", "changed_at")
    values: dict[str, Any] = {column: statement.excluded[column] for column in columns}
    # Of two sweeps at once the later decides who is absent.
    swept_at = statement.excluded.swept_at
    values["swept_at"] = case((swept_at > wiki_page.c.swept_at, swept_at), else_=wiki_page.c.swept_at)
    rows = [
        {"page_id": row.id, "source": source, "listing": name, "pageid": entry.pageid, "revid": entry.revid}
        | {"touched": entry.touched, "swept_at": started_at, "changed_at": _changed_at(row, entry, started_at)}
        for row, entry in listed
    ]
    key = [wiki_page.c.page_id, wiki_page.c.listing]
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=values), rows)


def _changed_at(row: Row[Any], entry: Listed, now: int) -> int:
    if row.visited_at is None:
        return 0  # whatever its first visit brings is newer
    is_same = row.revid == entry.revid and row.touched == entry.touched
    return row.changed_at if is_same else now


def _wake(connection: Connection, pages: Sequence[dict[str, int]]) -> None:
    """Make pages due at a time, unless they are waiting for their first visit, due before it, or parked."""
    if not pages:
        return
    is_asleep = or_(page.c.due.is_(None), page.c.due > bindparam("at"))
    is_wanted = page.c.id == bindparam("page_id"), page.c.state != "parked", page.c.due.is_distinct_from(0), is_asleep
    connection.execute(update(page).where(*is_wanted).values(due=bindparam("at"), state="open"), list(pages))
