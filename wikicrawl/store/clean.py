"""Make text storable: PostgreSQL refuses NUL, and no encoding knows half a surrogate pair."""

from __future__ import annotations

import math
from typing import Any


def clean(value: Any) -> Any:
    """The same string, list, dictionary or number, without what a database or a JSON reader would refuse."""
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, dict):
        return {_clean_text(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _clean_text(text: str) -> str:
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
