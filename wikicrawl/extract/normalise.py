"""Bring chosen content into the plain form both markdown engines agree on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.address import absolute
from wikicrawl.extract.codeblocks import fence_code
from wikicrawl.extract.images import image_url
from wikicrawl.extract.tables import flatten_tables

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Non-characters, which no page text holds (see tree.parse), mark where the markdown gets a backslash: engines would
# escape a real one again.
BACKSLASH = "\ufdd0"
NOTHING = "\ufdd1"


def _names(names: str) -> tuple[str, ...]:
    return tuple(names.split())


HEADINGS = _names("h1 h2 h3 h4 h5 h6")
PLAIN = _names(
    "span font small big u ins mark abbr acronym cite dfn time label var bdi bdo wbr nobr output data meter progress "
    "picture source ruby rb rtc slot hgroup"
)
BLOCKS = frozenset(
    _names(
        "div p ul ol li table tr td th blockquote pre hr h1 h2 h3 h4 h5 h6 body section article main header footer nav "
        "aside figure figcaption details summary form fieldset legend address center dl dt dd"
    )
)
AS_DIV = frozenset(
    _names("details figure dl dd fieldset form address center section article main header footer nav aside body")
)
AS_TERM = {"summary": "strong", "dt": "strong", "figcaption": "em", "legend": "strong"}
MARKS = ("b", "strong", "i", "em", "del", "s", "strike")
WORD = re.compile(r"\w")
PERMALINK = re.compile(r"[\s¶#§🔗⚓]*$")
ROUND = str.maketrans("[]", "()")  # an image's own text must not end it
SUPERSCRIPT = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")

SPACE_RUN = re.compile(r"[ \t\n\r\f]{2,}|[\t\n\r\f]")
MAYBE_MARKUP = re.compile(r"[\\`*_<&~\]]")
# Characters that would be read as markup where they stand. Engines see to the brackets in links themselves.
IN_LINK = r"\\(?=[!-/:-@\[-`{-~])|`|\*(?=\S)|(?<=\S)\*|(?<![^\W_])_|_(?![^\W_])|<(?=[a-zA-Z/!?])|&(?=#?\w+;)|~(?=~)"
MARKUP_IN_LINK = re.compile(IN_LINK)
MARKUP = re.compile(IN_LINK + r"|\](?=[(\[:])")
UNDERLINE = re.compile(r" ?=+ ?$")  # would make a heading of the line before
KEEPS_ATTRIBUTES = frozenset({"a", "img", "code"})  # theirs have been seen to
MAX_IMAGES = 500


def normalise(content: HtmlElement, base: str) -> list[str]:
    """Rewrite the content in place; the addresses of its images, each once."""
    fence_code(content)
    images = _resolve_images(content, base)
    etree.strip_tags(content, *PLAIN)
    etree.strip_elements(content, "rt", "rp", with_tail=False)
    _drop_empty_marks(content)
    _raise_scripts(content)
    flatten_tables(content)
    _resolve_links(content, base)
    _plain_blocks(content)
    _mend_lists(content)
    _break_lines(content)
    _drop_attributes(content)
    _mark_text(content)
    content.tag, content.tail = "div", None
    return images[:MAX_IMAGES]


def _resolve_images(content: HtmlElement, base: str) -> list[str]:
    urls: dict[str, None] = {}
    for image in list(content.iter("img")):
        url = image_url(image, base)
        alt = SPACE_RUN.sub(" ", image.get("alt", "")).strip()
        if not url:
            image.drop_tree()
            continue
        urls[url] = None
        image.attrib.clear()
        image.set("src", url)
        image.set("alt", _escape(alt.translate(ROUND), MARKUP))
    return list(urls)


def _drop_empty_marks(content: HtmlElement) -> None:
    """Emphasis of a space or a comma shows nothing, and its stars would not be read as emphasis."""
    for mark in list(content.iter(*MARKS)):
        if not WORD.search(mark.text_content()):
            mark.drop_tag()


def _raise_scripts(content: HtmlElement) -> None:
    for tag, letters in (("sup", SUPERSCRIPT), ("sub", SUBSCRIPT)):
        for element in list(content.iter(tag)):
            text = element.text or ""
            if not len(element) and text and all(ord(letter) in letters for letter in text):
                element.text = text.translate(letters)
            element.drop_tag()


def _resolve_links(content: HtmlElement, base: str) -> None:
    for link in list(content.iter("a")):
        href = link.get("href", "")
        has_image = next(link.iter("img"), None) is not None
        text = link.text_content()
        if not has_image and (not text.strip() or (href.startswith("#") and PERMALINK.match(text))):
            _replace_by_space(link)
            continue
        url = absolute(href, base)
        link.attrib.clear()
        if not url:
            link.drop_tag()
            continue
        link.set("href", url)
        if _has_blocks(link):
            _move_inside(link)


def _has_blocks(element: HtmlElement) -> bool:
    return any(inner.tag in BLOCKS for inner in element.iterdescendants())


def _move_inside(link: HtmlElement) -> None:
    """A link round blocks becomes one round the heading, or else the first text, among them."""
    blocks = [element for element in link.iterdescendants() if element.tag in BLOCKS and element.text_content().strip()]
    target = next((block for block in blocks if block.tag in HEADINGS), None)
    if target is None:
        target = next((block for block in blocks if not _has_blocks(block)), None)
    if target is None:
        etree.strip_tags(link, *BLOCKS)
        return
    inner = _wrap(target, "a")
    inner.set("href", link.get("href"))
    link.attrib.clear()
    link.tag = "div"


def _wrap(element: HtmlElement, tag: str) -> HtmlElement:
    """Put all that stands in the element into a new one inside it."""
    inner: HtmlElement = element.makeelement(tag)
    inner.text, element.text = element.text, None
    inner.extend(list(element))
    element.append(inner)
    return inner


def _plain_blocks(content: HtmlElement) -> None:
    for element in list(content.iterdescendants()):
        tag = element.tag
        if element.getparent() is None:  # taken out with the one around it
            continue
        if tag in AS_DIV:
            element.tag = "div"
        elif tag in AS_TERM:
            element.tag = "p"
            etree.strip_tags(element, *BLOCKS, AS_TERM[tag])
            if element.text_content().strip():
                _wrap(element, AS_TERM[tag])
        elif tag in HEADINGS:
            _plain_heading(element)


def _plain_heading(heading: HtmlElement) -> None:
    for line_break in list(heading.iter("br")):
        _replace_by_space(line_break)
    etree.strip_tags(heading, *BLOCKS, "b", "strong")
    if not heading.text_content().strip() and next(heading.iter("img"), None) is None:
        heading.drop_tree()


def _mend_lists(content: HtmlElement) -> None:
    """A list that stands between items belongs to the item before it."""
    for inner in list(content.iter("ul", "ol")):
        previous = inner.getprevious()
        parent = inner.getparent()
        if parent is not None and parent.tag in {"ul", "ol"} and previous is not None and previous.tag == "li":
            inner.tail = None
            previous.append(inner)


def _break_lines(content: HtmlElement) -> None:
    """Two line breaks end a paragraph; one at a block's edge breaks nothing."""
    doubled: dict[HtmlElement, None] = {}
    for line_break in list(content.iter("br")):
        parent, after = line_break.getparent(), line_break.getnext()
        if parent is None or parent.tag in {"td", "th"}:
            continue
        if (line_break.tail or "").strip() == "" and after is not None and after.tag == "br":
            doubled[parent] = None
    for parent in doubled:
        if parent.tag in BLOCKS:
            _split_paragraphs(parent)
    for line_break in list(content.iter("br")):
        parent, previous, after = line_break.getparent(), line_break.getprevious(), line_break.getnext()
        is_last = not (line_break.tail or "").strip() and (after is None or after.tag in BLOCKS)
        before = parent.text if previous is None else previous.tail
        is_first = not (before or "").strip() and (previous is None or previous.tag in BLOCKS or previous.tag == "br")
        if is_first or is_last:
            _replace_by_space(line_break)


