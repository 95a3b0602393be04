"""Keep what visits brought: one transaction for each finished page."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, insert, or_, select, tuple_, update

from wikicrawl.faults import passing
from wikicrawl.schedule import count_misses, next_interval
from wikicrawl.store import frontier, schema, trust, validators
from wikicrawl.store.clean import clean
from wikicrawl.store.engine import reading
from wikicrawl.store.frontier import NO_LEASE, Claim, Seed
from wikicrawl.store.schema import page, version, visit, wiki_page
from wikicrawl.store.status import SourceStatus, read_status
from wikicrawl.store.trust import Comparison
from wikicrawl.urls import netloc

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine, Row, Select

    from wikicrawl.schedule import Policy
    from wikicrawl.store.validators import Validator

BATCH = 100  # pages read at a time: some megabytes of markdown at most
# Outcomes after which a page is not visited again by itself.
FINAL = frozenset({"gone", "not_a_page", "excluded", "renamed"})
# Pages whose content of earlier visits is no longer the site's.
REMOVED = ("gone", "redirected", "noindex", "excluded", "renamed")
# A page that had content and has none now, or the other way round, has changed; a failure to connect says nothing.
WITH_CONTENT = frozenset({"ok", "landed"})
WITHOUT_CONTENT = frozenset({"redirected", "empty", "missing", "http_error", "not_html"})


@dataclass(frozen=True, slots=True)
class Content:
    final_url: str
    title: str
    description: str
    language: str
    markdown: str
    text_hash: str
    links: Sequence[str]
    images: Sequence[str]
    meta: Mapping[str, Any]
    tier: str
    extractor: str
    bytes: int
    http_status: int


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    reason: str
    tier: str
    verdict: str
    http_status: int
    bytes: int
    trail: Sequence[Mapping[str, Any]]
    error: str
    started_at: int
    finished_at: int
    job: str
    retry_at: int | None = None  # when to come back; None: after the page's interval
    was_asked: bool = True  # False: the visit ended before anything was asked of the host


@dataclass(frozen=True, slots=True)
class Finished:
    """What a visit came to."""

    changed: str  # new, changed, same; empty where no content was kept or compared
    new_links: int
    due: int | None  # when the claimed page is visited again
    version: int  # of the content
    outcome: str = "ok"  # a page that is missing once too often is gone
    is_fresh: bool = False  # it had changed, or brought new links


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page with its current content; the fields from `title` on are empty while it has none."""

    id: int
    source: str
    url: str
    host: str
    depth: int
    state: str
    attempt: int
    version: int
    text_hash: str
    outcome: str
    misses: int = 0  # visits in a row that found it missing
    due: int | None = None
    interval: int | None = None
    lastmod: int | None = None
    lease_owner: str | None = None
    lease_until: int | None = None
    final_url: str | None = None
    visited_at: int | None = None
    title: str = ""
    description: str = ""
    language: str = ""
    markdown: str = ""
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    tier: str = ""
    extractor: str = ""
    bytes: int = 0
    http_status: int = 0
    fetched_at: int = 0


@dataclass(frozen=True, slots=True)
class StoredVisit:
    id: int
    page_id: int
    job: str
    attempt: int
    started_at: int
    finished_at: int
    outcome: str
    reason: str
    tier: str
    verdict: str
    http_status: int
    bytes: int
    trail: list[dict[str, Any]]
    error: str


@dataclass(frozen=True, slots=True)
class _Target:
    """The page that content belongs to."""

    id: int
    version: int
    text_hash: str


@dataclass(frozen=True, slots=True)
class _Receipt:
    """What became of the content, and what that changes in the row of the claimed page."""

    changed: str
    version: int
    columns: dict[str, Any]
    is_fresh: bool = False


