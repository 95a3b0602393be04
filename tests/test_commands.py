"""The project's own commands, run as a user runs them."""

import csv
import json
import re
import signal
import time

import pytest
import yaml
from odd_site import odd_site
from sqlalchemy import text

from wikicrawl.commands.export import safe_name, safe_path
from wikicrawl.store import open_store


@pytest.fixture
def crawled(demo, scrapy):
    """A store that holds the brochure site."""
    scrapy("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-a", "source=venue")
    return scrapy


def read_markdown(path):
    _, header, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(header), body.strip()


def test_page_prints_markdown_and_keeps_nothing(demo, scrapy):
    url = demo.urls["docs"]
    done = scrapy("page", url)
    assert demo.text("docs", url) in done.stdout
    assert not done.stdout.startswith("---")
    assert "The store is empty" in scrapy("status").stdout


def test_page_prints_front_matter_when_asked(demo, scrapy):
    header = scrapy("page", "--front-matter", demo.urls["docs"]).stdout.split("---\n")[1]
    assert yaml.safe_load(header)["url"] == demo.urls["docs"]


@pytest.mark.parametrize(
    ("path", "complaint"), [("gone", "the page is gone (HTTP 410)"), ("pdf", "not a web page (pdf)")]
)
def test_page_says_in_one_line_why_there_is_no_markdown(scrapy, path, complaint):
    with odd_site() as site:
        done = scrapy("page", site.url + path, expect=2)
    assert done.stderr.splitlines() == [f"wikicrawl: {site.url}{path}: {complaint}"]


def test_page_refuses_what_is_no_web_address(scrapy):
    assert "'ftp://a.example' is not a web address" in scrapy("page", "ftp://a.example", expect=2).stderr


def test_explain_tells_how_a_page_was_got_and_when_it_is_due(demo, crawled):
    lines = crawled("explain", demo.urls["brochure"]).stdout
    assert re.search(r"^source +venue, depth 0, open$", lines, re.MULTILINE)
    assert re.search(r"^was got .* ok  by http$", lines, re.MULTILINE)
    assert re.search(r"http: page \(content\), HTTP 200, \d+ bytes, \d+ characters of text$", lines, re.MULTILINE)
    assert re.search(r"^extractor +\w+, confidence [01]\.\d\d", lines, re.MULTILINE)
    assert re.search(r"^hash +[0-9a-f]{64}$", lines, re.MULTILINE)
    assert re.search(r"^next visit +20\d\d-\d\d-\d\d \d\d:\d\d$", lines, re.MULTILINE)


def test_explain_tells_of_a_page_that_nobody_has_asked_for(demo, scrapy):
    lines = scrapy("explain", f"{demo.urls['docs']}new").stdout
    assert re.search(r"^would go by http first", lines, re.MULTILINE)
    assert "never: the page is not in the store" in lines


def test_explain_tells_of_the_wiki_that_a_page_is_of(demo, scrapy):
    scrapy("crawl", "wiki", "-a", f"url={demo.urls['wiki']}", "-a", "prefix=Bog")
    lines = scrapy("explain", f"{demo.urls['wiki']}wiki/Bog_lantern").stdout
    assert re.search(
        r"^would go by +api of Fenwiki \(MediaWiki 1\.39\.17\), http://\S+/w/api\.php$", lines, re.MULTILINE
    )
    assert re.search(r"^ +api: page \(parse\), HTTP 200, \d+ bytes, \d+ characters of text$", lines, re.MULTILINE)
    as_html = scrapy("explain", "-s", "WIKI_TRANSPORT=html", f"{demo.urls['wiki']}wiki/Bog_lantern").stdout
    assert "http: pages of Fenwiki are got as HTML" in as_html
    refused = scrapy("explain", f"{demo.urls['wiki']}wiki/Special:Random").stdout
    assert "nothing: on Fenwiki this is no page (special)" in refused


def test_explain_names_the_reason_a_link_is_refused(scrapy):
    assert re.search(r"^refused +scheme$", scrapy("explain", "ftp://a.example/").stdout, re.MULTILINE)


def test_status_counts_what_the_store_holds(demo, crawled):
    lines = crawled("status").stdout
    known = len(demo.pages("brochure"))
    assert re.search(rf"^venue +\d+ +\d+ +{known} +0 +0 .* finished *$", lines, re.MULTILINE)
    assert "Every page that was claimed is in a final state." in lines


def test_export_md_mirrors_the_site(demo, crawled, tmp_path):
    crawled("export", "md", str(tmp_path / "out"))
    folder = next((tmp_path / "out").iterdir())
    header, body = read_markdown(folder / "index.md")
    assert (header["url"], header["source"], header["tier"]) == (demo.urls["brochure"], "venue", "http")
    assert demo.text("brochure", demo.urls["brochure"]) in body
    urls = {read_markdown(path)[0]["url"] for path in folder.rglob("*.md")}
    assert set(demo.pages("brochure")) == urls


def test_export_md_leaves_unchanged_files_alone(crawled, tmp_path):
    crawled("export", "md", str(tmp_path / "out"))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.md")}
    crawled("export", "md", str(tmp_path / "out"))
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.md")} == before


