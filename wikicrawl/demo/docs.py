"""A software manual's site: sidebar, breadcrumbs, code, tables, notes, and one page that robots.txt forbids."""

from __future__ import annotations

from html import escape
from itertools import pairwise

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

SECTIONS = {
    "Getting started": ("Quickstart", "Installation", "Your first topic", "Configuration file", "Command line"),
    "Guides": (
        "Retry failed messages",
        "Order within a topic",
        "Back-pressure",
        "Schedule a message",
        "Encrypt the wire",
        "Write a consumer in Python",
        "Test without a broker",
    ),
    "Concepts": ("Leases and receipts", "The ledger", "Consumer groups", "Delivery promises", "Clocks"),
    "Reference": (
        "Client API",
        "Broker settings",
        "Router settings",
        "Wire format",
        "Metrics",
        "Error codes",
        "Environment variables",
    ),
    "Operations": (
        "Upgrade in place",
        "Back up the ledger",
        "Watch a cluster",
        "Plan for capacity",
        "When a disk fills",
    ),
    "Releases": ("Version 2.1", "Version 2.0", "Version 1.9"),
}
TOPICS = {
    f"/docs/{slug(section)}/{slug(topic)}/": (section, topic)
    for section, topics in SECTIONS.items()
    for topic in topics
}
INDEXES = {f"/docs/{slug(section)}/": section for section in SECTIONS}
OTHERS = {"/": "Tidegate manual", "/search": "Search the manual", "/1.x/": "Version 1.x"}
OLD = {"/docs/quickstart.html": "/docs/getting-started/quickstart/"}
PRIVATE = "/private/roadmap/"

CSS = """
body{margin:0;font:16px/1.6 system-ui,sans-serif;color:#1d2733}a{color:#0b62a8;text-decoration:none}
.topbar{display:flex;gap:1.2rem;align-items:center;padding:.6rem 1.2rem;background:#12324a;color:#fff}
.topbar a{color:#fff;margin-right:.5rem}.topbar .brand{font-weight:700}.topbar form{margin-left:auto}
.wrap{display:grid;grid-template-columns:15rem minmax(0,46rem) 11rem;gap:2rem;padding:1rem 1.2rem}
.sidebar,.toc{font-size:.86rem}.sidebar h3{margin:.9rem 0 .2rem;font-size:.8rem;color:#5b6b7b}
.sidebar ul,.toc ul{list-style:none;margin:0;padding:0}.current{font-weight:700}
pre{background:#f3f6f9;padding:.8rem;overflow:auto;border-radius:4px}code{font-family:ui-monospace,monospace;font-size:.88em}
.admonition{border-left:4px solid #d59b00;background:#fff8e5;padding:.4rem 1rem;margin:1rem 0}
.admonition-title{font-weight:700;margin:.2rem 0}.headerlink{color:#b7c2cd;margin-left:.4rem}
table{border-collapse:collapse}th,td{border:1px solid #d6dee6;padding:.35rem .6rem;text-align:left}
.prev-next{display:flex;justify-content:space-between;border-top:1px solid #d6dee6;padding-top:.8rem}
footer{padding:1rem 1.2rem;border-top:1px solid #d6dee6;font-size:.85rem;color:#5b6b7b}
@media (max-width:60rem){.wrap{display:block}}
"""

CODE = {
    "python": """from tidegate import Client

client = Client("tcp://127.0.0.1:{n}", group="{word}")
for message in client.follow("{word}.events", prefetch={k}):
    if message.attempt > 3:
        message.park(reason="too many attempts")
        continue
    store(message.body)
    message.acknowledge()
""",
    "bash": """$ tidegate topic create {word} --replicas {k}
created {word} with {k} replicas
$ tidegate send {word} --file backlog.jsonl
sent {n} messages in 1.{k} s
""",
    "yaml": """broker:
  listen: 127.0.0.1:{n}
  retention: {k}d
topics:
  - name: {word}
    # one ledger per replica
    replicas: {k}
""",
    "json": """{{
  "topic": "{word}",
  "sequence": {n},
  "attempt": {k},
  "headers": {{"trace": null, "urgent": false}}
}}
""",
    "toml": """[router]
name = "{word}"
port = {n}
peers = ["10.0.0.{k}", "10.0.1.{k}"]
""",
}
WORDS = ("orders", "invoices", "readings", "parcels", "alerts", "tickets")
OPTIONS = ("listen", "retention", "prefetch", "lease_seconds", "max_attempts", "segment_bytes", "log_level", "peers")
HEADINGS = ("Before you begin", "How it works", "Example", "Options", "Limits", "What can go wrong", "See also")


def pages() -> dict[str, int]:
    return dict.fromkeys((*OTHERS, *INDEXES, *TOPICS), BUILT)


def answer(site: Site, ask: Ask) -> Answer:
    path = ask.path
    if path in site.born:
        return page(site, path, lambda: render(site, path))
    if path in OLD:
        return moved(site, OLD[path])
    if path == "/robots.txt":
        return robots(site, "Disallow: /private/")
    if path == "/sitemap.xml":
        return Answer(sitemap_xml(site, ("/", *INDEXES, *TOPICS)), XML)
    if path == PRIVATE:
        return Answer(frame("Roadmap", path, paragraphs("What we have not promised yet.")).encode())
    return missing(frame("Page not found", path, paragraphs("The manual has no such page.")))


