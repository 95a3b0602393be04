"""Serve pages that misbehave in a browser, each at a path that says how, and see what processes it leaves."""

import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TEXT = "The ferry leaves the old harbour at nine and returns before dark. " * 30

PAGES = {
    "/plain": f"<title>Plain</title><p>{TEXT}</p>",
    # the data takes longer than the DOM has to be quiet
    "/spa": """<title>SPA</title><div id=root></div><script>
        fetch('/slow.json').then(r => r.json()).then(d => { root.innerHTML = `<h1>${d.title}</h1><p>${d.text}</p>` })
        </script>""",
    "/media": f"""<style>@font-face {{ font-family: f; src: url(/font.woff2) }} body {{ font-family: f }}</style>
        <img src=/image.png><video src=/video.mp4 autoplay></video><script src=/script.js></script><p>{TEXT}</p>""",
    "/lazy": f"""<p>{TEXT}</p><div style="height: 9000px"></div><div id=more></div><script>
        new IntersectionObserver(seen => {"{"} if (seen[0].isIntersecting) more.textContent = 'loaded late' {"}"}).observe(more)
        </script>""",
    "/restless": f"<p>{TEXT}</p><ul id=l></ul><script>setInterval(() => l.append('more '), 50)</script>",
    "/loop-after-load": f"<p>{TEXT}</p><script>onload = () => setTimeout(() => {{ while (true); }})</script>",
    "/loop-at-once": f"<p>{TEXT}</p><script>while (true);</script>",
    "/endless-frame": f"<p>{TEXT}</p><iframe src=/endless></iframe>",
    "/endless-script": f"<p>{TEXT}</p><script src=/endless></script><p>never parsed</p>",
    "/endless-poll": f"<p>{TEXT}</p><script>fetch('/endless')</script>",
    "/no-timers": f"<script>window.setTimeout = () => 0; window.MutationObserver = null</script><p>{TEXT}</p>",
    "/popups": f"""<p>{TEXT}</p><script>for (let i = 0; i < 50; i++) window.open('/popup?' + i)</script>
        <a id=a href=/popup target=_blank></a><script>a.click()</script>""",
    "/alerts": f"<script>alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'</script><p>{TEXT}</p>",
    "/closes-itself": f"<p>{TEXT}</p><script>window.close()</script>",
    "/reloads-for-ever": f"<p>{TEXT}</p><script>location.reload()</script>",
    "/huge": "<div id=d></div><script>d.textContent = 'x'.repeat(3e6)</script>",
    "/moves-on": "<script>location.replace('/plain')</script>",
    "/leads-nowhere": "<script>location.replace('http://127.0.0.1:9/')</script>",
    "/wants-204": f"<p>{TEXT}</p><script>location.href = '/no-content'</script>",
    "/starts-download": f"<p>{TEXT}</p><script>location.href = '/attachment'</script>",
    "/held": """<div id=root></div><script>
        fetch('/hold').then(r => r.text()).then(t => { root.innerHTML = `<p>${t}</p>` })</script>""",
    "/agent": "<p id=a></p><script>a.textContent = navigator.userAgent</script>",
    "/button": "<button onclick=\"document.body.append('pressed')\">press</button>",
}
CHALLENGE = """<title>Just a moment...</title><p>Checking your browser before accessing the site.</p><script>
    setTimeout(() => { document.cookie = 'pass=1; path=/; max-age=600'; location.reload() }, 700)</script>"""


class BrowserSite(ThreadingHTTPServer):
    """A server in a thread; `hits` has the times at which each path was asked for."""

    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.hits = defaultdict(list)
        self.headers = {}
        self.hold = threading.Event()
        self.ending = threading.Event()
        self.open_now = self.open_at_most = 0
        self._asked = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def note(self, path, headers):
        with self._asked:
            self.hits[path].append(time.monotonic())
            self.headers[path] = headers
            self._asked.notify_all()

    def wait_for(self, path, seconds=10):
        with self._asked:
            assert self._asked.wait_for(lambda: self.hits[path], seconds), f"{path} was not asked for"

    def handle_error(self, *_):
        """Browsers that are killed hang up."""

    def close(self):
        self.ending.set()
        self.hold.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        self.server.note(path, self.headers)
        if path in PAGES:
            return self.answer(PAGES[path])
        special = getattr(self, "get_" + path.strip("/").replace("-", "_").replace(".", "_"), None)
        if special:
            return special()
        return self.answer("nothing here", status=404)

    def get_slow_json(self):
        time.sleep(0.9)
        self.answer('{"title": "Rendered", "text": "by script"}', kind="application/json")

    def get_slow(self):
        with self.server._asked:
            self.server.open_now += 1
            self.server.open_at_most = max(self.server.open_at_most, self.server.open_now)
        time.sleep(0.2)
        with self.server._asked:
            self.server.open_now -= 1
        self.answer(PAGES["/plain"])

    def get_script_js(self):
        self.answer("", kind="text/javascript")

    def get_hold(self):
        self.server.hold.wait(20)
        self.answer("released", kind="text/plain")

    def get_endless(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.flush()
        self.server.ending.wait(30)
        self.close_connection = True

    def get_attachment(self):
        self.answer("x" * 100_000, kind="application/octet-stream", disposition="attachment; filename=a.bin")

    def get_no_content(self):
        self.send_response(204)
        self.end_headers()

    def get_redirect(self):
        self.send_response(302)
        self.send_header("Location", "/plain")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def get_latin(self):
        self.answer("<p>Ærøskøbing</p>", encoding="latin-1")

    def get_wall(self):
        if "pass=1" in self.headers.get("Cookie", ""):
            return self.answer(PAGES["/plain"])
        return self.answer(CHALLENGE, status=403)

    def get_solid_wall(self):
        self.answer(CHALLENGE.replace("pass=1", "other=1").replace("location.reload()", ""), status=403)

    def answer(self, text, status=200, kind="text/html", encoding="utf-8", disposition=None):
        body = text.encode(encoding)
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset={encoding}")
        self.send_header("Content-Length", str(len(body)))
        if disposition:
            self.send_header("Content-Disposition", disposition)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid):
    """The living processes under one, with their command lines."""
    children = defaultdict(dict)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        if state != "Z":
            children[int(parent)][int(folder.name)] = command
    found, open_pids = {}, [pid]
    while open_pids:
        under = children[open_pids.pop()]
        found |= under
        open_pids += under
    return found
