"""Answer api.php as MediaWiki does with formatversion=2: siteinfo, allpages, info and parse."""

from __future__ import annotations

import json
import time
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wikicrawl.demo.site import BUILT, Answer, Ask, Site, iso
from wikicrawl.demo.wiki_articles import (
    ALIASES,
    NAMESPACES,
    SITENAME,
    Article,
    Parsed,
    articles,
    namespace_of,
    normalise,
    parse,
    path_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "1.39.17"
LICENCE = {
    "url": "https://creativecommons.org/licenses/by-sa/4.0/",
    "text": "Creative Commons Attribution-ShareAlike",
}
PARSE_PROPS = (
    "text|langlinks|categories|links|templates|images|externallinks|sections|revid|displaytitle|iwlinks|properties"
)


class ApiError(Exception):
    def __init__(self, code: str, text: str) -> None:
        super().__init__(code)
        self.code, self.text = code, text


def answer(site: Site, ask: Ask) -> Answer:
    try:
        actions = {"query": query, "parse": parse_page}
        action = ask.query.get("action", "help")
        if action not in actions:
            raise ApiError("badvalue", f'Unrecognized value for parameter "action": {action}.')
        return respond(actions[action](site, ask.query))
    except ApiError as error:
        help_text = f"See {site.url('/w/api.php')} for API usage."
        failure = {"error": {"code": error.code, "info": error.text, "docref": help_text}}
        return respond(failure, ("MediaWiki-API-Error", error.code))


def respond(value: dict[str, Any], *headers: tuple[str, str]) -> Answer:
    fixed = ("Cache-Control", "private, must-revalidate, max-age=0")
    return Answer(json.dumps(value).encode(), "application/json; charset=utf-8", headers=(fixed, *headers))


def revision_id(site: Site, article: Article) -> int:
    return 1000 * (1 + site.revision(article.path)) + article.pageid if article.pageid else 0


def query(site: Site, asked: Mapping[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    answer: dict[str, Any] = {"batchcomplete": True}
    if "siteinfo" in asked.get("meta", "").split("|"):
        result |= siteinfo(site, asked.get("siprop", "general").split("|"))
    if asked.get("list") == "allpages":
        found, rest = all_pages(asked, "ap")
        answer |= {"continue": {"apcontinue": rest, "continue": "-||"}} if rest else {}
        result["allpages"] = [identity(article) for article in found]
    if asked.get("generator") == "allpages":
        found, rest = all_pages(asked, "gap")
        answer |= {"continue": {"gapcontinue": rest, "continue": "gapcontinue||"}} if rest else {}
        wants_info = "info" in asked.get("prop", "").split("|")
        result["pages"] = [info(site, article) if wants_info else identity(article) for article in found]
    return answer | {"query": result}


def siteinfo(site: Site, wanted: list[str]) -> dict[str, Any]:
    content = [article for article in articles().values() if article.namespace == 0 and not article.target]
    offered: dict[str, Any] = {
        "general": general(site),
        "namespaces": {str(number): namespace(number) for number in NAMESPACES},
        "namespacealiases": [{"id": number, "alias": alias} for alias, number in ALIASES.items()],
        "interwikimap": [],
        "extensions": [],
        "rightsinfo": LICENCE,
        "statistics": {
            "pages": len(articles()),
            "articles": len(content),
            "edits": len(articles()) + sum(map(len, site.changes.values())),
            "images": 2,
            "users": 3,
            "activeusers": 1,
            "admins": 1,
            "jobs": 0,
        },
    }
    return {name: offered[name] for name in wanted if name in offered}


def general(site: Site) -> dict[str, Any]:
    return {
        "mainpage": "Main Page",
        "base": site.url(path_of("Main Page")),
        "sitename": SITENAME,
        "mainpageisdomainroot": False,
        "generator": f"MediaWiki {VERSION}",
        "case": "first-letter",
        "lang": "en",
        "fallback": [],
        "rtl": False,
        "readonly": False,
        "writeapi": False,
        "timezone": "UTC",
        "timeoffset": 0,
        "articlepath": "/wiki/$1",
        "scriptpath": "/w",
        "script": "/w/index.php",
        "variantarticlepath": False,
        "server": site.base.rstrip("/"),
        "servername": urlsplit(site.base).hostname,
        "wikiid": "fenwiki",
        "time": iso(int(time.time())),
    }


def namespace(number: int) -> dict[str, Any]:
    canonical = NAMESPACES[number].replace(SITENAME, "Project")
    return {
        "id": number,
        "case": "first-letter",
        "name": NAMESPACES[number],
        "subpages": number % 2 == 1,
        **({"canonical": canonical} if number else {}),
        "content": number == 0,
        "nonincludable": False,
    }


def all_pages(asked: Mapping[str, str], prefix: str) -> tuple[list[Article], str]:
    """One batch in title order, and where the next begins (empty at the end)."""
    number = integer(asked, f"{prefix}namespace", "0")
    redirects = {"redirects": True, "nonredirects": False}.get(asked.get(f"{prefix}filterredir", "all"))
    limit = f"{prefix}limit"
    size = 500 if asked.get(limit) == "max" else min(integer(asked, limit, "10"), 500)
    start = asked.get(f"{prefix}continue") or asked.get(f"{prefix}from", "").replace(" ", "_")
    listed = sorted(
        (key(article), article)
        for article in articles().values()
        if article.namespace == number and redirects in (None, bool(article.target)) and key(article) >= start
    )
    rest = listed[size][0] if len(listed) > size else ""
    return [article for _, article in listed[:size]], rest


def integer(asked: Mapping[str, str], name: str, default: str) -> int:
    text = asked.get(name, default)
    if not text.isdecimal():
        raise ApiError("badinteger", f'Invalid value "{text}" for integer parameter "{name}".')
    return int(text)


def key(article: Article) -> str:
    return article.title.removeprefix(f"{NAMESPACES[article.namespace]}:").replace(" ", "_")


def identity(article: Article) -> dict[str, Any]:
    return {"pageid": article.pageid, "ns": article.namespace, "title": article.title}


def info(site: Site, article: Article) -> dict[str, Any]:
    flags = {"redirect": bool(article.target), "new": not site.revision(article.path)}
    return identity(article) | {
        "contentmodel": "wikitext",
        "pagelanguage": "en",
        "pagelanguagehtmlcode": "en",
        "pagelanguagedir": "ltr",
        "touched": iso(BUILT if article.target else site.modified(article.path)),
        "lastrevid": revision_id(site, article),
        "length": len(parse(site, article).html),
        **{name: True for name, is_set in flags.items() if is_set},
    }


def parse_page(site: Site, asked: Mapping[str, str]) -> dict[str, Any]:
    article, trail = find(asked), []
    if "redirects" in asked and article.target:
        fragment = {"tofragment": article.fragment} if article.fragment else {}
        trail = [{"from": article.title, "to": article.target, **fragment}]
        article = articles()[article.target]
    parsed = parse(site, article, edit_links="disableeditsection" not in asked)
    offered = {
        "text": parsed.html,
        "revid": revision_id(site, article),
        "langlinks": [],
        "categories": [{"sortkey": "", "category": article.kind}] if article.kind else [],
        "links": [{"ns": namespace_of(each), "title": each, "exists": each in articles()} for each in parsed.links],
        "templates": [],
        "images": [],
        "externallinks": [],
        "sections": sections(article, parsed),
        "displaytitle": f'<span class="mw-page-title-main">{escape(article.title, quote=False)}</span>',
        "iwlinks": [],
        "properties": {},
    }
    wanted = asked.get("prop", PARSE_PROPS).split("|")
    head = {"title": article.title, "pageid": article.pageid} | ({"redirects": trail} if "redirects" in asked else {})
    return {"parse": head | {name: offered[name] for name in offered if name in wanted}}


def find(asked: Mapping[str, str]) -> Article:
    if "pageid" in asked:
        for article in articles().values():
            if str(article.pageid) == asked["pageid"]:
                return article
        raise ApiError("nosuchpageid", f"There is no page with ID {asked['pageid']}.")
    if "page" not in asked:
        raise ApiError("missingparam", "One of the parameters “page”, “pageid”, “oldid” or “text” is required.")
    title = normalise(asked["page"])
    if not title:
        raise ApiError("invalidtitle", f'Bad title "{asked["page"]}".')
    if namespace_of(title) < 0:
        raise ApiError("pagecannotexist", "Namespace doesn't allow actual pages.")
    if title not in articles():
        raise ApiError("missingtitle", "The page you specified doesn't exist.")
    return articles()[title]


def sections(article: Article, parsed: Parsed) -> list[dict[str, Any]]:
    return [
        {
            "toclevel": 1,
            "level": "2",
            "line": name,
            "number": str(number),
            "index": str(number),
            "fromtitle": article.title.replace(" ", "_"),
            "byteoffset": parsed.html.find(f'id="{name.replace(" ", "_")}"'),
            "anchor": name.replace(" ", "_"),
            "linkAnchor": name.replace(" ", "_"),
        }
        for number, name in enumerate(parsed.sections, 1)
    ]
