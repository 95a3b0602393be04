"""Name what a response is: page, shell, block or error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from wikicrawl.extract.embedded import find_embedded
from wikicrawl.extract.guard import is_hostile
from wikicrawl.tiers.challenges import by_headers, by_markup, by_words, is_cookie_wall, markup_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

# Kinds: page, shell (a browser may show more), blocked (a browser may pass), throttled, missing, failed, not_html.
REASONS = {
    "content": "page: enough text of its own",
    "short": "page: little text, and nothing says that more is to come",
    "list": "page: mostly links",
    "media": "page: pictures, films or frames with hardly any text",
    "form": "page: a form with hardly any text",
    "noscript": "page: its text is complete in noscript",
    "embedded": "page: shows nothing without scripts, but carries its article in their JSON",
    "unjudged": "page: too hostile or too large to look at closely, left to the worker and its limits",
    "empty_mount": "shell: the element a front-end tool renders into is empty",
    "noscript_plea": "shell: asks for JavaScript",
    "loading": "shell: says that it is loading",
    "skeleton": "shell: placeholder shapes instead of text",
    "empty_main": "shell: the main element is empty",
    "no_text": "shell: scripts, and no text outside the frame of the site",
    "cloudflare": "blocked: Cloudflare's challenge or block page",
    "datadome": "blocked: DataDome's",
    "perimeterx": "blocked: HUMAN's (PerimeterX)",
    "akamai": "blocked: Akamai's",
    "imperva": "blocked: Imperva's (Incapsula)",
    "aws_waf": "blocked: AWS WAF's",
    "sucuri": "blocked: Sucuri's",
    "ddos_guard": "blocked: DDoS-Guard's",
    "vercel": "blocked: Vercel's",
    "anubis": "blocked: Anubis' proof of work",
    "kasada": "blocked: Kasada's",
    "challenge": "blocked: another wall's, known by its marks or because its script sets a cookie and reloads",
    "status_403": "blocked, or failed if it is no text: forbidden, and no wall is known by its marks",
    "status_429": "throttled: too many requests",
    "status_503": "throttled: unavailable, with Retry-After",
    "status_404": "missing: not found",
    "status_410": "missing: gone",
    "status_401": "failed: needs credentials",
    "status_3xx": "failed: a redirect that leads nowhere",
    "status_4xx": "failed: refused",
    "status_5xx": "failed: the server broke",
    "empty_body": "failed: nothing came, or a page without text, picture or script",
    "pdf": "not_html: PDF",
    "image": "not_html: picture",
    "media_file": "not_html: sound or film",
    "json": "not_html: JSON",
    "xml": "not_html: XML, feeds and sitemaps too",
    "text": "not_html: plain text",
    "other": "not_html: anything else",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a response is, why, and how much text it shows outside the frame of the site."""

    kind: str
    reason: str
    text_chars: int = 0


# The signs decide, not the figures: each may be halved or doubled, and at most one of 446 real pages with a known
# answer changes sides. Guarded by tests/test_tiers_judge.py. Text is weighed in characters, see _WIDE.
_RICH, _RICH_BLOCKS = 500, 3  # own text of a page that needs no more questions; blocks keep one long notice from it
_WALL = 2000  # more than any wall says of itself: Anubis, the most talkative, says 1,200 to 1,600
_THIN = 300  # a plea or a spinner beside more than this belongs to a part of the page
_PROSE = 60  # a sentence; labels, names and prices are shorter
_SOME = 50  # less text than this, and scripts: nothing was said
_EMPTY_MOUNT = 60  # "Loading…" and a name
_MAX_BYTES = 2_000_000  # a page that has shown nothing by then shows nothing
_MAX_ELEMENTS = 20_000  # real pages with little text have under 4,000; 280,000 would hold up the event loop for 4 s
# Content types by how they begin; what is not named here is "other".
_TYPES = {
    "text/html": "html",
    "application/xhtml": "html",
    "application/vnd.wap.xhtml": "html",
    "application/pdf": "pdf",
    "image/": "image",
    "audio/": "media_file",
    "video/": "media_file",
    "application/json": "json",
    "application/ld+json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/rss+xml": "xml",
    "application/atom+xml": "xml",
    "text/": "text",
}
_BEGINNINGS = {
    b"%PDF": "pdf",
    b"\x89PNG": "image",
    b"\xff\xd8\xff": "image",
    b"GIF8": "image",
    b"RIFF": "media_file",
    b"{": "json",
    b"[": "json",
    b"<?xml": "xml",
    b"<": "html",
}
# Statuses that walls answer with; elsewhere their words may be anyone's.
_REFUSALS = frozenset((401, 403, 405, 406, 503))

