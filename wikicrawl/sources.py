"""Read config/sources.yml: what we are told about sites."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml

logger = logging.getLogger(__name__)

DEFAULT_FILE = Path("config/sources.yml")
TIERS = ("auto", "api", "http", "browser")
KEYS = {"source_tiers", "tiers", "mediawiki", "mediawiki_sites"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """How much a site counts, by which tier it is got, and whether it is a wiki (auto, off, or the URL of its API)."""

    source_tier: str = ""
    weight: float = 1.0
    tier: str = "auto"
    mediawiki: str = "auto"


@dataclass(frozen=True, slots=True)
class Sources:
    """What is told by domain; each kind of entry is looked up by itself."""

    groups: dict[str, tuple[str, float]] = field(default_factory=dict)  # domain → source tier and weight
    tiers: dict[str, str] = field(default_factory=dict)
    mediawiki: dict[str, str] = field(default_factory=dict)

    def of(self, netloc: str, path: str = "/") -> Source:
        """The longest `host` or `host/path` that covers a page decides; subdomains inherit."""
        source_tier, weight = _longest(self.groups, netloc, path, ("", 1.0))
        return Source(
            source_tier,
            weight,
            tier=_longest(self.tiers, netloc, path, "auto"),
            mediawiki=_longest(self.mediawiki, netloc, path, "auto"),
        )


def _longest(entries: dict[str, T], netloc: str, path: str, default: T) -> T:
    host = netloc.partition(":")[0]
    matches = [key for key in entries if _covers(key, netloc, path) or _covers(key, host, path)]
    return entries[max(matches, key=len)] if matches else default


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
        raise ValueError(f"{path}: a mapping is expected, with source_tiers, tiers and mediawiki")
    for key in document.keys() - KEYS:
        logger.debug("%(path)s: %(key)s is not read", {"path": path, "key": key})
    return Sources(_groups(path, document), _tiers(path, document), _mediawiki(path, document))


def _groups(path: Path, document: dict[str, Any]) -> dict[str, tuple[str, float]]:
    groups = {}
    for name, entry in _mapping(path, document, "source_tiers").items():
        weight = entry.get("weight", 1.0) if isinstance(entry, dict) else None
        if not isinstance(weight, int | float) or not isinstance(entry.get("domains"), list):
            raise ValueError(f"{path}: source_tiers: {name}: expects weight (a number) and domains (a list)")
        groups.update({str(domain): (str(name), float(weight)) for domain in entry["domains"]})
    return groups


def _tiers(path: Path, document: dict[str, Any]) -> dict[str, str]:
    tiers = _mapping(path, document, "tiers")
    for domain, tier in tiers.items():
        if tier not in TIERS:
            raise ValueError(f"{path}: tiers: {domain}: unknown tier {tier!r} ({', '.join(TIERS)})")
    return tiers


def _mediawiki(path: Path, document: dict[str, Any]) -> dict[str, str]:
    """`mediawiki_sites`, which names APIs only, and `mediawiki`, which also says auto and off and has the last word."""
    told: dict[str, str] = {}
    for key in ("mediawiki_sites", "mediawiki"):
        for domain, value in _mapping(path, document, key).items():
            word = "off" if value is False else value  # YAML reads a bare off as false
            is_url = isinstance(word, str) and word.startswith(("http://", "https://"))
            if not is_url and word not in ("auto", "off"):
                raise ValueError(
                    f"{path}: {key}: {domain}: {value!r} is neither auto, off nor the URL of an API (…/api.php)"
                )
            told[domain] = word
    return told


def _mapping(path: Path, document: dict[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key) or {}
    if not isinstance(value, dict):
        raise ValueError(f"{path}: {key}: a mapping is expected")
    return {str(name): entry for name, entry in value.items()}
