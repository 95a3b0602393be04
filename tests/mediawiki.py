"""Start a real MediaWiki of our own, with seed pages and switches for misbehaviour."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from mediawiki_pages import IMAGES, MATH, PAGES, generated_pages

HOME = Path("/usr/share/mediawiki")
HERE = Path(__file__).parent
NAMESPACES = {0: "", 3000: "Quest:"}  # the content namespaces of mediawiki_settings.php
# The shell ends the server and its workers when its input ends, so also when the test run is killed.
SERVE = '(php "$@"; kill -9 0) & read -r _; kill -9 0'
API_OFF = (
    b"MediaWiki API is not enabled for this site. Add the following line to your LocalSettings.php"
    b"<pre><b>$wgEnableAPI=true;</b></pre>"
)


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: dict[str, str]


class MediaWiki:
    """A running wiki; what changes it takes effect at once, for the pages that use a template after `run_jobs`."""

    def __init__(self, root, environment):
        self.root = root
        self.environment = environment
        self.api = f"{environment['WIKI_SERVER']}{environment['WIKI_SCRIPT_PATH']}/api.php"
        self._switches = {}
        self._numbers = count(1)

    def url(self, path="/"):
        return self.environment["WIKI_SERVER"] + path

    def page_url(self, title):
        """The address MediaWiki itself gives the page (wfUrlencode)."""
        name = urllib.parse.quote(title.replace(" ", "_"), safe=";@$!*(),/~:")
        return self.url(self.environment["WIKI_ARTICLE_PATH"].replace("$1", name))

    def query(self, **parameters):
        """What api.php answers; neither logged nor slowed or broken by a switch of the web server."""
        asked = {"action": "query", "format": "json", "formatversion": "2", **parameters}
        url = f"{self.api}?{urllib.parse.urlencode(asked)}"
        with urllib.request.urlopen(urllib.request.Request(url, headers={"X-Beside-The-Test": "1"})) as answer:
            return json.load(answer)

    def titles(self):
        """The titles of the content namespaces, each with whether it is a redirect."""
        marks = ",".join("?" * len(NAMESPACES))
        chosen = f"SELECT page_namespace, page_title, page_is_redirect FROM page WHERE page_namespace IN ({marks})"
        with closing(sqlite3.connect(self.root / "data/wiki.sqlite")) as store:
            rows = store.execute(chosen, tuple(NAMESPACES)).fetchall()
        return {NAMESPACES[number] + title.replace("_", " "): bool(redirect) for number, title, redirect in rows}

    def edit(self, title, text):
        self.maintain("edit.php", "--user=Admin", "--summary=test", title, given=text)

    def delete(self, title):
        self.maintain("deleteBatch.php", "-u", "Admin", "-r", "test", given=title + "\n")

    def move(self, title, new_title, *, redirect=True):
        options = [] if redirect else ["--noredirects"]
        self.maintain("moveBatch.php", "--u=Admin", *options, given=f"{title}|{new_title}\n")

    def run_jobs(self):
        self.maintain("runJobs.php")

    def maintain(self, script, *arguments, given=""):
        maintain(self.environment, script, *arguments, given=given)

    def requests(self):
        """What was asked since the last `forget_requests`, in order."""
        try:
            lines = (self.root / "requests.log").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [
            Request(method, self.url(path), {k.lower(): v for k, v in dict(headers).items()})
            for method, path, headers in map(json.loads, lines)
        ]

    def forget_requests(self):
        (self.root / "requests.log").write_bytes(b"")

    def robots(self, text):
        (self.root / "robots.txt").write_text(text, encoding="utf-8")

    def lag(self, seconds):
        """Answers a request with a smaller maxlag as a wiki whose replicas are behind."""
        self._switch(lag=seconds)

    def readonly(self, reason="The database is being moved."):
        self._switch(readonly=reason)

    def private(self, on=True):
        self._switch(private=on)

    def short_answers(self, result_bytes):
        """Answer lists in parts of so many bytes, as one of more than 500 pages comes."""
        self._switch(result_bytes=result_bytes)

    def fault(self, match, *, status=503, headers=None, body=b"", times=None):
        """Answer what the regular expression finds in path and query, `times` times or until `reset`."""
        re.compile(match)
        fault = {
            "number": next(self._numbers),
            "match": match,
            "status": status,
            "headers": {"Content-Type": "text/html; charset=utf-8", **(headers or {})},
            "body": base64.b64encode(body).decode(),
            "times": times,
        }
        self._switch(faults=[*self._switches.get("faults", []), fault])

    def api_off(self, status=500, body=API_OFF):
        """As a wiki without $wgEnableAPI, which is gone since 1.32; 403 and 404 are what web servers say."""
        self.fault(r"/(api|rest)\.php", status=status, body=body)

    def slow(self, match, seconds):
        self._switch(slow=[*self._switches.get("slow", []), [match, seconds]])

    def reset(self):
        """All switches off, no robots.txt, no requests seen. What was edited stays."""
        self._switches = {}
        self._switch()
        (self.root / "robots.txt").unlink(missing_ok=True)
        self.forget_requests()

    def _switch(self, **switches):
        self._switches |= switches
        written = self.root / "switches.json.new"
        written.write_text(json.dumps(self._switches))
        written.replace(self.root / "switches.json")  # at once, for the server may be reading


def find_mediawiki():
    """The version of the MediaWiki installed here, or None."""
    defines = HOME / "includes/Defines.php"
    if not (defines.is_file() and shutil.which("php")):
        return None
    return re.search(r"'MW_VERSION', '([^']+)'", defines.read_text())[1]


def maintain(environment, script, *arguments, given=""):
    done = subprocess.run(
        ["php", HOME / "maintenance" / script, *arguments],
        env=environment, input=given, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    if done.returncode or re.search(r"FAILED|Invalid|Skipping", said):  # the scripts for many pages leave with 0
        raise RuntimeError(f"{script} {arguments}: {said}")


def describe(root, port=80, *, article_path="/wiki/$1", script_path="/w", skin="vector", math="mathml"):
    """The environment that mediawiki_settings.php and mediawiki_router.php read."""
    return {
        **os.environ,
        "MW_CONFIG_FILE": str(HERE / "mediawiki_settings.php"),
        "PHP_CLI_SERVER_WORKERS": "2",
        "WIKI_HOME": str(HOME),
        "WIKI_ROOT": str(root),
        "WIKI_SERVER": f"http://127.0.0.1:{port}",
        "WIKI_ARTICLE_PATH": article_path,
        "WIKI_SCRIPT_PATH": script_path,
        "WIKI_SKIN": skin,
        "WIKI_MATH": math,
    }


def cached_template(extra_pages=0):
    """The folder of a built wiki: made by the first who asks, new when the pages, settings or MediaWiki are."""
    version = find_mediawiki()
    if version is None:
        raise RuntimeError(f"no MediaWiki here: {HOME} or php is missing")
    sources = [HERE / name for name in ("mediawiki.py", "mediawiki_pages.py", "mediawiki_settings.php")]
    parts = [version.encode(), str(extra_pages).encode(), *(source.read_bytes() for source in sources)]
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"wikicrawl-mediawiki-{os.getuid()}-{key}"
    if not folder.is_dir():
        building = Path(tempfile.mkdtemp(prefix="wikicrawl-mediawiki-"))
        build_template(building, extra_pages=extra_pages)
        try:
            building.rename(folder)
        except OSError:  # another test run was faster
            shutil.rmtree(building)
    return folder


def build_template(folder, *, extra_pages=0):
    """A wiki with the seed pages, installed into an empty folder."""
    for name in ("data", "cache", "images", "files"):
        (folder / name).mkdir()
    install = ["--dbtype=sqlite", f"--dbpath={folder}/data", "--dbname=wiki", f"--confpath={folder}"]
    install += ["--server=http://127.0.0.1", "--scriptpath=/w", "--pass=Test-pass-1234567", "Elwynn Wiki", "Admin"]
    maintain(dict(os.environ), "install.php", *install)
    (folder / "LocalSettings.php").unlink()
    with closing(sqlite3.connect(folder / "data/wiki.sqlite")) as store, store:
        _name_other_wikis(store)
        _render_formulas(store)
    for name, image in IMAGES.items():
        (folder / "files" / name).write_bytes(image)
    environment = describe(folder)
    maintain(environment, "importImages.php", "--user=Admin", "--comment=Made for the tests.", folder / "files")
    pages = PAGES | generated_pages(extra_pages)
    maintain(environment, "importDump.php", given=_export(pages))
    maintain(environment, "runJobs.php")
    maintain(environment, "rebuildrecentchanges.php")
    maintain(environment, "initSiteStats.php", "--update")
    # Pages rendered before those they link to were there, and for another address than the copies will have.
    with closing(sqlite3.connect(folder / "data/wikicache.sqlite")) as store, store:
        store.execute("DELETE FROM objectcache WHERE keyname LIKE '%pcache%'")


def _name_other_wikis(store):
    """Without these rows [[de:X]] is a red link and not a page in another language."""
    rows = [(code, f"https://{code}.wiki.example/wiki/$1") for code in ("de", "fr", "ja", "zh-min-nan")]
    columns = "iw_prefix, iw_url, iw_api, iw_wikiid, iw_local, iw_trans"
    store.executemany(f"INSERT INTO interwiki ({columns}) VALUES (?, ?, '', '', 1, 0)", rows)


def _render_formulas(store):
    """Put into the cache of Math what its renderer would, which asks for a network: keyed by the TeX as asked for."""
    table = (HOME / "extensions/Math/sql/sqlite/mathoid.sql").read_text()
    store.executescript(table.replace("/*_*/", ""))
    for tex, elements in MATH.items():
        for asked, shown in _asked_and_shown(tex):
            mathml = (
                f'<math xmlns="http://www.w3.org/1998/Math/MathML" alttext={quoteattr(shown)}><semantics><mrow><mstyle>'
                f'{elements}</mstyle></mrow><annotation encoding="application/x-tex">{escape(shown)}</annotation>'
                "</semantics></math>"
            )
            svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8.9ex" height="2.7ex"/>'
            row = (hashlib.md5(asked.encode()).digest(), asked, shown, mathml, svg)
            columns = "math_inputhash, math_input, math_tex, math_mathml, math_svg"
            store.execute(f"INSERT INTO mathoid ({columns}) VALUES (?, ?, ?, ?, ?)", row)


def _asked_and_shown(tex):
    display, text = f"{{\\displaystyle {tex}}}", f"{{\\textstyle {tex}}}"
    return [(tex, display), (display, display), (text, text)]


def _export(pages):
    """The pages as a dump: yesterday's, for recentchanges forgets what is older than 90 days."""
    now = datetime.now(UTC)
    # The installer made its own Main Page a moment ago; the latest revision is the page.
    times = {title: now + timedelta(seconds=1) if title == "Main Page" else now - timedelta(days=1) for title in pages}
    revisions = (
        f"<page><title>{escape(title)}</title><revision><timestamp>{times[title]:%Y-%m-%dT%H:%M:%SZ}</timestamp>"
        "<contributor><username>Admin</username></contributor><model>wikitext</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>'
        for title, text in pages.items()
    )
    head = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
    return head + "".join(revisions) + "</mediawiki>"


@contextmanager
def running_wiki(template, folder, **layout):
    """A copy of the template, served as `describe` is told; `folder` must not exist yet."""
    shutil.copytree(template, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = describe(folder, port, **layout)
    # MediaWiki compresses its answers itself, unless PHP already buffers them.
    options = ["opcache.enable_cli=1", "opcache.validate_timestamps=0", "output_buffering=0"]
    served = [*(f"-d{option}" for option in options), "-S", f"127.0.0.1:{port}", HERE / "mediawiki_router.php"]
    log = folder / "server.log"
    with (
        open(log, "wb") as written,
        subprocess.Popen(
            ["sh", "-c", SERVE, "sh", *served],
            env=environment, stdin=subprocess.PIPE, stdout=written, stderr=written, start_new_session=True,
        ) as server,
    ):  # fmt: skip
        try:
            _wait_for(port, server, log)
            yield MediaWiki(folder, environment)
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)


def _wait_for(port, server, log):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError(f"the wiki did not start: {log.read_text()}")
