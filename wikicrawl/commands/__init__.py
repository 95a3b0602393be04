"""The project's own `scrapy` commands."""

from __future__ import annotations

import sys


def print_problem(problem: object) -> int:
    """Say in one line why a command cannot go on; its exit code."""
    print(f"wikicrawl: {problem}", file=sys.stderr)
    return 2
