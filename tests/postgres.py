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
pg_ctl -D cluster --wait -l log -o "-c listen_addresses='' -k $1 -F -c synchronous_commit=off" start &&
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
def running_server():
    """The folder of a running server's socket."""
    binaries = find_binaries()
    if binaries is None:
        no_server = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        no_server("no PostgreSQL server here: pg_ctl is neither in PATH nor in /usr/lib/postgresql")
    folder = tempfile.mkdtemp(prefix="wikicrawl-postgres-")
    # PostgreSQL refuses to run as root, and its user cannot enter pytest's own temporary folders.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    command = ["sh", "-c", SERVE, "sh", folder, binaries]
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


@contextmanager
def fresh_database(folder):
    """The URL of an empty database."""
    name = f"test{next(_numbers)}"
    with psycopg.connect(f"host={folder} user=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"postgresql://postgres@/{name}?host={folder}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
