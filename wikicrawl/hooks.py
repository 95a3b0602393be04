"""Load the functions of a user's own that settings name by import path, and call them without harm."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

Hook = Callable[..., Any]


def load_hook(name: str, path: str | None, *, called_with: str) -> Hook | None:
    """The function that the setting `name` names; None where it names none."""
    if not path:
        return None
    module, _, attribute = path.rpartition(".")
    try:
        if not module:
            raise ImportError("a module and a name in it are expected, as in package.module.function")
        hook = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{name} is {path!r}, which cannot be imported: {error}") from error
    if not callable(hook):
        raise ValueError(f"{name} is {path!r}, which is not callable; it is called with {called_with}")
    found: Hook = hook
    return found


async def call_hook(hook: Hook, *arguments: Any) -> Any:
    """What the hook returns; one that is not async may block, and is called in a thread."""
    if inspect.iscoroutinefunction(hook):
        return await hook(*arguments)
    answer = await asyncio.to_thread(hook, *arguments)
    return await answer if inspect.isawaitable(answer) else answer
