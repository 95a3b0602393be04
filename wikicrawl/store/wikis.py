"""Keep what is known of the wikis of a host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from wikicrawl.store.clean import clean
from wikicrawl.store.engine import insert_into, reading
from wikicrawl.store.schema import wiki

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Engine


@dataclass(frozen=True, slots=True)
class KeptWiki:
    """A wiki as it was learned; `state` (up, down, private) holds until `state_until`."""

    api: str
    profile: dict[str, Any]
    learned_at: int
    state: str
    state_until: int
    reason: str


class Wikis:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = reading(engine)

    def load(self, host: str) -> list[KeptWiki]:
        """The wikis of a host; one without an API says that there are none."""
        with self._reading.connect() as connection:
            rows = connection.execute(select(wiki).where(wiki.c.host == host).order_by(wiki.c.api)).all()
        return [KeptWiki(row.api, row.profile, row.learned_at, row.state, row.state_until, row.reason) for row in rows]

    def save(self, host: str, api: str, profile: Mapping[str, Any], now: int) -> None:
        """A wiki that answered; its state is up again."""
        row = {"profile": clean(dict(profile)), "learned_at": now, "state": "up", "state_until": 0, "reason": ""}
        with self._engine.begin() as connection:
            if api:
                connection.execute(delete(wiki).where(wiki.c.host == host, wiki.c.api == ""))
            statement = insert_into(connection, wiki).values(host=clean(host), api=clean(api), **row)
            connection.execute(statement.on_conflict_do_update(index_elements=[wiki.c.host, wiki.c.api], set_=row))

    def mark(self, api: str, state: str, until: int, reason: str) -> None:
        """Say that the API of a wiki is not to be asked for some time."""
        with self._engine.begin() as connection:
            values = {"state": state, "state_until": until, "reason": clean(reason)}
            connection.execute(update(wiki).where(wiki.c.api == clean(api)).values(values))
