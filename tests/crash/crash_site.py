"""A site over two hosts that counts who asked for what."""

import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from string import ascii_lowercase

LINKS = 10  # of each page, to pages that no other links to
WORDS = "The ferry leaves at nine and returns before dusk unless the wind turns to the north. "


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.site.answer(self)

    def send(self, status, text="", **headers):
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", "Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Killed crawlers reset their connections."""


class CrashSite:
    """Its pages are a tree, even ones on the second host, odd ones on the first; the start URL leads to its root."""

    def __init__(self, size):
        self.size = size
        self.hits = Counter()  # by URL
        self.hits_of = Counter()  # by User-Agent
        self.changed = threading.Condition()
        self.hold = None  # an event that pages wait for
        self.servers = [Server((f"127.0.0.{host}", 0), Handler) for host in (2, 1)]
        self.hosts = ["http://{}:{}".format(*server.server_address) for server in self.servers]
        self.start = self.hosts[1] + "/"
        self.pages = [self.url(number) for number in range(size)]

    def url(self, number):
        return f"{self.hosts[number % 2]}/page/{number}"

    def answer(self, handler):
        url = f"http://{handler.headers['Host']}{handler.path}"
        with self.changed:
            self.hits[url] += 1
            if "/page/" in url:
                self.hits_of[handler.headers["User-Agent"]] += 1
            self.changed.notify_all()
        if self.hold is not None and handler.path != "/robots.txt":
            self.hold.wait()
        if handler.path == "/":
            handler.send(302, Location=self.url(0))
        elif url in self.pages:
            handler.send(200, self.html(int(url.rpartition("/")[2])))
        else:
            handler.send(404)

    def html(self, number):
        first = number * LINKS + 1
        children = range(first, min(first + LINKS, self.size))
        links = "".join(f'<li><a href="{self.url(child)}">Page {child}</a></li>' for child in children)
        letters = Random(number).choices(ascii_lowercase, k=60)
        own = " ".join("".join(letters[start : start + 6]) for start in range(0, 60, 6))  # else it were a trap
        text = f"This is page {number}. {WORDS * 8} Here they say: {own}."
        return f"<!doctype html><html lang=en><title>Page {number}</title><main><h1>Page {number}</h1><p>{text}</p><ul>{links}</ul></main>"

    def wait_for_hits(self, count, agent=None, seconds=60):
        """Whether so many pages were asked for, by anybody or by one agent, in so many seconds."""

        def is_reached():
            return (self.hits_of[agent] if agent else self.hits_of.total()) >= count

        with self.changed:
            return self.changed.wait_for(is_reached, seconds)

    @property
    def refetches(self):
        with self.changed:
            return sum(self.hits[url] - 1 for url in self.pages if self.hits[url])


@contextmanager
def crash_site(size):
    site = CrashSite(size)
    threads = []
    for server in site.servers:
        server.site = site
        threads.append(threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True))
        threads[-1].start()
    try:
        yield site
    finally:
        for server, thread in zip(site.servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()
