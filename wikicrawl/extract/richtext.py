"""Write rich text that content systems keep as JSON blocks as HTML."""

from __future__ import annotations

import re
from html import escape
from typing import Any

MAX_DEPTH = 20
# Contentful says nodeType, Sanity _type, Slate, ProseMirror, Storyblok and Editor.js type.
KIND = ("nodeType", "_type", "type")
PARTS = ("content", "children")
TEXT = ("text", "value")
KINDS = re.compile(
    r"^(?:p|paragraph|text|block|span|root|doc|document|rich_?text|heading|header|h[1-6]|quote|list)", re.I
)
LEVEL = re.compile(r"(?:heading|header|h)[-_]?([1-6])$", re.I)


def as_blocks(value: Any) -> list[dict[str, Any]]:
    """The value as blocks of rich text, or nothing if it is something else."""
    if isinstance(value, dict):
        parts = next((value[key] for key in PARTS if isinstance(value.get(key), list)), None)
        return as_blocks(parts) if parts and KINDS.match(_kind(value)) else []
    if not isinstance(value, list) or not value:
        return []
    blocks = [block for block in value if isinstance(block, dict)]
    known = sum(1 for block in blocks if KINDS.match(_kind(block)) and _words(block, 0).strip())
    return blocks if known and known * 2 >= len(value) else []


def render(blocks: list[dict[str, Any]]) -> str:
    return "".join(_render(block) for block in blocks)


def _render(block: dict[str, Any]) -> str:
    words = escape(_words(block, 0).strip())
    if not words:
        return ""
    kind = _kind(block)
    level = LEVEL.match(str(block.get("style") or "")) or LEVEL.match(kind)
    if level or re.match("head", kind, re.I):
        depth = level[1] if level else _depth(block)
        return f"<h{depth}>{words}</h{depth}>"
    if block.get("listItem") or re.match(r"list|ul|ol|bullet", kind, re.I):
        return f"<ul><li>{words}</li></ul>"
    return f"<p>{words}</p>"


def _depth(block: dict[str, Any]) -> int:
    for holder in (block.get("attrs"), block.get("data"), block):
        depth = holder.get("level") if isinstance(holder, dict) else None
        if isinstance(depth, int) and 1 <= depth <= 6:
            return depth
    return 2


def _kind(block: dict[str, Any]) -> str:
    kinds = (block.get(key) for key in KIND)
    return next((kind for kind in kinds if isinstance(kind, str)), "")


def _words(value: Any, depth: int) -> str:
    """All text of a block; pieces of one line are joined as they stand."""
    if depth > MAX_DEPTH:
        return ""
    if isinstance(value, list):
        return "".join(_words(part, depth + 1) for part in value)
    if not isinstance(value, dict):
        return ""
    own = next((value[key] for key in TEXT if isinstance(value.get(key), str)), "")
    parts = (value[key] for key in (*PARTS, "data") if isinstance(value.get(key), list | dict))
    return own + _words(next(parts, None), depth + 1)
