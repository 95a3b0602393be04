"""A local site whose paths are named by how they misbehave."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = "The ferry leaves at nine and returns before dusk unless the wind turns to the north. "
SHELL = '<!doctype html><title>App</title><body><div id="root"></div><script src="/static/app.js"></script></body>'


def page(title, text="", links=()):
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<!doctype html><html lang=en><title>{title}</title><main><h1>{title}</h1><p>{text or WORDS * 8}</p><ul>{anchors}</ul></main>"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.hits.append((self.path, self.headers.get("User-Agent", "")))
            self.server.times.append(time.monotonic())
        path = self.path.partition("?")[0].strip("/")
        answer = getattr(self, "get_" + (path.partition("/")[0] or "home").replace("-", "_").replace(".", "_"), None)
        if answer is None:
            self.send(404, page("No such page"))
        else:
            answer()

    def send(self, status, text, content_type="text/html; charset=utf-8", **headers):
        body = text if isinstance(text, bytes) else text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def get_home(self):
        self.send(200, page("Home", links=self.server.links))

    def get_article(self):
        self.send(200, page("Article " + self.path))

    def get_pdf(self):
        self.send(200, b"%PDF-1.7 ...", "application/pdf")

    def get_gone(self):
        self.send(410, page("Gone"))

    def get_throttled(self):
        self.send(429, page("Slow down"), Retry_After=1)

    def get_broken(self):
        self.send(500, page("Oops"))

    def get_forbidden(self):
        self.send(403, page("Forbidden", "You may not see this."))

    def get_self_redirect(self):
        if "seen=1" in self.headers.get("Cookie", ""):
            self.send(200, page("Welcome back"))
        else:
            self.send(302, "", Location=self.path, Set_Cookie="seen=1; Path=/")

    def get_old(self):
        self.send(301, "", Location="/article/new-place")

    def get_elsewhere(self):
        self.send(302, "", Location="http://localhost:1/")

    def get_loop(self):
        self.send(302, "", Location=f"/loop/{int(self.path.rpartition('/')[2] or 0) + 1}")

    def get_large(self):
        self.send(200, page("Large", "x" * 3_000_000))

    def get_slow_to_read(self):
        self.send(200, page("Slow", "<p>word</p>" * 100_000))

    def get_cut(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(page("Cut").encode())
        self.close_connection = True

    def get_empty(self):
        self.send(200, "<!doctype html><title>Nothing</title><body></body>")

    def get_shell(self):
        self.send(200, SHELL)

    def get_static(self):
        self.send(200, "", "text/javascript")

    def get_odd_bytes(self):
        self.send(
            200, b"<title>a\x00b \xed\xa0\x80</title><main><p>=SUM(1) " + b"\x00\x01\xff bytes " * 40 + b"</p></main>"
        )

    def get_robots_txt(self):
        self.send(200, "User-agent: *\nDisallow: /forbidden-by-robots\n", "text/plain")

    def log_message(self, *args):
        pass


@contextmanager
def odd_site(*links, address="127.0.0.1"):
    server = ThreadingHTTPServer((address, 0), Handler)
    server.links, server.hits, server.times, server.lock = links, [], [], threading.Lock()
    server.url = f"http://{address}:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
