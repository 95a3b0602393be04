"""Read what a wiki says of itself: its addresses, its namespaces and its licence."""

from __future__ import annotations

import codecs
import re
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from wikicrawl.mediawiki.shapes import flag, mapping, named, number, rows, text
from wikicrawl.urls import Refusal, canonical, netloc, path_of

VERSION = 1  # of the stored form
SITEINFO = {
    "action": "query",
    "meta": "siteinfo",
    "siprop": "general|namespaces|namespacealiases|rightsinfo|statistics",
    "format": "json",
    "formatversion": "2",
}
CODEC = re.compile(r"cp\d|iso8859|koi8|big5|gb|euc|shift_jis|utf-8")  # not those that decode no text, as hex
CONTACT = re.compile(r"@|https?://")
FIRST_LETTER = "first-letter"
# What MediaWiki's wfUrlencode leaves as it is, beside the unreserved characters.
SAFE = ";@$!*(),/~:"
# Where Wikimedia's own rules for robots hold, subdomains included.
WIKIMEDIA = (
    "mediawiki.org",
    "wikibooks.org",
    "wikidata.org",
    "wikifunctions.org",
    "wikimedia.org",
    "wikinews.org",
    "wikipedia.org",
    "wikiquote.org",
    "wikisource.org",
    "wikiversity.org",
    "wikivoyage.org",
    "wiktionary.org",
)


@dataclass(frozen=True)
class Namespace:
    id: int
    name: str  # in the wiki's language; empty for the articles
    canonical: str  # in English, understood by every wiki
    case: str = FIRST_LETTER
    is_content: bool = False


# What every wiki has, whether or not its answer lists it.
ALWAYS = (
    Namespace(id=-2, name="Media", canonical="Media"),
    Namespace(id=-1, name="Special", canonical="Special"),
    Namespace(id=0, name="", canonical="", is_content=True),
)


@dataclass(frozen=True)
class Wiki:
    """One wiki, as its siteinfo describes it."""

    api: str
    server: str  # scheme, host and port, without a last slash
    article_path: str  # with $1 where the title goes
    script: str  # the path of index.php
    sitename: str
    generator: str
    language: str
    is_rtl: bool
    case: str
    main_page: str
    license_url: str
    license_text: str
    namespaces: tuple[Namespace, ...]
    aliases: dict[str, int] = field(hash=False)  # every name of a namespace, as `folded` has it
    pages: int
    hosts: tuple[str, ...]  # under which its pages are met, without www.
    is_main_page_root: bool = False  # the main page is the root of the server
    variant_path: str = ""  # with $2 where the variant of the language goes
    variants: tuple[str, ...] = ()
    encoding: str = "cp1252"  # of old URLs that are no UTF-8

    @property
    def content_namespaces(self) -> tuple[int, ...]:
        return tuple(namespace.id for namespace in self.namespaces if namespace.is_content)

    @property
    def is_wikimedia(self) -> bool:
        return is_wikimedia(netloc(self.server))

    @cached_property
    def by_id(self) -> dict[int, Namespace]:
        return {namespace.id: namespace for namespace in self.namespaces}


def read_profile(siteinfo: dict[str, Any], api: str) -> Wiki:
    """The wiki that an answer to SITEINFO describes; `siteinfo` is the answer or its `query`."""
    query = siteinfo.get("query", siteinfo)
    general = query.get("general") if isinstance(query, dict) else None
    if not isinstance(general, dict):
        raise ValueError(f"{api}: the answer has no query.general, so this is no MediaWiki")
    if not str(general.get("generator", "")).startswith("MediaWiki"):
        raise ValueError(f"{api}: query.general names no MediaWiki as its generator")
    address = canonical(api)
    if isinstance(address, Refusal):
        raise ValueError(f"{api}: no address of an API ({address.reason})")
    server = _server(general, address)
    namespaces = _namespaces(query)
    rights = mapping(query, "rightsinfo")
    return Wiki(
        api=address,
        server=server,
        article_path=_article_path(general, server, address),
        script=_script(general, server, address),
        sitename=text(general, "sitename") or netloc(server),
        generator=text(general, "generator"),
        language=text(general, "lang") or "en",
        is_rtl=flag(general, "rtl"),
        case=text(general, "case") or FIRST_LETTER,
        main_page=text(general, "mainpage") or "Main Page",
        license_url=text(rights, "url"),
        license_text=text(rights, "text"),
        namespaces=namespaces,
        aliases=_aliases(query, namespaces),
        pages=number(mapping(query, "statistics").get("pages", 0)),
        hosts=_hosts(general, server, address),
        is_main_page_root=flag(general, "mainpageisdomainroot"),
        variant_path=_variant_path(server, text(general, "variantarticlepath")),
        variants=tuple(text(row, "code") for row in rows(general.get("variants"))),
        encoding=_encoding(text(general, "fallback8bitEncoding")),
    )


