"""Bring chosen content into the plain form both markdown engines agree on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.address import absolute
from wikicrawl.extract.codeblocks import fence_code
from wikicrawl.extract.elements import BLOCKS, HEADINGS, has_blocks, names, replace_by_space, unwrap, wrap
from wikicrawl.extract.emphasis import drop_marks, free_breaks, place_marks
from wikicrawl.extract.flatten import flatten_nested
from wikicrawl.extract.images import EMOJI, image_url
from wikicrawl.extract.linebreaks import break_lines
from wikicrawl.extract.lists import mend_lists
from wikicrawl.extract.marks import BACKSLASH, NOTHING, shield
from wikicrawl.extract.notes import write_notes
from wikicrawl.extract.superscripts import write_scripts
from wikicrawl.extract.tables import flatten_tables

if TYPE_CHECKING:
    from lxml.html import HtmlElement

__all__ = ["BLOCKS", "HEADINGS", "normalise", "wrap"]

INLINE = names(
    "a img br code q sup sub b strong i em del s strike rt rp menu dir caption thead tbody tfoot colgroup col"
)
KNOWN = BLOCKS | frozenset(INLINE)
UNKNOWN = "wikicrawl-unknown"  # no page has such tags
AS_DIV = frozenset(
    names("details figure dl dd fieldset form address center section article main header footer nav aside body")
)
# Parts of a table by what they stand in; elsewhere they are blocks like any other.
INSIDE = {"tr": "table", "td": "tr", "th": "tr"} | dict.fromkeys(("thead", "tbody", "tfoot", "caption"), "")
AS_TERM = {"summary": "strong", "dt": "strong", "figcaption": "em", "legend": "strong"}
QUOTES = ('"', "“", "„", "«", "»", "‘", "'")
PERMALINK = re.compile(r"[\s¶#§🔗⚓]*$")
ROUND = str.maketrans("[]", "()")  # an image's own text must not end it
SPACE_RUN = re.compile(r"[ \t\n\r\f]{2,}|[\t\n\r\f]")
# Most texts have none of these, nor two spaces, and stay as they are.
CHANGED = re.compile(rf"[\\`*_<&~\]$\[!\t\n\r\f{shield('[')}]")
MAYBE_MARKUP = re.compile(rf"[\\`*_<&~\]$]|\[\^|!{shield('[')}")
# Characters that would be read as markup where they stand. Engines see to the brackets in links themselves.
TILDE = shield("~")
FIRST_TILDE = re.compile(r"^(\s*)~")  # beside deleted text it would be taken for one of its marks
IN_LINK = (
    r"\\(?=[!-/:-@\[-`{-~\ufdd2-\ufdef]|$)|`|\*(?!\s\S)|(?<!\S\s)\*|(?<![^\W_])_|_(?![^\W_])"
    rf"|<(?=[a-zA-Z/!?])|&(?=#?\w+;)|~(?=[~{TILDE}]|$)|(?<={TILDE})~"
)
MARKUP_IN_LINK = re.compile(IN_LINK)
OUTSIDE = IN_LINK + rf"|\](?=[(\[:])|(?<!{BACKSLASH})\[(?=\^)|(?<!{BACKSLASH})!(?={shield('[')})"
MARKUP = re.compile(OUTSIDE)
MARKUP_BY_FORMULAS = re.compile(OUTSIDE + rf"|(?<!{BACKSLASH})\$")
# What begins a list, a heading, a quotation or a task; what does so, or underlines the line before, as a whole line.
LINE_START = re.compile(r"(\s*)(?:#{1,6}\s|[-+*]\s|>|\[[ xX]\]\s)|(\s*\d{1,9})[.)]\s")
WHOLE_LINE = re.compile(r"(\s*)(?:#{1,6}|[-+*]|=+|[|:-][|: -]*)\s*$|(\s*\d{1,9})[.)]\s*$")
LINES = frozenset(
    names("div p li blockquote")
)  # the blocks that are left, but for those whose lines cannot be mistaken
NEW_LINES = frozenset(names("br ul ol table pre hr h1 h2 h3 h4 h5 h6"))
DOLLAR = shield("$")
SHIELDED_BRACKETS = {ord(bracket): shield(bracket) for bracket in "[]"}  # engines would escape them even in code
KEEPS_ATTRIBUTES = frozenset({"a", "img", "code"})  # theirs have been seen to
MAX_IMAGES = 500


def normalise(content: HtmlElement, base: str) -> list[str]:
    """Rewrite the content in place; the addresses of its images, each once."""
    fence_code(content)
    write_notes(content)
    images = _resolve_images(content, base)
    _unwrap_unknown(content)
    etree.strip_elements(content, "rt", "rp", with_tail=False)
    _quote(content)
    drop_marks(content)
    write_scripts(content)
    flatten_nested(content)
    flatten_tables(content)
    _resolve_links(content, base)
    _plain_blocks(content)
    mend_lists(content)
    free_breaks(content)
    break_lines(content)
    place_marks(content)
    _drop_attributes(content)
    _mark_text(content)
    content.tag, content.tail = "div", None
    return images[:MAX_IMAGES]


def _resolve_images(content: HtmlElement, base: str) -> list[str]:
    urls: dict[str, None] = {}
    for image in list(content.iter("img")):
        url = image_url(image, base)
        alt = SPACE_RUN.sub(" ", image.get("alt", "")).strip()
        if EMOJI.fullmatch(alt):
            image.tag, image.text = UNKNOWN, alt
            continue
        if not url:
            image.drop_tree()
            continue
        urls[url] = None
        image.attrib.clear()
        image.set("src", url)
        image.set("alt", _escape(alt.translate(ROUND), MARKUP))
    return list(urls)


def _unwrap_unknown(content: HtmlElement) -> None:
    """Inline elements that show nothing of their own, a page's own elements, and what a parser made of broken tags."""
    for element in content.iterdescendants():
        if element.tag not in KNOWN:
            element.tag = UNKNOWN
    unwrap(content, UNKNOWN)