def render(site: Site, path: str) -> str:
    prose, fact = Prose(site.name, path), site.fact(path)
    if path in TOPICS:
        return frame(TOPICS[path][1], path, topic(path, prose, fact))
    if path in INDEXES:
        section = INDEXES[path]
        return frame(section, path, paragraphs(f"{prose.paragraph(2)} {fact}") + listing(section, prose))
    if path == "/":
        start = "".join(f"<h2>{section}</h2>{listing(section, prose)}" for section in SECTIONS)
        old = '<p>Bookmarks to the <a href="/docs/quickstart.html">old quickstart</a> still work.</p>'
        return frame(OTHERS[path], path, paragraphs(f"{prose.paragraph(3)} {fact}") + start + old)
    return frame(OTHERS[path], path, paragraphs(prose.paragraph(2), fact))


def frame(title: str, path: str, content: str) -> str:
    links = [(section, f"/docs/{slug(section)}/") for section in SECTIONS]
    sidebar = "".join(f'<h3><a href="{href}">{section}</a></h3>{menu(section, path)}' for section, href in links)
    return document(
        f"{title} — Tidegate 2.1",
        '<header class="topbar"><a class="brand" href="/">Tidegate</a>'
        '<nav class="version-switcher" aria-label="Version"><a href="/" aria-current="true">2.1</a> '
        '<a href="/1.x/">1.x</a></nav><form action="/search" method="get" role="search">'
        '<input type="search" name="q" placeholder="Search the manual" aria-label="Search"></form></header>\n'
        f'<div class="wrap"><nav class="sidebar" aria-label="Manual">{sidebar}</nav>\n'
        f"<main><article>{breadcrumbs(path)}<h1>{escape(title)}"
        f'<a class="headerlink" href="#" title="Link here">¶</a></h1>\n{content}</article></main>\n'
        f"{contents(content)}</div>\n"
        f'<footer>© The Tidegate authors. <a href="{PRIVATE}">Roadmap</a> · '
        '<a href="https://code.example/tidegate">Source</a></footer>',
        css=CSS,
        head='<meta name="description" content="Manual of Tidegate, a small message broker.">\n',
    )


def menu(section: str, current: str) -> str:
    paths = [(path, name) for path, (owner, name) in TOPICS.items() if owner == section]
    marks = {current: ' class="current" aria-current="page"'}
    items = "".join(f'<li><a href="{path}"{marks.get(path, "")}>{escape(name)}</a></li>' for path, name in paths)
    return f"<ul>{items}</ul>"


def listing(section: str, prose: Prose) -> str:
    paths = [(path, name) for path, (owner, name) in TOPICS.items() if owner == section]
    items = "".join(
        f'<li><a href="{path}">{escape(name)}</a>: {escape(prose.sentence())}</li>\n' for path, name in paths
    )
    return f"<ul>\n{items}</ul>\n"


def breadcrumbs(path: str) -> str:
    if path not in TOPICS:
        return ""
    section, name = TOPICS[path]
    return (
        '<nav aria-label="Breadcrumb"><ol class="breadcrumb" style="display:flex;gap:.5rem;list-style:none;padding:0">'
        f'<li><a href="/">Manual</a> ›</li><li><a href="/docs/{slug(section)}/">{section}</a> ›</li>'
        f'<li aria-current="page">{escape(name)}</li></ol></nav>'
    )


def contents(content: str) -> str:
    found = [heading for heading in HEADINGS if f'id="{slug(heading)}"' in content]
    items = "".join(f'<li><a href="#{slug(heading)}">{heading}</a></li>' for heading in found)
    return f'<aside class="toc" aria-label="On this page"><ul>{items}</ul></aside>'


def topic(path: str, prose: Prose, fact: str) -> str:
    blocks = [f"{paragraphs(prose.paragraph(3), f'{fact} {prose.paragraph(2)}')}"]
    for heading in sorted(prose.random.sample(HEADINGS[:6], 4), key=HEADINGS.index):
        blocks.append(f'<h2 id="{slug(heading)}">{heading}<a class="headerlink" href="#{slug(heading)}">¶</a></h2>\n')
        blocks.append(paragraphs(prose.paragraph(prose.random.randint(2, 4))))
        blocks.append({"Example": code, "Options": options, "Limits": admonition}.get(heading, code)(prose))
    return "".join(blocks) + neighbours(path)


def code(prose: Prose) -> str:
    random = prose.random
    language = random.choice(sorted(CODE))
    text = CODE[language].format(n=random.randint(1024, 9999), k=random.randint(2, 9), word=random.choice(WORDS))
    return f'<pre><code class="language-{language}">{escape(text, quote=False)}</code></pre>\n'


def options(prose: Prose) -> str:
    rows = "".join(
        f"<tr><td><code>{option}</code></td><td>{prose.random.randint(1, 600)}</td>"
        f"<td>{escape(prose.sentence())}</td></tr>\n"
        for option in prose.random.sample(OPTIONS, 4)
    )
    head = "<thead><tr><th>Option</th><th>Default</th><th>Meaning</th></tr></thead>"
    return f"<table>{head}\n<tbody>{rows}</tbody></table>\n"


def admonition(prose: Prose) -> str:
    kind = prose.random.choice(("note", "warning", "tip"))
    return (
        f'<div class="admonition {kind}"><p class="admonition-title">{kind.title()}</p>'
        f"<p>{escape(prose.say('admonition'))}</p></div>\n"
    )


def neighbours(path: str) -> str:
    before = {later: earlier for earlier, later in pairwise(TOPICS)}
    after = dict(pairwise(TOPICS))
    links = [
        f'<a rel="{rel}" href="{near[path]}">{arrow} {escape(TOPICS[near[path]][1])}</a>'
        if path in near
        else "<span></span>"
        for rel, arrow, near in (("prev", "←", before), ("next", "→", after))
    ]
    return f'<nav class="prev-next" aria-label="Pages in order">{"".join(links)}</nav>'