def _replace_by_space(element: HtmlElement) -> None:
    element.tail = f" {element.tail or ''}"
    element.drop_tree()


def _split_paragraphs(block: HtmlElement) -> None:
    """Put the runs of text between doubled line breaks, and between blocks, into paragraphs."""
    parts = [block.makeelement("p")]
    parts[0].text, block.text = block.text, None
    children = [(child, child.tail) for child in block]
    is_after_break = False
    for index, (child, tail) in enumerate(children):
        is_break = child.tag == "br"
        next_tag = children[index + 1][0].tag if index + 1 < len(children) else ""
        is_blank = not (tail or "").strip()
        if is_break and (is_after_break or (is_blank and next_tag == "br")):
            block.remove(child)
            parts.append(_paragraph(block, tail))
        elif child.tag in BLOCKS:
            child.tail = None
            parts += (child, _paragraph(block, tail))
        else:
            parts[-1].append(child)
        is_after_break = is_break and is_blank
    block.extend(part for part in parts if part.tag != "p" or len(part) or (part.text or "").strip())
    if block.tag == "p":
        block.tag = "div"


def _paragraph(block: HtmlElement, text: str | None) -> HtmlElement:
    paragraph: HtmlElement = block.makeelement("p")
    paragraph.text = text
    return paragraph


def _drop_attributes(content: HtmlElement) -> None:
    """An engine that sees a style or a class may hide what was kept on purpose."""
    for element in content.iter():
        if element.tag in KEEPS_ATTRIBUTES or not element.attrib:
            continue
        start = element.get("start", "") if element.tag == "ol" else ""
        element.attrib.clear()
        if re.fullmatch(r"\d{1,9}", start):
            element.set("start", start)


def _mark_text(content: HtmlElement) -> None:
    """Collapse white space, and mark what would be read as markup; code is left as it is."""
    linked = {element for link in content.iter("a") for element in link.iter()}
    for element in content.iter():
        is_linked = element in linked
        if element.text and element.tag != "code":
            following = element[0] if len(element) else None
            element.text = _plain_text(element.text, following, MARKUP_IN_LINK if is_linked else MARKUP)
        if element.tail and element is not content:
            markup = MARKUP_IN_LINK if is_linked and element.tag != "a" else MARKUP
            element.tail = _plain_text(element.tail, element.getnext(), markup)


def _plain_text(text: str, following: HtmlElement | None, markup: re.Pattern[str]) -> str:
    text = _escape(SPACE_RUN.sub(" ", text), markup)
    if text.endswith("!") and following is not None and following.tag == "a":
        return f"{text[:-1]}{BACKSLASH}!"  # else the link becomes an image
    return f"{BACKSLASH}{text.lstrip()}" if UNDERLINE.match(text) else text


def _escape(text: str, markup: re.Pattern[str]) -> str:
    if not MAYBE_MARKUP.search(text):
        return text
    return markup.sub(lambda match: f"{BACKSLASH}{match[0]}{NOTHING if match[0] == chr(92) else ''}", text)
