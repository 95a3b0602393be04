"""A local HTTP proxy that wants a name and a password, and remembers what was asked through it."""

import threading
import urllib.error
import urllib.request
from base64 import b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
PASSED_ON = ("Content-Type", "Retry-After")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.headers["Proxy-Authorization"] != self.server.credentials:
            self.answer(407, b"", {"Proxy-Authenticate": 'Basic realm="proxy"'})
            return
        self.server.asked.append(self.path)
        request = urllib.request.Request(
            self.path, headers={"User-Agent": self.headers["User-Agent"], "Via": "1.1 test"}
        )
        try:
            with DIRECT.open(request, timeout=10) as response:
                self.answer(response.status, response.read(), response.headers)
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read(), error.headers)

    def answer(self, status, body, headers):
        self.send_response(status)
        for name in (*PASSED_ON, "Proxy-Authenticate"):
            if headers.get(name):
                self.send_header(name, headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def forward_proxy(user, password):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as proxy:
        proxy.daemon_threads, proxy.block_on_close, proxy.asked = True, False, []
        proxy.credentials = "Basic " + b64encode(f"{user}:{password}".encode()).decode()
        proxy.url = f"http://{user}:{password}@127.0.0.1:{proxy.server_port}"
        thread = threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
