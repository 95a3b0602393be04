"""A local newspaper's site: articles, a paged index, archives, tags, authors, feeds and gzipped sitemaps."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import formatdate
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from wikicrawl.demo import images
from wikicrawl.demo.site import (
    BUILT,
    XML,
    Answer,
    Ask,
    Site,
    document,
    iso,
    missing,
    moved,
    page,
    paragraphs,
    robots,
    sitemap_xml,
)
from wikicrawl.demo.words import COMMON, Prose, slug

if TYPE_CHECKING:
    from collections.abc import Iterable

PER_PAGE = 10
TAGS = ("harbour", "schools", "roads", "council", "history", "weather", "trade", "letters")
AUTHORS = ("Hester Marrack", "Idris Pascoe", "Leonie Garrow", "Silas Whitlock", "Verity Inskip")
ABOUT = {"/about/": "About the Courier", "/archive/": "Archive"}

CSS = """
body{margin:0;font:17px/1.6 "Iowan Old Style",Georgia,serif;color:#222;background:#fff}a{color:#8a1c1c}
.masthead{border-bottom:3px double #222;padding:1rem 4vw;text-align:center}.masthead a{color:#222;text-decoration:none}
.masthead .name{font-size:2.2rem;font-weight:700}.masthead nav a{margin:0 .6rem;font:.9rem sans-serif}
.content{max-width:44rem;margin:1.5rem auto;padding:0 1rem}h1{line-height:1.15}
.byline,.meta,.teaser time{font:.82rem sans-serif;color:#666}.teaser{border-bottom:1px solid #ddd;padding:.5rem 0}
.teaser h2{font-size:1.25rem;margin:.2rem 0}.related{background:#f6f3ee;padding:.5rem 1rem;margin-top:2rem}
figure{margin:1rem 0}figure img{width:100%;height:15rem;object-fit:cover}figcaption{font:.8rem sans-serif;color:#666}
.newsletter{border:1px solid #222;padding:1rem;margin:2rem 0}.pagination a{margin-right:.7rem}
.cookie-banner{position:fixed;bottom:0;left:0;right:0;background:#222;color:#fff;padding:.7rem 4vw}
.cookie-banner,.cookie-banner button{font:.85rem sans-serif}
.site-footer{border-top:1px solid #ddd;padding:1rem 4vw 5rem;font:.85rem sans-serif;text-align:center}
"""


@dataclass(frozen=True, slots=True)
class Article:
    path: str
    title: str
    teaser: str
    published: int
    author: str
    tags: tuple[str, ...]

    @property
    def month_path(self) -> str:
        return self.path[: len("/2025/01/")]

    @property
    def day(self) -> str:
        return f"{datetime.fromtimestamp(self.published, UTC):%d %B %Y}".lstrip("0")


@cache
def articles() -> dict[str, Article]:
    """Five a month through 2025, newest first."""
    prose, found = Prose("news", "articles"), list[Article]()
    for month in range(12, 0, -1):
        for day in (28, 21, 15, 9, 3):
            title = new_title(prose, {article.title for article in found})
            moment = datetime(2025, month, day, prose.random.randint(6, 20), prose.random.randint(0, 59), tzinfo=UTC)
            found.append(
                Article(
                    path=f"/2025/{month:02}/{slug(title)}/",
                    title=title,
                    teaser=prose.sentence(),
                    published=int(moment.timestamp()),
                    author=prose.random.choice(AUTHORS),
                    tags=tuple(prose.random.sample(TAGS, 2)),
                )
            )
    return {article.path: article for article in found}


def new_title(prose: Prose, used: set[str]) -> str:
    while True:
        words = prose.say("headline")
        title = words[0].upper() + words[1:]
        if title not in used:
            return title


@cache
def lists() -> dict[str, tuple[str, tuple[Article, ...]]]:
    """Every page that lists articles: path → its heading and the articles on it."""
    newest = tuple(articles().values())
    found = {}
    for start in range(0, len(newest), PER_PAGE):
        number = start // PER_PAGE + 1
        path = f"/page/{number}/" if number > 1 else "/"
        found[path] = (
            "Latest news" if number == 1 else f"Latest news, page {number}",
            newest[start : start + PER_PAGE],
        )
    for month_path in dict.fromkeys(article.month_path for article in newest):
        month = COMMON["month"][int(month_path[6:8]) - 1]
        found[month_path] = (f"{month} 2025", tuple(each for each in newest if each.month_path == month_path))
    for tag in TAGS:
        found[f"/tag/{tag}/"] = (f"Tagged “{tag}”", tuple(each for each in newest if tag in each.tags))
    for author in AUTHORS:
        found[f"/author/{slug(author)}/"] = (author, tuple(each for each in newest if each.author == author))
    return found


def pages() -> dict[str, int]:
    listed = dict.fromkeys((*lists(), *ABOUT), BUILT)
    return listed | {path: article.published for path, article in articles().items()}


def answer(site: Site, ask: Ask) -> Answer:
    path = ask.path
    if path in site.born:
        return page(site, path, lambda: render(site, path))
    if path == "/latest/":
        return moved(site, next(iter(articles())), status=302)
    if path == "/robots.txt":
        return robots(site, "Disallow: /newsletter", sitemap_path="/sitemap_index.xml")
    return machine_file(site, path) or images.answer(path) or missing(frame("Not found", "<h1>Not found</h1>"))


def machine_file(site: Site, path: str) -> Answer | None:
    """Sitemaps and the feed."""
    parts = {"/sitemap-articles.xml.gz": tuple(articles()), "/sitemap-pages.xml.gz": ("/", *ABOUT)}
    if path == "/sitemap_index.xml":
        rows = "".join(
            f"<sitemap><loc>{site.url(part)}</loc><lastmod>{iso(max(map(site.modified, paths)))}</lastmod></sitemap>\n"
            for part, paths in parts.items()
        )
        index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</sitemapindex>\n'
        return Answer(f'<?xml version="1.0" encoding="UTF-8"?>\n{index}'.encode(), XML)
    if path in parts:
        return Answer(gzip.compress(sitemap_xml(site, parts[path]), mtime=0), "application/gzip")
    return Answer(feed(site).encode(), "application/rss+xml; charset=utf-8") if path == "/feed.xml" else None


def feed(site: Site) -> str:
    items = "".join(
        f"<item><title>{escape(article.title)}</title><link>{site.url(article.path)}</link>"
        f"<guid>{site.url(article.path)}</guid><pubDate>{formatdate(article.published, usegmt=True)}</pubDate>"
        f"<description>{escape(article.teaser)}</description></item>\n"
        for article in lists()["/"][1]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>The Sallow Courier</title>'
        f"<link>{site.base}</link><description>News of the Sallow estuary</description>\n{items}</channel></rss>\n"
    )


def render(site: Site, path: str) -> str:
    prose, fact = Prose(site.name, path), site.fact(path)
    if path in articles():
        article = articles()[path]
        return frame(article.title, story(article, prose, fact), head=article_head(site, article))
    if path in lists():
        title, listed = lists()[path]
        pager, head = pagination(path)
        body = f"<h1>{escape(title)}</h1>{paragraphs(fact)}{''.join(map(teaser, listed))}{pager}"
        return frame(title, body, head=head)
    body = f"<h1>{ABOUT[path]}</h1>{paragraphs(prose.paragraph(2), fact)}"
    if path == "/about/":
        return frame(ABOUT[path], body + links((f"/author/{slug(author)}/", author) for author in AUTHORS))
    months = [(listed, title) for listed, (title, _) in lists().items() if listed.startswith("/2025/")]
    return frame(ABOUT[path], body + links(months))


def links(targets: Iterable[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="{path}">{escape(label)}</a></li>' for path, label in targets)
    return f"<ul>{items}</ul>"


def frame(title: str, content: str, *, head: str = "") -> str:
    sections = "".join(f'<a href="/tag/{tag}/">{tag.title()}</a>' for tag in TAGS)
    return document(
        f"{title} - The Sallow Courier",
        '<div class="cookie-banner" role="region" aria-label="Cookies">We use cookies to remember what you have read. '
        '<button type="button" onclick="this.parentNode.remove()">Accept all</button></div>\n'
        '<header class="masthead"><a class="name" href="/">The Sallow Courier</a>'
        f'<nav aria-label="Sections">{sections}<a href="/archive/">Archive</a></nav></header>\n'
        f'<main class="content">\n{content}\n<form class="newsletter" action="/newsletter" method="post">'
        '<label>The week in one letter <input type="email" name="email" placeholder="you@example.org"></label> '
        "<button>Subscribe</button></form></main>\n"
        '<footer class="site-footer"><a href="/about/">About</a> · <a href="/latest/">Latest story</a> · '
        '<a href="/feed.xml">RSS</a> · © 2025 The Sallow Courier</footer>',
        css=CSS,
        head='<link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">\n' + head,
        body_class="single" if "<article" in content else "archive",
    )


def article_head(site: Site, article: Article) -> str:
    described = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": iso(article.published),
        "dateModified": iso(site.modified(article.path)),
        "author": {"@type": "Person", "name": article.author},
        "keywords": list(article.tags),
        "mainEntityOfPage": site.url(article.path),
    }
    return (
        f'<link rel="canonical" href="{site.url(article.path)}">\n'
        f'<meta name="description" content="{escape(article.teaser)}">\n<meta property="og:type" content="article">\n'
        f'<meta property="article:published_time" content="{iso(article.published)}">\n'
        f'<script type="application/ld+json">{json.dumps(described)}</script>\n'
    )


def story(article: Article, prose: Prose, fact: str) -> str:
    first, second, *rest = prose.paragraphs(prose.random.randint(4, 7))
    picture = f"/images/{article.tags[0]}-{prose.random.randint(1, 9)}"
    tags = " ".join(f'<a rel="tag" href="/tag/{tag}/">#{tag}</a>' for tag in article.tags)
    related = [each for each in articles().values() if article.tags[0] in each.tags and each is not article][:3]
    return (
        f'<article class="post"><h1 class="entry-title">{escape(article.title)}</h1>\n'
        f'<p class="byline">By <a rel="author" href="/author/{slug(article.author)}/">{article.author}</a>, '
        f'<time datetime="{iso(article.published)}">{article.day}</time></p>\n'
        f'<figure><img src="{picture}-640.png" srcset="{picture}-320.png 320w, {picture}-640.png 640w" alt="" '
        f'loading="lazy"><figcaption>{escape(prose.sentence())} Photograph: {article.author}</figcaption></figure>\n'
        f'<div class="entry-content">{paragraphs(first, f"{fact} {second}")}<h2>What happens next</h2>\n'
        f"{paragraphs(*rest)}<blockquote><p>{escape(prose.sentence())}</p></blockquote></div>\n"
        f'<p class="meta">Filed under {tags} in <a href="{article.month_path}">this month</a></p></article>\n'
        f'<aside class="related"><h2>More like this</h2>{"".join(map(teaser, related))}</aside>'
    )


def teaser(article: Article) -> str:
    return (
        f'<div class="teaser"><h2><a href="{article.path}">{escape(article.title)}</a></h2>'
        f'<time datetime="{iso(article.published)}">{article.day}</time><p>{escape(article.teaser)}</p></div>\n'
    )


def pagination(path: str) -> tuple[str, str]:
    """Links between the index pages, and the same for the head; nothing on other lists."""
    paged = [each for each in lists() if each == "/" or each.startswith("/page/")]
    if path not in paged:
        return "", ""
    here = paged.index(path)
    near = {"prev": here - 1, "next": here + 1}
    beside = [(rel, paged[at]) for rel, at in near.items() if 0 <= at < len(paged)]
    numbers = "".join(f'<a href="{each}">{number}</a>' for number, each in enumerate(paged, 1))
    around = "".join(f'<a rel="{rel}" href="{each}">{rel.title()}</a>' for rel, each in beside)
    head = "".join(f'<link rel="{rel}" href="{each}">\n' for rel, each in beside)
    return f'<nav class="pagination" aria-label="Pages">{numbers}{around}</nav>', head
