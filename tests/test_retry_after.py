import time
from email.utils import formatdate

import pytest

from wikicrawl.retry_after import retry_after

NOON = "Wed, 18 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("1.5", 1.5),
        ("0", 0),
        ("315360000", 315360000),
        ("9" * 400, float("inf")),
        ("Wed, 18 Nov 2026 12:01:30 GMT", 90),
        ("Wednesday, 18-Nov-26 12:01:30 GMT", 90),
        ("Wed Nov 18 12:01:30 2026", 90),
        ("Wed, 18 Nov 2026 12:01:30 -0000", 90),
        ("Wed, 18 Nov 2020 12:00:00 GMT", 0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("1e9", None),
        ("1_000", None),
        ("١٢", None),
        ("Wed, 99 Nov 2026 12:00:00 GMT", None),
    ],
)
def test_whatever_a_server_writes_is_read_or_refused(header, seconds):
    assert retry_after(header, date=NOON) == seconds


def test_without_the_servers_clock_ours_is_taken():
    assert 80 < retry_after(formatdate(time.time() + 90, usegmt=True)) <= 90
    assert 80 < retry_after(formatdate(time.time() + 90, usegmt=True), date="yesterday") <= 90
