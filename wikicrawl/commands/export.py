"""Write what the store holds as a folder of markdown, as JSON lines, as CSV or as plain text."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.exporters import JsonLinesItemExporter

from wikicrawl.commands import opened_store, print_problem
from wikicrawl.commands.page import front_matter, to_item
from wikicrawl.faults import passing
from wikicrawl.feeds import CsvExporter
from wikicrawl.items import COLUMNS
from wikicrawl.sources import load_sources

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from wikicrawl.items import Page

MAX_NAME = 100  # characters; file systems allow 255 bytes, and a character may take four with its hash behind it
UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]|^[. ]+|[. ]+$')
RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")  # names that Windows keeps for devices


class Command(ScrapyCommand):
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[options] md|jsonl|csv|text DIR"

    def short_desc(self) -> str:
        return "Write kept pages: a folder of .md files, JSON lines, CSV, or one text file a site"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--source", help="only the pages of this source")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 2 or args[0] not in WRITERS:
            raise UsageError(f"give a form ({', '.join(WRITERS)}) and a folder, for example: scrapy export md out")
        assert self.settings is not None
        form, folder = args[0], Path(args[1])
        with opened_store(self.settings) as store:
            try:
                sources = load_sources(self.settings["SOURCES_FILE"])
                folder.mkdir(parents=True, exist_ok=True)
                pages = (to_item(page, sources) for page in store.pages.each(opts.source))
                count, where = WRITERS[form](pages, folder)
            except (OSError, ValueError) as error:
                self.exitcode = print_problem(error)
                return
        print(f"{form:<9} {count} pages in {where}")


def write_markdown(pages: Iterable[Page], folder: Path) -> tuple[int, Path]:
    """A file a page, mirroring the site's paths; files whose page has not changed are left alone."""
    taken: set[str] = set()
    count = 0
    for page in pages:
        path = safe_path(page.url)
        if str(path).casefold() in taken:
            path = path.with_name(f"{path.stem}-{_short_hash(page.url)}.md")
        taken.add(str(path).casefold())
        _write(folder / path, f"{front_matter(page)}\n{page.markdown}\n")
        count += 1
    return count, folder


def write_json_lines(pages: Iterable[Page], folder: Path) -> tuple[int, Path]:
    return _write_items(pages, folder / "pages.jsonl", JsonLinesItemExporter)


def write_csv(pages: Iterable[Page], folder: Path) -> tuple[int, Path]:
    return _write_items(pages, folder / "pages.csv", CsvExporter)


def write_text(pages: Iterable[Page], folder: Path) -> tuple[int, Path]:
    """One file a source, each page under a line with its URL and depth."""
    count = 0
    for source, group in groupby(pages, key=lambda page: page.source):
        with replacing(folder / f"{safe_name(source.replace(':', '_'))}.txt") as file:
            for page in group:
                file.write(f"\n--- {page.url} (depth {page.depth}) ---\n{page.markdown}".encode())
                count += 1
    return count, folder


WRITERS = {"md": write_markdown, "jsonl": write_json_lines, "csv": write_csv, "text": write_text}


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the path's place when it is whole: whoever reads sees the old one or the new one.

    It is not synced, which takes 5 ms a file: what a machine that fails may lose is written again by the next export.
    """
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        yield file
    passing("during_export")
    part.replace(path)


def safe_path(url: str) -> Path:
    """`https://a.org/x/y?p=1` → `a.org/x/y-<hash of the query>.md`; never outside the folder."""
    parts = urlsplit(url)
    segments = [safe_name(unquote(segment)) for segment in parts.path.split("/") if segment]
    if parts.path.endswith("/") or not segments:
        segments.append("index")
    if parts.query:
        segments[-1] += "-" + _short_hash(parts.query)
    return Path(safe_name(parts.netloc.replace(":", "_")), *segments[:-1], segments[-1] + ".md")


def safe_name(name: str) -> str:
    """The name itself where every file system takes it, else a likeness with a hash that keeps it distinct."""
    likeness = UNSAFE.sub("_", name)[:MAX_NAME]
    if likeness == name and not RESERVED.match(name):
        return name
    return f"{likeness}-{_short_hash(name)}"


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _write(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())


def _write_items(pages: Iterable[Page], path: Path, exporter_class: Any) -> tuple[int, Path]:
    count = 0
    with replacing(path) as file:
        exporter = exporter_class(file, fields_to_export=list(COLUMNS), encoding="utf-8")
        exporter.start_exporting()
        for page in pages:
            exporter.export_item(page)
            count += 1
        exporter.finish_exporting()
    return count, path
