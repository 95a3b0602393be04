"""The golden cases of the house's markdown."""

import re
from pathlib import Path

import pytest

from wikicrawl.extract.links import base_of
from wikicrawl.extract.normalise import normalise
from wikicrawl.extract.strip import strip_unread
from wikicrawl.extract.tree import body_of, parse
from wikicrawl.extract.unread import write_unread

URL = "https://example.org/dir/page"
FILES = sorted((Path(__file__).parent / "markdown_cases").glob("*.txt"))
# A file holds the cases of one construct: a name, the HTML, and below the dashes the markdown it becomes.
CASE = re.compile(r"^######## (.+)\n((?:.*\n)*?)--------\n((?:.*\n)*?)(?=\n*^######## |\Z)", re.M)


def read_cases():
    for path in FILES:
        for name, html, markdown in CASE.findall(path.read_text(encoding="utf-8")):
            yield pytest.param(html.removesuffix("\n"), markdown.rstrip("\n"), id=f"{path.stem}: {name}")


GOLDEN = list(read_cases())


def content_of(html):
    """The whole page, ready for an engine."""
    tree = parse(html)
    base, body = base_of(tree, URL), body_of(tree)
    write_unread(body)
    strip_unread(body)
    normalise(body, base)
    return body
