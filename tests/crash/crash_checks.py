"""What must hold after a crawl of the crash site, however often it was interrupted."""

import json
from collections import Counter

from sqlalchemy import create_engine

from wikicrawl.store import open_store
from wikicrawl.store.engine import parse_url

KEPT = ("ok", "redirected")


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
    assert status.accounted == status.claimed
    counts = f"SELECT (SELECT count(*) FROM version), (SELECT count(*) FROM visit WHERE outcome IN {KEPT})"
    with create_engine(parse_url(store_url)).connect() as connection:
        assert connection.exec_driver_sql(counts).all() == [(site.size, site.size)]
        if connection.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
    connection.engine.dispose()


def nothing_is_told_twice(feed, site):
    """Every line is whole; how many pages have one."""
    text = feed.read_text(encoding="utf-8")
    assert text.endswith("\n")
    rows = Counter(json.loads(line)["final_url"] for line in text.splitlines())
    assert set(rows) <= set(site.pages)
    assert set(rows.values()) == {1}
    return len(rows)
