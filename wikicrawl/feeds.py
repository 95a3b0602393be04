"""Write feeds that survive a kill and that a spreadsheet can open safely."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy.exporters import CsvItemExporter
from scrapy.extensions.feedexport import FileFeedStorage

if TYPE_CHECKING:
    from io import BytesIO

    from scrapy import Spider

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class UnbufferedFileStorage(FileFeedStorage):
    """A local file to which each item is written at once.

    A killed crawl leaves whole lines, and several crawls may append to one file.
    """

    def open(self, spider: Spider) -> IO[bytes]:
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open(self.write_mode, buffering=0)


class CsvExporter(CsvItemExporter):
    """Scrapy's CSV, with one header also when appending, and no cell that a spreadsheet would run.

    A list is one entry a line, an object is JSON.
    """

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        is_new = file.tell() == 0
        super().__init__(file, **{"join_multivalued": "\n", "include_headers_line": is_new, **kwargs})

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False) if value else ""
        cell = super().serialize_field(field, name, value)
        if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
            return "'" + cell
        return cell
