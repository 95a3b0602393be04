"""Serve one demo site over HTTP/1.1."""

from __future__ import annotations

import errno
import hashlib
import socket
import sys
from contextlib import suppress
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from wikicrawl.demo.site import Answer, Ask

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "127.0.0.1"


class Hit(NamedTuple):
    site: str
    method: str
    path: str  # with the query
    user_agent: str
    status: int


class Server(ThreadingTCPServer):
    """A listening port; `answer` and `record` are set before the first connection is taken."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    answer: Callable[[Ask], Answer]
    record: Callable[[str, str, str, int], None]  # method, path, user agent, status

    def __init__(self, port: int) -> None:
        self._open: set[socket.socket] = set()
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            remedy = "end what listens there, or choose another first port (0 = any free ports)"
            raise OSError(errno.EADDRINUSE, f"port {port} on {HOST} is taken; {remedy}") from error

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A browser that closes a page drops its connections in mid-answer.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        super().server_close()
        for connection in list(self._open):
            with suppress(OSError):  # the client may have gone first
                connection.shutdown(socket.SHUT_RDWR)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "demo"
    sys_version = ""
    wbufsize = -1  # buffered: head and short body leave together
    disable_nagle_algorithm = True  # else the last part of a long body waits 40 ms for the client's delayed ACK
    server: Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        ask = Ask(parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)), self.headers)
        answer = unless_known(self.server.answer(ask), ask)
        self.server.record(self.command, self.path, self.headers.get("User-Agent", ""), answer.status)
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.status != 304:
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command == "GET" and answer.status != 304:
            self.wfile.write(answer.body)

    do_HEAD = do_GET  # noqa: N815 - the name is the standard library's

    def log_message(self, format: str, *args: Any) -> None:
        """Hits are recorded, not printed."""


def unless_known(answer: Answer, ask: Ask) -> Answer:
    """The answer with its validators, or 304 where the client's copy is current (RFC 9110, 13.2.2)."""
    if answer.modified is None or answer.status != 200:
        return answer
    etag = f'"{hashlib.blake2b(answer.body, digest_size=8).hexdigest()}"'
    validators = (("ETag", etag), ("Last-Modified", formatdate(answer.modified, usegmt=True)))
    headers = (*answer.headers, *validators)
    status = 304 if is_known(ask, etag, answer.modified) else 200
    return Answer(answer.body, answer.content_type, status, answer.modified, headers)


def is_known(ask: Ask, etag: str, modified: int) -> bool:
    tags = ask.headers.get("If-None-Match")
    if tags is not None:
        return tags.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
    since = ask.headers.get("If-Modified-Since")
    if since is None:
        return False
    try:
        return modified <= parsedate_to_datetime(since).timestamp()
    except ValueError:
        return False
