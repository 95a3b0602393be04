"""Who holds a claim, and is it dead?"""

import subprocess
import sys
from pathlib import Path

import pytest

from wikicrawl.store.owner import is_dead, owner_name

ROOT = Path(__file__).parents[1]


def altered(**parts):
    names = ("host", "boot", "namespace", "pid", "start", "serial")
    return "/".join(parts.get(name, part) for name, part in zip(names, owner_name().split("/"), strict=True))


def test_every_name_is_another_and_none_is_dead():
    one, two = owner_name(), owner_name()
    assert one != two
    assert not is_dead(one)
    assert not is_dead(two)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"host": "elsewhere:1"}, False),
        ({"host": "elsewhere:1", "boot": "older", "pid": "1"}, False),
        ({"boot": "older"}, True),
        ({"namespace": "another container", "pid": "999999999"}, False),
        ({"start": "1"}, True),
        ({"pid": "999999999"}, True),
        ({"pid": "999999999", "start": ""}, True),
        ({"start": ""}, False),
    ],
    ids=[
        "another machine",
        "another machine since started",
        "before the last boot",
        "another container",
        "its number given to a new process",
        "gone",
        "gone, seen without /proc",
        "running, seen without /proc",
    ],
)
def test_a_process_is_dead_only_where_that_is_certain(parts, expected):
    assert is_dead(altered(**parts)) is expected


def test_a_name_of_another_form_is_not_dead():
    assert not is_dead("owner")


def test_a_process_that_has_ended_is_dead():
    code = "from wikicrawl.store.owner import owner_name; print(owner_name())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert is_dead(done.stdout.strip())
