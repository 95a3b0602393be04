"""Read a number from the settings, or refuse it by the setting's name."""

from __future__ import annotations

from typing import Any, Protocol


class Settings(Protocol):
    def get(self, name: Any, /) -> Any: ...


def number(settings: Settings, name: str, *, least: float) -> float:
    value = settings.get(name)
    try:
        is_enough = float(value) >= least
    except (TypeError, ValueError):
        is_enough = False
    if not is_enough:
        raise ValueError(f"{name} is {value!r}; it must be a number, {least} or more")
    return float(value)