class Pages:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def finish(
        self,
        claim: Claim,
        outcome: Outcome,
        *,
        content: Content | None,
        policy: Policy,
        links: Sequence[Seed] = (),
        landed: str | None = None,
        is_counted: bool = True,
        validator: Validator | None = None,
    ) -> Finished | None:
        """Write the one outcome of a claim with all that follows from it, and give the lease up.

        None, and nothing is written, where the claim is no longer ours. `landed` is the URL that the page redirected
        to: the content is that page's, unless it has been visited or is being visited.
        `is_counted` is false for a page that was not asked for: it takes no place among the pages that may be visited.
        `validator` is what the server gave with content that is the page's own; None where it was not got.
        """
        with self._engine.begin() as connection:
            found = frontier.discover(connection, claim.source, links)
            gives_place_back = not is_counted and claim.interval is None
            if landed or found or gives_place_back:
                frontier.lock_source(connection, claim.source)
            before = _held(connection, claim)
            if before is None:
                return None
            outcome, misses = _count(policy, before, outcome)
            if landed and landed != claim.url:
                receipt = _land(connection, claim, landed, content, _next_visit(policy, None, outcome, is_fresh=True))
            else:
                target = _Target(claim.id, claim.version, claim.text_hash)
                receipt = _receive(connection, target, content, outcome.finished_at)
            if found.gone and receipt.is_fresh:
                _revive_linked(connection, claim, found.gone, outcome.finished_at)
            new_links = frontier.add_pages(connection, claim.source, found)
            is_fresh = receipt.is_fresh or new_links > 0 or _has_turned(before.outcome, outcome.name)
            columns = {**receipt.columns, **_next_visit(policy, claim.interval, outcome, is_fresh=is_fresh)}
            if gives_place_back:
                frontier.admit(connection, claim.source, -1)
            end = {**columns, **NO_LEASE, "attempt": 0, "outcome": outcome.name, "misses": misses}
            connection.execute(update(page).where(page.c.id == claim.id).values(end))
            _keep_revision(connection, claim, content)
            if validator is not None:
                _validate(connection, claim, validator, receipt.changed, before, outcome)
            connection.execute(insert(visit), _visit_row(claim, outcome))
            passing("before_commit")
        passing("after_commit")
        return Finished(receipt.changed, new_links, columns["due"], receipt.version, outcome.name, is_fresh)

    def rename(self, claim: Claim, url: str) -> Claim | None:
        """Give a claimed page another URL; None where a page of that URL is known, or the claim is no longer ours."""
        with self._engine.begin() as connection:
            frontier.lock_source(connection, claim.source)
            is_taken = select(page.c.id).where(page.c.source == claim.source, page.c.url == url)
            if _held(connection, claim) is None or connection.execute(is_taken).first():
                return None
            connection.execute(update(page).where(page.c.id == claim.id).values(url=url, host=netloc(url)))
        return replace(claim, url=url)

    def find(self, url: str, source: str | None = None) -> StoredPage | None:
        sources = [source] if source else select(schema.source.c.id)
        query = _stored().where(page.c.source.in_(sources), page.c.url == url).order_by(page.c.source).limit(1)
        with self._reading.connect() as connection:
            row = connection.execute(query).one_or_none()
        return _to_stored_page(row) if row else None

    def visits(self, page_id: int, limit: int = 20) -> list[StoredVisit]:
        """The latest first."""
        query = select(visit).where(visit.c.page_id == page_id).order_by(visit.c.id.desc()).limit(limit)
        with self._reading.connect() as connection:
            return [StoredVisit(**row) for row in connection.execute(query).mappings()]

    def each(self, source: str | None = None) -> Iterator[StoredPage]:
        """Every page that has content, by source and URL; read in batches, so that no transaction stays open."""
        is_current = page.c.version > 0, page.c.outcome.not_in(REMOVED)
        query = _stored().where(*is_current).order_by(page.c.source, page.c.url).limit(BATCH)
        if source:
            query = query.where(page.c.source == source)
        last = ("", "")
        while True:
            with self._reading.connect() as connection:
                rows = connection.execute(query.where(tuple_(page.c.source, page.c.url) > last)).all()
            yield from map(_to_stored_page, rows)
            if len(rows) < BATCH:
                return
            last = rows[-1].source, rows[-1].url

    def addresses(self, source: str, limit: int) -> list[str]:
        """Of pages that have content, the latest first."""
        is_kept = page.c.source == source, page.c.version > 0
        query = select(page.c.url).where(*is_kept).order_by(page.c.id.desc()).limit(limit)
        with self._reading.connect() as connection:
            return list(connection.scalars(query))

    def status(self, *, now: int) -> list[SourceStatus]:
        with self._reading.connect() as connection:
            return read_status(connection, now)

    def unfinished(self, source: str | None = None, limit: int = 50) -> list[StoredPage]:
        """Pages without an outcome for their latest claim: leased now, or given back and not yet claimed again."""
        is_open = and_(page.c.visited_at.is_(None), page.c.due > 0)
        query = _stored().where(or_(page.c.lease_until.is_not(None), is_open)).order_by(page.c.id).limit(limit)
        if source:
            query = query.where(page.c.source == source)
        with self._reading.connect() as connection:
            return [_to_stored_page(row) for row in connection.execute(query)]


