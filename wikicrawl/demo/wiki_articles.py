"""Write the demo wiki's articles as MediaWiki's parser would."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from wikicrawl.demo.words import GRAMMARS, Prose

if TYPE_CHECKING:
    from wikicrawl.demo.site import Site

SITENAME = "Fenwiki"
NAMESPACES = {
    -2: "Media",
    -1: "Special",
    0: "",
    1: "Talk",
    2: "User",
    3: "User talk",
    4: SITENAME,
    5: f"{SITENAME} talk",
    6: "File",
    7: "File talk",
    8: "MediaWiki",
    9: "MediaWiki talk",
    10: "Template",
    11: "Template talk",
    12: "Help",
    13: "Help talk",
    14: "Category",
    15: "Category talk",
}
ALIASES = {"Image": 6, "Image talk": 7}

KINDS = {
    "Regions": GRAMMARS["wiki"]["region"],
    "People": GRAMMARS["wiki"]["person"],
    "Creatures": GRAMMARS["wiki"]["beast"],
    "Relics": GRAMMARS["wiki"]["relic"],
    "Events": GRAMMARS["wiki"]["event"],
    "Quests": (
        "50% tithe",
        "Bread & Salt",
        "Down the drowned stair",
        "Light: a hymn",
        "The Reed Flute (quest)",
        "Who goes there?",
    ),
    "Roads": ("Causeway", "Salt road", "Emberfen/Old ferries"),
}
NOUNS = {
    "Regions": "a region",
    "People": "a character",
    "Creatures": "a creature",
    "Relics": "a relic",
    "Events": "an event",
    "Quests": "a quest",
    "Roads": "a way across the marsh",
}
FILES = ("File:Map of Emberfen.png", "File:Lantern Oath.png")
REDIRECTS = {
    "Fen": ("Emberfen", ""),
    "Ferrywoman": ("Brida the Ferrywoman", ""),
    "Rok of the Bridge": ("Rök of the Bridge", ""),
    "The Flood": ("Long Flood", "Aftermath"),
}
RED_LINKS = ("Glass Harbour", "Nine Wells", "Queen Aud")
HEADINGS = {
    "Regions": ("Geography", "History", "Trade"),
    "People": ("Early life", "In the game", "Trivia"),
    "Creatures": ("Habitat", "Behaviour", "Drops"),
    "Relics": ("Properties", "Where to find it"),
    "Events": ("Causes", "Course", "Aftermath"),
    "Quests": ("Walkthrough", "Rewards"),
    "Roads": ("Route", "Dangers"),
}

_LINK = re.compile(r"\[\[([^]|]+)(?:\|([^]]+))?]]")


@dataclass(frozen=True, slots=True)
class Article:
    pageid: int
    title: str
    kind: str = ""  # the category it belongs to
    target: str = ""  # what it redirects to
    fragment: str = ""

    @property
    def path(self) -> str:
        return path_of(self.title)

    @property
    def namespace(self) -> int:
        return namespace_of(self.title)


@dataclass
class Parsed:
    html: str = ""
    links: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)


@cache
def articles() -> dict[str, Article]:
    rows: list[tuple[str, ...]] = [("Main Page",)]
    rows += [(title, kind) for kind, titles in KINDS.items() for title in titles]
    rows += [(f"Category:{kind}",) for kind in KINDS]
    rows += [(title,) for title in (f"{SITENAME}:About", f"{SITENAME}:Privacy policy", *FILES)]
    rows += [(title, "", *target) for title, target in REDIRECTS.items()]
    return {row[0]: Article(number, *row) for number, row in enumerate(rows, 1)}


def path_of(title: str) -> str:
    return "/wiki/" + encoded(title)


def encoded(title: str) -> str:
    # MediaWiki's wfUrlencode: what it leaves as it is, is part of the page's one address.
    return quote(title.replace(" ", "_"), safe=";@$!*(),/~:")


def namespace_of(title: str) -> int:
    prefix = title.partition(":")[0] if ":" in title else ""
    return next((number for number, name in NAMESPACES.items() if name and name == prefix), 0)


def normalise(text: str) -> str:
    """The title's one form; empty where it cannot be a title."""
    text = " ".join(text.replace("_", " ").split())
    if re.search(r"[\[\]{}|<>#]", text):
        return ""
    names = {name.lower(): name for name in NAMESPACES.values() if name} | {"project": SITENAME}
    names |= {alias.lower(): NAMESPACES[number] for alias, number in ALIASES.items()}
    prefix, colon, rest = text.partition(":")
    if colon and prefix.strip().lower() in names:
        rest = rest.strip()
        return f"{names[prefix.strip().lower()]}:{rest[:1].upper()}{rest[1:]}" if rest else ""
    return text[:1].upper() + text[1:]


