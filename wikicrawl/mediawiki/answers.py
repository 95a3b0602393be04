"""Read an API's answer, or say which error it is."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wikicrawl.mediawiki.errors import UNKNOWN, Rule, look_up
from wikicrawl.retry_after import retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TEXT = 500  # characters of an error's own words; some quote a whole page
MAX_CODE = 60
CODE = re.compile(r"[^\w-]")
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


DISABLED = b"API is not enabled"  # how a wiki before 1.32 says so, in HTML


@dataclass(frozen=True, slots=True)
class ApiError:
    code: str
    text: str
    wait_seconds: float | None
    rule: Rule

    @classmethod
    def of(cls, code: str, text: str = "", wait_seconds: float | None = None) -> ApiError:
        return cls(code, text[:MAX_TEXT], wait_seconds, look_up(code))

    @property
    def word(self) -> str:
        """The error as a reason: its code, unless that is anyone's invention."""
        return self.rule.reason if self.rule is UNKNOWN else CODE.sub("_", self.code)[:MAX_CODE]


def read_answer(body: bytes, status: int, headers: Mapping[str, str]) -> dict[str, Any] | ApiError:
    """The answer as an object; `headers` have lower-case names."""
    answer = _decoded(body)
    code, text, lag = _error(answer) if answer is not None else ("", "", None)
    wait = _wait(headers, lag)
    if answer is None and DISABLED in body[:1000]:
        return ApiError.of("apidisabled", body[:MAX_TEXT].decode("utf-8", "replace"), wait)
    if not 200 <= status < 300 and (not code or look_up(code) is UNKNOWN):
        return ApiError.of(f"http_{status}", text or f"HTTP {status}", wait)
    if answer is None:
        return ApiError.of("not_json", body[:MAX_TEXT].decode("utf-8", "replace").strip(), wait)
    if code:
        return ApiError.of(code, text, wait)
    if warning := _truncation(answer):
        return ApiError.of("truncated", warning, wait)
    return answer


def continued(answer: dict[str, Any]) -> dict[str, str] | None:
    """The parameters to add for the rest of a list; None where this was all of it."""
    rest = answer.get("continue")
    if not isinstance(rest, dict):  # MediaWiki before 1.26 has it by module
        modules = answer.get("query-continue")
        parts = modules.values() if isinstance(modules, dict) else []
        rest = {name: value for part in parts if isinstance(part, dict) for name, value in part.items()}
    return {str(name): str(value) for name, value in rest.items()} or None


def _decoded(body: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(body.decode("utf-8-sig"))  # some wikis put a byte order mark before it
    except (ValueError, RecursionError):
        return None
    if SURROGATE.search(body):
        # Half of a pair is no text, and no page could be made of it.
        answer = json.loads(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
    if answer == []:  # what PHP makes of an empty object
        return {}
    return _modern(answer) if isinstance(answer, dict) else None


def _modern(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with what formatversion=1 wraps laid bare: {"*": text}, and pages keyed by their ids."""
    for part in answer.values():
        if not isinstance(part, dict):
            continue
        for key, value in part.items():
            if isinstance(value, dict) and value.keys() == {"*"}:
                part[key] = value["*"]
    query = answer.get("query")
    if isinstance(query, dict) and isinstance(query.get("pages"), dict):
        query["pages"] = list(query["pages"].values())
    return answer


def _error(answer: dict[str, Any]) -> tuple[str, str, object]:
    """Code, words and lag; of several errors, the first."""
    several = answer.get("errors")
    error = several[0] if isinstance(several, list) and several else answer.get("error")
    if not isinstance(error, dict):
        # The REST API, and gateways before it, have their own shape.
        code = answer.get("errorKey") or answer.get("error")
        return (code, str(answer.get("message", code)), None) if isinstance(code, str) else ("", "", None)
    words = next((error[key] for key in ("info", "text", "html", "*") if isinstance(error.get(key), str)), "")
    return str(error.get("code") or "unknown"), words, error.get("lag", _lag(error))


def _lag(error: dict[str, Any]) -> object:
    inner = error.get("data")
    return inner.get("lag") if isinstance(inner, dict) else None


def _truncation(answer: dict[str, Any]) -> str:
    """MediaWiki's warning that it left something out, unless the rest can be asked for."""
    warnings = answer.get("warnings")
    if not warnings or continued(answer):
        return ""
    own = warnings.get("result") if isinstance(warnings, dict) else warnings
    return json.dumps(own, ensure_ascii=False) if "truncated" in json.dumps(own) else ""


def _wait(headers: Mapping[str, str], lag: object) -> float | None:
    """The longest pause that is asked for, in seconds."""
    asked = [retry_after(headers.get("retry-after", ""), headers.get("date", "")), lag]
    waits = [float(value) for value in asked if isinstance(value, int | float) and math.isfinite(value) and value > 0]
    return max(waits) if waits else None