_UNSEEN = ["head", "script", "style", "noscript", "template", "svg", "select", "datalist"]
# Hidden text does not reach the reader. React streams finished parts as hidden S: elements and unhides them at once.
_HIDDEN = (
    ':is([hidden]:not([id^="S:"], [hidden=until-found]), [style*="display:none" i], [style*="display: none" i], dialog)'
    ":not(html, body)"
)
# The frame of a site: the same on every page, and there before any content is.
_FRAME = (
    ":is(nav, [role=navigation], [role=dialog],"
    " :is(header, footer, aside, [role=banner], [role=contentinfo]):not(main *, article *, [role=main] *),"
    " :is([class*=footer i], [id*=footer i], [class*=cookie i], [id*=cookie i], [class*=consent i], [id*=consent i])"
    ":not([class*=content i], main *, article *, [role=main] *)):not(html, body)"
)
_BLOCKS = "p, li, td, th, dd, dt, h1, h2, h3, h4, h5, h6, pre, blockquote, figcaption"
# What the common front-end and API documentation tools render into; nothing else uses these names.
_MOUNTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #q-app, #svelte, #elm, #react-root, #ember-app, #redoc-container,"
    " #swagger-ui, app-root, ion-app, redoc, rapi-doc, elements-api"
)
_MEDIA = (
    "img:not([width='1'], [height='1']), picture, video, audio, object, embed, frame,"
    " iframe[src]:not([src^='javascript:'], [src^='about:'])"
)
_FIELDS = "input:not([type=hidden]), textarea"
_SKELETONS = "[class*=skeleton i], [class*=shimmer i], [class*=animate-pulse], [class*=placeholder-glow]"
_SCRIPTS = "script:not([type$='json']), link[rel=modulepreload], link[as=script]"

# Chinese says the same in about a third of the characters of English, Japanese and Korean in about half.
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_TAG = re.compile(r"<style.*?</style|<[^>]*>", re.IGNORECASE | re.DOTALL)
_LOADING = re.compile(
    r"(?:loading|initiali[sz]ing|chargement|cargando|carregando|caricamento|wird geladen|laddar|ładowanie|yükleniyor"
    r"|загрузка|読み込み中|加载中|載入中|로딩)(?:\W*|[\w ,'’]{1,30}(?:\.\.+|…))"
    r"|(?:please wait|one moment)[\w ,'’]{0,40}\W*",
    re.IGNORECASE,
)
# Inside noscript any mention of JavaScript, in whatever language, is about its lack.
_MENTION = re.compile(r"java ?script|\bjs\b", re.IGNORECASE)
_PLEA = re.compile(
    r"(?:enable|activate|turn on|allow|requires?|needs?) (?:java ?script|js\b)"
    r"|java ?script (?:is |must be |has to be )?(?:required|disabled|not enabled|not available|turned off)",
    re.IGNORECASE,
)
# Pleas for one part of a page, such as those of WPForms and Disqus on countless finished pages.
_PART = re.compile(
    r"\b(?:forms?|comments?|disqus|videos?|player|maps?|captcha|e-?mail|cart|gallery|slide\w*|widget)\b", re.IGNORECASE
)


@dataclass(slots=True)
class _Sight:
    """What a reader without scripts sees outside the frame of the site."""

    seen: LexborNode  # what is left of the page
    text: str
    weight: int
    own: int  # weight outside links
    blocks: int
    has_media: bool


def judge(body: bytes, *, status: int, headers: Mapping[str, str], encoding: str | None = None) -> Verdict:
    """Header names in lower case."""
    if wall := by_headers(headers):
        return Verdict("blocked", wall)
    is_ok = 200 <= status < 300
    if is_ok and (not body or body.isspace()):
        # No browser: there is no script that could fetch the rest, so it would show the same nothing.
        return Verdict("failed", "empty_body")
    form = _form(headers.get("content-type", ""), body)
    if is_ok and form != "html":
        return Verdict("not_html", form)
    html = _utf8(body[:_MAX_BYTES], encoding) if form == "html" else b""
    if is_hostile(html):
        html = b""
        if is_ok:
            return Verdict("page", "unjudged")
    return _judge_page(html) if is_ok else _judge_refusal(html, status, headers, form)


