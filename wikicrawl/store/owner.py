"""Name the process that holds a claim, and tell whether a named one is dead."""

from __future__ import annotations

import os
import socket
from itertools import count
from pathlib import Path

_serial = count(1)


def owner_name() -> str:
    """A name that no other call gives, here or elsewhere: host/boot/namespace/pid/start/serial."""
    pid = os.getpid()
    return "/".join([_host(), _boot(), _namespace(), str(pid), _start_time(pid), str(next(_serial))])


def is_dead(owner: str) -> bool:
    """True only where it is certain: nothing is known about processes of another machine or container."""
    host, *rest = owner.split("/")
    if host != _host() or len(rest) != 5:
        return False
    boot, namespace, pid, start, _ = rest
    if boot != _boot():
        return True
    return namespace == _namespace() and not _is_running(int(pid), start)


def _host() -> str:
    # Machines may share a name, «localhost» above all; the id is missing in most containers, whose names differ.
    return f"{socket.gethostname()}:{_read('/etc/machine-id')}"


def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id")


def _namespace() -> str:
    """Two containers may count their processes apart under one host name."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _is_running(pid: int, start: str) -> bool:
    if start:
        return _start_time(pid) == start
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start_time(pid: int) -> str:
    """In clock ticks since boot; empty for a process that is gone or only waits to be reaped, and without /proc."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return "" if not fields or fields[0] in "ZX" else fields[19]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
