"""Bring a database to the schema of this code, one numbered revision after the other.

The revisions are imported, not searched for on disk as Alembic's scripts are: scrapyd runs the project from a zipped
egg, where there are no files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import column, func, inspect, select, table, update

from wikicrawl.store.engine import reading
from wikicrawl.store.migrations import v0001, v0002, v0003

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

REVISIONS = {"0001": v0001.upgrade, "0002": v0002.upgrade, "0003": v0003.upgrade}
HEAD = list(REVISIONS)[-1]

# Where Alembic itself keeps the number, so that its tools can read it.
ALEMBIC_VERSION = table("alembic_version", column("version_num"))
LOCK_KEY = 0x77696B69  # «wiki»: any number, the same in all processes


def migrate(engine: Engine) -> None:
    with reading(engine).connect() as connection:
        if not _pending(connection):
            return
    with engine.begin() as connection:  # SQLite: BEGIN IMMEDIATE keeps other processes out
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(LOCK_KEY)))
        for number in _pending(connection):
            _upgrade(connection, number)


def _pending(connection: Connection) -> list[str]:
    current = _current(connection)
    if current is None:
        return list(REVISIONS)
    if current not in REVISIONS:
        raise ValueError(
            f"STORE_URL {connection.engine.url.render_as_string()} holds schema {current}, and this wikicrawl knows "
            f"no more than {HEAD}: upgrade wikicrawl, or name another database"
        )
    return [number for number in REVISIONS if number > current]


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table(ALEMBIC_VERSION.name):
        return None
    number: str = connection.execute(select(ALEMBIC_VERSION.c.version_num)).scalar_one()
    return number


def _upgrade(connection: Connection, number: str) -> None:
    # Alembic takes longer to import than a database at HEAD takes to open.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415

    REVISIONS[number](Operations(MigrationContext.configure(connection)))
    connection.execute(update(ALEMBIC_VERSION).values(version_num=number))