def _held(connection: Connection, claim: Claim) -> Row[Any] | None:
    """The claimed page as it was left by the visit before; None where the claim is no longer ours."""
    is_ours = page.c.id == claim.id, page.c.lease_owner == claim.owner, page.c.version == claim.version
    columns: tuple[ColumnElement[Any], ...] = page.c.outcome, page.c.misses, page.c.visited_at
    return connection.execute(select(*columns).where(*is_ours).with_for_update()).first()


def _count(policy: Policy, before: Row[Any], outcome: Outcome) -> tuple[Outcome, int]:
    """How often in a row the page was missing, and the outcome that this makes: once too often, and it is gone."""
    if outcome.name != "missing":
        return outcome, 0
    misses = count_misses(policy, before.misses, visited_at=before.visited_at, now=outcome.finished_at)
    return (replace(outcome, name="gone") if misses >= policy.gone_after else outcome), misses


def _has_turned(before: str, after: str) -> bool:
    """Whether content has gone or come back, which the hash of the content that is kept does not tell."""
    had, has = before in WITH_CONTENT, after in WITH_CONTENT
    return (had and after in WITHOUT_CONTENT) or (has and before in WITHOUT_CONTENT)


def _revive_linked(connection: Connection, claim: Claim, gone: Mapping[str, int], now: int) -> None:
    """Pages that had ended are visited again where a page links to them that did not before."""
    query = select(version.c.links).where(version.c.page_id == claim.id, version.c.number == claim.version)
    known = connection.execute(query).scalar()
    frontier.revive(connection, [page_id for url, page_id in gone.items() if url not in (known or ())], now)


def _keep_revision(connection: Connection, claim: Claim, content: Content | None) -> None:
    if content is not None and (revid := _revid(content)):
        connection.execute(update(wiki_page).where(wiki_page.c.page_id == claim.id).values(got_revid=revid))


def _validate(
    connection: Connection, claim: Claim, new: Validator, changed: str, before: Row[Any], outcome: Outcome
) -> None:
    """Keep what the server gave for the next visit, and learn from it what its word is worth."""
    old = validators.read(connection, claim.id)
    new = replace(new, lastmod=claim.lastmod)
    validators.write(connection, claim.id, new)
    if old is not None and changed in ("changed", "same"):
        # A server that answers "not modified" has not been tested on it.
        told = replace(new, etag="", last_modified="") if outcome.http_status == 304 else new
        comparison = Comparison(claim.url, changed == "changed", old, told, before.visited_at)
        trust.learn(connection, comparison, outcome.finished_at)