def to_json(wiki: Wiki) -> dict[str, Any]:
    return {"version": VERSION, **asdict(wiki)}


def from_json(stored: dict[str, Any]) -> Wiki:
    fields = dict(stored)
    if (version := fields.pop("version", None)) != VERSION:
        raise ValueError(f"the wiki's profile has version {version!r}, not {VERSION}; ask the wiki again")
    try:
        fields["namespaces"] = tuple(Namespace(**row) for row in fields["namespaces"])
        fields["hosts"] = tuple(fields["hosts"])
        fields["variants"] = tuple(fields["variants"])
        return Wiki(**fields)
    except (KeyError, TypeError) as error:
        raise ValueError(f"the wiki's profile is incomplete ({error}); ask the wiki again") from error


def folded(name: str) -> str:
    """A namespace's name as it is compared."""
    return name.replace("_", " ").strip(" ").lower()


def _namespaces(query: dict[str, Any]) -> tuple[Namespace, ...]:
    namespaces = [
        Namespace(
            id=number(row.get("id")),
            name=named(row, "name").replace("_", " "),
            canonical=text(row, "canonical"),
            case=text(row, "case") or FIRST_LETTER,
            is_content=flag(row, "content") or number(row.get("id")) == 0,
        )
        for row in rows(query.get("namespaces"))
    ]
    listed = {namespace.id for namespace in namespaces}
    namespaces += [namespace for namespace in ALWAYS if namespace.id not in listed]
    return tuple(sorted(namespaces, key=lambda namespace: namespace.id))


def _aliases(query: dict[str, Any], namespaces: tuple[Namespace, ...]) -> dict[str, int]:
    """Every name of every namespace; where two claim one, MediaWiki lets the canonical name win, then the local."""
    aliases: dict[str, int] = {}
    ids = {namespace.id for namespace in namespaces}
    for namespace in namespaces:
        if namespace.canonical:
            aliases.setdefault(folded(namespace.canonical), namespace.id)
    for namespace in namespaces:
        if namespace.name:
            aliases.setdefault(folded(namespace.name), namespace.id)
    for row in rows(query.get("namespacealiases")):
        name = folded(named(row, "alias"))
        if name and number(row.get("id")) in ids:
            aliases.setdefault(name, number(row.get("id")))
    return aliases


def _server(general: dict[str, Any], api: str) -> str:
    """The server's one spelling; old wikis name it only in `base`, the address of their main page."""
    for address in (text(general, "server"), text(general, "base")):
        url = canonical(address, api)
        if address and isinstance(url, str):
            return _origin(url)
    return _origin(api)


def _origin(url: str) -> str:
    return url[: len(url) - len(url.split("/", 3)[3]) - 1]


def _script(general: dict[str, Any], server: str, api: str) -> str:
    return _path(server, text(general, "script") or path_of(api).rpartition("/")[0] + "/index.php")


def _article_path(general: dict[str, Any], server: str, api: str) -> str:
    path = _path(server, text(general, "articlepath"))
    if path.count("$1") == 1:
        return path
    title = quote(text(general, "mainpage").replace(" ", "_"), safe=SAFE)
    base = _path(server, text(general, "base"))
    if title and base.endswith(title):
        return base.removesuffix(title) + "$1"
    return _script(general, server, api) + "?title=$1"


def _variant_path(server: str, named: str) -> str:
    path = _path(server, named)
    return path if path.count("$1") == path.count("$2") == 1 else ""


def _path(server: str, path: str) -> str:
    """The path's one spelling; empty where it leads to another server."""
    url = canonical(path, f"{server}/") if path else ""
    return url.removeprefix(server) if isinstance(url, str) and url.startswith(f"{server}/") else ""


def _hosts(general: dict[str, Any], server: str, api: str) -> tuple[str, ...]:
    mobile = canonical(text(general, "mobileserver") or server, api)
    hosts = [netloc(server), netloc(api)]
    if isinstance(mobile, str):
        hosts.append(netloc(mobile))
    label, _, domain = hosts[0].partition(".")
    if is_wikimedia(domain):  # the mobile site, where the wiki does not name it: en.m.wikipedia.org, m.wikidata.org
        hosts.append(f"m.{domain}" if label == "www" else f"{label}.m.{domain}")
    return tuple(dict.fromkeys(host.removeprefix("www.") for host in hosts))


def has_contact(user_agent: str) -> bool:
    """Whether a User-Agent says by whom its owner can be reached, as Wikimedia demands."""
    return CONTACT.search(user_agent) is not None


def is_wikimedia(host: str) -> bool:
    return f".{host.partition(':')[0]}".endswith(tuple(f".{domain}" for domain in WIKIMEDIA))


def _encoding(name: str) -> str:
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return "cp1252"
    return codec if CODEC.match(codec) else "cp1252"
