"""A members' library that answers 403 until a script has worked out a token and set it as a cookie."""

from __future__ import annotations

import hashlib
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from wikicrawl.demo.site import (
    BUILT,
    XML,
    Answer,
    Ask,
    Site,
    document,
    missing,
    moved,
    page,
    paragraphs,
    robots,
    sitemap_xml,
)
from wikicrawl.demo.words import Prose, slug

BOOKS = (
    "A Pilot for the Sallow Estuary",
    "The Moss Herbal",
    "Sermons Preached in a Gale",
    "An Atlas of Drowned Roads",
    "Grammar of the Fen Tongue",
    "Log of the Brig Constance",
)
TITLES = {
    "/": "Tarn Street Library",
    "/catalogue/": "Catalogue",
    "/hours/": "Opening hours",
    "/membership/": "Membership",
    "/readings/": "Readings",
    "/rules/": "House rules",
} | {f"/catalogue/{slug(book)}/": book for book in BOOKS}
MENU = ("/catalogue/", "/hours/", "/membership/", "/readings/", "/rules/")
HOURS = {"Monday": 9, "Tuesday": 9, "Wednesday": 11, "Thursday": 9, "Friday": 10, "Saturday": 10}
OLD = {"/books/": "/catalogue/"}

CSS = """
body{margin:0;font:17px/1.6 Garamond,Georgia,serif;color:#2a2530;background:#f4f1ea}a{color:#4b2e6b}
header,footer{padding:1rem 6vw;background:#2f2340;color:#f4f1ea}header a,footer a{color:#f4f1ea;margin-right:1rem}
main{max-width:42rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{padding:.3rem .8rem;text-align:left}
"""
# Proof of work: the script looks for a number whose FNV-1a hash with the nonce ends in twelve zero bits.
# 4,096 tries on average are a few milliseconds in a browser.
WORK_BITS = 12
CHALLENGE_SCRIPT = """<script>
const hash = text => {
  let value = 2166136261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
};
let token = 0;
while (hash("%(nonce)s:" + token) %% %(modulus)d) token++;
document.cookie = "%(cookie)s=" + token + "; path=/; max-age=86400; SameSite=Lax";
if (document.cookie) location.reload();
</script>"""


def pages() -> dict[str, int]:
    return dict.fromkeys(TITLES, BUILT)


def answer(site: Site, ask: Ask) -> Answer:
    path = ask.path
    if path == "/robots.txt":
        return robots(site)
    if not is_admitted(site, ask):
        return challenge(site, ask)
    if path in site.born:
        return page(site, path, lambda: render(site, path))
    if path in OLD:
        return moved(site, OLD[path])
    if path == "/sitemap.xml":
        return Answer(sitemap_xml(site, TITLES), XML)
    return missing(frame("Not found", paragraphs("This shelf is empty.")))


def cookie_name(site: Site) -> str:
    # Cookies know no ports: another site on this host must not share the name.
    return f"wall_{urlsplit(site.base).port}"


def nonce(site: Site, ask: Ask) -> str:
    """Bound to the User-Agent, as real walls bind theirs: the token is worth nothing to another client."""
    return hashlib.blake2b(f"{site.base} {ask.headers.get('User-Agent')}".encode(), digest_size=8).hexdigest()


def fnv1a(text: str) -> int:
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


def is_admitted(site: Site, ask: Ask) -> bool:
    try:
        token = SimpleCookie(ask.headers.get("Cookie", "")).get(cookie_name(site))
    except CookieError:
        return False
    return token is not None and fnv1a(f"{nonce(site, ask)}:{token.value}") % 2**WORK_BITS == 0


def challenge(site: Site, ask: Ask) -> Answer:
    fills = {"nonce": nonce(site, ask), "modulus": 2**WORK_BITS, "cookie": cookie_name(site)}
    body = (
        "<main><h1>One moment, please</h1><p>We are making sure that you are a reader.</p>"
        "<noscript><p>Please switch on JavaScript and cookies to enter the library.</p></noscript></main>"
    )
    html = document("One moment, please", body + CHALLENGE_SCRIPT % fills, css=CSS)
    return Answer(html.encode(), status=403, headers=(("Cache-Control", "no-store"),))


def render(site: Site, path: str) -> str:
    prose, fact = Prose(site.name, path), site.fact(path)
    body = paragraphs(prose.paragraph(3), f"{fact} {prose.paragraph(2)}")
    if path in ("/", "/catalogue/"):
        books = "".join(f'<li><a href="/catalogue/{slug(book)}/">{escape(book)}</a></li>\n' for book in BOOKS)
        body += f"<h2>On the shelves</h2><ul>{books}</ul>"
    if path == "/hours/":
        days = "".join(f"<tr><th>{day}</th><td>{opens} to {opens + 8}</td></tr>" for day, opens in HOURS.items())
        body += f"<table>{days}</table>"
    if path == "/rules/":
        body += '<p>Cards from before the move to the <a href="/books/">old catalogue</a> remain good.</p>'
    return frame(TITLES[path], body)


def frame(title: str, content: str) -> str:
    menu = "".join(f'<a href="{path}">{TITLES[path]}</a>' for path in MENU)
    return document(
        f"{title} · Tarn Street Library",
        f'<header><a href="/"><strong>Tarn Street Library</strong></a><nav>{menu}</nav></header>\n'
        f"<main><h1>{escape(title)}</h1>\n{content}</main>\n"
        "<footer>Members only. Founded in a back room, kept in a good one.</footer>",
        css=CSS,
    )