def parse(site: Site, article: Article, *, edit_links: bool = True) -> Parsed:
    parsed = Parsed()
    if article.target:
        target = link(article.target, parsed)
        html = f'<div class="redirectMsg"><p>Redirect to:</p><ul class="redirectText"><li>{target}</li></ul></div>'
    elif article.title == "Main Page":
        html = main_page(site, article, parsed)
    elif article.kind:
        html = body(site, article, parsed, edit_links=edit_links)
    else:
        prose = Prose(site.name, article.path)
        html = f"<p>{escape(site.fact(article.path))}</p>\n<p>{linked(prose.sentence(), article, parsed)}</p>\n"
    parsed.html = f'<div class="mw-parser-output">{html}</div>'
    return parsed


def link(title: str, parsed: Parsed, label: str = "", *, on: str = "") -> str:
    label = escape(label or title, quote=False)
    if title == on:
        return f'<a class="mw-selflink selflink">{label}</a>'
    if title not in parsed.links:
        parsed.links.append(title)
    if title not in articles():
        address = f"/w/index.php?title={encoded(title)}&amp;action=edit&amp;redlink=1"
        return f'<a href="{address}" class="new" title="{escape(title)} (page does not exist)">{label}</a>'
    kind = ' class="mw-redirect"' if articles()[title].target else ""
    return f'<a href="{path_of(title)}"{kind} title="{escape(title)}">{label}</a>'


def linked(text: str, article: Article, parsed: Parsed) -> str:
    """Text with [[title]] and [[title|label]] turned into links."""
    return _LINK.sub(
        lambda match: link(match[1], parsed, match[2] or "", on=article.title),
        escape(text, quote=False),
    )


def body(site: Site, article: Article, parsed: Parsed, *, edit_links: bool) -> str:
    prose = Prose(site.name, article.path)
    notes: list[str] = []
    lead = f"<b>{escape(article.title)}</b> is {NOUNS[article.kind]} of the <i>Emberfen</i> marshes. "
    parts = [
        hatnote(article, parsed),
        infobox(article, prose, parsed),
        f"<p>{lead}{linked(prose.sentence(), article, parsed)}{reference(notes, prose)}</p>\n",
        f"<p>{escape(site.fact(article.path))} {linked(prose.paragraph(2), article, parsed)}</p>\n",
    ]
    parts.append(contents((*HEADINGS[article.kind], "See also", "References")))
    for name in HEADINGS[article.kind]:
        parts.append(heading(article, name, parsed, edit_links=edit_links))
        parts.append(f"<p>{linked(prose.paragraph(3), article, parsed)}{reference(notes, prose)}</p>\n")
        if name == "Drops":
            parts.append(drops(prose, parsed))
    parts.append(heading(article, "See also", parsed, edit_links=edit_links))
    others = prose.random.sample((*RED_LINKS, *REDIRECTS, *KINDS["Quests"]), 3)
    parts.append(f"<ul>{''.join(f'<li>{link(other, parsed, on=article.title)}</li>' for other in others)}</ul>\n")
    parts.append(heading(article, "References", parsed, edit_links=edit_links))
    parts.append(f'<div class="mw-references-wrap"><ol class="references">{"".join(notes)}</ol></div>\n')
    return "".join(parts) + navbox(article, parsed)


def hatnote(article: Article, parsed: Parsed) -> str:
    pairs = {
        "Reed Flute": "The Reed Flute (quest)",
        "The Reed Flute (quest)": "Reed Flute",
        "Emberfen": "Emberfen/Old ferries",
    }
    if article.title not in pairs:
        return ""
    other = link(pairs[article.title], parsed)
    return f'<div role="note" class="hatnote navigation-not-searchable">Not to be confused with {other}.</div>\n'


