"""Make any string fit for a database, a feed and a reader."""

from __future__ import annotations

import re

# What no feed or database takes: control characters but tab and newline, lone surrogates, non-characters.
UNFIT = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
# What no reader sees, and hides words from search or carries orders to a language model: soft hyphens, zero-width
# spaces, direction marks and overrides, invisible operators, fillers, tag characters.
INVISIBLE = (
    "\u00ad\u061c\u180e\u3164\uffa0\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f"
)
# Joiners are spelling in Arabic and Indic scripts and glue in emoji; anywhere else they are invisible, too.
JOINED = "\u0600-\u0fff\u1000-\u109f\u1780-\u18af\ufe0f\u2600-\u27bf\U0001f000-\U0001faff"
# One selector after a sign chooses its form, a second one chooses nothing; the long ones are for Chinese signs only.
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
CHINESE = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# A page's own line ends and odd spaces, each as the plain one.
SPACES = {0x0D: "\n", 0x2028: "\n", 0x2029: "\n", 0x85: "\n", 0xA0: " ", 0x2007: " ", 0x202F: " "}
ANY = re.compile(f"[{UNFIT}{INVISIBLE}{SELECTORS}\u200c\u200d{''.join(map(chr, SPACES))}]")
# Chinese says the same in about a third of the characters of English, Japanese and Korean in about half, and none of
# Chinese, Japanese and Thai parts its words.
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
WORD = re.compile(r"\w+")
DROPPED = re.compile(
    f"[{UNFIT}{INVISIBLE}]|(?<![{JOINED}])[\u200c\u200d]"
    f"|(?<=[{SELECTORS}])[{SELECTORS}]|(?<![{CHINESE}])[\U000e0100-\U000e01ef]"
)


def clean(text: str) -> str:
    """The text without what is unfit to store or not to be seen."""
    if not ANY.search(text):
        return text
    return DROPPED.sub("", text.replace("\r\n", "\n").translate(SPACES))


def line(text: str, max_chars: int) -> str:
    """The text clean, on one line and no longer than asked."""
    return " ".join(clean(text[: 4 * max_chars]).split())[:max_chars].rstrip()


def weigh(text: str) -> int:
    """How much is said: characters of English."""
    return len(text) if text.isascii() else len(text) + len(WIDE.findall(text))


def words(text: str) -> list[str]:
    """The words of a text in lower case; of scripts that part none, the signs."""
    text = text.lower()
    return WORD.findall(text if text.isascii() else WIDE.sub(r" \g<0> ", text))
