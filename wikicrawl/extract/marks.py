"""Carry text past both markdown engines unchanged."""

from __future__ import annotations

import re

# Non-characters, which no page text holds (see tree.parse), mark where the markdown gets a backslash: engines would
# escape a real one again.
BACKSLASH = "\ufdd0"
NOTHING = "\ufdd1"
# The others stand for characters that are markup on purpose. Not the bar: engines must escape it, in tables only.
MARKUP = "\\`*_{}[]()<>#+-.!~&^$:="
SHIELD = {ord(character): 0xFDD2 + index for index, character in enumerate(MARKUP)}
UNSHIELD = {code: chr(character) for character, code in SHIELD.items()}
SHIELDED = re.compile(f"[{''.join(map(chr, UNSHIELD))}]")


def shield(markdown: str) -> str:
    """The text as it must stand in a tree to be in the markdown exactly as it is."""
    return markdown.translate(SHIELD)


def unshield(text: str) -> str:
    """The text that was meant, with all marks resolved."""
    if SHIELDED.search(text):
        text = text.translate(UNSHIELD)
    return text.replace(BACKSLASH, "\\").replace(NOTHING, "")
