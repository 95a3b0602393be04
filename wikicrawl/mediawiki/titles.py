"""Turn a wiki's URLs into titles, and titles into the one URL of their page."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, unquote_to_bytes

from wikicrawl.mediawiki.profile import FIRST_LETTER, SAFE, Namespace, Wiki, folded
from wikicrawl.urls import Refusal, canonical, netloc, path_of

if TYPE_CHECKING:
    from wikicrawl.urls import Rule

# The rules of MediaWikiTitleCodec::splitTitleString.
BIDI = re.compile("[\u200e\u200f\u202a-\u202e]+")
SPACE = re.compile("[ _\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
PREFIX = re.compile("(.+?) *: *(.*)")
ILLEGAL = re.compile(
    r"""[^ %!"$&'()*,\-./0-9:;=?@A-Z\\^_`a-z~+\x80-\U0010FFFF]"""
    "|[\ud800-\udfff\ufffd-\uffff]"
    "|%[0-9A-Fa-f]{2}"
    "|&[A-Za-z0-9\x80-\U0010ffff]+;"
    "|~~~"
)
RELATIVE = re.compile(r"(?:^|/)\.\.?(?:/|$)")
MAX_BYTES = 255

# Small letters without a capital before Unicode 11. Wikimedia's wikis keep them, a new PHP raises them; kept, they
# lead to the page on both, because a wiki that raises them redirects.
UNRAISED = re.compile("[\u10d0-\u10ff\ua7b9\U00016e60-\U00016e7f]")
DOTTED_I = frozenset({"tr", "az", "kaa"})  # the languages in which MediaWiki makes i an İ

# MediaWiki's entry points, which stand in one folder.
SCRIPTS = re.compile(
    r"(?:index|api|load|rest|thumb|thumb_handler|img_auth|image_auth|opensearch_desc|profileinfo|redirect|trackback)"
    r"\.php5?(?:/|$)"
)
# What a web server keeps there beside them.
FILES = re.compile(
    r"(?:static|images|skins|extensions|resources|\.well-known)(?:/|$)"
    r"|(?:(?:robots|ads|humans|security)\.txt|favicon\.ico|sitemap[^/]*\.xml(?:\.gz)?)$"
)
REVISIONS = ("oldid", "diff", "stableid")
ASKING = frozenset({"title", "curid", *REVISIONS})  # parameters that make index.php show a page
NOTHING = ("", "0")


@dataclass(frozen=True, slots=True)
class Target:
    """The page a URL leads to: by its title or, from ?curid=, by its id."""

    title: str = ""
    pageid: int = 0


def target_of(wiki: Wiki, url: str) -> Target | Refusal | None:
    """What a URL shows: a page, a refused special, edit, redlink, revision, title or script, or none of this wiki's."""
    address = canonical(url)
    return None if isinstance(address, Refusal) else _target(wiki, address)


def url_of(wiki: Wiki, title: str) -> str:
    """The page's `fullurl`, for a normal title."""
    if wiki.is_main_page_root and title == wiki.main_page:
        return f"{wiki.server}/"
    return wiki.server + wiki.article_path.replace("$1", encoded(title))


def encoded(title: str) -> str:
    """A title as MediaWiki's wfUrlencode writes it."""
    return quote(title.replace(" ", "_"), safe=SAFE)


def normal_title(wiki: Wiki, title: str) -> str | Refusal:
    """The title as the wiki itself writes it; only prefixes of other wikis are not known and stay."""
    text = unicodedata.normalize("NFC", BIDI.sub("", title))
    text = SPACE.sub(" ", text).strip(" ")
    text = text.removeprefix(":").strip(" ")
    namespace, name = _split(wiki, text)
    if namespace.id == 1 and _split(wiki, name)[0].id:  # Talk:File:X would be the talk page of no page
        return Refusal("title")
    name = name.partition("#")[0].rstrip(" ")
    if namespace.case == FIRST_LETTER:
        name = unicodedata.normalize("NFC", _raised(name, wiki.language))
    if not name or name[0] == ":" or ILLEGAL.search(name) or RELATIVE.search(name):
        return Refusal("title")
    if len(name.encode()) > MAX_BYTES and namespace.id >= 0:
        return Refusal("title")
    return f"{namespace.name}:{name}" if namespace.name else name


def namespace_of(wiki: Wiki, title: str) -> Namespace:
    return _split(wiki, title)[0]