def _form(content_type: str, body: bytes) -> str:
    named = content_type.strip().lower()
    if named:
        return next((form for beginning, form in _TYPES.items() if named.startswith(beginning)), "other")
    start = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n\f")
    unknown = "other" if b"\0" in start else "text"
    return next((form for beginning, form in _BEGINNINGS.items() if start.startswith(beginning)), unknown)


def _utf8(body: bytes, encoding: str | None) -> bytes:
    """As UTF-8 unless another encoding is given; what the page declares of itself may be a codec that hides tags."""
    if encoding is None or encoding.lower() in ("utf-8", "utf8", "ascii", "us-ascii"):
        return body
    try:
        return body.decode(encoding, "replace").encode("utf-8", "replace")
    except (LookupError, UnicodeError):
        return body


def _parse(body: bytes) -> LexborNode:
    return LexborHTMLParser(body, scripting=True).css("html")[0]


def _judge_refusal(html: bytes, status: int, headers: Mapping[str, str], form: str) -> Verdict:
    if wall := _wall_of_refusal(_parse(html), status, headers):
        return Verdict("blocked", wall)
    if status in (404, 410):
        return Verdict("missing", f"status_{status}")
    if status == 403:
        # Refused data stays refused; refused text may be a filter on clients, which a browser passes.
        return Verdict("blocked" if form in ("html", "text") else "failed", "status_403")
    if status == 429 or (status == 503 and "retry-after" in headers):
        return Verdict("throttled", f"status_{status}")
    if status == 401:
        return Verdict("failed", "status_401")
    return Verdict("failed", {3: "status_3xx", 4: "status_4xx"}.get(status // 100, "status_5xx"))


def _wall_of_refusal(root: LexborNode, status: int, headers: Mapping[str, str]) -> str:
    markup = markup_of(root)
    title = " ".join(_text(node) for node in root.css("title"))
    sight = _look(root)
    if sight.weight < _WALL and (wall := by_markup(markup)):
        return wall
    if status in _REFUSALS and (wall := by_words(f"{title} {sight.text}".lower())):
        return wall
    if status == 403 and "x-datadome" in headers:  # it marks the pages it lets pass, too
        return "datadome"
    return "challenge" if status not in (404, 410) and _is_cookie_wall(sight, markup) else ""


def _judge_page(html: bytes) -> Verdict:
    sight = _look(_parse(html))
    chars = len(sight.text)
    is_rich = sight.own >= _RICH and sight.blocks >= _RICH_BLOCKS
    if is_rich and sight.weight >= _WALL:
        return Verdict("page", "content", chars)
    # Looking has stripped the tree. The few pages with little text are parsed once more, for what they run and hide.
    raw = _parse(html)
    markup = markup_of(raw)
    if sight.weight < _WALL and (wall := by_markup(markup)):
        return Verdict("blocked", wall, chars)
    if is_rich:
        return Verdict("page", "content", chars)
    if len(raw.css("*")) > _MAX_ELEMENTS:
        return Verdict("page", "unjudged", chars)
    verdict = _judge_little(sight, raw, markup)
    return (_judge_embedded(html) or verdict) if verdict.kind == "shell" else verdict


def _judge_embedded(html: bytes) -> Verdict | None:
    """Judging has taken the scripts out of the tree, so the shell is parsed once more."""
    root = _parse(html)
    scripts = ((node.attributes.get("type") or "", node.text()) for node in root.css("script"))
    found = find_embedded(scripts, " ".join(_text(node) for node in root.css("title")))
    return Verdict("page", "embedded", found.chars) if found else None


def _judge_little(sight: _Sight, raw: LexborNode, markup: str) -> Verdict:
    if _is_cookie_wall(sight, markup):
        return Verdict("blocked", "challenge", len(sight.text))
    noscripts = [node.text() for node in raw.css("noscript")]
    inner = _look(_parse("".join(noscripts).encode()))
    if inner.own >= _RICH and inner.blocks >= _RICH_BLOCKS:
        return Verdict("page", "noscript", len(inner.text))
    has_script = raw.css_matches(_SCRIPTS)
    raw.strip_tags(_UNSEEN, recursive=True)
    if sign := _promise(sight, noscripts):
        return Verdict("shell", sign, len(sight.text))
    if sum(1 for paragraph in raw.css("p, pre, blockquote") if _is_prose(paragraph)) >= 5:
        # More than a frame holds: the page was taken for one, with its text in <header> or in class "sticky-footer".
        return Verdict("page", "content", len(_text(raw)))
    return _judge_scant(sight, raw, has_script=has_script)


def _judge_scant(sight: _Sight, raw: LexborNode, *, has_script: bool) -> Verdict:
    chars = len(sight.text)
    if sign := _gap(sight):
        return Verdict("shell", sign, chars)
    if sight.weight >= _SOME or sight.blocks >= 2:
        return Verdict("page", _extent(sight), chars)
    if sight.has_media or sight.seen.css_matches(_FIELDS):
        return Verdict("page", "media" if sight.has_media else "form", chars)
    if has_script:
        return Verdict("shell", "no_text", chars)
    return Verdict("page", "short", chars) if _text(raw) else Verdict("failed", "empty_body")


def _extent(sight: _Sight) -> str:
    if sight.own < sight.weight / 2:
        return "list"
    return "content" if sight.weight >= _RICH else "short"


def _look(root: LexborNode) -> _Sight:
    """Strips the tree of what is not seen, and of the frame."""
    root.strip_tags(_UNSEEN, recursive=True)
    for node in reversed(root.css(_HIDDEN)):  # inner ones first: an outer one takes them along
        node.decompose()
    for node in reversed(root.css(_FRAME)):
        if node.css_first("main, article, h1") is None:
            node.decompose()
    has_media = root.css_matches(_MEDIA)
    root.strip_tags(["iframe"], recursive=True)
    text = _text(root)
    weight = _weigh(text)
    own = weight - sum(_weigh(_text(link)) for link in root.css("a"))
    blocks = (block for block in root.css(_BLOCKS)[:_MAX_ELEMENTS] if len(block.text().strip()) >= 15)
    return _Sight(root, text, weight, own, sum(1 for _ in islice(blocks, _RICH_BLOCKS)), has_media)


def _text(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


def _weigh(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def _is_prose(block: LexborNode) -> bool:
    return _weigh(_text(block)) - sum(_weigh(_text(link)) for link in block.css("a")) >= _PROSE


def _promise(sight: _Sight, noscripts: list[str]) -> str:
    """The sign by which a page says itself that scripts are to bring its content, or ''."""
    for mount in sight.seen.css(_MOUNTS):
        if _weigh(_text(mount)) < _EMPTY_MOUNT and len(mount.css(_MEDIA)) <= 1:  # one picture is the logo it waits with
            return "empty_mount"
    return "noscript_plea" if sight.weight < _THIN and _pleads(sight.text, noscripts) else ""


def _gap(sight: _Sight) -> str:
    """The sign that content is missing where it should be, or ''."""
    seen = sight.seen
    if sight.weight < _THIN and not any(_is_prose(block) for block in seen.css(_BLOCKS)):
        if seen.css_matches("[aria-busy=true]") or _says_loading(seen):
            return "loading"
        if sum(1 for node in seen.css(_SKELETONS) if not _text(node)) >= 2:
            return "skeleton"
    mains = seen.css("main, [role=main]")
    is_filled = any(_weigh(_text(main)) >= 20 or main.css_matches(f"{_MEDIA}, {_FIELDS}") for main in mains)
    return "empty_main" if mains and not is_filled else ""


def _says_loading(seen: LexborNode) -> bool:
    return any(_LOADING.fullmatch(node.text(deep=False).strip()) for node in seen.css("*"))


def _pleads(text: str, noscripts: list[str]) -> bool:
    said = [_TAG.sub(" ", noscript) for noscript in noscripts]
    return any(_MENTION.search(plea) and not _PART.search(plea) for plea in said) or (
        bool(_PLEA.search(text)) and not _PART.search(text)
    )


def _is_cookie_wall(sight: _Sight, markup: str) -> bool:
    # An ordinary page may set cookies and reload, too (consent, languages), but has text and leads on to others.
    return sight.weight < 200 and len(sight.seen.css("a[href]")) <= 1 and is_cookie_wall(markup)
