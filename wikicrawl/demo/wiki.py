"""A game world's wiki that answers as MediaWiki does, in HTML and through api.php."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import unquote

from wikicrawl.demo import images, wiki_api
from wikicrawl.demo.site import BUILT, XML, Answer, Ask, Site, missing, moved, page, robots, sitemap_xml
from wikicrawl.demo.wiki_articles import (
    KINDS,
    NAMESPACES,
    SITENAME,
    Article,
    articles,
    encoded,
    namespace_of,
    normalise,
    parse,
    path_of,
)

ROBOTS = ("Disallow: /w/index.php?", "Disallow: /wiki/Special:", "Disallow: /wiki/Special%3A")

CSS = """
body{margin:0;background:#eef1f2;font:14px/1.6 sans-serif;color:#202122}a{color:#0645ad;text-decoration:none}
a.new{color:#ba0000}
#content{margin:4.5rem 0 0 11rem;padding:1.2rem 1.5rem;background:#fff;border:1px solid #a7d7f9}
#firstHeading,.mw-parser-output h2{font:400 1.8em/1.3 Georgia,serif;border-bottom:1px solid #a2a9b1}
.mw-parser-output h2{font-size:1.5em}
#siteSub,#contentSub{color:#54595d;font-size:.9em}.mw-jump-link{position:absolute;left:-999rem}
#mw-navigation h2{display:none}#mw-head{position:absolute;top:.6rem;right:1rem;left:12rem}
#mw-head ul{display:inline;padding:0}
#mw-head li,#mw-panel li,#footer li,.catlinks li{list-style:none;display:inline;margin-right:.8rem}
#searchform{float:right}
#mw-panel{position:absolute;top:1rem;left:1rem;width:9rem}
#mw-panel ul{padding:0}#mw-panel li{display:block;line-height:1.9}
.infobox{float:right;margin:0 0 1em 1em;border:1px solid #a2a9b1;background:#f8f9fa;font-size:.9em;width:16rem}
.infobox th{text-align:left;vertical-align:top}.infobox-above,.infobox-image{text-align:center!important}
.hatnote{font-style:italic;padding-left:1.6em}
.toc{display:table;border:1px solid #a2a9b1;background:#f8f9fa;padding:.4rem 1rem}
.toc h2{font:700 1em sans-serif;border:0;margin:0;text-align:center}.toc ul{list-style:none;margin:.2rem 0;padding:0}
.wikitable{border-collapse:collapse}.wikitable th,.wikitable td{border:1px solid #a2a9b1;padding:.2em .4em}
.navbox{clear:both;border:1px solid #a2a9b1;font-size:.88em;margin-top:1em}
.navbox-title{background:#ccf}.navbox-group{background:#ddf}
.catlinks{border:1px solid #a2a9b1;background:#f8f9fa;padding:.4em;margin-top:1em}.catlinks ul{display:inline;padding:0}
.mw-editsection{font:.55em sans-serif;margin-left:.6em}#footer{margin-left:11rem;padding:1rem;font-size:.85em}
"""


def pages() -> dict[str, int]:
    return {article.path: BUILT for article in articles().values() if not article.target}


def answer(site: Site, ask: Ask) -> Answer:
    path = ask.path
    if path == "/robots.txt":
        return robots(site, *ROBOTS)
    if path == "/sitemap.xml":
        return Answer(sitemap_xml(site, site.born), XML)
    if path == "/w/api.php":
        return wiki_api.answer(site, ask)
    if path == "/w/index.php":
        return script(site, ask)
    if path.startswith("/wiki/"):
        return by_address(site, path)
    picture = images.answer(path)
    return moved(site, path_of("Main Page")) if path == "/" else picture or missing("<h1>Not Found</h1>")


def by_address(site: Site, path: str) -> Answer:
    title = normalise(unquote(path.removeprefix("/wiki/")))
    if title and path_of(title) != path:
        return moved(site, path_of(title))
    return view(site, title)


def script(site: Site, ask: Ask) -> Answer:
    """index.php: a page by title or number, or a form that no crawler should want."""
    numbers = {str(article.pageid): title for title, article in articles().items()}
    title = numbers.get(ask.query.get("curid", ""), normalise(ask.query.get("title", "")))
    if not title:
        return moved(site, path_of("Main Page"))
    action = ask.query.get("action", "view")
    if action == "view":
        return view(site, title, follow=ask.query.get("redirect") != "no")
    what = f"<p>The form for “{escape(action)}” is not part of this demo.</p>"
    return Answer(skin(site, Article(0, title), what).encode())


def view(site: Site, title: str, *, follow: bool = True) -> Answer:
    article = articles().get(title)
    if namespace_of(title) < 0:
        return Answer(skin(site, Article(0, title), "<p>A list made on demand.</p>").encode())
    if article is None:
        text = '<div class="noarticletext mw-content-ltr"><p>There is currently no text in this page.</p></div>'
        return missing(skin(site, Article(0, title or "Bad title"), text))
    if not article.target:
        return page(site, article.path, lambda: skin(site, article, content(site, article)))
    shown = articles()[article.target] if follow else article
    html = skin(site, shown, content(site, shown), redirected_from=title if follow else "")
    return Answer(html.encode(), modified=site.modified(path_of(article.target)))


def content(site: Site, article: Article) -> str:
    html = parse(site, article).html
    if article.namespace != 14:
        return html
    kind = article.title.removeprefix("Category:")
    members = "".join(
        f'<li><a href="{path_of(title)}" title="{escape(title)}">{escape(title)}</a></li>\n' for title in KINDS[kind]
    )
    return (
        f'{html}<div class="mw-category-generated" lang="en" dir="ltr"><div id="mw-pages">'
        f'<h2>Pages in category “{kind}”</h2>\n<div class="mw-content-ltr"><ul>{members}</ul></div></div></div>'
    )


def skin(site: Site, article: Article, html: str, *, redirected_from: str = "") -> str:
    name = encoded(article.title)
    permalink = site.url(f"/w/index.php?title={name}&amp;oldid={wiki_api.revision_id(site, article)}")
    title = escape(article.title, quote=False)
    return f"""<!DOCTYPE html>
<html class="client-nojs" lang="en" dir="ltr">
{head(site, article, is_redirected=bool(redirected_from))}
<body class="mediawiki ltr sitedir-ltr mw-hide-empty-elt ns-{article.namespace} ns-subject action-view \
skin-vector skin-vector-legacy">
<div id="content" class="mw-body" role="main">
<a id="top"></a>
<h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">{title}</span></h1>
<div id="bodyContent" class="vector-body">
<div id="siteSub" class="noprint">From {SITENAME}</div>
<div id="contentSub">{redirect_note(redirected_from)}</div>
<a class="mw-jump-link" href="#mw-head">Jump to navigation</a>
<a class="mw-jump-link" href="#searchInput">Jump to search</a>
<div id="mw-content-text" class="mw-body-content mw-content-ltr" lang="en" dir="ltr">{html}
<div class="printfooter" data-nosnippet="">Retrieved from "<a dir="ltr" href="{permalink}">{permalink}</a>"</div></div>
{category_links(article)}
</div>
</div>
{navigation(name)}
<footer id="footer" class="mw-footer" role="contentinfo">
<ul id="footer-info"><li id="footer-info-copyright">Content is available under <a class="external" rel="nofollow" \
href="{wiki_api.LICENCE["url"]}">{wiki_api.LICENCE["text"]}</a>.</li></ul>
<ul id="footer-places"><li><a href="/wiki/{SITENAME}:Privacy_policy">Privacy policy</a></li>
<li><a href="/wiki/{SITENAME}:About">About {SITENAME}</a></li></ul>
</footer>
</body>
</html>
"""


def head(site: Site, article: Article, *, is_redirected: bool) -> str:
    canonical = f'<link rel="canonical" href="{site.url(article.path)}"/>\n' if is_redirected else ""
    edit = f"/w/index.php?title={encoded(article.title)}&amp;action=edit"
    return f"""<head>
<meta charset="UTF-8"/>
<title>{escape(article.title, quote=False)} - {SITENAME}</title>
<script>document.documentElement.className="client-js";RLCONF={configuration(site, article)};</script>
<style>{CSS}</style>
<meta name="generator" content="MediaWiki {wiki_api.VERSION}"/>
<link rel="alternate" type="application/x-wiki" title="Edit" href="{edit}"/>
<link rel="EditURI" type="application/rsd+xml" href="{site.url("/w/api.php?action=rsd")}"/>
<link rel="license" href="{wiki_api.LICENCE["url"]}"/>
{canonical}</head>"""


def configuration(site: Site, article: Article) -> str:
    namespace = article.namespace
    values = {
        "wgBreakFrames": False,
        "wgCanonicalNamespace": "Project" if namespace == 4 else NAMESPACES[namespace].replace(" ", "_"),
        "wgNamespaceNumber": namespace,
        "wgPageName": article.title.replace(" ", "_"),
        "wgTitle": article.title.removeprefix(f"{NAMESPACES[namespace]}:"),
        "wgCurRevisionId": wiki_api.revision_id(site, article),
        "wgRevisionId": wiki_api.revision_id(site, article),
        "wgArticleId": article.pageid,
        "wgIsArticle": article.pageid > 0,
        "wgIsRedirect": bool(article.target),
        "wgAction": "view",
        "wgCategories": [article.kind] if article.kind else [],
    }
    return json.dumps(values, separators=(",", ":")).replace("<", "\\u003C")


def redirect_note(title: str) -> str:
    if not title:
        return ""
    address = f"/w/index.php?title={encoded(title)}&amp;redirect=no"
    source = f'<a href="{address}" class="mw-redirect" title="{escape(title)}">{escape(title)}</a>'
    return f'<span class="mw-redirectedfrom">(Redirected from {source})</span>'


def category_links(article: Article) -> str:
    if not article.kind:
        return '<div id="catlinks" class="catlinks catlinks-allhidden" data-mw="interface"></div>'
    link = f'<a href="/wiki/Category:{article.kind}" title="Category:{article.kind}">{article.kind}</a>'
    label = '<a href="/wiki/Special:Categories" title="Special:Categories">Category</a>'
    return (
        '<div id="catlinks" class="catlinks" data-mw="interface"><div id="mw-normal-catlinks" '
        f'class="mw-normal-catlinks">{label}: <ul><li>{link}</li></ul></div></div>'
    )


def navigation(name: str) -> str:
    tabs = (("/wiki/" + name, "Read"), (f"/w/index.php?title={name}&amp;action=edit", "Edit"))
    views = "".join(f'<li><a href="{href}">{label}</a></li>' for href, label in tabs)
    panel = (
        ("/wiki/Main_Page", "Main page"),
        ("/wiki/Special:RecentChanges", "Recent changes"),
        ("/wiki/Special:Random", "Random page"),
        (f"/wiki/Special:WhatLinksHere/{name}", "What links here"),
        (f"/w/index.php?title={name}&amp;action=history", "Page history"),
    )
    items = "".join(f'<li><a href="{href}">{label}</a></li>' for href, label in panel)
    return f"""<div id="mw-navigation"><h2>Navigation menu</h2>
<div id="mw-head"><nav id="p-views" class="vector-menu" aria-label="Views"><ul>{views}</ul></nav>
<form action="/w/index.php" id="searchform"><input type="search" name="search" placeholder="Search {SITENAME}" \
id="searchInput" aria-label="Search"/><input type="hidden" name="title" value="Special:Search"/></form></div>
<div id="mw-panel"><nav id="p-navigation" class="vector-menu" aria-label="Navigation"><ul>{items}</ul></nav></div>
</div>"""
