import csv
import io
import json

import pytest
from scrapy.exporters import JsonItemExporter, JsonLinesItemExporter

from wikicrawl.feeds import BLOCK_BYTES, CsvExporter, UnbufferedFileStorage
from wikicrawl.items import COLUMNS, Page

ODD = Page(
    url="http://a.example/", title="=HYPERLINK(1)", description="@SUM(A1)", markdown='a "b", c\nd', links=["u1", "u2,x"]
)


def exported(exporter_class, *items, **options):
    file = io.BytesIO()
    exporter = exporter_class(file, fields_to_export=list(COLUMNS), **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue()


def test_the_columns_have_a_fixed_order():
    assert COLUMNS == (
        "url", "final_url", "source", "domain", "depth", "title", "description", "language", "markdown", "text_hash",
        "links", "images", "tier", "verdict", "reason", "http_status", "fetched_at", "changed", "bytes", "extractor",
        "weight", "source_tier", "error", "wiki", "confidence", "hidden_text", "injection_suspect",
    )  # fmt: skip


@pytest.mark.parametrize("start", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_csv_cell_is_a_formula(start):
    rows = list(csv.DictReader(io.StringIO(exported(CsvExporter, Page(url="u", title=start)).decode(), newline="")))
    assert rows[0]["title"] == "'" + start


def test_a_csv_row_reads_back_with_one_link_a_line():
    rows = list(csv.DictReader(io.StringIO(exported(CsvExporter, ODD).decode(), newline="")))
    assert rows[0]["markdown"] == ODD.markdown
    assert rows[0]["links"].split("\n") == ODD.links
    assert tuple(rows[0]) == COLUMNS


def test_an_object_is_json_in_a_csv_cell():
    facts = {"title": "Ü", "infobox": {"Level": "11"}}
    rows = list(csv.DictReader(io.StringIO(exported(CsvExporter, Page(url="u", wiki=facts), ODD).decode(), newline="")))
    assert json.loads(rows[0]["wiki"]) == facts
    assert rows[1]["wiki"] == ""


@pytest.mark.parametrize(
    ("exporter", "read"), [(JsonItemExporter, json.loads), (JsonLinesItemExporter, lambda text: [json.loads(text)])]
)
def test_json_feeds_show_the_columns_and_nothing_else(exporter, read):
    rows = read(exported(exporter, ODD))
    assert list(rows[0]) == list(COLUMNS)
    assert rows[0]["title"] == "=HYPERLINK(1)"


def test_appending_to_a_csv_feed_repeats_no_header(tmp_path):
    path = tmp_path / "feeds" / "pages.csv"
    for _ in range(2):
        file = UnbufferedFileStorage(str(path)).open(None)
        exporter = CsvExporter(file, fields_to_export=["url"])
        exporter.export_item(Page(url="u"))
        exporter.finish_exporting()
        file.close()
    assert path.read_text().split() == ["url", "u", "u"]


def test_an_item_is_on_disk_as_soon_as_it_is_exported(tmp_path):
    file = UnbufferedFileStorage(str(tmp_path / "pages.jsonl")).open(None)
    JsonLinesItemExporter(file, fields_to_export=["url"]).export_item(Page(url="u"))
    assert (tmp_path / "pages.jsonl").read_text() == '{"url": "u"}\n'
    file.close()


@pytest.mark.parametrize("before", ["", '{"url": "u"}\n', '{"url": "u"}\n' * 9000])
@pytest.mark.parametrize("half", ['{"url": "v', "x" * (BLOCK_BYTES + 1)])
def test_half_a_line_left_by_a_killed_crawl_is_cut_off(tmp_path, before, half):
    path = tmp_path / "pages.jsonl"
    path.write_text(before + half)
    file = UnbufferedFileStorage(str(path), feed_options={"format": "jsonlines"}).open(None)
    assert path.read_text() == before
    with path.open("a") as other:  # dies while we have the file open
        other.write(half)
    JsonLinesItemExporter(file, fields_to_export=["url"]).export_item(Page(url="w"))
    file.close()
    assert path.read_text() == before + '{"url": "w"}\n'
