"""Turn any link into its one canonical form, or refuse it with a reason."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args
from urllib.parse import unquote

from ada_url import URL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_CHARS = 2083  # what Internet Explorer took; the longest of 66 851 links on 480 real pages has 1 550
MAX_SEGMENTS = 15  # of a path; of the same links the deepest has 12
MAX_REPEATS = 2  # of the same parameter with the same value
# Up to three segments three times in a row, as relative links make them grow: Heritrix' limit, which none of the same
# links reaches. Numbers alone may repeat: /2011/11/11.
REPEATS = re.compile(r"(?=/[^/]*[^\d/])(/[^/]+(?:/[^/]+){0,2})\1\1(?=/|$)")

# Parameters that say where the visitor came from and never what is shown; beside these, all of utm_*.
# fmt: off
TRACKING = frozenset({
    "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "ysclid",
    "ttclid", "twclid", "igshid", "srsltid", "_ga", "_gl", "mc_cid", "mc_eid", "_hsenc", "_hsmi",
    "__hstc", "__hssc", "__hsfp", "hsctatracking", "mkt_tok", "oly_anon_id", "oly_enc_id",
    "vero_id", "vero_conv", "wickedid",
})
# fmt: on

# Parameters that name a visitor's session; those of the second set also name stories and sections elsewhere (233 of the
# links above have sid=23873421), and count only where their value looks like a session's.
SESSION = frozenset(
    {"phpsessid", "jsessionid", "sessionid", "session_id", "cfid", "cftoken", "oscsid", "zenid", "xtcsid"}
)
MAYBE_SESSION = frozenset({"sid", "s", "session", "sess"})
SESSION_VALUE = re.compile(r"(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{16,}", re.IGNORECASE)
# The same in paths: Java's ;jsessionid=…, and ASP.NET's /(S(…))/.
SESSION_PATH = re.compile(
    r";(?:jsessionid|phpsessid|sid)=[^/?;]*|/\((?:[a-z]\([^/()]*\))*s\([0-9a-z]{24}\)\)(?=/)", re.IGNORECASE
)

# Endings of what is never text. Documents (pdf, doc, docx …) are not among them: those are pages too.
MEDIA = re.compile(
    r"\.(?:jpe?g|jfif|png|gif|webp|avif|svgz?|ico|bmp|tiff?|heic|psd|eps"
    r"|mp3|wav|og[agv]|flac|m4[av]|aac|wma|opus|midi?|mp4|mov|avi|mkv|webm|wmv|flv|mpe?g|3gp|swf"
    r"|zip|t?gz|bz2|xz|7z|rar|tar|zst|jar|war|deb|rpm|whl|iso|dmg|pkg|msi|exe|apk|bin|dll"
    r"|woff2?|ttf|otf|eot|css|m?js|map|wasm)$",
    re.IGNORECASE,
)
# Where an ending belongs to a wiki title: /wiki/Node.js and /File:Photo.jpg are HTML pages.
WIKI_TITLE = re.compile(r"/wiki/|/index\.php/|:[^/]*$")

TEMPLATE = re.compile(r"(?:\{|%7B){2}|(?:\$|%24)(?:\{|%7B)", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
# Each escape in upper case, or the character itself where RFC 3986 calls it unreserved.
SPELLING = {
    f"%{code:02X}": chr(code) if re.match(r"[A-Za-z0-9._~-]", chr(code)) else f"%{code:02X}" for code in range(256)
}
# The last segment of a start path that names a file (index.html) rather than a folder (docs, v1.2).
FILE_NAME = re.compile(r"[^/]*\.[A-Za-z][A-Za-z0-9]{1,4}$")

Kind = Literal["host", "subdomains", "path"]
# A site's own knowledge of its addresses: a page's one form, a refusal of what is no page, None where it does not know.
Rule: TypeAlias = "Callable[[str], str | Refusal | None]"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a link is not followed: scheme, template, invalid, too_long, media, offsite, path, not_included, excluded,
    repeats, too_deep, trap.

    On a wiki also: special, edit, redlink, revision, script, title, namespace.
    """

    reason: str


class Habits(Protocol):
    """What was learned of a site's addresses."""

    def fold(self, url: str) -> str:
        """The one address of a page that has several."""

    def is_trap(self, url: str) -> bool:
        """Whether pages with such addresses have brought nothing new."""


