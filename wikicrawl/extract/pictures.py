"""Bring the images of a wiki page and what is said of them into the house's form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from wikicrawl.extract.flatten import write_on_a_line
from wikicrawl.extract.normalise import wrap
from wikicrawl.extract.tree import classes
from wikicrawl.extract.wikistrip import DROPPED, drop

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Links that only lead to the file and its history: of MediaWiki before and since 1.40, and of Fandom's galleries.
FILE_LINK = frozenset({"image", "mw-file-description", "lightbox"})
CAPTION = frozenset({"thumbcaption", "gallerytext", "lightbox-caption", "infobox-caption"})
# Other figures carry their caption for the tooltip only.
CAPTIONED = re.compile(r"mw:\w+/(?:Thumb|Frame)\b")
IMAGE_MAP_ICON = "/ImageMap/"


def place_pictures(content: HtmlElement) -> None:
    """Bare images, each followed by its <figcaption>."""
    for link in content.iter("a"):
        image = next(link.iter("img"), None)
        if image is not None and (
            not FILE_LINK.isdisjoint(classes(link)) or image.get("resource") == link.get("href", "")
        ):
            link.tag = "span"
    for image in content.iter("img"):
        if IMAGE_MAP_ICON in image.get("src", ""):
            image.tag = DROPPED
    for figure in content.iter("figure"):
        kind = figure.get("typeof", "")
        if kind and not CAPTIONED.search(kind):
            for caption in figure.iterchildren("figcaption"):
                caption.tag = DROPPED
    drop(content)
    _place_captions(content)


def _place_captions(content: HtmlElement) -> None:
    for element in content.iter("div", "li", "ul", "p", "span"):
        names = classes(element)
        if not CAPTION.isdisjoint(names):
            element.tag = "figcaption"
        elif "gallerycaption" in names:
            element.tag = "p"
            wrap(element, "strong")
        elif "gallery" in names or "gallerybox" in names:
            element.tag = "div"
    for caption in list(content.iter("figcaption")):
        write_on_a_line(caption)
        etree.strip_tags(caption, "i", "em")  # italics in italics are none