def test_export_text_is_one_file_a_site_with_a_line_before_each_page(demo, crawled, tmp_path):
    crawled("export", "text", str(tmp_path))
    text = (tmp_path / "venue.txt").read_text(encoding="utf-8")
    assert text.startswith(f"\n--- {demo.urls['brochure']} (depth 0) ---\n")
    assert len(re.findall(r"^--- http\S+ \(depth \d+\) ---$", text, re.MULTILINE)) == len(demo.pages("brochure"))


def test_export_jsonl_and_csv_hold_the_same_pages(demo, crawled, tmp_path):
    crawled("export", "jsonl", str(tmp_path))
    crawled("export", "csv", str(tmp_path))
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    with (tmp_path / "pages.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    assert [row["url"] for row in rows] == [row["url"] for row in cells]
    assert {row["url"] for row in rows} == set(demo.pages("brochure"))


def test_an_export_carries_the_weight_that_sources_yml_gives(demo, crawled, tmp_path):
    told = tmp_path / "sources.yml"
    told.write_text("source_tiers: {gold: {domains: [127.0.0.1], weight: 0.7}}")
    crawled("export", "jsonl", str(tmp_path), "-s", f"SOURCES_FILE={told}")
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(row["weight"], row["source_tier"]) for row in rows} == {(0.7, "gold")}


def test_export_of_an_unknown_form_names_the_known_ones(scrapy, tmp_path):
    assert "md, jsonl, csv, text" in scrapy("export", "docx", str(tmp_path), expect=2).stderr


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://a.example/", "a.example/index.md"),
        ("https://a.example:8443/x/", "a.example_8443/x/index.md"),
        ("https://a.example/x", "a.example/x.md"),
        ("https://a.example/caf%C3%A9", "a.example/café.md"),
    ],
)
def test_a_plain_url_keeps_its_path(url, path):
    assert str(safe_path(url)) == path


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/%2e%2e%2f%2e%2e%2fetc/passwd",
        "https://a.example/a%2f..%2f..%2fb",
        "https://a.example/..%5c..%5cb",
        "https://a.example/" + "x" * 500,
        "https://a.example/%00/nul",
        "https://a.example/con/aux.txt",
        "https://a.example/?q=../../x",
        "https://a.example/trailing./dots..",
    ],
)
def test_no_url_leads_out_of_the_folder_or_to_an_impossible_name(tmp_path, url):
    path = tmp_path / safe_path(url)
    assert path.resolve().is_relative_to(tmp_path.resolve())
    path.parent.mkdir(parents=True)
    path.write_text("")


def test_names_that_had_to_change_stay_distinct():
    assert len({safe_name("a:b"), safe_name("a_b"), safe_name("a?b"), safe_name("x" * 200), safe_name("x" * 201)}) == 5


def test_demo_says_which_port_is_taken(demo, scrapy):
    port = demo.urls["brochure"].rstrip("/").rpartition(":")[2]
    assert f"port {port} on 127.0.0.1 is taken" in scrapy("demo", "--port", port, expect=2).stderr


def test_browser_names_the_one_that_would_be_used(scrapy):
    assert scrapy("browser").stdout.startswith("browser   ")


def test_a_database_that_cannot_be_opened_is_named(scrapy):
    scrapy.environment["WIKICRAWL_STORE_URL"] = "mysql://a/b"
    for command in (["status"], ["explain", "http://a.example/"], ["export", "md", "out"]):
        assert scrapy(*command, expect=2).stderr.startswith("wikicrawl: STORE_URL")


def test_a_demo_crawl_and_a_page_say_in_one_line_which_setting_is_wrong(demo, scrapy):
    wrong = ("-s", "TIERS_SCOPE=planet", "-L", "WARNING")
    for command in (["demo", "--crawl", "--port", "0", *wrong], ["page", demo.urls["docs"], *wrong]):
        done = scrapy(*command, expect=2)
        assert done.stderr.splitlines() == ["wikicrawl: TIERS_SCOPE is 'planet'; it must be 'pattern' or 'site'"]


@pytest.mark.slow
def test_a_crawl_that_is_interrupted_twice_ends_at_once_and_without_a_traceback(scrapy, tmp_path):
    log = tmp_path / "crawl.log"
    with odd_site(*[f"/article/{number}" for number in range(50)]) as site:
        process = scrapy.start(
            "crawl", "site", "-a", f"url={site.url}", "-s", "DOWNLOAD_DELAY=1", "--logfile", str(log), stderr=True
        )
        while len(site.hits) < 5:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)  # Scrapy takes a second signal as such only after the first
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert b"Traceback" not in errors


def test_status_proves_that_every_claim_has_one_end(crawled):
    claims, parts = re.search(r"^venue: (\d+) claims = (.*)$", crawled("status").stdout, re.MULTILINE).groups()
    assert int(claims) == sum(int(part.split()[0]) for part in parts.split(" + ")) > 0
    assert parts.endswith(" + 0 held + 0 returned")


def test_status_is_loud_about_a_claim_without_an_end(demo, scrapy):
    scrapy("crawl", "site", "-a", f"url={demo.urls['brochure']}", "-a", "max_pages=2", "-a", "source=venue")
    store = open_store(scrapy.store_url)
    with store.engine.begin() as connection:
        connection.execute(text("DELETE FROM visit WHERE id = (SELECT min(id) FROM visit)"))
    store.close()
    complaint = "venue: CLAIMS DO NOT ADD UP: 2 claims, but 1 = 1 ok + 0 held + 0 returned"
    assert complaint in scrapy("status", expect=1).stdout
