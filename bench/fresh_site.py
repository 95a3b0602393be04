"""A local site of seven parts, of which some tell of their changes, some tell nothing, and some lie."""

from __future__ import annotations

import hashlib
import random
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

from wikicrawl.demo.words import Prose

if TYPE_CHECKING:
    from collections.abc import Iterator

FEED_ENTRIES = 40
PARAGRAPHS = 20  # some 9 KB of HTML a page: little for the web, where heads and lists weigh still less


class Part(NamedTuple):
    """A part of the site, how much of it there is, and what it tells of its changes."""

    name: str
    share: float
    etag: str = ""  # honest, weak (with the mark of compression), or frozen (stays although the page changes)
    sitemap: str = ""  # honest, or today (always today's date)
    feed: bool = False


PARTS = (
    Part("docs", 0.30, etag="honest"),
    Part("news", 0.25, sitemap="honest"),
    Part("blog", 0.15, feed=True),
    Part("guide", 0.10, etag="weak"),
    Part("daily", 0.08, etag="honest", sitemap="today"),
    Part("shop", 0.06),
    Part("frozen", 0.06, etag="frozen"),
)


@dataclass
class Site:
    """The pages, how often and when each has changed, and what was sent."""

    pages: dict[str, Part]
    born_at: int
    now: int  # of the site's own clock
    changes: dict[str, list[int]] = field(default_factory=dict)
    requests: int = 0
    sent: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, requests: int, sent: int) -> None:
        with self.lock:
            self.requests += requests
            self.sent += sent

    def revision(self, path: str) -> int:
        return len(self.changes.get(path, ()))

    def changed_at(self, path: str) -> int:
        return self.changes[path][-1] if path in self.changes else self.born_at

    def marker(self, path: str, revision: int) -> str:
        return f"Edition {hashlib.sha256(f'{path} {revision}'.encode()).hexdigest()[:12]} of this page."

    def html(self, path: str) -> bytes:
        prose = Prose("news", f"{path} {self.revision(path)}")
        text = "".join(f"<p>{paragraph}</p>\n" for paragraph in prose.paragraphs(PARAGRAPHS))
        links = "".join(f'<li><a href="/{other.name}/">{other.name}</a></li>' for other in PARTS)
        served = f"<!-- served in {random.random():.9f} s -->"  # as most pages, never the same bytes twice
        return (
            f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{path}</title></head><body>"
            f"<nav><ul>{links}</ul></nav><main><h1>Page {path}</h1>\n"
            f"<p>{self.marker(path, self.revision(path))}</p>\n{text}</main><footer>{served}</footer></body></html>"
        ).encode()

    def index(self, name: str) -> bytes:
        """Of a part, or of all; these pages link to all others and do not change."""
        targets = [f"/{part.name}/" for part in PARTS] if not name else self.of(name)
        feed = '<link rel="alternate" type="application/atom+xml" href="/blog/feed.xml">' * (name == "blog" or not name)
        links = "".join(f'<li><a href="{path}">{path}</a></li>\n' for path in targets)
        title = f"All pages of {name or 'the site'}"
        return (
            f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title}</title>{feed}</head>"
            f"<body><main><h1>{title}</h1><ul>{links}</ul></main></body></html>"
        ).encode()

    def of(self, name: str) -> list[str]:
        return [path for path, part in self.pages.items() if part.name == name]

    def change(self, paths: list[str]) -> None:
        for path in paths:
            self.changes.setdefault(path, []).append(self.now)

    def sitemap(self, base: str) -> bytes:
        rows = []
        for path, part in self.pages.items():
            if part.sitemap:
                date = self.now if part.sitemap == "today" else self.changed_at(path)
                rows.append(f"<url><loc>{base}{path}</loc><lastmod>{iso(date)}</lastmod></url>")
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'.encode()

    def feed(self, base: str) -> bytes:
        latest = sorted((path for path, part in self.pages.items() if part.feed), key=self.changed_at, reverse=True)
        entries = "".join(
            f'<entry><title>{path}</title><link href="{base}{path}"/>'
            f"<updated>{iso(self.changed_at(path))}</updated></entry>"
            for path in latest[:FEED_ENTRIES]
        )
        return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>{entries}</feed>'.encode()

    def etag(self, path: str) -> str:
        part = self.pages[path]
        edition = 0 if part.etag == "frozen" else self.revision(path)
        tag = hashlib.sha256(f"{path} {edition}".encode()).hexdigest()[:16]
        return f'W/"{tag}-gzip"' if part.etag == "weak" else f'"{tag}"'


def make_site(pages: int, now: int) -> Site:
    numbered = {f"/{part.name}/page-{number}": part for part in PARTS for number in range(round(pages * part.share))}
    return Site(numbered, born_at=now - 30 * 86_400, now=now)


def iso(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    site: Site

    def do_GET(self) -> None:
        headers: dict[str, str] = {}
        status, body, kind = self.answer(headers)
        if status == 200 and headers.get("ETag") and self.headers.get("If-None-Match"):
            asked = [tag.strip().removeprefix("W/") for tag in self.headers["If-None-Match"].split(",")]
            status = 304 if headers["ETag"].removeprefix("W/") in asked else 200
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.write(body)

    def answer(self, headers: dict[str, str]) -> tuple[int, bytes, str]:
        base = f"http://{self.headers['Host']}"
        html = "text/html; charset=utf-8"
        if part := self.site.pages.get(self.path):
            if part.etag:
                headers["ETag"] = self.site.etag(self.path)
            if part.etag == "honest":
                headers["Last-Modified"] = formatdate(self.site.changed_at(self.path), usegmt=True)
            return 200, self.site.html(self.path), html
        if self.path in ("/", *(f"/{part.name}/" for part in PARTS)):
            return 200, self.site.index(self.path.strip("/")), html
        if self.path == "/sitemap.xml":
            return 200, self.site.sitemap(base), "application/xml"
        if self.path == "/blog/feed.xml":
            return 200, self.site.feed(base), "application/atom+xml"
        if self.path == "/robots.txt":
            return 200, f"User-agent: *\nDisallow:\n\nSitemap: {base}/sitemap.xml\n".encode(), "text/plain"
        return 404, b"<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>", html

    def flush_headers(self) -> None:
        self.site.count(1, sum(map(len, self._headers_buffer)))  # type: ignore[attr-defined]
        super().flush_headers()

    def write(self, body: bytes) -> None:
        self.site.count(0, len(body))
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Counted, not printed."""


@contextmanager
def serving(site: Site) -> Iterator[str]:
    """The address of the site, while it is served."""
    handler = type("SiteHandler", (Handler,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
