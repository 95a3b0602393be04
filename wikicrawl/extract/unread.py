"""Write as text what a page shows by other means: formulas, players, frames, check boxes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from wikicrawl.extract.formulas import write_formulas
from wikicrawl.extract.images import TINY, TRACKER
from wikicrawl.extract.marks import shield
from wikicrawl.extract.tree import classes

if TYPE_CHECKING:
    from lxml.html import HtmlElement

EMBEDS = {"iframe": "src", "video": "src", "audio": "src", "object": "data", "embed": "src"}
LAZY = ("data-src", "data-lazy-src", "data-litespeed-src", "data-src-cmplz", "data-cookieblock-src")
# Frames that show nothing to read or watch: ads, counters, consent, log-ins, captchas, chats, buttons, forms.
IDLE = re.compile(
    r"//[^/]*(?:ads?[.-]|adserv|adsystem|syndication|adnxs|criteo|taboola|outbrain|tagmanager|recaptcha|captcha|challenges\."
    r"|consent|cookie|privacy|accounts?\.|login|auth\.|disqus|intercom|livechat|tawk|hsforms|list-manage|addthis|sharethis)"
    r"|/recaptcha/|/plugins/(?:like|share|follow|page)|/widgets/(?:follow|tweet_button|like)|/sw_iframe|/comments?/embed",
    re.I,
)
IDLE_NAMES = re.compile(r"\b(?:advert\w*|ads?|tracking|captcha|cookies?|consent|chat|forms?|newsletter|widget)\b", re.I)
HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?<![\w-])(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$)", re.I
)
NOWHERE = re.compile(r"(?!https?:)[a-z][a-z+.-]*:", re.I)
INLINE = frozenset({"p", "span", "b", "strong", "i", "em", "a", "font"})
MAX_TITLE = 200


def write_unread(body: HtmlElement) -> None:
    """Must come before what is not read as text is taken out of the page."""
    write_formulas(body)
    mark_tasks(body)
    link_embeds(body)


def mark_tasks(body: HtmlElement) -> None:
    """The check box an item of a task list begins with; boxes to be clicked are a form's."""
    for box in list(body.iter("input")):
        if box.get("type", "").lower() != "checkbox" or not _is_task(box):
            continue
        text = shield("[x] " if box.get("checked") is not None else "[ ] ")
        tail = box.tail or ""
        box.clear()
        box.tag, box.text, box.tail = "span", text, tail.lstrip()


def _is_task(box: HtmlElement) -> bool:
    item = next(box.iterancestors("li"), None)
    if item is None or (item.text or "").strip():
        return False
    names = " ".join(classes(box) + classes(item))
    return box.get("disabled") is not None or "task" in names


def link_embeds(body: HtmlElement) -> None:
    """Frames and players become links, under their title or else their host or file; ads and counters do not."""
    for embed in list(body.iter(*EMBEDS)):
        if embed.getparent() is None or next(embed.iterancestors("noscript", *EMBEDS), None) is not None:
            continue
        source = _source(embed)
        title = _title(embed, source)
        if not title or _is_idle(embed, source, title):
            continue
        link = embed.makeelement("a", href=source)
        link.text = title
        place = embed.makeelement("span" if embed.getparent().tag in INLINE else "div")
        place.append(link)
        embed.addprevious(place)
        if embed.tag != "embed":  # libxml2 puts what follows one into it
            embed.drop_tree()


def _source(embed: HtmlElement) -> str:
    names = (*LAZY, EMBEDS[embed.tag])
    inner = (source.get("src", "") for source in embed.iter("source"))
    sources = (source.strip() for source in (*(embed.get(name, "") for name in names), *inner))
    return next((source for source in sources if source and not NOWHERE.match(source)), "")


def _title(embed: HtmlElement, source: str) -> str:
    if _is_named(embed):
        return " ".join((embed.get("title") or embed.get("aria-label") or "").split())[:MAX_TITLE]
    try:
        parts = urlsplit(source)
    except ValueError:
        return ""
    name = unquote(parts.path.rpartition("/")[2])
    return (name if embed.tag != "iframe" else "") or (parts.hostname or "").removeprefix("www.")


def _is_named(embed: HtmlElement) -> bool:
    return bool((embed.get("title") or embed.get("aria-label") or "").strip())


def _is_idle(embed: HtmlElement, source: str, title: str) -> bool:
    if not source or embed.get("hidden") is not None or embed.get("aria-hidden") == "true":
        return True
    if any(TINY.match(embed.get(side, "-")) for side in ("width", "height")) or HIDDEN.search(embed.get("style", "")):
        return True
    if embed.tag == "object" and (source.endswith(".svg") or embed.get("type", "").startswith("image/")):
        return True
    is_player = embed.tag in {"video", "audio"}
    if is_player and embed.get("controls") is None and (embed.get("autoplay") is not None or not _is_named(embed)):
        return True  # it moves, but tells nothing
    return bool(IDLE.search(source) or TRACKER.search(source) or IDLE_NAMES.search(title))