def resolve(link: str, base: str | None = None) -> str | Refusal:
    """The link's absolute form exactly as a browser has it, of any scheme and with its fragment."""
    try:
        return URL(link, base).href
    except UnicodeEncodeError:  # lone surrogates, which browsers read as U+FFFD
        return resolve(SURROGATE.sub("\ufffd", link), base and SURROGATE.sub("\ufffd", base))
    except ValueError:
        return Refusal("invalid")


def canonical(link: str, base: str | None = None) -> str | Refusal:
    """The link's identity: the spellings of one address give the same; applied again, it changes nothing."""
    href = resolve(link, base)
    if isinstance(href, Refusal):
        return Refusal("template") if _is_template(link, link) else href
    if not href.startswith(("http://", "https://")):
        return Refusal("scheme")
    # The parser has dropped the scheme's own port. http on 443 (or https on 80) is another server and stays.
    head, _, query = href.partition("#")[0].partition("?")
    if "@" in head:
        head = _without_userinfo(head)
    head = _without_session(head)
    # Tracking goes first: a stray % in a dropped parameter must not decide about the escapes of the rest.
    query = query and _without_tracking(query)
    url = f"{head}?{query}" if query else head
    if "%" in url and not STRAY_PERCENT.search(url):  # beside a stray %, decoding could make a new escape: %%341 → %41
        url = ESCAPE.sub(lambda escape: SPELLING[escape[0].upper()], url)
        head, mark, query = url.partition("?")
        url = _without_session(head) + mark + query
    if len(url) > MAX_CHARS:
        return Refusal("too_long")
    return Refusal("template") if _is_template(link, url) else url


def typed_url(text: str) -> str | Refusal:
    """An address as people type it: https where no scheme is given."""
    return canonical(text if "://" in text else f"https://{text}")


