"""Draw the demo's pictures."""

from __future__ import annotations

import re
import struct
import zlib
from functools import lru_cache
from math import sin
from random import Random

from wikicrawl.demo.site import BUILT, Answer

_PATH = re.compile(r"/images/([a-z]+(?:-\d+)?)-(160|320|640)\.png")


def answer(path: str) -> Answer | None:
    """The picture at `/images/{name}-{width}.png`; None for any other path."""
    match = _PATH.fullmatch(path)
    return Answer(png(match[1], int(match[2])), "image/png", modified=BUILT) if match else None


@lru_cache(maxsize=256)
def png(name: str, width: int) -> bytes:
    """A landscape in three colours, always the same for the same name."""
    random = Random(name)
    sky, haze, land = (tuple(random.randint(low, low + 60) for _ in range(3)) for low in (150, 185, 50))
    height, waves = width * 2 // 3, (random.uniform(4, 9), random.uniform(10, 17))
    ridge = [height * (0.6 + 0.1 * sin(waves[0] * x / width) + 0.04 * sin(waves[1] * x / width)) for x in range(width)]
    rows = bytearray()
    for y in range(height):
        air = bytes(round(a + (b - a) * y / height) for a, b in zip(sky, haze, strict=True))
        rows += b"\0" + b"".join(bytes(land) if y > top else air for top in ridge)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(bytes(rows))) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def logo(letter: str, colour: str) -> bytes:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">'
        f'<circle cx="20" cy="20" r="19" fill="{colour}"/><text x="20" y="27" font-family="serif" font-size="20" '
        f'fill="#fff" text-anchor="middle">{letter}</text></svg>'
    ).encode()
