"""Lease hosts, so that each is asked by one process at a time.

Order of locks on PostgreSQL: rows of hosts are always locked in the order of their names, after that of a source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, exists, literal, null, or_, select, union_all, update

from wikicrawl.store.engine import batches, insert_into
from wikicrawl.store.schema import breaker, host_lease, page

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import BindParameter, Connection

GIVEN_UP = {"owner": None, "until": 0}


@dataclass(frozen=True, slots=True)
class Access:
    """When a process may ask a host, whether by one page at a time, and whether another process asks it now."""

    free_at: int = 0
    is_probe: bool = False
    is_taken: bool = False


FREE = Access()

# What is known of some hosts: a row of their lease, and one of their failures.
_NAMES: BindParameter[Any] = bindparam("hosts", expanding=True)
_NO_STATE = literal("").label("state")
_LEASES = select(host_lease.c.host, host_lease.c.owner, host_lease.c.until, host_lease.c.pause_until, _NO_STATE)
_FAILURES = select(breaker.c.host, null(), breaker.c.until, literal(0), breaker.c.state)
STATES = union_all(
    _LEASES.where(host_lease.c.host.in_(_NAMES)),
    _FAILURES.where(breaker.c.host.in_(_NAMES), breaker.c.state != "closed"),
)


def find_access(connection: Connection, hosts: Iterable[str], owner: str, now: int) -> dict[str, Access]:
    """How `owner` may ask hosts: not while they are leased to others, asked for a pause, or have failed."""
    free_at: dict[str, int] = {}
    probes, taken = set(), set()
    for names in batches(sorted(set(hosts))):
        for row in connection.execute(STATES, {"hosts": names}):
            is_taken = row.owner not in (None, owner) and row.until >= now
            until = row.until + (row.state == "") if is_taken or row.state == "open" else 0
            free_at[row.host] = max(free_at.get(row.host, 0), row.pause_until, until)
            if row.state:
                probes.add(row.host)
            if is_taken:
                taken.add(row.host)
    return {host: Access(at, host in probes, host in taken) for host, at in free_at.items()}


def lease_hosts(connection: Connection, hosts: Collection[str], owner: str, *, now: int, until: int) -> set[str]:
    """Those of the hosts that belong to `owner` now."""
    rows = [{"host": host, "owner": owner, "until": until} for host in sorted(hosts)]
    if not rows:
        return set()
    is_free = or_(host_lease.c.owner.is_(None), host_lease.c.owner == owner, host_lease.c.until < now)
    statement = insert_into(connection, host_lease)
    taken = statement.on_conflict_do_update(
        index_elements=[host_lease.c.host],
        set_={"owner": statement.excluded.owner, "until": statement.excluded.until},
        where=is_free,
    )
    return set(connection.scalars(taken.returning(host_lease.c.host), rows))


def give_up_idle(connection: Connection, owner: str, kept: Collection[str]) -> None:
    """Let others have the hosts of which `owner` holds no page any more, but for those that it keeps."""
    is_busy = exists().where(
        page.c.lease_owner == owner, page.c.lease_until.is_not(None), page.c.host == host_lease.c.host
    )
    idle = connection.scalars(select(host_lease.c.host).where(host_lease.c.owner == owner, ~is_busy))
    _update(connection, owner, set(idle) - set(kept), GIVEN_UP)


def give_up_all(connection: Connection, owner: str) -> None:
    _update(connection, owner, _hosts_of(connection, owner), GIVEN_UP)


def renew_hosts(connection: Connection, owner: str, until: int) -> None:
    _update(connection, owner, _hosts_of(connection, owner), {"until": until})


def host_owners(connection: Connection) -> set[str]:
    return set(connection.scalars(select(host_lease.c.owner).where(host_lease.c.owner.is_not(None))))


def _hosts_of(connection: Connection, owner: str) -> set[str]:
    return set(connection.scalars(select(host_lease.c.host).where(host_lease.c.owner == owner)))


def _update(connection: Connection, owner: str, hosts: Collection[str], values: dict[str, int | None]) -> None:
    if not hosts:
        return
    is_ours = host_lease.c.host == bindparam("name"), host_lease.c.owner == owner
    connection.execute(update(host_lease).where(*is_ours).values(values), [{"name": host} for host in sorted(hosts)])
