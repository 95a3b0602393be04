"""Turn the references of a wiki page into markdown footnotes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lxml import etree

from wikicrawl.extract.flatten import write_on_a_line
from wikicrawl.extract.marks import BACKSLASH, shield
from wikicrawl.extract.tree import classes
from wikicrawl.extract.wikistrip import DROPPED, drop

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Cite's names, the second ones Parsoid's.
REFERENCE = frozenset({"reference", "mw-ref"})
LIST = frozenset({"references", "mw-references"})
NOTE_TEXT = frozenset({"reference-text", "mw-reference-text"})
BACKLINK = frozenset({"mw-cite-backlink", "mw-linkback-text"})
BOXES = ("table", "aside")  # what becomes a table: a definition in a cell defines nothing

MARK = "wikicrawl-footnote"  # the class of a reference, for those who want text without any
NOT_IN_A_LABEL = re.compile(r"[\[\]^|\\]+")
MAX_LABEL = 60


def write_footnotes(content: HtmlElement) -> None:
    """Put [^1] for each reference, and [^1]: with its text for each note, where the list stood."""
    lists = [element for element in content.iter("ol", "ul") if not LIST.isdisjoint(classes(element))]
    notes: dict[str, HtmlElement] = {}
    for note in [note for element in lists for note in element.iterchildren("li")]:
        _reduce(note)
        notes.setdefault(note.get("id", ""), note)
    labels = _Labels()
    for reference in [element for element in content.iter("sup", "span") if not REFERENCE.isdisjoint(classes(element))]:
        name = _target(reference, notes)
        if name is None:
            etree.strip_tags(reference, "a")
        elif notes[name].text_content().strip():
            _mark(reference, labels.of(name, reference.text_content()))
        else:
            reference.tag = DROPPED
    for index, element in enumerate(lists):
        _define(element, notes, labels, index)
    drop(content)
    for element in reversed(lists):  # each is put right behind its box
        _lift(element)


class _Labels:
    """A label for each note: the one its readers see, as long as no other note has it."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}
        self._uses: dict[str, int] = {}

    def of(self, name: str, seen: str) -> str:
        if name not in self._labels:
            self._labels[name] = self._new("-".join(NOT_IN_A_LABEL.sub(" ", seen).split())[:MAX_LABEL] or "note")
        return self._labels[name]

    def _new(self, wanted: str) -> str:
        label = wanted
        while (key := label.casefold()) in self._uses:  # readers of markdown take no notice of case
            self._uses[wanted.casefold()] += 1
            label = f"{wanted}-{self._uses[wanted.casefold()]}"
        self._uses[key] = 1
        return label


def _target(reference: HtmlElement, notes: dict[str, HtmlElement]) -> str | None:
    for link in reference.iter("a"):
        fragment = link.get("href", "").partition("#")[2]
        for name in (fragment, unquote(fragment)):
            if name and name in notes:
                return name
    return None


def _reduce(note: HtmlElement) -> None:
    """Leave the text of the note alone, in one line: what leads back to its places is of no use in a text."""
    text = next((part for part in note.iterdescendants("span", "div") if not NOTE_TEXT.isdisjoint(classes(part))), None)
    if text is not None:
        text.tail = None
        note.text = None
        note[:] = [text]
    for part in list(note.iterdescendants("a", "span")):
        if not BACKLINK.isdisjoint(classes(part)) or "#cite_ref" in part.get("href", ""):
            part.tag = DROPPED
    drop(note)
    write_on_a_line(note)


def _mark(reference: HtmlElement, label: str) -> None:
    reference.clear(keep_tail=True)
    reference.tag, reference.text = "span", shield(f"[^{label}]")
    reference.set("class", MARK)
    previous, parent = reference.getprevious(), reference.getparent()
    before = parent.text if previous is None else previous.tail
    if before and before.endswith("!"):  # would make it an image
        before = f"{before[:-1]}{BACKSLASH}!"
        if previous is None:
            parent.text = before
        else:
            previous.tail = before
    after = reference.tail or ""
    is_first = previous is None and not (before or "").strip()
    if after.startswith("(") or (is_first and after.startswith(":")):  # would make it a link, or a definition
        reference.tail = BACKSLASH + after


def _define(element: HtmlElement, notes: dict[str, HtmlElement], labels: _Labels, index: int) -> None:
    for number, note in enumerate(element.iterchildren("li"), 1):
        if not note.text_content().strip():
            note.tag = DROPPED
            continue
        name = note.get("id", "")
        is_known = name and notes[name] is note  # an id may be used twice
        label = labels.of(name if is_known else f"{index} {number}", str(number))
        note.tag = "p"
        note.text = shield(f"[^{label}]: ") + (note.text or "").lstrip()
    element.tag = "div"


def _lift(element: HtmlElement) -> None:
    boxes = list(element.iterancestors(*BOXES))
    if boxes:
        element.drop_tree()
        element.tail, boxes[-1].tail = boxes[-1].tail, None
        boxes[-1].addnext(element)
