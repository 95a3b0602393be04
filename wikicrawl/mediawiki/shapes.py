"""Read both shapes in which MediaWiki writes JSON: formatversion 2, and 1 of old wikis."""

from __future__ import annotations

from typing import Any


def rows(value: object) -> list[dict[str, Any]]:
    """The records in a list, or in an object keyed by id, which is what formatversion=1 makes of some lists."""
    if isinstance(value, dict):
        value = list(value.values())
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def mapping(row: dict[str, Any], key: str) -> dict[str, Any]:
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def named(row: dict[str, Any], key: str) -> str:
    """A text that formatversion=1 calls `*`."""
    return text(row, key) or text(row, "*")


def text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return value.strip() if isinstance(value, str) else ""


def flag(row: dict[str, Any], key: str) -> bool:
    """formatversion=1 says true with an empty string and false by leaving the key out."""
    return row.get(key, False) not in (False, None)


def number(value: object) -> int:
    if isinstance(value, int | str):
        return int(value)
    raise ValueError(f"a number was expected, not {value!r}, so this is no MediaWiki")
