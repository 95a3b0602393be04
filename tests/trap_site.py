"""Local sites that go on for ever, and honest ones that only look so."""

import random
import re
import secrets
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qi",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "zu",
]
REAL = 200


def prose(key, words=60):
    """Sentences that no other key gives."""
    dice = random.Random(str(key))
    made = ["".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))) for _ in range(words)]
    return ". ".join(" ".join(made[start : start + 10]).capitalize() for start in range(0, words, 10)) + "."


def page(title, body="", links=(), head="", footer=()):
    anchors = "".join(f'<li><a href="{link}">{text}</a></li>' for link, text in links)
    foot = "".join(f'<a href="{link}">{text}</a> ' for link, text in footer)
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>"
        f"<p>{body}</p><ul>{anchors}</ul></main><footer>{foot}</footer></body></html>"
    )


def real(number):
    return page(f"Story of {prose(number, 3)}", prose(number))


class Site:
    """`answer(path, query)` gives a page's HTML, or None where there is none; beside it stand 200 real pages."""

    def __init__(self, answer, entrance, real_pages=REAL):
        self.answer, self.entrance, self.real_pages = answer, entrance, real_pages
        self.hits, self.lock = [], threading.Lock()

    def get(self, target):
        url = urlsplit(target)
        if url.path == "/" and not url.query:
            links = [(f"/list/{number}", f"Shelf {number}") for number in range(1, 1 + self.real_pages // 20)]
            return page("Home", prose("home"), [*links, *((link, "More") for link in self.entrance)])
        if found := re.fullmatch(r"/list/(\d+)", url.path):
            first = 20 * int(found[1]) - 19
            links = [(f"/real/{number}", prose(number, 3)) for number in range(first, first + 20)]
            return page(f"Shelf {prose(url.path, 2)}", prose(url.path), links)
        if found := re.fullmatch(r"/real/(\d+)", url.path):
            return real(int(found[1])) if int(found[1]) <= self.real_pages else None
        return self.answer(url.path, parse_qsl(url.query))

    def asked(self, pattern):
        return [hit for hit in self.hits if re.match(pattern, hit)]


@contextmanager
def serving(site):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            with site.lock:
                site.hits.append(self.path)
            answer = None if self.path == "/robots.txt" else site.get(self.path)
            if isinstance(answer, tuple):  # a redirect
                self.send(301, "", Location=answer[0])
            else:
                self.send(404 if answer is None else 200, answer or page("No such page"))

        def send(self, status, text, **headers):
            body = text.encode()
            kind = "application/xml" if text.startswith("<?xml") else "text/html; charset=utf-8"
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": len(body), **headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# traps

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def calendar(path, query):
    """A page for every month and day there will ever be, all without an event."""
    found = re.fullmatch(r"/calendar/(\d+)/(\d+)(?:/(\d+))?", path)
    if not found:
        return None
    year, month, day = int(found[1]), int(found[2]), found[3]
    after, before = (year + month // 12, month % 12 + 1), (year - (month == 1), (month - 2) % 12 + 1)
    links = [(f"/calendar/{y}/{m:02}", f"{MONTHS[m - 1]} {y}") for y, m in (before, after)]
    if not day:
        links += [(f"/calendar/{year}/{month:02}/{number:02}", str(number)) for number in range(1, 29)]
    title = f"{day or ''} {MONTHS[month - 1]} {year}".strip()
    return page(title, "There are no events in this period. Use the links to go on to another one.", links)


SHOWN = {f"item-{number}": prose(f"item-{number}", 40) for number in range(1, 13)}


def session_in_query(path, query):
    """Twelve pages, whose links carry a new visitor's id every time."""
    visitor = secrets.token_hex(5)
    name = path.removeprefix("/shop/")
    if not path.startswith("/shop/") or (name not in SHOWN and name != "start"):
        return None
    links = [(f"/shop/{item}?visitor={visitor}", prose(item, 2)) for item in SHOWN]
    return page(prose(name, 2), SHOWN.get(name, "Our whole range at a glance for you."), links)


def session_in_path(path, query):
    found = re.fullmatch(r"/in/([0-9a-f]+)/([\w-]+)", path)
    if not found or (found[2] not in SHOWN and found[2] != "start"):
        return None
    links = [(f"/in/{secrets.token_hex(8)}/{item}", prose(item, 2)) for item in SHOWN]
    return page(prose(found[2], 2), SHOWN.get(found[2], "Our whole range at a glance for you."), links)


def growing(path, query):
    """Relative links that were meant to be absolute."""
    if not path.startswith("/company/"):
        return None
    words = ["about", "team", "jobs"]
    return page("Our company", prose("company"), [(f"{word}/", word) for word in words])


FACETS = {
    "brand": ["acme", "bolt", "cora", "dune"],
    "color": ["red", "green", "blue", "black"],
    "fit": ["slim", "wide"],
    "order": ["price", "name", "age"],
    "size": ["small", "medium", "large"],
}
GOODS = [prose(f"good-{number}", 8) for number in range(30)]


def facets(path, query):
    """One list of goods, narrowed by any combination of facets in any order."""
    if path != "/goods":
        return None
    chosen = dict(query)
    goods = [good for number, good in enumerate(GOODS) if (number + len(str(sorted(query)))) % (1 + len(chosen)) == 0]
    links = []
    for name, values in FACETS.items():
        for value in values:
            pairs = [*((key, kept) for key, kept in query if key != name), (name, value)]
            random.shuffle(pairs)
            links.append(("/goods?" + "&amp;".join(f"{key}={kept}" for key, kept in pairs), f"{name} {value}"))
    heading = "Goods " + " ".join(f"{key} {value}" for key, value in sorted(query))
    return page(heading, "<br>".join(goods), links)


def endless_pages(path, query):
    """Ten pages of a list, and the tenth again for every further number."""
    if path != "/archive-list":
        return None
    number = int(dict(query).get("page", 1))
    shown = min(number, 10)
    links = [(f"/archive-list?page={number + 1}", "Next")]
    return page("The list", "<br>".join(prose(f"entry {shown} {row}", 12) for row in range(10)), links)


# honest


def honest_pages(path, query):
    """A hundred and fifty pages of a list, each with its own entries."""
    number = int(dict(query).get("page", 1))
    if path != "/entries" or number > 150:
        return None
    links = [(f"/entries?page={number + 1}", "Next")] if number < 150 else []
    return page("Entries", "<br>".join(prose(f"honest {number} {row}", 8) for row in range(5)), links)


def honest_articles(path, query):
    """Three hundred articles by date, each with a link to the next."""
    found = re.fullmatch(r"/news/(\d+)/(\d+)/(\d+)", path)
    if not found:
        return None
    number = int(found[3])
    year, month = 2020 + number // 100, 1 + number % 12
    if number > 300 or (int(found[1]), int(found[2])) != (year, month):
        return None
    following = number + 1
    link = f"/news/{2020 + following // 100}/{1 + following % 12:02}/{following}"
    return page(prose(f"headline {number}", 5), prose(f"article {number}"), [(link, "Next")] if number < 300 else [])


def honest_docs(path, query):
    """Forty chapters in three versions, which differ in hardly more than the number of the version."""
    found = re.fullmatch(r"/docs/(\d)\.0/chapter-(\d+)", path)
    if not found or int(found[1]) > 3 or int(found[2]) > 40:
        return None
    version, chapter = found[1], int(found[2])
    links = [(f"/docs/{version}.0/chapter-{other}", f"Chapter {other}") for other in range(1, 41)]
    links += [(f"/docs/{other}.0/chapter-{chapter}", f"Version {other}.0") for other in range(1, 4)]
    return page(prose(f"chapter {chapter}", 3), f"Version {version}.0. " + prose(f"chapter text {chapter}"), links)
