"""A process killed at its most delicate points leaves nothing that the next one does not put right."""

import csv
import json
import signal

import pytest
from crash_checks import nothing_is_lost_or_twice, nothing_is_told_twice
from crash_crawl import crawl_arguments
from crash_site import crash_site

from wikicrawl.faults import POINTS, parse_fault

PAGES = 40


def killed_at(scrapy, point, *arguments):
    scrapy.environment["WIKICRAWL_FAULT"] = point
    try:
        return scrapy.start(*arguments).wait(60) == -signal.SIGKILL
    finally:
        del scrapy.environment["WIKICRAWL_FAULT"]


def exported_pages(scrapy, folder):
    scrapy("export", "jsonl", str(folder))
    return [json.loads(line)["url"] for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("fault", ["after_claim:2", "after_fetch:9", "before_commit:9", "after_commit:9"])
def test_a_crawl_killed_in_the_midst_of_a_page_is_made_whole_by_the_next(scrapy, tmp_path, fault):
    feed = tmp_path / "pages.jsonl"
    with crash_site(PAGES) as site:
        arguments = crawl_arguments(site, "-s", "STORE_CLAIM_SIZE=10", "-o", str(feed))
        assert killed_at(scrapy, fault, *arguments)
        scrapy(*arguments)
        nothing_is_lost_or_twice(scrapy.store_url, site)
        told = nothing_is_told_twice(feed, site)
        assert told < PAGES if fault.startswith("after_commit") else told <= PAGES
        assert sorted(exported_pages(scrapy, tmp_path / "out")) == sorted(site.pages)


def test_an_export_that_is_killed_leaves_whole_files(scrapy, tmp_path):
    with crash_site(PAGES) as site:
        scrapy(*crawl_arguments(site))
    for form, name in {"jsonl": "pages.jsonl", "csv": "pages.csv"}.items():
        (tmp_path / name).write_text("old\n")
        assert killed_at(scrapy, "during_export", "export", form, str(tmp_path))
        assert (tmp_path / name).read_text() == "old\n"
        scrapy("export", form, str(tmp_path))
    with (tmp_path / "pages.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == PAGES
    assert len((tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()) == PAGES

    folder = tmp_path / "md"
    assert killed_at(scrapy, "during_export:5", "export", "md", str(folder))
    assert len(list(folder.rglob("*.md"))) == 4
    scrapy("export", "md", str(folder))
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.md")]
    assert len([text for text in texts if "This is page" in text]) == PAGES
    assert list(tmp_path.rglob(".*")) == []


def test_every_named_point_is_passed_in_the_code(request):
    package = request.config.rootpath / "wikicrawl"
    source = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    assert [point for point in POINTS if f'passing("{point}")' not in source] == []


@pytest.mark.parametrize("text", ["after_lunch", "after_claim:x", "after_claim:-1"])
def test_a_point_that_does_not_exist_is_refused_by_name(text):
    with pytest.raises(ValueError, match="WIKICRAWL_FAULT"):
        parse_fault(text)


def test_without_a_number_the_first_passing_is_meant():
    assert parse_fault("after_claim") == ("after_claim", 1)
    assert parse_fault("") == ("", 1)
