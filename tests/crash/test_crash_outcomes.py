"""However a server breaks off or leads astray, the page it was asked for has one outcome."""

import gzip
import json
import socket
import struct
import time

import pytest
from odd_site import Handler, odd_site, page

from wikicrawl.items import OUTCOMES
from wikicrawl.store import open_store

TIMEOUT_SECONDS = 2


class Faulty(Handler):
    def raw(self, *parts, every=0.0):
        """Bytes as they are, and then the end of the connection."""
        self.close_connection = True
        try:
            for part in parts:
                self.wfile.write(part)
                time.sleep(every)
        except OSError:
            return  # the crawler has had enough

    def get_no_content(self):
        self.send_response(204)
        self.end_headers()

    def get_not_modified(self):
        self.send_response(304)
        self.end_headers()

    def get_nothing(self):
        self.send(200, "")

    def get_unauthorised(self):
        self.send(401, page("Who are you?"), WWW_Authenticate="Basic")

    def get_reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def get_closed(self):
        self.raw()

    def get_garbage(self):
        self.raw(b"\x16\x03\x01 this is not HTTP\r\n\r\n")

    def get_bad_chunk(self):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello")

    def get_silent(self):
        self.raw(b"", every=2 * TIMEOUT_SECONDS)

    def get_header_drip(self):
        self.raw(b"HTTP/1.1 200 OK\r\n", *[b"X-Slow: 1\r\n"] * 40, every=0.1)

    def get_body_drip(self):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", *[b"<p>word "] * 40, every=0.1)

    def get_bomb(self):
        body = gzip.compress(b"<p>word " * 1_000_000)
        self.send(200, body, Content_Encoding="gzip")

    def get_not_gzip(self):
        self.send(200, page("Plain"), Content_Encoding="gzip")

    def get_itself(self):
        self.send(302, "", Location=self.path)

    def get_circle(self):
        other = {"a": "b", "b": "a"}[self.path[-1]]
        self.send(302, "", Location=f"/circle/{other}")

    def get_refresh(self):
        self.send(200, f'<meta http-equiv="refresh" content="0; url={self.path}">')

    def get_to_a_file(self):
        self.send(302, "", Location="file:///etc/passwd")

    def get_to_nothing(self):
        self.send(302, "")

    def get_to_nonsense(self):
        self.send(302, "", Location="http://[")

    def get_to_no_host(self):
        self.send(302, "", Location="http://no-such-host.invalid/")

    def get_old_too(self):
        self.send(301, "", Location="/article/new-place")

    def get_cookies(self):
        self.send(200, page("Cookies"), Set_Cookie="a=" + "x" * 10_000)


EXPECTED = {
    "/no-content": "http_error",
    "/not-modified": "http_error",
    "/nothing": "http_error",
    "/unauthorised": "http_error",
    "/reset": "network",
    "/closed": "network",
    "/garbage": "network",
    "/bad-chunk": "network",
    "/silent": "timeout",
    "/header-drip": "timeout",
    "/body-drip": "timeout",
    "/bomb": "too_large",
    "/not-gzip": "network",
    "/itself": "redirects",
    "/circle/a": "redirects",
    "/refresh": "redirects",
    "/self-redirect": "ok",
    "/to-a-file": "http_error",
    "/to-nothing": "http_error",
    "/to-nonsense": "network",
    "/to-no-host": "offsite",
    "/old": "redirected",
    "/old-too": "redirected",
    "/cookies": "ok",
    "/forbidden-by-robots": "robots",
}


@pytest.fixture
def crawled(scrapy, tmp_path):
    with odd_site(*EXPECTED) as site:
        site.RequestHandlerClass = Faulty
        done = scrapy(
            "crawl", "site", "-a", f"url={site.url}", "-a", "sitemap=false", "-s", "TIERS_BROWSER=0", "-s", "RETRY_TIMES=1",
            "-s", f"DOWNLOAD_TIMEOUT={TIMEOUT_SECONDS}", "-s", "DOWNLOAD_MAXSIZE=1000000", "-s", "REDIRECT_MAX_TIMES=3",
            "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16", "-O", str(tmp_path / "pages.jsonl"),
        )  # fmt: skip
        store = open_store(scrapy.store_url)
        yield site, store, done.stderr
        store.close()


def test_each_fault_has_one_outcome_and_one_visit(crawled, tmp_path):
    site, store, log = crawled
    pages = {path: store.pages.find(site.url + path[1:]) for path in EXPECTED}
    assert {path: page.outcome for path, page in pages.items()} == EXPECTED
    assert set(EXPECTED.values()) <= set(OUTCOMES)
    assert [path for path, page in pages.items() if len(store.pages.visits(page.id)) != 1] == []
    assert store.pages.unfinished() == []
    assert "Traceback" not in log
    rows = [json.loads(line)["url"] for line in (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(set(rows)) == len(rows) == len(EXPECTED)  # with the start page, without the second way to the same page
