"""Open SQLite and PostgreSQL so that transactions mean the same in both."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import URL, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Engine, Table

T = TypeVar("T")

BATCH = 500  # bound values in one statement; SQLite before 3.32 allows 999
BUSY_SECONDS = 10  # a writer waits for another; four of them were measured to wait 1.8 s at most
FORMS = "sqlite:///path/to/file.db or postgresql://user@host/name"


def parse_url(text: str) -> URL:
    """The database that STORE_URL names: an SQLite file by its whole path, or PostgreSQL by the driver we have."""
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise ValueError(f"STORE_URL {text!r} is not a database URL; write {FORMS}") from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite":
        raise ValueError(f"STORE_URL names {url.drivername!r}, which is not supported; write {FORMS}")
    if url.database in (None, "", ":memory:"):
        raise ValueError("STORE_URL names no file, and a crawl outlives its process; write sqlite:///path/to/file.db")
    return url.set(database=str(Path(str(url.database)).absolute()))


def connect(url: URL) -> Engine:
    engine = _postgresql(url) if url.get_backend_name() == "postgresql" else _sqlite(url)
    try:
        engine.connect().close()
    except DBAPIError as error:
        reason = str(error.orig).strip()
        raise ValueError(
            f"STORE_URL {url.render_as_string()} cannot be opened ({reason}): see to the file or the server, "
            f"or name another; write {FORMS}"
        ) from error
    return engine


def reading(engine: Engine) -> Engine:
    """The same engine for transactions that only read: in SQLite they do not wait for a writer."""
    return engine.execution_options(is_reading=True)


def insert_into(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that can say ON CONFLICT, which is spelt alike but not shared by the two dialects."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))


def _postgresql(url: URL) -> Engine:
    return create_engine(url, pool_pre_ping=True)  # a server that was restarted costs no page


def _sqlite(url: URL) -> Engine:
    file = Path(str(url.database))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"STORE_URL names {file}, and its folder cannot be made: {error}") from error
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None  # the driver begins no transaction; _begin_sqlite does
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Two processes that switch a new file at once lock one another out, and SQLite does not wait in that case."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later fails at once when another has written in between: 148,869 such
    # errors with four writers, none with IMMEDIATE.
    is_reading = connection.get_execution_options().get("is_reading", False)
    connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")
