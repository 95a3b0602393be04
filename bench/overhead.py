"""CPU per page of `scrapy crawl site` with everything on, against bare Scrapy without and with inline extraction.

    .venv/bin/python bench/overhead.py [--pages 300] [--rounds 3]

The pages are shaped like the median of 480 real ones: about 1,000 elements, 150 links, 80 list items, 1,800 words.
One run fetches the same static pages from a server in another process by: (a) a bare Scrapy spider; (b) `scrapy crawl
site`; (c) a bare spider that runs readability-lxml and markdownify in its callback. CPU is user + system time of the
crawl and all its child processes, start-up included; the server's is not counted. Baseline of the ratios: (c).
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PR_SET_CHILD_SUBREAPER = 36
LABELS = {
    "bare": "(a) bare Scrapy",
    "site": "(b) scrapy crawl site",
    "inline": "(c) Scrapy + readability + markdownify",
}

SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from wikicrawl.demo.words import Prose
count = int(sys.argv[1])

def link(prose, text):
    return f"<a class='link link--plain' href='/p/{prose.random.randrange(count)}'><span>{text}</span></a>"

def words(prose):
    return prose.sentence()[:20]

def page(number):
    prose = Prose("news", str(number))
    menu = "".join(f"<li class='menu__item'>{link(prose, prose.sentence()[:18])}</li>" for _ in range(50))
    sections = []
    for part in range(8):
        texts = [f"<p class='text'>{text} {link(prose, 'more')} <em>etc.</em></p>" for text in prose.paragraphs(4)]
        points = "".join(f"<li><strong>{words(prose)}</strong> {link(prose, 'see')}</li>" for _ in range(4))
        cells = "".join(f"<tr><td>{words(prose)}</td><td>{words(prose)}</td></tr>" for _ in range(6))
        sections.append(f"<section class='part'><div class='part__inner'><h2 id='s{part}'>{prose.sentence()[:40]}</h2>"
                        f"{''.join(texts)}<ul>{points}</ul><table>{cells}</table></div></section>")
    cards = "".join(f"<div class='card'><div class='card__body'><h3>{link(prose, prose.sentence()[:30])}</h3>"
                    f"<p>{prose.sentence()}</p></div></div>" for _ in range(25))
    onward = "".join(link(prose, f"Page {n}") for n in range(number, number + 10) if n < count)
    return (f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Page {number}</title>"
            f"<style>{'.part{margin:1em} ' * 200}</style></head><body><header><nav><ul>{menu}</ul></nav></header>"
            f"<main><article><h1>Page {number}</h1>{''.join(sections)}</article></main>"
            f"<aside>{cards}</aside><footer>{onward}</footer></body></html>").encode()

pages = [page(number) for number in range(count)]
print(sum(map(len, pages)) // count, file=sys.stderr)

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        number = self.path.removeprefix("/p/")
        found = number.isdigit() and int(number) < count
        body = pages[int(number)] if found else b"no"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""

SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

base, count, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]

class Bare(scrapy.Spider):
    name = "bare"
    async def start(self):
        for number in range(count):
            yield scrapy.Request(f"{base}p/{number}")
    def parse(self, response):
        if mode == "inline":
            from markdownify import markdownify
            from readability import Document
            document = Document(response.text)
            yield {"url": response.url, "title": document.title(), "markdown": markdownify(document.summary())}
        else:
            yield {"url": response.url, "bytes": len(response.body)}

process = CrawlerProcess({"LOG_LEVEL": "WARNING", "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "TELNETCONSOLE_ENABLED": False,
                          "REMOTE_CONTROL_ENABLED": False, "FEEDS": {sys.argv[4]: {"format": "jsonlines"}}})
process.crawl(Bare)
process.start()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many runs is shown")
    options = parser.parse_args()
    # Workers whose parent has gone become our children, so that their CPU is counted, too.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(options.pages)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stderr is not None
    try:
        base = f"http://127.0.0.1:{int(server.stdout.readline())}/"
        size = int(server.stderr.readline())
        measure("site", base, 1)  # compiles the modules
        # In turns, so that a busy minute of the machine does not fall to one of them.
        rounds = [{name: measure(name, base, options.pages) for name in LABELS} for _ in range(options.rounds)]
    finally:
        server.kill()
        server.wait()
    print(f"{options.pages} static pages of {size / 1000:.0f} kB; CPU ms per page, start-up included; medians")
    for name, label in LABELS.items():
        cost = statistics.median(row[name] for row in rounds)
        ratio = statistics.median(row[name] / row["inline"] for row in rounds)
        print(f"{label:<40} {cost:7.1f}   {ratio:.2f} × (c)")


def measure(name: str, base: str, pages: int) -> float:
    """CPU ms per page of one crawl."""
    with tempfile.TemporaryDirectory() as folder:
        feed = Path(folder, "pages.jsonl")
        before = children_cpu()
        subprocess.run(command(name, base, pages, feed), cwd=ROOT, env=environment(folder), check=True)
        reap_orphans()
        spent = children_cpu() - before
        count = sum(1 for _ in feed.open())
    if not pages <= count <= pages + 1:
        raise SystemExit(f"{name}: {count} pages instead of {pages}")
    return spent / pages * 1000


def command(name: str, base: str, pages: int, feed: Path) -> list[str]:
    if name != "site":
        return [sys.executable, "-c", textwrap.dedent(SPIDER), base, str(pages), name, str(feed)]
    arguments = {"url": f"{base}p/0", "max_pages": pages, "max_depth": 1000, "sitemap": "false"}
    settings = {
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "LOG_LEVEL": "WARNING",
        "PROGRESS_ENABLED": 0,
    }
    given = [part for key, value in arguments.items() for part in ("-a", f"{key}={value}")]
    given += [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    return [sys.executable, "-m", "scrapy", "crawl", "site", *given, "-O", str(feed)]


def environment(folder: str) -> dict[str, str]:
    # Compiled modules are kept, as they are for every user; some build machines forbid it.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "WIKICRAWL_STORE_URL": f"sqlite:///{folder}/store.db"}


def children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reap_orphans() -> None:
    """Wait until the server is our only child."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while len(children.read_text().split()) > 1:
        os.waitpid(-1, os.WNOHANG)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
