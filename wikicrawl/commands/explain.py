"""Say how a page would be got and how it was got."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from wikicrawl.commands import opened_store, print_problem
from wikicrawl.commands.resting import resting_line
from wikicrawl.extensions import local_time
from wikicrawl.items import ROBOTS_UNREACHABLE
from wikicrawl.mediawiki.profile import from_json
from wikicrawl.mediawiki.titles import target_of
from wikicrawl.robots import product_token, read_rules
from wikicrawl.sources import load_sources
from wikicrawl.tiers.choose import TierMemory, path_pattern
from wikicrawl.tiers.executable import find_browser
from wikicrawl.traps.habits import SiteHabits
from wikicrawl.traps.kinds import kind_of
from wikicrawl.urls import Refusal, netloc, origin_of, path_of, typed_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from wikicrawl.mediawiki.profile import Wiki
    from wikicrawl.store import Store
    from wikicrawl.store.pages import StoredPage, StoredVisit
    from wikicrawl.store.robots import KeptRobots
    from wikicrawl.store.wikis import KeptWiki

Line = tuple[str, str]


class Command(ScrapyCommand):
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[options] URL"

    def short_desc(self) -> str:
        return "Say how a page would be got and how it was got: tier, verdicts, extractor, hash, next visit"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one URL, for example: scrapy explain https://example.org/")
        assert self.settings is not None
        url = typed_url(args[0])
        if isinstance(url, Refusal):
            print(f"url         {args[0]}\nrefused     {url.reason}")
            return
        with opened_store(self.settings) as store:
            try:
                for label, text in explain(url, store, self.settings):
                    print(f"{label:<11} {text}")
            except ValueError as error:  # a setting is wrong
                self.exitcode = print_problem(error)


def explain(url: str, store: Store, settings: BaseSettings) -> Iterator[Line]:
    yield "url", url
    yield from _would_be_got(url, store, settings)
    for resting in store.breakers.resting(now=int(time.time()), host=netloc(url)):
        yield "host", f"{resting.host} {resting_line(resting)}"
    page = store.pages.find(url)
    if page is None:
        yield "was got", "never: the page is not in the store"
        return
    yield "source", f"{page.source}, depth {page.depth}, {page.state}"
    yield from _kind_lines(page, store)
    visits = store.pages.visits(page.id, limit=5)
    if not visits:
        yield "was got", "not yet: it waits for its first visit"
    for visit in visits:
        yield "was got", _visit_line(visit)
        yield from (("", _step_line(step)) for step in visit.trail)
    yield from _content_lines(page)
    if page.due:
        yield "next visit", local_time(page.due)


def _kind_lines(page: StoredPage, store: Store) -> Iterator[Line]:
    """What was learned of addresses like the page's."""
    habits = SiteHabits()
    habits.adopt(store.kinds.decided(page.source, since=0))
    if (folded := habits.fold(page.url)) != page.url:
        yield "address of", folded
    kind = kind_of(page.url)
    counted = store.kinds.find(page.source, kind) if kind else None
    if counted is not None:
        line = f"{kind}: {counted.pages} pages got, {counted.different} of them brought something new"
        yield "kind", f"{line}; closed as a trap ({counted.reason})" if counted.reason else line


def _would_be_got(url: str, store: Store, settings: BaseSettings) -> Iterator[Line]:
    told = load_sources(settings["SOURCES_FILE"]).of(netloc(url), path_of(url))
    memory = TierMemory.from_settings(store, settings)
    wiki = _by_wiki(url, store, settings["WIKI_TRANSPORT"]) if told.mediawiki != "off" else ""
    if told.tier != "auto":
        yield "would go by", f"{told.tier}, as sources.yml says"
    elif wiki:
        yield "would go by", wiki
    elif asyncio.run(memory.choose(url)) == "browser":
        yield "would go by", f"browser, which earlier pages like {path_pattern(url)} needed"
    else:
        yield "would go by", "http first; a browser only if the answer is a shell, a wall or a failure"
    if settings.getbool("ROBOTSTXT_OBEY"):
        yield "robots", _by_robots(url, store.robots.load(origin_of(url)), settings)
    endpoint = settings.get("TIERS_BROWSER_ENDPOINT")
    yield "browser", endpoint or find_browser(settings.get("TIERS_BROWSER_EXECUTABLE")) or "none found"
    if told.source_tier:
        yield "told", f"{told.source_tier}, weight {told.weight}"


def _by_robots(url: str, kept: KeptRobots | None, settings: BaseSettings) -> str:
    if kept is None:
        return "robots.txt has not been asked for yet"
    if kept.access == "wait":
        return f"{ROBOTS_UNREACHABLE} ({kept.reason}); it is asked for again {local_time(kept.expires_at)}"
    if kept.access == "allow":
        return f"allowed: there is no robots.txt ({kept.reason})"
    rules = read_rules(kept.body, product_token(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"]))
    word = "allowed" if rules.allow(url) else "forbidden"
    delay = f", {rules.delay_seconds:g} s between two requests" if rules.delay_seconds else ""
    return f"{word} by the robots.txt of {local_time(kept.fetched_at)}{delay}"


def _by_wiki(url: str, store: Store, transport: str) -> str:
    """How a page of a known wiki would be got; empty for any other page."""
    for kept in store.wikis.load(netloc(url)):
        try:
            wiki = from_json(kept.profile)
        except ValueError:  # no wiki, or one that another version has kept
            continue
        target = target_of(wiki, url)
        if isinstance(target, Refusal):
            return f"nothing: on {wiki.sitename} this is no page ({target.reason})"
        if target is not None:
            return _wiki_line(wiki, kept, transport)
    return ""


def _wiki_line(wiki: Wiki, kept: KeptWiki, transport: str) -> str:
    if kept.state_until > time.time():
        way = "nothing" if kept.state == "private" else "http"
        until = local_time(kept.state_until)
        return f"{way}: the API of {wiki.sitename} is {kept.state} until {until} ({kept.reason})"
    if transport == "html" or (transport == "auto" and wiki.is_wikimedia):
        return f"http: pages of {wiki.sitename} are got as HTML"
    return f"api of {wiki.sitename} ({wiki.generator}), {wiki.api}"


def _visit_line(visit: StoredVisit) -> str:
    line = f"{local_time(visit.finished_at)}  {visit.outcome}  by {visit.tier or 'no tier'}"
    return f"{line}  ({visit.error})" if visit.error else line


def _step_line(step: dict[str, Any]) -> str:
    line = f"  {step['tier']}: {step['verdict']} ({step['reason']})"
    if "status" in step:
        line += f", HTTP {step['status']}, {step['bytes']} bytes, {step['chars']} characters of text"
    return f"{line} → {step['to']}" if "to" in step else line


def _content_lines(page: StoredPage) -> Iterator[Line]:
    if page.final_url and page.final_url != page.url:
        yield "leads to", page.final_url
    if not page.version:
        return
    yield "title", page.title
    chosen = f": {page.meta['chosen']}" if page.meta.get("chosen") else ""
    yield "extractor", f"{page.extractor}, confidence {page.meta.get('confidence', 0.0):.2f}{chosen}"
    if hidden := page.meta.get("hidden_text"):
        suspect = ", which addresses a machine" if page.meta.get("injection_suspect") else ""
        yield "hidden", f"{len(hidden)} characters of hidden text left out{suspect}"
    yield "hash", page.text_hash
    yield "version", f"{page.version}, {len(page.markdown)} characters of markdown, got {local_time(page.fetched_at)}"
