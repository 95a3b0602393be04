"""Read the JSON list in which Nuxt and SvelteKit write all values of a state once."""

from __future__ import annotations

from typing import Any

MAX_DEPTH = 40


def is_flat(state: Any) -> bool:
    """Whether the objects of this list name their values by place in it."""
    if not isinstance(state, list) or len(state) < 3 or not isinstance(state[0], dict | list):
        return False
    first = state[0].values() if isinstance(state[0], dict) else state[0]
    return bool(first) and all(isinstance(place, int | str) for place in first)


class Revived:
    """The state as objects in objects; each is made once, however often it is named."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.made: dict[int, Any] = {}
        self.root = self._at(0, 0)

    def _at(self, place: Any, depth: int) -> Any:
        if not isinstance(place, int) or not 0 <= place < len(self.values) or depth > MAX_DEPTH:
            return None
        if place not in self.made:
            self.made[place] = None  # for what holds itself
            self.made[place] = self._make(self.values[place], depth + 1)
        return self.made[place]

    def _make(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            return {key: self._at(place, depth) for key, place in value.items()}
        if not isinstance(value, list):
            return value
        if value and isinstance(value[0], str):  # a kind of value, such as "Reactive", and where it is
            return self._at(value[1], depth) if len(value) == 2 else None
        return [self._at(place, depth) for place in value]
