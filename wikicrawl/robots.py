"""Read a robots.txt by RFC 9309: what it lets us get, and how fast."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote

from protego import Protego

if TYPE_CHECKING:
    from collections.abc import Iterator

Access: TypeAlias = Literal["rules", "allow", "wait"]
Line: TypeAlias = tuple[str, str]

# Of the file count; the RFC asks for 500 KiB at least. Rules need no limit beside: the worst that fit in are 40,000
# with a wildcard, read in 0.2 s of CPU and held against a URL in 13 ms.
MAX_BYTES = 512_000
MAX_LINE = 16_664  # characters of a line count, as with Google: eight times the longest URL
EVERYBODY = "*"
TOKEN = re.compile(r"[A-Za-z_-]+")
LINE_END = re.compile(r"\r\n|\r|\n")
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
WRITTEN = "".join(map(chr, range(0x20, 0x7F)))  # what quote() leaves as it is
# What Python takes for the end of a line, and no robots.txt means so.
OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Names as Google's parser reads them, misspellings included; a name that begins so counts as well.
NAMES = {
    "agent": ("user-agent", "useragent", "user agent"),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "allow": ("allow",),
    "crawl-delay": ("crawl-delay", "crawl delay"),
    "request-rate": ("request-rate", "request rate"),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What a robots.txt says to one agent."""

    _protego: Protego
    _literal: Protego | None  # of the same rules as they are written, where that may be another thing
    delay_seconds: float  # between two requests; 0 where none is asked for

    def allow(self, url: str) -> bool:
        """The RFC compares escapes decoded (%62 is b), Google as they are written: what either forbids is forbidden."""
        if not self._protego.can_fetch(url, EVERYBODY):
            return False
        return self._literal is None or self._literal.can_fetch(_as_written(url), EVERYBODY)


def access_of(status: int) -> Access:
    """What an answer's status means: a file of rules, that there is none, or that nobody knows at the moment.

    What is left of redirects after five of them is no file.
    """
    if 200 <= status < 300:
        return "rules"
    return "allow" if 300 <= status < 500 and status != 429 else "wait"


def to_text(body: bytes) -> str:
    """The part of the file that counts, whatever its bytes are; a line that is cut off does not."""
    is_cut = len(body) > MAX_BYTES
    body = body[:MAX_BYTES]
    encoding = _encoding(body)
    text = body.decode(encoding, "replace").removeprefix("\ufeff").replace("\x00", "")
    lines = LINE_END.split(text)
    return "\n".join(lines[:-1] if is_cut else lines)


def read_rules(text: str, token: str) -> Rules:
    """Only what is said to the robot goes to Protego, which would write out every rule for every agent named."""
    own = [(name, OTHER_LINE_ENDS.sub(lambda end: quote(end[0]), value)) for name, value in _said_to(token, text)]
    protego = _parse(own)
    literal = None
    if any(name == "allow" and ("%" in value or not value.isascii()) for name, value in own):
        literal = _parse([(name, _as_written(quote(value, safe=WRITTEN))) for name, value in own])
    rate = protego.request_rate(EVERYBODY)
    delay_seconds = max(protego.crawl_delay(EVERYBODY) or 0.0, rate.seconds / rate.requests if rate else 0.0)
    return Rules(protego, literal, delay_seconds)


def _parse(rules: list[Line]) -> Protego:
    return Protego.parse("\n".join([f"user-agent: {EVERYBODY}", *(f"{name}: {value}" for name, value in rules)]))


def _as_written(text: str) -> str:
    """With a sign in place of % that nobody decodes."""
    return ESCAPE.sub(lambda escape: f"~{escape[1].upper()}", text)


def product_token(agent: str) -> str:
    """The part of a User-Agent that robots.txt knows a robot by."""
    found = TOKEN.match(agent)
    return found[0].lower() if found else ""


def _encoding(body: bytes) -> str:
    if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    # ASCII as UTF-16 without its mark: every other byte is NUL.
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(body) > 1 and not any(body[start:200:2]):
            return encoding
    return "utf-8"


def _said_to(token: str, text: str) -> list[Line]:
    """The robot's own rules, gathered from all its groups; those for everybody only where it has no group."""
    token = token.lower()
    said: dict[str, dict[Line, None]] = {}
    named: set[str] = set()  # in the heading of the group, as far as they concern us
    is_heading = False
    for name, value in _lines(text):
        if name == "agent":
            # Only rules end a heading: by the RFC no other line may come between its agents.
            named = named if is_heading else set()
            is_heading = True
            whom = EVERYBODY if re.match(r"\*(?:\s|$)", value) else product_token(value)
            if whom in (token, EVERYBODY) and whom:
                named.add(whom)
                said.setdefault(whom, {})
            continue
        is_heading = is_heading and name not in ("allow", "disallow")
        for whom in named:
            if value:
                said[whom][name, value] = None
    return list(said.get(token, said.get(EVERYBODY, {})))


def _lines(text: str) -> Iterator[Line]:
    for line in LINE_END.split(text):
        words = line[:MAX_LINE].partition("#")[0].strip()
        name, colon, value = words.partition(":")
        if not colon:  # some forget it
            name, _, value = words.partition(" ") if len(words.split()) == 2 else (words, "", "")
        name = name.strip().lower()
        known = next((known for known, spellings in NAMES.items() if name.startswith(spellings)), None)
        if known:
            yield known, value.strip()
