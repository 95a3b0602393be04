"""Read config/sources.yml: what we are told about sites."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

logger = logging.getLogger(__name__)

DEFAULT_FILE = Path("config/sources.yml")
TIERS = ("auto", "api", "http", "browser")


@dataclass(frozen=True, slots=True)
class Source:
    """How much a site counts, and by which tier it is got."""

    source_tier: str = ""
    weight: float = 1.0
    tier: str = "auto"


@dataclass(frozen=True, slots=True)
class Sources:
    by_domain: dict[str, Source] = field(default_factory=dict)

    def of(self, netloc: str, path: str = "/") -> Source:
        """The entry of the longest `host` or `host/path` that covers a page; subdomains inherit."""
        host = netloc.partition(":")[0]
        matches = [key for key in self.by_domain if _covers(key, netloc, path) or _covers(key, host, path)]
        return self.by_domain[max(matches, key=len)] if matches else Source()


def _covers(key: str, host: str, path: str) -> bool:
    domain, _, prefix = key.partition("/")
    if host != domain and not host.endswith("." + domain):
        return False
    return not prefix or (path.strip("/") + "/").startswith(prefix.strip("/") + "/")


def load_sources(file: str = "") -> Sources:
    path = Path(file) if file else DEFAULT_FILE
    if not path.is_file():
        if file:
            raise ValueError(f"SOURCES_FILE is {file}, which is not a file; give its path or leave it empty")
        return Sources()
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: not valid YAML: {error}") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path}: a mapping is expected, with source_tiers and tiers")
    for key in document.keys() - {"source_tiers", "tiers"}:
        logger.debug("%(path)s: %(key)s is not read", {"path": path, "key": key})
    return Sources(_by_domain(path, document))


def _by_domain(path: Path, document: dict[str, Any]) -> dict[str, Source]:
    tiers = _mapping(path, document, "tiers")
    for domain, tier in tiers.items():
        if tier not in TIERS:
            raise ValueError(f"{path}: tiers: {domain}: unknown tier {tier!r} ({', '.join(TIERS)})")
    by_domain = {domain: Source(tier=tier) for domain, tier in tiers.items()}
    for name, entry in _mapping(path, document, "source_tiers").items():
        weight = entry.get("weight", 1.0) if isinstance(entry, dict) else None
        if not isinstance(weight, int | float) or not isinstance(entry.get("domains"), list):
            raise ValueError(f"{path}: source_tiers: {name}: expects weight (a number) and domains (a list)")
        for domain in map(str, entry["domains"]):
            by_domain[domain] = Source(source_tier=name, weight=float(weight), tier=tiers.get(domain, "auto"))
    return by_domain


def _mapping(path: Path, document: dict[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key) or {}
    if not isinstance(value, dict):
        raise ValueError(f"{path}: {key}: a mapping is expected")
    return value
