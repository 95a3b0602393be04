"""Say what a demo site is asked and what it answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Protocol

from wikicrawl.demo import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from email.message import Message

HTML = "text/html; charset=utf-8"
XML = "application/xml; charset=utf-8"
BUILT = int(datetime(2025, 12, 31, 9, 30, tzinfo=UTC).timestamp())  # the age of a page without a date of its own


@dataclass(frozen=True, slots=True)
class Ask:
    path: str  # as sent, still percent-encoded
    query: Mapping[str, str]
    headers: Message  # names in any case


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes
    content_type: str = HTML
    status: int = 200
    modified: int | None = None  # Unix seconds; None where there is nothing to compare with
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class Site:
    """One running site: its address, its pages (path → Unix time of the first version) and their changes."""

    name: str
    base: str
    born: dict[str, int]
    changes: dict[str, list[int]] = field(default_factory=dict)
    rendered: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def url(self, path: str) -> str:
        return self.base + path.removeprefix("/")

    def revision(self, path: str) -> int:
        return len(self.changes.get(path, ()))

    def modified(self, path: str) -> int:
        return self.changes[path][-1] if path in self.changes else self.born[path]

    def change(self, path: str) -> None:
        # HTTP dates have whole seconds: two changes within one must still look like two.
        moment = max(int(time.time()), self.modified(path) + 1)
        self.changes[path] = [*self.changes.get(path, ()), moment]

    def fact(self, path: str) -> str:
        """The sentence that only this page holds, in this version of it."""
        return words.fact(self.name, path, self.revision(path))


class SiteModule(Protocol):
    """What each of the six site modules offers."""

    def pages(self) -> dict[str, int]: ...
    def answer(self, site: Site, ask: Ask) -> Answer: ...


def document(title: str, body: str, *, css: str, head: str = "", body_class: str = "") -> str:
    attributes = f' class="{body_class}"' if body_class else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n{head}<style>{css}</style>\n</head>\n"
        f"<body{attributes}>\n{body}\n</body>\n</html>\n"
    )


def page(site: Site, path: str, render: Callable[[], str]) -> Answer:
    key = (path, site.revision(path))
    if key not in site.rendered:
        site.rendered[key] = render().encode()
    return Answer(site.rendered[key], modified=site.modified(path))


def missing(html: str) -> Answer:
    return Answer(html.encode(), status=404)


def moved(site: Site, path: str, *, status: int = 301) -> Answer:
    return Answer(b"", status=status, headers=(("Location", site.url(path)),))


def robots(site: Site, *rules: str, sitemap_path: str = "/sitemap.xml") -> Answer:
    lines = ("User-agent: *", *(rules or ("Disallow:",)), "", f"Sitemap: {site.url(sitemap_path)}", "")
    return Answer("\n".join(lines).encode(), "text/plain; charset=utf-8")


def sitemap_xml(site: Site, paths: Iterable[str]) -> bytes:
    rows = "".join(
        f"<url><loc>{escape(site.url(path))}</loc><lastmod>{iso(site.modified(path))}</lastmod></url>\n"
        for path in paths
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    ).encode()


def iso(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{escape(text, quote=False)}</p>\n" for text in texts)
