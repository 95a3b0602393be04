"""Hooks as a user may write them, named by settings in tests."""

import json
import os
import threading
from pathlib import Path


def _tell(**facts):
    with Path(os.environ["HOOK_LOG"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")


def shout(content, content_type, url):
    _tell(
        hook="transform", url=url, content_type=content_type, bytes=len(content), thread=threading.current_thread().name
    )
    return content.decode().replace("The ferry", "THE BOAT").encode()


async def to_text(content, content_type, url):
    return f"# Plain\n\nText of {url}" if content_type.startswith("text/html") else "The words of a document."


def nothing(content, content_type, url):
    return b""


def fail(*arguments):
    raise RuntimeError("the hook is broken")


def downstream(content, content_type, url, fresh):
    _tell(hook="downstream", url=url, content_type=content_type, content=content.decode(), fresh=fresh)


async def downstream_async(content, content_type, url, fresh):
    downstream(content, content_type, url, fresh)
