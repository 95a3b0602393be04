"""Turn notes a page links back and forth into markdown footnotes."""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING

from wikicrawl.extract.flatten import write_on_a_line
from wikicrawl.extract.marks import BACKSLASH, shield

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NOTES = ("li", "p", "div", "aside", "dd")
AROUND = frozenset({"sup", "span"})
# What a reference reads: a number, a letter or a sign, perhaps in brackets.
REFERENCE = re.compile(r"[\[(]?\s*(\d{1,4}|\w|[*†‡§¶]{1,3})\s*[\])]?")
BACK = re.compile(r"[\[(]?[\s↩↑⤴⏎^←\ufe0e\ufe0f*†‡§¶\d\w.]{0,6}[\])]?")
LONG = 3_000  # characters; what holds more is a chapter that a table of contents leads to and back


def write_notes(content: HtmlElement) -> bool:
    """Put [^1] for each reference and [^1]: before each note; whether there were any.

    A note is told by its link back to where it is referred to, as Pandoc, GitHub, WordPress, Sphinx and many others
    write it, under whatever names.
    """
    links = [link for link in content.iter("a") if link.get("href", "").startswith("#")]
    references = [(link, link.get("href")[1:]) for link in links if REFERENCE.fullmatch(link.text_content().strip())]
    if not references:
        return False
    marked = _pairs(references, _notes(content, {name for _, name in references}))
    labels: dict[HtmlElement, str] = {}
    for link, note in marked:
        _mark(link, labels.setdefault(note, _label(link, labels)))
    for note, label in labels.items():
        _define(note, label)
    return bool(labels)


def _notes(content: HtmlElement, wanted: set[str]) -> dict[str, HtmlElement]:
    """By name what may be a note: of one name, and in no table, where a definition would define nothing."""
    targets = {name: _note(element) for element in content.iter() if (name := _name(element)) in wanted}
    uses = Counter(targets.values())
    return {
        name: note
        for name, note in targets.items()
        if note is not None and uses[note] == 1 and next(note.iterancestors("table"), None) is None
    }


def _pairs(
    references: list[tuple[HtmlElement, str]], notes: dict[str, HtmlElement]
) -> list[tuple[HtmlElement, HtmlElement]]:
    """Each reference with its note, once one of them is led back to."""
    found: dict[HtmlElement, None] = {}
    backs = {note: _backs(note) for note in notes.values()}
    pairs = []
    for link, name in references:
        note, outer = notes.get(name), set(link.iterancestors())
        if note is None or note in outer or not outer.isdisjoint(found):
            continue
        if note in found or not backs[note].isdisjoint(_places(link)):
            found[note] = None
            pairs.append((link, note))
    return pairs


def _name(element: HtmlElement) -> str:
    return str(element.get("id") or (element.get("name", "") if element.tag == "a" else ""))


def _note(target: HtmlElement) -> HtmlElement | None:
    if target.tag in NOTES:
        return target
    return next(target.iterancestors(*NOTES), None)


def _backs(note: HtmlElement) -> frozenset[str]:
    """Where the note leads back to."""
    if len(note.text_content()) > LONG:
        return frozenset()
    return frozenset(back.get("href", "") for back in note.iter("a") if BACK.fullmatch(back.text_content().strip()))


def _places(link: HtmlElement) -> set[str]:
    """The names under which a note may lead back to the link."""
    around = takewhile(lambda outer: outer.tag in AROUND, link.iterancestors())
    return {f"#{name}" for name in map(_name, (link, *around)) if name}


def _label(link: HtmlElement, labels: dict[HtmlElement, str]) -> str:
    """What the reader sees, as long as no other note has it."""
    match = REFERENCE.fullmatch(link.text_content().strip())
    seen = match[1] if match and match[1].isalnum() else str(len(labels) + 1)
    used = set(labels.values())
    return (
        seen if seen not in used else next(f"{seen}-{n}" for n in range(2, len(used) + 3) if f"{seen}-{n}" not in used)
    )


def _mark(link: HtmlElement, label: str) -> None:
    reference = link
    parent = link.getparent()
    if parent.tag in AROUND and parent.text_content().strip() == link.text_content().strip():
        reference = parent
    reference.clear(keep_tail=True)
    reference.tag, reference.text = "span", shield(f"[^{label}]")
    if (reference.tail or "").startswith(("(", ":")):  # would make it a link, or a definition
        reference.tail = BACKSLASH + reference.tail


def _define(note: HtmlElement, label: str) -> None:
    for back in list(note.iter("a")):
        if back.get("href", "").startswith("#") and BACK.fullmatch(back.text_content().strip()):
            parent = back.getparent()
            back.drop_tree()
            if parent.tag in AROUND and not parent.text_content().strip(" \n[]().^"):
                parent.drop_tree()
    write_on_a_line(note)
    note.tag = "p"
    note.text = shield(f"[^{label}]: ") + (note.text or "").lstrip(" .)]")
    parent = note.getparent()
    if parent is not None and parent.tag in {"ol", "ul"}:
        parent.tag = "div"
