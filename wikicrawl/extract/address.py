"""Make the links of a text absolute and safe."""

from __future__ import annotations

from functools import lru_cache

import ada_url

SAFE = ("http://", "https://", "mailto:")
TEMPLATES = ("{{", "${", "{%", "{width}", "%7B%7B")


def absolute(raw: str, base: str) -> str:
    """The link as written into markdown: http, https or mailto, no character that ends a link early; else nothing."""
    raw = raw.strip()
    if raw[:1] == "/" and raw[1:2] not in ("/", "\\"):
        base = base[: base.find("/", 8) + 1] or base  # the same from every page of the site
    return _absolute(raw, base)


@lru_cache(maxsize=8192)
def _absolute(raw: str, base: str) -> str:
    if not raw or raw.startswith(("data:", "javascript:")) or any(template in raw for template in TEMPLATES):
        return ""
    try:
        url = str(ada_url.join_url(base, raw))
    except ValueError:
        return ""
    if not url.startswith(SAFE):
        return ""
    return url.replace("(", "%28").replace(")", "%29")