def _receive(connection: Connection, target: _Target, content: Content | None, at: int) -> _Receipt:
    """Keep content that is new or has changed, as the target's next version."""
    if content is None:
        return _Receipt("", target.version, {})
    if target.version and target.text_hash == content.text_hash:
        if "wiki" in content.meta:  # a page's categories and revision change without its text
            is_current = version.c.page_id == target.id, version.c.number == target.version
            connection.execute(update(version).where(*is_current).values(meta=clean(dict(content.meta))))
        return _Receipt("same", target.version, {"final_url": content.final_url})
    number = target.version + 1
    row = {column.name: clean(getattr(content, column.name)) for column in fields(content)}
    connection.execute(insert(version), {"page_id": target.id, "number": number, "fetched_at": at, **row})
    columns = {"version": number, "text_hash": row["text_hash"], "final_url": row["final_url"]}
    return _Receipt("changed" if target.version else "new", number, columns, is_fresh=True)


def _land(
    connection: Connection, claim: Claim, url: str, content: Content | None, first_visit: dict[str, int | None]
) -> _Receipt:
    """Give the content to the page redirected to, if it is free; not being claimed, that page has no visit."""
    found = frontier.discover(connection, claim.source, [Seed(url, claim.depth)])
    is_new = frontier.add_pages(connection, claim.source, found) > 0
    is_free = page.c.visited_at.is_(None), page.c.lease_until.is_(None), page.c.state == "open"
    query = select(page.c.id, page.c.due).where(page.c.source == claim.source, page.c.url == url, *is_free)
    row = connection.execute(query.with_for_update(skip_locked=True)).one_or_none()
    columns = {"final_url": url, "text_hash": ""}  # its own content is no more
    if row is None or content is None:
        return _Receipt("", 0, columns, is_new)
    receipt = _receive(connection, _Target(row.id, 0, ""), content, first_visit["visited_at"] or 0)
    end = {**receipt.columns, **first_visit, "attempt": 0, "outcome": "landed"}
    connection.execute(update(page).where(page.c.id == row.id).values(end))
    if row.due == 0:
        frontier.admit(connection, claim.source, 1)
    return _Receipt(receipt.changed, receipt.version, columns, is_new)


def _next_visit(policy: Policy, previous: int | None, outcome: Outcome, *, is_fresh: bool) -> dict[str, int | None]:
    if outcome.retry_at is not None:
        return _postponed(previous, outcome, outcome.retry_at)
    interval = next_interval(policy, previous, is_fresh=is_fresh)
    if outcome.name == "missing":
        interval = max(interval, min(policy.gone_seconds, policy.max_seconds))
    due = None if outcome.name in FINAL else outcome.finished_at + interval
    return {"visited_at": outcome.finished_at, "interval": interval, "due": due}


def _postponed(interval: int | None, outcome: Outcome, retry_at: int) -> dict[str, int | None]:
    """The page keeps its interval; if it was not asked for, it has not been visited either."""
    if outcome.was_asked:
        return {"visited_at": outcome.finished_at, "interval": interval, "due": retry_at}
    # Claims pass over the host until the breaker lets a page through, so one never visited may wait as if it were new.
    is_new = outcome.name == "breaker" and interval is None
    return {"interval": interval, "due": 0 if is_new else retry_at}


def _revid(content: Content) -> int:
    revid = content.meta.get("wiki", {}).get("revid")
    return revid if isinstance(revid, int) and 0 < revid < 2**53 else 0


def _visit_row(claim: Claim, outcome: Outcome) -> dict[str, Any]:
    names = {column.name for column in fields(outcome)} - {"retry_at", "was_asked"}
    row = {name: clean(getattr(outcome, name)) for name in names}
    return {"page_id": claim.id, "attempt": claim.attempt, "outcome": row.pop("name"), **row}


def _stored() -> Select[Any]:
    content = [column for column in version.c if column.name not in ("page_id", "number", "final_url", "text_hash")]
    is_current = and_(version.c.page_id == page.c.id, version.c.number == page.c.version)
    return select(page, *content).join_from(page, version, is_current, isouter=True)


def _to_stored_page(row: Row[Any]) -> StoredPage:
    return StoredPage(**{name: value for name, value in row._mapping.items() if value is not None})
