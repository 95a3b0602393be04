"""Write feeds that survive a kill and that a spreadsheet can open safely."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from scrapy.exporters import CsvItemExporter
from scrapy.extensions.feedexport import FileFeedStorage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BytesIO

    from _typeshed import ReadableBuffer
    from scrapy import Spider

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
LINE_FORMATS = ("jsonlines", "jsonl", "jl")
BLOCK_BYTES = 64 * 1024


class UnbufferedFileStorage(FileFeedStorage):
    """A local file to which each item is written at once; several crawls may append to one."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self._is_lines = (feed_options or {}).get("format") in LINE_FORMATS

    def open(self, spider: Spider) -> IO[bytes]:
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._is_lines and self.write_mode == "ab":
            return cast("IO[bytes]", LineFile(path, "a+b"))
        return path.open(self.write_mode, buffering=0)


class LineFile(FileIO):
    """A file of whole lines, whoever writes to it: what a killed process left of its last line is cut off.

    The kernel may end a write of more than a memory page half-way when the process is killed.
    """

    def __init__(self, path: Path, mode: str) -> None:
        super().__init__(path, mode)
        with self._alone():
            self._cut_half_line()

    def write(self, line: ReadableBuffer, /) -> int:
        rest = memoryview(line)
        with self._alone():
            self._cut_half_line()
            while rest:
                rest = rest[super().write(rest) or 0 :]
        return memoryview(line).nbytes

    @contextmanager
    def _alone(self) -> Iterator[None]:
        fcntl.flock(self, fcntl.LOCK_EX)  # the kernel takes it from a process that dies
        try:
            yield
        finally:
            fcntl.flock(self, fcntl.LOCK_UN)

    def _cut_half_line(self) -> None:
        end = os.fstat(self.fileno()).st_size
        if end == 0 or os.pread(self.fileno(), 1, end - 1) == b"\n":
            return
        while end > 0:
            start = max(0, end - BLOCK_BYTES)
            line_end = os.pread(self.fileno(), end - start, start).rfind(b"\n")
            if line_end >= 0:
                os.ftruncate(self.fileno(), start + line_end + 1)
                return
            end = start
        os.ftruncate(self.fileno(), 0)


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
