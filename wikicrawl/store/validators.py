"""Keep what a page's server gave to ask with whether the page has changed."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import validator

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

# Apache and others mark the compressed form of a page in its tag, and do not know their own mark when it comes back.
COMPRESSED = re.compile(r'(?:--?|;)(?:gzip|br|df|zstd)(?="?$)')


@dataclass(frozen=True, slots=True)
class Validator:
    etag: str = ""
    last_modified: str = ""
    lastmod: int | None = None  # what lists said of the page when it was visited

    def __bool__(self) -> bool:
        """Whether a server can be asked with it."""
        return bool(self.etag or self.last_modified)

    def is_same(self, other: Validator) -> bool:
        """Whether a server that has given both would call the page unchanged."""
        if self.etag or other.etag:
            return opaque(self.etag) == opaque(other.etag)
        return self.last_modified == other.last_modified


def opaque(etag: str) -> str:
    """The tag without the marks of weakness and compression."""
    return COMPRESSED.sub("", etag.removeprefix("W/"))


class Validators:
    def __init__(self, engine: Engine) -> None:
        self._reading = reading(engine)

    def find(self, page_id: int) -> Validator | None:
        with self._reading.connect() as connection:
            return read(connection, page_id)


def read(connection: Connection, page_id: int) -> Validator | None:
    row = connection.execute(select(validator).where(validator.c.page_id == page_id)).one_or_none()
    return Validator(row.etag, row.last_modified, row.lastmod) if row else None


def write(connection: Connection, page_id: int, new: Validator) -> None:
    row = {name: clean(value) for name, value in asdict(new).items()}
    statement = insert_into(connection, validator).values(page_id=page_id, **row)
    connection.execute(statement.on_conflict_do_update(index_elements=[validator.c.page_id], set_=row))
