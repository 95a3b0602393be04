"""Read what spiders are given by `-a name=value`, where everything is text."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from wikicrawl.urls import Refusal, typed_url


def _as_address(value: str) -> str:
    url = typed_url(value)
    if isinstance(url, Refusal):
        raise ValueError(f"{value!r} is not a web address (http:// or https://)")
    return url


def as_list(value: Any) -> Any:
    """A JSON list, or one entry a line."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [line.strip() for line in value.splitlines() if line.strip()]


def _as_names(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _as_replacement(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"pattern", "replace"}:
        return (value["pattern"], value["replace"])
    if isinstance(value, str) and "=>" in value:
        pattern, _, replacement = value.partition("=>")
        return (pattern.strip(), replacement.strip())
    return value


Address = Annotated[str, AfterValidator(_as_address)]
Patterns = Annotated[tuple[str, ...], BeforeValidator(as_list)]
Replacement = Annotated[tuple[str, str], BeforeValidator(_as_replacement)]
Replacements = Annotated[tuple[Replacement, ...], BeforeValidator(as_list)]
Addresses = Annotated[tuple[Address, ...], BeforeValidator(as_list)]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_names)]  # with commas between them


def without_scrapyds(arguments: dict[str, Any]) -> dict[str, Any]:
    """scrapyd adds _job and _version to every spider's arguments."""
    return {name: value for name, value in arguments.items() if not name.startswith("_")}
