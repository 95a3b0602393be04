"""Extract pages in processes that may be killed: a page that takes too much costs a worker, never the crawl."""

from __future__ import annotations

import asyncio
import ctypes
import math
import os
import resource
import signal
import sys
import time
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, ForkServerProcess
from types import ModuleType
from typing import TYPE_CHECKING

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from wikicrawl.extract.markdown import ENGINES
from wikicrawl.extract.page import Extraction, extract

if TYPE_CHECKING:
    from collections.abc import Iterator

# The server looks for modules in the working directory and among installed packages only, so these stand beside ours.
PRELOADED = ["wikicrawl.extract.page", "lxml.html", "html_to_markdown", "ada_url", "w3lib.encoding"]
PAGES_PER_WORKER = 2_000  # then a new process: lxml and the allocator do not give all memory back
PR_SET_PDEATHSIG = 1
# What ended a worker in mid-page, by its exit code (Rust aborts where it gets no memory); anything else is a crash.
DEATHS = {
    -signal.SIGXCPU: "extract_timeout",
    -signal.SIGKILL: "extract_memory",
    -signal.SIGABRT: "extract_memory",
}

Task = tuple[bytes, str, str | None, str, float]


class ExtractFailed(Exception):  # noqa: N818 - an outcome of a page, not a fault of ours
    """`reason` is extract_timeout, extract_memory, extract_crash or extract_error."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Workers:
    """A pool that starts with the first page. The limits hold for each page: wall clock, CPU and address space."""

    def __init__(
        self, processes: int, seconds: float, cpu_seconds: float, memory_bytes: int, engine: str = ENGINES[0]
    ) -> None:
        if engine not in ENGINES:
            raise ValueError(f"MARKDOWN_ENGINE is {engine!r}; it must be one of {', '.join(ENGINES)}")
        self.processes = processes
        self.seconds = seconds
        self.cpu_seconds = cpu_seconds
        self.memory_bytes = memory_bytes
        self.engine = engine
        self._pool: ProcessPool | None = None
        self._under_way: set[ProcessFuture[Extraction | ExtractFailed]] = set()
        self._starting = asyncio.Lock()
        self._is_closed = False

    async def extract(self, body: bytes, url: str, encoding: str | None = None) -> Extraction:
        task = (body, url, encoding, self.engine, self.cpu_seconds)
        try:
            result = await self._run(task)
        except TimeoutError as error:
            raise ExtractFailed("extract_timeout", f"{self.seconds} s") from error
        except ProcessExpired as error:
            raise ExtractFailed(DEATHS.get(error.exitcode, "extract_crash"), f"exit code {error.exitcode}") from error
        except RuntimeError as error:
            raise ExtractFailed("extract_crash", str(error)) from error
        if isinstance(result, ExtractFailed):
            raise result
        return result

    async def restart(self) -> None:
        """End all processes, whatever they are doing; pages under way are tried once more in new ones."""
        async with self._starting:
            await asyncio.to_thread(self._stop)

    def close(self) -> None:
        """End all processes, whatever they are doing, for good; pages under way fail."""
        self._is_closed = True
        self._stop()

    async def _run(self, task: Task) -> Extraction | ExtractFailed:
        """Once more if the whole pool breaks, as Pebble's does when a worker dies between two pages."""
        try:
            return await self._run_once(task)
        except RuntimeError:
            if self._is_closed:
                raise
            return await self._run_once(task)

    async def _run_once(self, task: Task) -> Extraction | ExtractFailed:
        pool = await self._running_pool()
        future = pool.schedule(_extract, args=task, timeout=self.seconds)
        self._under_way.add(future)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is None or caller.cancelling():
                raise
            raise RuntimeError("the extraction workers were stopped") from None
        finally:
            self._under_way.discard(future)

    async def _running_pool(self) -> ProcessPool:
        async with self._starting:
            if self._is_closed:
                raise RuntimeError("the extraction workers are closed")
            if self._pool is not None and not self._pool.active:
                await asyncio.to_thread(self._stop)
            if self._pool is None:
                self._pool = await asyncio.to_thread(self._start)
            return self._pool

    def _stop(self) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        for future in list(self._under_way):
            future.cancel()  # type: ignore[no-untyped-call]
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()
        _pools.discard(pool)
        if not _pools:
            _stop_helpers()

    def _start(self) -> ProcessPool:
        context = _Context()
        context.set_forkserver_preload(PRELOADED)
        pool = ProcessPool(
            self.processes, PAGES_PER_WORKER, initializer=_prepare, initargs=(self.memory_bytes,), context=context
        )
        _pools.add(pool)
        if not pool.active:  # asking starts it
            raise RuntimeError("the extraction workers do not start")
        return pool


_pools: set[ProcessPool] = set()


class _Process(ForkServerProcess):
    def start(self) -> None:
        with _no_main_module():
            super().start()


class _Context(ForkServerContext):
    """Not fork: the crawl has threads and a reactor. The server has all modules loaded, so a new worker is cheap."""

    Process = _Process


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep workers from importing the program that started them: that would be all of Scrapy, for each."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _stop_helpers() -> None:
    """multiprocessing keeps its two helper processes until the interpreter ends, and has no public way to end them."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined]


def _prepare(memory_bytes: int) -> None:
    """Run in each new worker."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # Pebble's handler would wait for the parser to come back
    # The server ends when nobody holds this any more: not we, so that it ends with a killed crawl, and we with it.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what libraries print when they fail is told by the page's outcome
        os.dup2(silence, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def _extract(
    body: bytes, url: str, encoding: str | None, engine: str, cpu_seconds: float
) -> Extraction | ExtractFailed:
    """Failures are returned, not raised: not every exception survives the way between processes."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + cpu_seconds), hard))
    try:
        return extract(body, url, encoding=encoding, engine=engine)
    except MemoryError:
        return ExtractFailed("extract_memory")
    except Exception as error:  # whatever a page does to a parser is that page's outcome
        return ExtractFailed("extract_error", f"{type(error).__name__}: {error}"[:500])
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))  # the rest is Pebble's, and must not die of it