def _quote(content: HtmlElement) -> None:
    """Browsers put the marks round a short quotation; some authors do, too."""
    for quotation in list(content.iter("q")):
        previous, parent = quotation.getprevious(), quotation.getparent()
        before = parent.text if previous is None else previous.tail
        if not (before or "").endswith(QUOTES):
            quotation.text = f'"{quotation.text or ""}'
            quotation.tail = f'"{quotation.tail or ""}'
    unwrap(content, "q")


def _resolve_links(content: HtmlElement, base: str) -> None:
    for link in list(content.iter("a")):
        href = link.get("href", "")
        has_image = next(link.iter("img"), None) is not None
        text = link.text_content()
        if not has_image and (not text.strip() or (href.startswith("#") and PERMALINK.match(text))):
            replace_by_space(link)
            continue
        url = absolute(href, base)
        link.attrib.clear()
        if not url:
            link.drop_tag()
            continue
        link.set("href", url)
        if has_blocks(link):
            _move_inside(link)


def _move_inside(link: HtmlElement) -> None:
    """A link round blocks becomes one round the heading, or else the first text, among them; code takes none."""
    blocks = [element for element in link.iterdescendants() if element.tag in BLOCKS and element.text_content().strip()]
    target = next((block for block in blocks if block.tag in HEADINGS), None)
    if target is None:
        target = next((block for block in blocks if block.tag != "pre" and not has_blocks(block)), None)
    if target is None and not any(block.tag == "pre" for block in blocks):
        etree.strip_tags(link, *BLOCKS)
        return
    if target is not None:
        wrap(target, "a").set("href", link.get("href"))
    link.attrib.clear()
    link.tag = "div"


def _plain_blocks(content: HtmlElement) -> None:
    for element in list(content.iterdescendants()):
        tag = element.tag
        if element.getparent() is None:  # taken out with the one around it
            continue
        if tag in AS_DIV or (tag in INSIDE and element.getparent().tag != INSIDE[tag]):
            element.tag = "div"
        elif tag in AS_TERM:
            element.tag = "p"
            _join_blocks(element)
            etree.strip_tags(element, AS_TERM[tag])
            if element.text_content().strip():
                wrap(element, AS_TERM[tag])
        elif tag in HEADINGS:
            _plain_heading(element)
        elif tag == "blockquote" and not element.text_content().strip() and next(element.iter("img"), None) is None:
            element.tag = "div"