def page_rule(wiki: Wiki, *, namespaces: frozenset[int] | None = None) -> Rule:
    """A rule for canonical URLs: the one form of those that are the wiki's pages; None for what is not the wiki's."""

    def rule(url: str) -> str | Refusal | None:
        target = _target(wiki, url)
        if not isinstance(target, Target):
            return target
        if target.pageid:
            return url
        if namespaces is not None and namespace_of(wiki, target.title).id not in namespaces:
            return Refusal("namespace")
        return url_of(wiki, target.title)

    return rule


def _target(wiki: Wiki, url: str) -> Target | Refusal | None:
    if netloc(url).removeprefix("www.") not in wiki.hosts:
        return None
    query = _query(wiki, url)
    text = _title_text(wiki, path_of(url), query)
    return _page(wiki, text, query) if isinstance(text, str) else text


def _page(wiki: Wiki, text: str, query: dict[str, str]) -> Target | Refusal:
    if reason := _objection(query):
        return Refusal(reason)
    if pageid := _positive(query.get("curid", "")):
        return Target(pageid=pageid)
    if not text and "curid" in query:
        return Refusal("title")
    title = normal_title(wiki, text) if text else wiki.main_page
    if isinstance(title, Refusal):
        return title
    return Refusal("special") if namespace_of(wiki, title).id < 0 else Target(title)


def _title_text(wiki: Wiki, path: str, query: dict[str, str]) -> str | Refusal | None:
    """The title as the URL spells it; empty for the main page, None where the path is not the wiki's."""
    folder = wiki.script.rpartition("/")[0] + "/"
    before = wiki.article_path.partition("$1")[0]
    is_index = path != before and (path == folder or (path == "/" and wiki.is_wikimedia))
    is_script = path == wiki.script or before.startswith(f"{path}?")
    if is_script or (is_index and query.keys() & ASKING):
        return _asked_title(query)
    if path.startswith(f"{wiki.script}/"):
        return unquote(path[len(wiki.script) + 1 :])
    shared = folder.startswith(before)  # titles share their folder with the wiki's own files
    places = (folder, before) if shared else (folder,)
    if path == path_of(wiki.api) or any(path.startswith(place) and SCRIPTS.match(path, len(place)) for place in places):
        return Refusal("script")
    if shared and ((path.startswith(folder) and folder != before) or FILES.match(path, len(before))):
        return None
    return _path_title(wiki, path)


def _asked_title(query: dict[str, str]) -> str | Refusal:
    if title := query.get("title"):
        return title
    return Refusal("script") if query and not query.keys() & ASKING else ""


def _path_title(wiki: Wiki, path: str) -> str | None:
    if path == "/" and wiki.is_main_page_root:
        return ""
    for form in _forms(wiki.article_path, wiki.variant_path, wiki.variants):
        if found := form.fullmatch(path):
            return unquote(found["title"])
    return None


@lru_cache
def _forms(article_path: str, variant_path: str, variants: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """The paths of titles; /zh-tw/X comes first, because /$1 would take it for a title too."""
    forms = [re.escape(path) for path in (variant_path if variants else "", article_path) if "?" not in path]
    names = "|".join(map(re.escape, variants))
    spelt = [form.replace(r"\$2", f"(?:{names})").replace(r"\$1", "(?P<title>.*)") for form in forms]
    return tuple(re.compile(form) for form in spelt if form)


def _objection(query: dict[str, str]) -> str:
    """The reason why a URL with a title does not show the page as it is."""
    if query.get("redlink", "") not in NOTHING:
        return "redlink"
    if query.get("action", "").lower() not in ("", "view") or "veaction" in query:
        return "edit"
    return "revision" if any(query.get(name, "") not in NOTHING for name in REVISIONS) else ""


def _query(wiki: Wiki, url: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in url.partition("?")[2].split("&") if pair)
    return {unquote(name): _decoded(value.replace("+", " "), wiki.encoding) for name, _, value in pairs}


def _decoded(value: str, encoding: str) -> str:
    """A parameter's value, which may come from before the web wrote UTF-8 (Caf%E9); of paths, MediaWiki asks UTF-8."""
    raw = unquote_to_bytes(value)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(encoding, "replace")


def _split(wiki: Wiki, text: str) -> tuple[Namespace, str]:
    found = PREFIX.fullmatch(text)
    number = wiki.aliases.get(folded(found[1])) if found else None
    if found is None or number is None:
        return wiki.by_id[0], text
    return wiki.by_id[number], found[2]


def _raised(name: str, language: str) -> str:
    """The name with its first letter as a capital, where that is one character and all wikis agree on it."""
    first = name[:1]
    if first == "i" and language in DOTTED_I:
        return "İ" + name[1:]
    capital = first.upper()
    if len(capital) != 1 or unicodedata.category(first) != "Ll" or UNRAISED.match(first):
        return name
    return capital + name[1:]


def _positive(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 19 else 0
