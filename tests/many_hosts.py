"""A site of several local hosts that remembers who asked which of them when."""

import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from wikicrawl.store import open_store
from wikicrawl.store.frontier import Seed

WORDS = "The ferry leaves at nine and returns before dusk unless the wind turns to the north. "


class Hit(NamedTuple):
    host: str
    path: str
    agent: str
    began: float
    ended: float


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        began = time.monotonic()
        is_page = self.path.removeprefix("/").isdigit()
        if is_page:
            time.sleep(self.server.seconds)
        body = f"<!doctype html><title>{self.path}</title><main><h1>{self.path}</h1><p>{WORDS * 8}</p></main>".encode()
        hit = Hit(self.headers["Host"], self.path, self.headers["User-Agent"], began, time.monotonic())
        self.server.hits.append(hit)  # before the answer: who has it may ask for the next
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, hits, seconds):
        super().__init__(address, Handler)
        self.hits, self.seconds = hits, seconds

    def handle_error(self, request, client_address):
        pass  # a client that was killed


class ManyHosts:
    def __init__(self, hosts, pages, seconds):
        self.hits = []
        self.servers = [Server((f"127.0.0.{number}", 0), self.hits, seconds) for number in range(2, hosts + 2)]
        self.urls = [f"http://{host}:{port}/" for host, port in (server.server_address for server in self.servers)]
        self.pages = [f"{url}{number}" for url in self.urls for number in range(pages)]

    def seed(self, store_url, source="many"):
        """Make all pages known to the frontier: links to another host are not followed."""
        store = open_store(store_url)
        store.sources.ensure(source, self.urls[0], int(time.time()))
        store.frontier.add(source, [Seed(page, 1) for page in self.pages])
        store.close()

    @property
    def arguments(self):
        return {"url": f"{self.urls[0]}0", "source": "many", "max_pages": "10000"}

    def asked(self):
        """How often each page was asked for."""
        return Counter(f"http://{hit.host}{hit.path}" for hit in self.hits if hit.path[1:].isdigit())

    def overlaps(self):
        """Requests to a host that began before another process's request to it had ended."""
        found, last = [], {}
        for hit in sorted(self.hits, key=lambda hit: hit.began):
            before = last.get(hit.host)
            if before is not None and before.agent != hit.agent and hit.began < before.ended:
                found.append((before, hit))
            if before is None or hit.ended >= before.ended or hit.agent != before.agent:
                last[hit.host] = hit
        return found


@contextmanager
def many_hosts(hosts, pages, seconds=0.02):
    site = ManyHosts(hosts, pages, seconds)
    threads = [threading.Thread(target=server.serve_forever, args=(0.05,)) for server in site.servers]
    for thread in threads:
        thread.start()
    try:
        yield site
    finally:
        for server, thread in zip(site.servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


def check_ledger(store_url, outcomes):
    """Every claim has its end, nothing is held any more, and so many visits had these outcomes."""
    store = open_store(store_url)
    try:
        (status,) = store.pages.status(now=int(time.time()))
        assert status.claimed == status.accounted
        assert (status.leased, status.visits) == (0, outcomes)
        assert store.pages.unfinished() == []
        return status
    finally:
        store.close()
