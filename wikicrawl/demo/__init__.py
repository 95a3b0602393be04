"""A small local web of six sites, to crawl without the internet."""

from __future__ import annotations

import selectors
import socket
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Self

from wikicrawl.demo import brochure, docs, news, spa, wall, wiki
from wikicrawl.demo.server import Hit, Server
from wikicrawl.demo.site import Site

if TYPE_CHECKING:
    from wikicrawl.demo.site import SiteModule

_MODULES: dict[str, SiteModule] = {
    "brochure": brochure,
    "docs": docs,
    "news": news,
    "spa": spa,
    "wall": wall,
    "wiki": wiki,
}
SITES: tuple[str, ...] = tuple(_MODULES)


class DemoWeb:
    """Serves the six sites from its making to `close()`, on free ports or on `port` and the five after it."""

    def __init__(self, port: int = 0) -> None:
        if not 0 <= port <= 65536 - len(SITES):
            raise ValueError(f"port is {port}; it must be 0 (any free ports) to {65536 - len(SITES)}")
        self.hits: list[Hit] = []
        self._servers: list[Server] = []
        try:
            for offset in range(len(SITES)):
                self._servers.append(Server(port and port + offset))
        except OSError:
            self._close_ports()
            raise
        self._sites = {name: self._open(name, server) for name, server in zip(SITES, self._servers, strict=True)}
        self.urls: dict[str, str] = {name: site.base for name, site in self._sites.items()}
        self._wake, self._woken = socket.socketpair()
        self._thread = Thread(target=self._serve, name="demo", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._thread.is_alive():
            self._wake.send(b"x")
            self._thread.join()
        self._wake.close()
        self._woken.close()
        self._close_ports()

    def hits_of(self, site: str) -> list[Hit]:
        return [hit for hit in self.hits if hit.site == site]

    def pages(self, site: str) -> list[str]:
        """The URLs that a complete crawl of the site finds: linked, allowed, HTML, and no redirect."""
        return [self._sites[site].url(path) for path in self._sites[site].born]

    def text(self, site: str, url: str) -> str:
        """A sentence that the page at `url` holds now, and no other page or version does."""
        return self._sites[site].fact(self._path(site, url))

    def change(self, site: str, url: str) -> None:
        """Give the page at `url` its next version: another text, a later Last-Modified."""
        self._sites[site].change(self._path(site, url))

    def _path(self, site: str, url: str) -> str:
        path = "/" + url.removeprefix(self.urls[site])
        if path not in self._sites[site].born:
            raise KeyError(f"{url} is no page of {site}")
        return path

    def _open(self, name: str, server: Server) -> Site:
        module = _MODULES[name]
        site = Site(name, server.url, module.pages())
        server.answer = partial(module.answer, site)
        server.record = partial(self._record, name)
        return site

    def _record(self, site: str, method: str, path: str, user_agent: str, status: int) -> None:
        self.hits.append(Hit(site, method, path, user_agent, status))

    def _serve(self) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(self._woken, selectors.EVENT_READ)
            for server in self._servers:
                server.timeout = 0
                ready.register(server, selectors.EVENT_READ, server.handle_request)
            while True:
                for key, _ in ready.select():
                    if key.data is None:
                        return
                    key.data()

    def _close_ports(self) -> None:
        for server in self._servers:
            server.server_close()
