"""Keep emphasis to what markdown can write."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from wikicrawl.extract.elements import BLOCKS, has_blocks, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement

ALIKE = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "del": "del", "s": "del", "strike": "del"}
UNMARKED = "wikicrawl-unmarked"  # no page has such tags; taken out in one stroke
WORD = re.compile(r"[^\W_]")
SPACE = " "
SIGNS = {"strong": "*", "em": "*", "del": "~"}
# What stands at the edge of an element in markdown, where its own text does not.
FIRST = {"a": "[", "img": "!", "code": "`", "br": SPACE}
LAST = {"a": ")", "img": ")", "code": "`", "br": SPACE}
LAST_MARKS = re.compile(r"[\W_]+$")


def drop_marks(content: HtmlElement) -> None:
    """Emphasis of a space or a comma shows nothing; emphasis within the same, or round blocks, cannot be written."""
    for mark in list(content.iter(*ALIKE)):
        mark.tag = ALIKE[mark.tag]
        is_double = any(outer.tag == mark.tag for outer in mark.iterancestors(*ALIKE))
        if is_double or not WORD.search(mark.text_content()) or (len(mark) and has_blocks(mark)):
            mark.tag = UNMARKED
    unwrap(content, UNMARKED)


def free_breaks(content: HtmlElement) -> None:
    """A line break at an edge of emphasis stands outside it."""
    for mark in reversed(list(content.iter(*SIGNS))):
        _free_breaks(mark)


def place_marks(content: HtmlElement) -> None:
    """Emphasis that begins or ends where markdown would not see it does so a few characters on, or not at all."""
    for mark in list(content.iter(*SIGNS, "code")):
        _join(mark)
    for mark in list(content.iter(*SIGNS)):
        sign = SIGNS[mark.tag]
        ends_unseen = is_punctuation(_last(mark, sign)) and is_letter(_after(mark, sign))
        if mark.tag == "del":  # an old price must stay struck out
            _set_apart(mark, after=ends_unseen)
            continue
        if ends_unseen:
            _shorten(mark)
        if mark.tag in SIGNS and is_punctuation(_first(mark, sign)) and is_letter(_before(mark, sign)):
            mark.tag = UNMARKED
    unwrap(content, UNMARKED)


def _set_apart(mark: HtmlElement, *, after: bool) -> None:
    """Put spaces where the mark would not be seen."""
    if after:
        mark.tail = f" {mark.tail or ''}"
    if is_punctuation(_first(mark, "~")) and is_letter(_before(mark, "~")):
        previous, parent = mark.getprevious(), mark.getparent()
        if previous is None:
            parent.text = f"{parent.text or ''} "
        else:
            previous.tail = f"{previous.tail or ''} "


def is_letter(character: str) -> bool:
    return not character.isspace() and not is_punctuation(character)


def is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _join(mark: HtmlElement) -> None:
    """Two marks side by side are one: their stars or ticks would meet."""
    while (after := mark.getnext()) is not None and after.tag == mark.tag and not mark.tail:
        if len(mark):
            mark[-1].tail = (mark[-1].tail or "") + (after.text or "")
        else:
            mark.text = (mark.text or "") + (after.text or "")
        mark.extend(list(after))
        mark.tail = after.tail
        parent = after.getparent()
        after.tail = None
        parent.remove(after)


def _free_breaks(mark: HtmlElement) -> None:
    while len(mark) and mark[-1].tag == "br" and not (mark[-1].tail or "").strip():
        line_break = mark[-1]
        mark.remove(line_break)
        line_break.tail, mark.tail = mark.tail, None
        mark.addnext(line_break)
    while len(mark) and mark[0].tag == "br" and not (mark.text or "").strip():
        line_break = mark[0]
        mark.text, line_break.tail = line_break.tail, None
        mark.remove(line_break)
        mark.addprevious(line_break)


def _shorten(mark: HtmlElement) -> None:
    """Let the last punctuation stand behind the emphasis."""
    text = (mark[-1].tail if len(mark) else mark.text) or ""
    short = LAST_MARKS.sub("", text)
    if not WORD.search(short):
        mark.tag = UNMARKED
        return
    if len(mark):
        mark[-1].tail = short
    else:
        mark.text = short
    mark.tail = text[len(short) :] + (mark.tail or "")


def _first(element: HtmlElement, sign: str) -> str:
    if element.text:
        return str(element.text[0])
    return _edge(element[0], sign, FIRST, _first) if len(element) else SPACE


def _last(element: HtmlElement, sign: str) -> str:
    if not len(element):
        return str(element.text[-1]) if element.text else SPACE
    return str(element[-1].tail[-1]) if element[-1].tail else _edge(element[-1], sign, LAST, _last)


def _before(element: HtmlElement, sign: str) -> str:
    previous, parent = element.getprevious(), element.getparent()
    text = parent.text if previous is None else previous.tail
    if text:
        return str(text[-1])
    if previous is not None:
        return SPACE if previous.tag in BLOCKS else _edge(previous, sign, LAST, _last)
    if parent.tag == UNMARKED or SIGNS.get(parent.tag) == sign:
        return _before(parent, sign)
    return SPACE if parent.tag in BLOCKS else "["


def _after(element: HtmlElement, sign: str) -> str:
    following, parent = element.getnext(), element.getparent()
    if element.tail:
        return str(element.tail[0])
    if following is not None:
        return SPACE if following.tag in BLOCKS else _edge(following, sign, FIRST, _first)
    if parent.tag == UNMARKED or SIGNS.get(parent.tag) == sign:
        return _after(parent, sign)
    return SPACE if parent.tag in BLOCKS else "]"


def _edge(inner: HtmlElement, sign: str, signs: dict[str, str], look: Callable[[HtmlElement, str], str]) -> str:
    """The character at the element's edge; signs of the same kind run together, and what stands behind them counts."""
    own = SIGNS.get(inner.tag, sign)
    return signs.get(inner.tag) or (look(inner, sign) if own == sign else own)
