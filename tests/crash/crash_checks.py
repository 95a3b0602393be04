"""What must hold after a crawl of the crash site, however often it was interrupted."""

import json
import sqlite3
from collections import Counter

from wikicrawl.store import open_store


def nothing_is_lost_or_twice(store_url, site):
    store = open_store(store_url)
    try:
        kept = {page.url: page for page in store.pages.each()}
        (status,) = store.pages.status(now=0)
        assert store.pages.unfinished() == []
    finally:
        store.close()
    assert set(kept) == set(site.pages)
    assert [url for number, url in enumerate(site.pages) if f"This is page {number}." not in kept[url].markdown] == []
    assert status.outcomes == {"ok": site.size - 1, "landed": 1, "redirected": 1}  # so none is parked
    assert (status.versions, status.leased, status.admitted) == (site.size, 0, site.size + 1)
    with sqlite3.connect(store_url.removeprefix("sqlite:///")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM version").fetchone() == (site.size,)
        assert connection.execute("SELECT count(*) FROM visit").fetchone() == (site.size,)
    connection.close()


def nothing_is_told_twice(feed, site):
    """Every line is whole; how many pages have one."""
    text = feed.read_text(encoding="utf-8")
    assert text.endswith("\n")
    rows = Counter(json.loads(line)["final_url"] for line in text.splitlines())
    assert set(rows) <= set(site.pages)
    assert set(rows.values()) == {1}
    return len(rows)