def infobox(article: Article, prose: Prose, parsed: Parsed) -> str:
    picture = FILES[1] if article.title == "Lantern Oath" else FILES[0]
    source = f"/images/{article.kind.lower()}-{article.pageid}-160.png"
    image = f'<img alt="" src="{source}" decoding="async" width="160" height="106">'
    near = link(prose.say("region"), parsed, on=article.title)
    rows = (
        ("Kind", escape(article.kind.removesuffix("s"))),
        ("Found near", near),
        ("Season", prose.say("season").title()),
        ("First seen", f"{prose.say('month')}, patch {prose.random.randint(2, 40)}"),
    )
    return (
        f'<table class="infobox"><tbody><tr><th colspan="2" class="infobox-above">{escape(article.title)}</th></tr>\n'
        f'<tr><td colspan="2" class="infobox-image"><a href="{path_of(picture)}" class="image">{image}</a></td></tr>\n'
        + "".join(
            f'<tr><th scope="row" class="infobox-label">{label}</th><td>{value}</td></tr>\n' for label, value in rows
        )
        + "</tbody></table>\n"
    )


def contents(names: tuple[str, ...]) -> str:
    items = "".join(
        f'<li class="toclevel-1 tocsection-{number}"><a href="#{name.replace(" ", "_")}">'
        f'<span class="tocnumber">{number}</span> <span class="toctext">{name}</span></a></li>\n'
        for number, name in enumerate(names, 1)
    )
    title = '<div class="toctitle" lang="en" dir="ltr"><h2 id="mw-toc-heading">Contents</h2></div>'
    return (
        f'<div id="toc" class="toc" role="navigation" aria-labelledby="mw-toc-heading">{title}<ul>{items}</ul></div>\n'
    )


def heading(article: Article, name: str, parsed: Parsed, *, edit_links: bool) -> str:
    parsed.sections.append(name)
    number = len(parsed.sections)
    address = f"/w/index.php?title={encoded(article.title)}&amp;action=edit&amp;section={number}"
    edit = (
        '<span class="mw-editsection"><span class="mw-editsection-bracket">[</span>'
        f'<a href="{address}" title="Edit section: {name}">edit</a><span class="mw-editsection-bracket">]</span></span>'
    )
    anchor = name.replace(" ", "_")
    return f'<h2><span class="mw-headline" id="{anchor}">{name}</span>{edit if edit_links else ""}</h2>\n'


def reference(notes: list[str], prose: Prose) -> str:
    number = len(notes) + 1
    source = f"{prose.say('name')}, <i>Notes on the {prose.say('season')} marsh</i>, p. {prose.random.randint(2, 300)}"
    notes.append(
        f'<li id="cite_note-{number}"><span class="mw-cite-backlink"><a href="#cite_ref-{number}">↑</a></span> '
        f'<span class="reference-text">{source}.</span></li>\n'
    )
    return f'<sup id="cite_ref-{number}" class="reference"><a href="#cite_note-{number}">&#91;{number}&#93;</a></sup>'


def drops(prose: Prose, parsed: Parsed) -> str:
    first, second = (f"{prose.random.randint(1, 40)}%" for _ in range(2))
    relic, goods = link(prose.say("relic"), parsed), prose.say("goods")
    return (
        '<table class="wikitable"><tbody><tr><th>Time</th><th>Chance</th><th>Item</th></tr>\n'
        f'<tr><td rowspan="2">Night</td><td>{first}</td><td>{relic}</td></tr>\n'
        f"<tr><td>{second}</td><td>{goods}</td></tr></tbody></table>\n"
    )


def navbox(article: Article, parsed: Parsed) -> str:
    rows = "".join(
        f'<tr><th scope="row" class="navbox-group">{kind}</th><td class="navbox-list">'
        + " • ".join(link(title, parsed, on=article.title) for title in titles)
        + "</td></tr>\n"
        for kind, titles in KINDS.items()
    )
    return (
        '<div role="navigation" class="navbox"><table class="nowraplinks navbox-inner"><tbody><tr><th scope="col" '
        f'class="navbox-title" colspan="2">The marshes of Emberfen</th></tr>\n{rows}</tbody></table></div>\n'
    )


def main_page(site: Site, article: Article, parsed: Parsed) -> str:
    prose = Prose(site.name, article.path)
    topics = "".join(
        f"<li>{link(f'Category:{kind}', parsed, kind)}: {', '.join(link(title, parsed) for title in titles[:3])}</li>\n"
        for kind, titles in KINDS.items()
    )
    return (
        f"<p>Welcome to <b>{SITENAME}</b>, the handbook of the <i>Emberfen</i> marshes. "
        f"{escape(site.fact(article.path))}</p>\n"
        f"<p>{linked(prose.paragraph(3), article, parsed)}</p>\n<ul>{topics}</ul>\n"
        f"<p>Often looked for: {', '.join(link(title, parsed) for title in REDIRECTS)}.</p>\n"
    )
