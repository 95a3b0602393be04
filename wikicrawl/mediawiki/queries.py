"""Write the questions that a wiki's API is asked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from wikicrawl.mediawiki.profile import SITEINFO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_IDS = 50  # in one question, for who is not a bot of the wiki; MediaWiki refuses more with toomanyvalues
MEMBERS = ("page", "subcat", "file")

FORMAT = {"format": "json", "formatversion": "2"}
QUERY = {"action": "query", **FORMAT}
PARSE = {
    "action": "parse",
    "prop": "text|revid|displaytitle|categories|langlinks|sections",
    "redirects": "1",
    "disablelimitreport": "1",
    "disableeditsection": "1",
    "disabletoc": "1",
    **FORMAT,
}


def siteinfo() -> dict[str, str]:
    return dict(SITEINFO)


def parse(*, title: str = "", pageid: int = 0) -> dict[str, str]:
    """One page as HTML with its facts, its redirects followed."""
    if bool(title) == bool(pageid):
        raise ValueError(f"a page is asked for by title or by pageid, not by {title!r} and {pageid}")
    return {**PARSE, "page": title} if title else {**PARSE, "pageid": str(pageid)}


def list_pages(namespace: int = 0, prefix: str = "") -> dict[str, str]:
    """The pages of a namespace with their revisions, redirects among them; the prefix is without the namespace."""
    query = {**QUERY, "generator": "allpages", "gaplimit": "max", "gapnamespace": str(namespace), "prop": "info"}
    return {**query, "gapprefix": prefix} if prefix else query


def list_members(category: str, kind: str = "page") -> dict[str, str]:
    """What is in a category, which is named with its namespace: page, subcat, file or some of them (page|subcat)."""
    if unknown := set(kind.split("|")) - set(MEMBERS):
        raise ValueError(f"kind: unknown {', '.join(sorted(unknown))} ({', '.join(MEMBERS)})")
    return {
        **QUERY,
        "generator": "categorymembers",
        "gcmtitle": category,
        "gcmtype": kind,
        "gcmlimit": "max",
        "prop": "info",
    }


def recent_changes(since: float) -> dict[str, str]:
    """What happened since a time in Unix seconds, the oldest first."""
    return {
        **QUERY,
        "list": "recentchanges",
        "rctype": "edit|new|log",
        "rcprop": "title|ids|timestamp|loginfo|flags",
        "rclimit": "max",
        "rcdir": "newer",
        "rcstart": datetime.fromtimestamp(int(since), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def resolve(pageids: Sequence[int]) -> dict[str, str]:
    """The titles of some ids, their redirects followed."""
    if not 0 < len(pageids) <= MAX_IDS:
        raise ValueError(f"{len(pageids)} ids are asked for; 1 to {MAX_IDS} can be")
    return {**QUERY, "pageids": "|".join(map(str, pageids)), "redirects": "1", "prop": "info"}


def address(api: str, params: Mapping[str, str]) -> str:
    """The question's URL, a canonical one; the same for the same parameters in any order."""
    return f"{api}{'&' if '?' in api else '?'}{urlencode(sorted(params.items()), quote_via=quote, safe='')}"