def _join_blocks(element: HtmlElement) -> None:
    """Blocks where none may stand are words apart."""
    for block in element.iterdescendants(*BLOCKS):
        block.text = f" {block.text or ''}"
        block.tail = f" {block.tail or ''}"
    etree.strip_tags(element, *BLOCKS)


def _plain_heading(heading: HtmlElement) -> None:
    for line_break in list(heading.iter("br")):
        replace_by_space(line_break)
    _join_blocks(heading)
    etree.strip_tags(heading, "b", "strong")
    for image in list(heading.iter("img")):
        _lift(image, heading)
    if not heading.text_content().strip():
        heading.drop_tree()


def _lift(image: HtmlElement, heading: HtmlElement) -> None:
    """An image stands before its heading, with the link that holds nothing else."""
    parent = image.getparent()
    outer = parent if parent.tag == "a" and len(parent) == 1 and not parent.text_content().strip() else image
    paragraph = heading.makeelement("p")
    outer.drop_tree()
    outer.tail = None
    paragraph.append(outer)
    heading.addprevious(paragraph)


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
    plain = MARKUP_BY_FORMULAS if DOLLAR in content.text_content() else MARKUP
    linked = {element for link in content.iter("a") for element in link.iter()}
    celled = {line_break for cell in content.iter("td", "th") for line_break in cell.iter("br")}
    for element in content.iter():
        is_linked = element in linked
        tag, text, tail = element.tag, element.text, element.tail
        if tag == "code" and is_linked:
            element.text = (text or "").translate(SHIELDED_BRACKETS)
        elif text and tag != "code":
            following = element[0] if len(element) else None
            plainer = _plain_text(text, following, MARKUP_IN_LINK if is_linked else plain)
            if tag == "del":
                plainer = FIRST_TILDE.sub(rf"\1{BACKSLASH}~", plainer)
            if tag in LINES:
                plainer = _plain_start(plainer, following)
            if plainer != text:  # to write a text costs more than all of this
                element.text = plainer
        if tail and element is not content:
            following = element.getnext()
            plainer = _plain_text(tail, following, MARKUP_IN_LINK if is_linked and tag != "a" else plain)
            if tag == "del":
                plainer = FIRST_TILDE.sub(rf"\1{BACKSLASH}~", plainer)
            if tag in LINES or (tag in NEW_LINES and element not in celled):
                plainer = _plain_start(plainer, following)
            if plainer != tail:
                element.tail = plainer


def _plain_text(text: str, following: HtmlElement | None, markup: re.Pattern[str]) -> str:
    if not CHANGED.search(text) and "  " not in text:
        return text
    text = _escape(SPACE_RUN.sub(" ", text), markup)
    if text.endswith("!") and following is not None and following.tag == "a":
        return f"{text[:-1]}{BACKSLASH}!"  # else the link becomes an image
    return text


def _plain_start(text: str, following: HtmlElement | None) -> str:
    """The text at the start of a line, so that it begins and underlines nothing."""
    match = LINE_START.match(text)
    if not match and (whole := WHOLE_LINE.match(text)) and _is_line_end(following):
        match = whole
    if not match:
        return text
    at = match.end(match.lastindex or 0)
    return f"{text[:at]}{BACKSLASH}{text[at:]}"


def _is_line_end(following: HtmlElement | None) -> bool:
    """Whether a line ends before the element, or at least a word: engines put the space it begins with before it."""
    if following is None or following.tag in LINES or following.tag in NEW_LINES:
        return True
    return bool(following.text_content()[:1].isspace())


def _escape(text: str, markup: re.Pattern[str]) -> str:
    if not MAYBE_MARKUP.search(text):
        return text
    return markup.sub(lambda match: f"{BACKSLASH}{match[0]}{NOTHING if match[0] == chr(92) else ''}", text)
