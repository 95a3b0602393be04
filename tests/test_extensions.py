"""What a crawl tells of itself."""

import re

import pytest

from wikicrawl.extensions import count_words, without_password
from wikicrawl.store import open_store


def test_the_summary_shows_names_as_they_are(demo, scrapy):
    arguments = ("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-a", "source=[bold]venue", "-a", "max_pages=2")
    assert re.search(r"^\[bold\]venue +2 +http 2 ", scrapy(*arguments).stderr, re.MULTILINE)
    assert "[bold]venue" in scrapy("status").stdout


def test_the_summary_tells_where_everything_is(demo, scrapy, tmp_path):
    feed = tmp_path / "pages.jsonl"
    done = scrapy("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-a", "max_pages=1", "-O", str(feed))
    assert f"database  {scrapy.store_url}" in done.stderr
    assert f"feed      {feed}" in done.stderr


def test_scrapy_fetch_leaves_no_job_and_no_summary(demo, scrapy):
    done = scrapy("fetch", "--nolog", demo.urls["brochure"])
    assert demo.text("brochure", demo.urls["brochure"]) in done.stdout
    assert done.stderr == ""


def test_progress_can_be_switched_off(demo, scrapy):
    done = scrapy(
        "crawl", "site", "-a", f"url={demo.urls['brochure']}", "-a", "max_pages=1", "-s", "PROGRESS_ENABLED=0"
    )
    assert "database  " not in done.stderr


def test_a_job_is_recorded_with_its_arguments_and_its_end(demo, scrapy):
    scrapy("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-a", "max_pages=1", "-a", "source=venue")
    store = open_store(scrapy.store_url)
    job = store.jobs.latest("venue")
    store.close()
    assert (job.spider, job.reason, job.arguments["max_pages"]) == ("site", "finished", 1)
    assert job.stats["store/outcome/ok"] == 1
    assert job.finished_at >= job.started_at


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:secret@host/name", "postgresql://ann:***@host/name"),
        ("postgresql://ann@host/name", "postgresql://ann@host/name"),
        ("sqlite:///data/wikicrawl.db", "sqlite:///data/wikicrawl.db"),
    ],
)
def test_no_password_is_shown(url, shown):
    assert without_password(url) == shown


def test_counts_are_told_by_their_size():
    assert count_words({"a": 1, "b": 3}) == "b 3, a 1"
    assert count_words({}) == "–"
