"""Read the things that a page describes in JSON-LD and microdata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lxml.etree import XPath

from wikicrawl.extract.tree import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

MAX_JSON = 1_000_000  # characters of JSON-LD read; shops inline whole catalogues
MAX_ENTITIES = 1_000
MAX_PROPERTIES = 2_000  # of microdata
MAX_VALUE = 10_000  # characters
# Entities in entities that are worth a look of their own.
HELD = ("@graph", "mainEntity", "mainEntityOfPage")
PROPERTIES = XPath("descendant::*[@itemprop]")
SCOPE = XPath("ancestor::*[@itemscope][1]")
# Where an element's value is no text; others with a content attribute have that.
ATTRIBUTES = {"time": "datetime", "data": "value", "meter": "value", "link": "href", "img": "src", "meta": "content"}

Entity = dict[str, Any]


def types_of(entity: Entity) -> list[str]:
    kind = entity.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return [name.rsplit("/", 1)[-1] for name in kinds if isinstance(name, str)]


def value_of(entities: list[Entity], name: str) -> str:
    """The first non-empty value of a property as text: a string, a number, a thing's name, or several of them."""
    for entity in entities:
        texts = [_text(value) for value in as_list(entity.get(name))]
        text = ", ".join(text for text in texts if text.strip())
        if text:
            return text
    return ""


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = as_list(value.get("name"))[0] if value.get("name") else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return value if isinstance(value, str) else ""


def read_json_ld(tree: HtmlElement) -> Iterator[Entity]:
    """Nested graphs included."""
    left = MAX_JSON
    pending: list[Any] = []
    for script in tree.iter("script"):
        if script.get("type", "").strip().lower() != "application/ld+json" or not script.text:
            continue
        left -= len(script.text)
        if left < 0:
            break
        try:
            pending.append(json.loads(script.text, strict=False))
        except (ValueError, RecursionError):  # hand-written JSON is often broken
            continue
    for _ in range(MAX_ENTITIES):
        if not pending:
            return
        node = pending.pop(0)
        if isinstance(node, list):
            pending[:0] = node[:MAX_ENTITIES]
        elif isinstance(node, dict):
            yield node
            pending.extend(node[key] for key in HELD if key in node)


def read_microdata(tree: HtmlElement) -> list[Entity]:
    """In the form of JSON-LD; the markup of the page may cut its values."""
    found: dict[HtmlElement, Entity] = {}
    held: set[HtmlElement] = set()
    for element in _elements(PROPERTIES, tree)[:MAX_PROPERTIES]:
        scope = next(iter(_elements(SCOPE, element)), None)
        if scope is None:
            continue
        value: Any = _value(element)
        if element.get("itemscope") is not None:
            value = found.setdefault(element, _entity(element))
            held.add(element)
        entity = found.setdefault(scope, _entity(scope))
        for name in str(element.get("itemprop")).split():
            entity.setdefault(name, []).append(value)
    return [entity for scope, entity in found.items() if scope not in held]


def _elements(path: XPath, element: HtmlElement) -> list[HtmlElement]:
    return path(element)  # type: ignore[return-value]


def _entity(scope: HtmlElement) -> Entity:
    return {"@type": str(scope.get("itemtype", "")).split()}


def _value(element: HtmlElement) -> str:
    written = element.get("content") or element.get(ATTRIBUTES.get(str(element.tag), "content"))
    return (written or text_of(element))[:MAX_VALUE]