def netloc(url: str) -> str:
    """The `host` or `host:port` of a canonical URL."""
    return url.split("/", 3)[2]


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL."""
    return _origin("/".join(url.split("/", 3)[:3]))


@lru_cache
def _origin(head: str) -> str:
    known = canonical(head)
    return "/".join((head if isinstance(known, Refusal) else known).split("/", 3)[:3])


def path_of(url: str) -> str:
    """The path of a canonical URL, from its first slash to before its query."""
    return "/" + url.split("/", 3)[3].partition("?")[0]


def _is_template(link: str, url: str) -> bool:
    return "<%" in link or TEMPLATE.search(url) is not None


def _without_userinfo(head: str) -> str:
    scheme, _, rest = head.partition("//")
    authority, slash, path = rest.partition("/")
    return f"{scheme}//{authority.rpartition('@')[2]}{slash}{path}"


def _without_session(head: str) -> str:
    return SESSION_PATH.sub("", head) if ";" in head or "/(" in head else head


def _without_tracking(query: str) -> str:
    return "&".join(pair for pair in query.split("&") if not _is_tracking(pair))


def _is_tracking(pair: str) -> bool:
    name, _, value = pair.partition("=")
    name = (unquote(name) if "%" in name else name).lower()
    if name in MAYBE_SESSION:
        return SESSION_VALUE.fullmatch(value) is not None
    return name.startswith(("utm_", "aspsessionid")) or name in TRACKING or name in SESSION


@dataclass(frozen=True)
class Scope:
    """Which links belong to a crawl that begins at `start`."""

    start: str
    kind: Kind = "host"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    normalize: tuple[tuple[str, str], ...] = ()  # pattern and replacement, applied in order
    also: tuple[str, ...] = ()  # further netlocs that count as the start's, such as where it redirects to
    rules: tuple[Rule, ...] = ()  # the first that knows a URL decides
    habits: Habits | None = None

    def __post_init__(self) -> None:
        start = canonical(self.start)
        if isinstance(start, Refusal):
            raise ValueError(f"start: {self.start!r} is no crawlable URL ({start.reason})")
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind: unknown {self.kind!r} ({', '.join(get_args(Kind))})")
        object.__setattr__(self, "start", start)
        _compiled("include", self.include)
        _compiled("exclude", self.exclude)
        _rewrites(self.normalize)

    def admit(self, link: str, base: str | None = None) -> str | Refusal:
        """The link's canonical form after this scope's rewriting, or why it stays outside."""
        url = canonical(link, base)
        if isinstance(url, Refusal):
            return url
        if self.normalize:
            for pattern, replacement in _rewrites(self.normalize):
                url = pattern.sub(replacement, url)
            url = canonical(url)
            if isinstance(url, Refusal):
                return url
        return self._settle(url)

    def sift(self, urls: Iterable[str]) -> list[str]:
        """Those of some canonical URLs that are admitted, each once; a fifth of the cost of parsing them again."""
        if not self.normalize and not self.rules and self.habits is None:
            return [url for url in dict.fromkeys(urls) if not self._objection(url)]
        settle = self.admit if self.normalize else self._settle
        answers = (settle(url) for url in dict.fromkeys(urls))
        return list(dict.fromkeys(url for url in answers if not isinstance(url, Refusal)))

    @cached_property
    def told(self) -> Scope:
        """As it was given, without what was learned."""
        return replace(self, rules=(), habits=None)

    def folded(self, url: str) -> str:
        """The one address of a canonical URL's page, as far as it was learned and belongs to the crawl."""
        folded = self.habits.fold(url) if self.habits is not None else url
        return url if folded != url and self._objection(folded) else folded

    def _settle(self, url: str) -> str | Refusal:
        url = self.folded(url)
        known = next((answer for rule in self.rules if (answer := rule(url)) is not None), None)
        if isinstance(known, Refusal):
            return known
        reason = self._objection(known or url)
        if reason in ("media", "repeats", "too_deep") and known:  # a page, whatever its title looks like
            reason = ""
        if not reason and not known and self.habits is not None and self.habits.is_trap(url):
            reason = "trap"
        return Refusal(reason) if reason else known or url

    def _objection(self, url: str) -> str:
        """The reason to refuse a canonical URL; empty when there is none."""
        path = path_of(url)
        if not self._is_onsite(netloc(url).removeprefix("www.")):
            return "offsite"
        if self.kind == "path" and not path.startswith(self._folder) and path != path_of(self.start):
            return "path"
        if self.include and not any(pattern.search(url) for pattern in _compiled("include", self.include)):
            return "not_included"
        if self.exclude and any(pattern.search(url) for pattern in _compiled("exclude", self.exclude)):
            return "excluded"
        if reason := _growth(url, path):
            return reason
        return "media" if MEDIA.search(path) and not WIKI_TITLE.search(path) else ""

    def _is_onsite(self, site: str) -> bool:
        if site in self._sites:
            return True
        return self.kind == "subdomains" and site.endswith(tuple(f".{own}" for own in self._sites))

    @cached_property
    def _sites(self) -> tuple[str, ...]:
        return tuple(own.lower().removeprefix("www.") for own in (netloc(self.start), *self.also))

    @cached_property
    def _folder(self) -> str:
        return FILE_NAME.sub("", path_of(self.start)).rstrip("/") + "/"


def _growth(url: str, path: str) -> str:
    """The reason to refuse an address that has grown as no honest one does; empty when there is none."""
    if path.count("/") > MAX_SEGMENTS and sum(map(bool, path.split("/"))) > MAX_SEGMENTS:
        return "too_deep"
    if path.count("/") > 2 and REPEATS.search(path):
        return "repeats"
    if url.count("&") >= MAX_REPEATS:
        pairs = Counter(url.partition("?")[2].split("&"))
        if max(pairs.values()) > MAX_REPEATS:
            return "repeats"
    return ""


@lru_cache
def _compiled(argument: str, patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(_compile(argument, pattern) for pattern in patterns)


@lru_cache
def _rewrites(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    rewrites = tuple((_compile("normalize", pattern), replacement) for pattern, replacement in pairs)
    for pattern, replacement in rewrites:
        try:
            pattern.sub(replacement, "")  # reads the replacement, whether or not it matches
        except (re.error, IndexError) as error:
            raise ValueError(f"normalize: bad replacement {replacement!r} for {pattern.pattern!r}: {error}") from error
    return rewrites


def _compile(argument: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{argument}: bad pattern {pattern!r}: {error}") from error
