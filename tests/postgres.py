"""Start a PostgreSQL server of our own, and give each test a database on it."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

# The shell ends the server when its input ends, so also when the test run is killed. A test's database need not
# survive the machine, hence no syncing; there is a socket and no port, hence nothing to collide with.
SERVE = """
cd "$1" && PATH="$2:$PATH"
initdb -D cluster --username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync &&
pg_ctl -D cluster --wait -l log -o "-c listen_addresses='' -k $1 -F -c synchronous_commit=$3" start &&
echo READY && read -r _
pg_ctl -D cluster --wait --mode=immediate stop
rm -rf "$1"
"""

_numbers = count(1)


def find_binaries():
    """The folder of initdb and pg_ctl: Debian keeps them out of PATH."""
    if found := shutil.which("pg_ctl"):
        return Path(found).parent
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    return max(folders, key=lambda folder: int(folder.parent.name), default=None)


@contextmanager
def running_server(*, synchronous_commit="off"):
    """The folder of a running server's socket; with `off` it may forget its last commits when it is stopped."""
    binaries = find_binaries()
    if binaries is None:
        no_server = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        no_server("no PostgreSQL server here: pg_ctl is neither in PATH nor in /usr/lib/postgresql")
    folder = tempfile.mkdtemp(prefix="wikicrawl-postgres-")
    # PostgreSQL refuses to run as root, and its user cannot enter pytest's own temporary folders.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    command = ["sh", "-c", SERVE, "sh", folder, binaries, synchronous_commit]
    with subprocess.Popen(
        command, user=user, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        started = []
        for line in server.stdout:
            started.append(line)
            if line == "READY\n":
                break
        else:
            pytest.fail("PostgreSQL did not start:\n" + "".join(started))
        yield folder
        server.communicate("stop\n")


def stop(folder, mode):
    """`fast` lets transactions fail, `immediate` lets the server die."""
    _control(folder, "--mode", mode, "stop")


def start_again(folder):
    _control(folder, "-l", "log", "start")  # with the options of its first start, which it keeps


def _control(folder, *words):
    user = "postgres" if os.geteuid() == 0 else None
    options = Path(folder, "cluster/postmaster.opts").read_text(encoding="utf-8").partition(" ")[2]
    given = ("-o", options) if words[-1] == "start" else ()
    command = [find_binaries() / "pg_ctl", "-D", "cluster", "--wait", *given, *words]
    subprocess.run(command, cwd=folder, user=user, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def fresh_database(folder):
    """The URL of an empty database; a server may be stopped and started while it is used."""
    name = f"test{next(_numbers)}"
    _execute(folder, f"CREATE DATABASE {name}")
    yield f"postgresql://postgres@/{name}?host={folder}"
    _execute(folder, f"DROP DATABASE {name} WITH (FORCE)")


def _execute(folder, statement):
    with psycopg.connect(f"host={folder} user=postgres", autocommit=True) as connection:
        connection.execute(statement)
