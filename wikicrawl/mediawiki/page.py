"""Make a page, and what is known of it, from the answer of action=parse."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from wikicrawl.mediawiki.shapes import flag, named, rows, text
from wikicrawl.mediawiki.titles import encoded, namespace_of, url_of

if TYPE_CHECKING:
    from wikicrawl.mediawiki.profile import Wiki

TAG = re.compile(r"<[^<>]*>")  # linear, whatever the text
DOCUMENT = """<!DOCTYPE html>
<html lang="{lang}" dir="{dir}"><head><meta charset="utf-8"><title>{title} - {sitename}</title>\
<meta name="generator" content="{generator}"><link rel="canonical" href="{url}"></head>
<body class="mediawiki ns-{namespace}"><h1 id="firstHeading" class="firstHeading">{heading}</h1>\
<div id="mw-content-text" class="mw-body-content" lang="{lang}" dir="{dir}">{body}</div></body></html>
"""


def to_document(parse: dict[str, Any], wiki: Wiki) -> str:
    """The page as the wiki's own skins have it, without the skin."""
    title = text(parse, "title")
    return DOCUMENT.format(
        lang=escape(wiki.language),
        dir="rtl" if wiki.is_rtl else "ltr",
        title=escape(title),
        sitename=escape(wiki.sitename),
        generator=escape(wiki.generator),
        url=escape(url_of(wiki, title)),
        namespace=namespace_of(wiki, title).id,
        heading=text(parse, "displaytitle") or escape(title),
        body=text(parse, "text"),
    )


def facts(parse: dict[str, Any], wiki: Wiki) -> dict[str, Any]:
    """What the wiki says of the page, without what it does not say."""
    title = text(parse, "title")
    hops = rows(parse.get("redirects"))
    if hops and text(hops[0], "from") == title:  # a circle of redirects leads nowhere
        hops = []
    named_categories = [(named(row, "category").replace("_", " "), row) for row in rows(parse.get("categories"))]
    found = {
        "title": title,
        "pageid": parse.get("pageid"),
        "revid": parse.get("revid"),
        "displaytitle": _plain(text(parse, "displaytitle")),
        "categories": [name for name, row in named_categories if name and not flag(row, "hidden")],
        "hidden_categories": [name for name, row in named_categories if name and flag(row, "hidden")],
        "sections": [_section(row) for row in rows(parse.get("sections"))],
        "langlinks": [_language_link(row) for row in rows(parse.get("langlinks"))],
        "redirected_from": text(hops[0], "from") if hops else "",
        "redirected_to_fragment": text(hops[-1], "tofragment") if hops else "",
    }
    # The namespace of articles is 0, which is not nothing.
    return {key: value for key, value in found.items() if value} | {"namespace": namespace_of(wiki, title).id}


def with_credits(facts: dict[str, Any], wiki: Wiki) -> dict[str, Any]:
    """The facts and what must be said where the text is used: the revision, its licence and who wrote it."""
    title = facts.get("title", "")
    credits: dict[str, Any] = {}
    address = url_of(wiki, title)
    if revid := facts.get("revid"):
        address = credits["permalink"] = f"{wiki.server}{wiki.script}?title={encoded(title)}&oldid={revid}"
    licence = {"url": wiki.license_url, "text": wiki.license_text}
    credits["license"] = {key: value for key, value in licence.items() if value}
    terms = wiki.license_text or wiki.license_url
    words = [f"“{title}” from {wiki.sitename}", "by its contributors", address, *([terms] if terms else [])]
    credits["attribution"] = ", ".join(words)
    return facts | {key: value for key, value in credits.items() if value}


def _section(row: dict[str, Any]) -> dict[str, Any]:
    level = str(row.get("level", ""))
    return {
        "level": int(level) if level.isdecimal() and len(level) < 3 else 2,
        "title": _plain(text(row, "line")),
        "anchor": text(row, "anchor"),
    }


def _language_link(row: dict[str, Any]) -> dict[str, str]:
    return {"language": text(row, "lang"), "title": named(row, "title"), "url": text(row, "url")}


def _plain(html: str) -> str:
    """The words of a heading, which MediaWiki writes as HTML without a stray < or >."""
    return " ".join(unescape(TAG.sub("", html)).split())
