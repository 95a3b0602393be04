"""The reference tables of the README say what the code says.

`PYTHONPATH=. .venv/bin/python tests/test_readme.py` writes them anew.
"""

import ast
import re
import sys
from pathlib import Path

import pytest
from scrapy.utils.misc import walk_modules_iter
from wiki_crawl import WikiCrawl

from wikicrawl import settings
from wikicrawl.extract import directives
from wikicrawl.items import OUTCOMES, Page
from wikicrawl.mediawiki import errors
from wikicrawl.pipelines import soft_404
from wikicrawl.spiders.recrawl import RecrawlSpider
from wikicrawl.spiders.site import SiteSpider
from wikicrawl.spiders.wiki import WikiSpider
from wikicrawl.stall import CAUSES
from wikicrawl.tiers import breaker, conditional, judge, mediawiki, middleware, robots, traps

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
OURS = re.compile(
    r"^(WIKICRAWL|SOURCES|STORE|SCHEDULE|TIERS|WIKI|TRAPS|SITE|MARKDOWN|EXTRACT|PIPELINES|STALL|PROGRESS|DEMO)_"
)
COLUMNS = {
    "url": "the page that was asked for, in canonical form",
    "final_url": "where it led after redirects",
    "source": "the source it is kept under",
    "domain": "host and port",
    "depth": "links away from the start URL",
    "title": "title",
    "description": "the page's own description",
    "language": "language, as the page says",
    "markdown": "the content",
    "text_hash": "SHA-256 of the content's text",
    "links": "links of the page that belong to the crawl",
    "images": "images of the content",
    "tier": "`api`, `http` or `browser`",
    "verdict": "what the last answer was",
    "reason": "why, in one word",
    "http_status": "HTTP status; 0 where nothing answered",
    "fetched_at": "when, ISO 8601 in UTC",
    "changed": "`new`, `changed`, `same`, `gone`, or `moved` (to `final_url`)",
    "bytes": "size of the body",
    "extractor": "which candidate gave the content",
    "weight": "weight of the source, from sources.yml",
    "source_tier": "group of the source, from sources.yml",
    "error": "what went wrong, in words",
    "wiki": "what a wiki says of its page, as an object (in CSV as JSON): see [Wikis](#wikis)",
    "confidence": "from 0 to 1, that the markdown is the content and all of it",
    "hidden_text": "what the page holds but does not show; not in the markdown",
    "injection_suspect": "whether the hidden text addresses a machine",
}


STATS = {
    "changes/*": "pages that are `new`, `changed`, `moved`, `gone` or the `same`",
    "extract/*": "pages by the candidate that gave their content, or by what ended their extraction",
    "extract/injection_suspects": "pages whose hidden text addresses a machine",
    "extract/nofollow": "pages that ask robots not to follow their links",
    "extract/noindex": "pages that ask robots not to keep them",
    "hooks/failed/*": "failures of the `transform` and `downstream` hooks",
    "recrawl/unreadable": "sources of which it cannot be read what they were crawled with",
    "site/lists/moved": "pages that are due because a sitemap or feed that is believed gives another date",
    "site/lists/not_modified": "sitemaps and feeds that had not changed since they were read",
    "site/lists/rested": "pages put off because a sitemap or feed that is believed gives the same date",
    "site/renamed": "pages that have another URL by new `normalize` patterns",
    "site/signpost_pages": "new pages by archives, indexes and feeds, when the queue had run dry",
    "site/sitemap_pages": "new pages that sitemaps and feeds named",
    "stall/*": "rounds in which no page brought anything, by cause",
    "store/bytes": "bytes of the bodies of visited pages",
    "store/late": "results refused because another process had the page by then",
    "store/new_links": "links that were not known",
    "store/outcome/*": "visits by outcome",
    "store/pages": "pages that have content after their visit",
    "store/paused": "pauses because the store could not be written to",
    "store/tier/*": "visits by the tier that brought the last answer",
    "tiers/breaker/closed": "hosts that answer again after they were left alone",
    "tiers/breaker/opened/*": "hosts left alone because they failed, by reason",
    "tiers/breaker/probes": "pages that tried such a host again",
    "tiers/breaker/refused": "requests not sent because their host is left alone",
    "tiers/browser/aborted": "images, fonts and media that were not loaded",
    "tiers/browser/handed_over": "pages whose HTTP body was given to the browser",
    "tiers/browser/killed": "browsers that did not answer any more",
    "tiers/browser/not_started": "browsers that did not start",
    "tiers/browser/pages": "pages asked of the browser",
    "tiers/browser/popups": "popups closed",
    "tiers/browser/recycled": "contexts replaced after TIERS_BROWSER_CONTEXT_PAGES",
    "tiers/browser/restarted": "browsers replaced over TIERS_BROWSER_MAX_MB",
    "tiers/browser/retried": "pages asked again because tab or browser died",
    "tiers/browser/timeouts": "pages over TIERS_BROWSER_TIMEOUT_MS",
    "tiers/escalated/*": "fallbacks to another tier, by reason",
    "tiers/guises": "changes of User-Agent or proxy after a stall",
    "tiers/etag/refuted": "pages got whole because ETags of their part of the site were wrong before",
    "tiers/etag/tested": "pages got whole to see whether their ETags tell the truth",
    "tiers/not_modified": "pages that their server called unchanged (HTTP 304)",
    "tiers/no_browser": "1 where no browser was found",
    "tiers/paused/*": "pauses that hosts asked for, by reason",
    "tiers/robots/*": "robots.txt files asked for: `rules`, none (`allow`), or not to be had now (`wait`)",
    "tiers/robots_skipped": "requests that robots.txt forbids, or that it cannot be asked for",
    "tiers/verdict/*/*": "answers by tier and verdict",
    "tiers/verdict/api/*": "answers of wikis' APIs by verdict",
    "traps/*": "kinds of addresses that were `closed` or `opened` again; differences between addresses that are `folded`",
    "traps/canonical": "pages whose text went to the address that they name as their own",
    "traps/predicted": "next pages of lists that nothing links to",
    "traps/predicted_in_vain": "of these, those that were no page or brought nothing",
    "traps/refused_links": "links of closed kinds that were not followed",
    "traps/same_page": "pages that were known under another spelling of their address",
    "traps/soft_404": "pages that were what the host shows for what does not exist",
    "traps/soft_404_probes": "hosts asked for a page that cannot exist",
    "wiki/*/*": "APIs that are not asked for a while, as they are `down` or `private`, by reason",
    "wiki/learned": "wikis that were recognised",
    "wiki/listed/*": "pages of a wiki's lists: `new`, `changed`, `touched` or the `same`",
    "wiki/listed/absent": "pages that have left the lists",
    "wiki/listed/redirects": "redirects that the lists name for the first time",
    "wiki/paused/*": "pauses before an API was asked again, by reason",
    "wiki/private/*": "wikis that do not even say what they are, by reason",
    "wiki/recent_changes": "pages that recent changes name",
    "wiki/requests": "questions to wikis' APIs",
    "wiki/unlisted": "1 where a wiki's pages could not be listed",
}
META = {
    "tier": "asks for one tier: `auto`, `api`, `http` or `browser`",
    "tiers_trail": "what was tried: steps with tier, verdict, reason, status, chars, bytes, and `to` where it went on",
    "tiers_browser": "set on requests that go to the browser",
    "tiers_handover": "the HTTP response given to the browser",
    "tiers_cookies": "cookies of a challenge that the browser passed",
    "tiers_cleared": "set on requests that carry such cookies",
    "tiers_probe": "the host that the request tries again after it was left alone",
    "visit": "the try at a page that the request belongs to (`items.Visit`)",
    "told": "what sources.yml says of the page (`sources.Source`)",
    "wiki": "the wiki that the page is of (`mediawiki.profile.Wiki`)",
    "wiki_facts": "what the wiki's API says of the page",
    "wiki_query": "a question to the API of the wiki at the URL: the response is its answer",
}
WIKI = {
    "title": "title with its namespace, as the wiki writes it",
    "displaytitle": "title as the page shows it",
    "pageid": "number of the page",
    "revid": "number of the revision",
    "permalink": "address of this revision",
    "namespace": "number of the namespace; 0 is articles",
    "categories": "categories",
    "hidden_categories": "categories that readers are not shown",
    "sections": "headings: `level`, `title`, `anchor`",
    "langlinks": "the page in other languages: `language`, `title`, `url`",
    "redirected_from": "the title that was asked for and led here",
    "redirected_to_fragment": "the section it led to",
    "infobox": "the facts of the infobox: label and value",
    "license": "`url` and `text`",
    "attribution": "what to say where the text is used: title, wiki, address, licence",
}


# Parameters of litecrawl() and what they are called here: arguments of recrawl in lower case, settings in upper.
LITECRAWL = {
    "sqlite_path": "`STORE_URL`",
    "start_urls": "`start_urls`",
    "normalize_patterns": "`normalize`",
    "include_patterns": "`include`",
    "exclude_patterns": "`exclude`",
    "n_claims": "`n_claims`",
    "n_concurrent": "`n_concurrent`",
    "pw_headers": "`TIERS_BROWSER_HEADERS`",
    "pw_scroll_rounds": "`TIERS_BROWSER_SCROLL_ROUNDS`",
    "pw_scroll_wait_ms": "`TIERS_BROWSER_SCROLL_WAIT_MS`",
    "pw_timeout_ms": "`TIERS_BROWSER_TIMEOUT_MS`",
    "pw_viewport": "`TIERS_BROWSER_VIEWPORT`",
    "pw_block_media": "`TIERS_BROWSER_BLOCK_MEDIA`",
    "page_hook": "`page_hook` or `TIERS_BROWSER_PAGE_HOOK`",
    "transform_hook": "`transform_hook` or `PIPELINES_TRANSFORM_HOOK`",
    "downstream_hook": "`downstream_hook` or `PIPELINES_DOWNSTREAM_HOOK`",
    "new_interval_sec": "`SCHEDULE_NEW_SECONDS`",
    "min_interval_sec": "`SCHEDULE_MIN_SECONDS`",
    "max_interval_sec": "`SCHEDULE_MAX_SECONDS`",
    "fresh_factor": "`SCHEDULE_FRESH_FACTOR`",
    "stale_factor": "`SCHEDULE_STALE_FACTOR`",
    "processing_timeout_sec": "`STORE_LEASE_SECONDS`",
}


def table(headings, rows):
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    return "\n".join(lines + [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows])


def settings_table():
    source = Path(settings.__file__).read_text(encoding="utf-8")
    lines = source.splitlines()
    rows = []
    for node in ast.parse(source).body:
        target = (
            node.target
            if isinstance(node, ast.AnnAssign)
            else node.targets[0]
            if isinstance(node, ast.Assign)
            else None
        )
        if target is not None and OURS.match(target.id):
            comment = lines[node.end_lineno - 1].partition("  # ")[2]
            rows.append((f"`{target.id}`", f"`{ast.unparse(node.value)}`", comment))
    return table(["setting", "default", "meaning"], rows)


def arguments_table(spider=SiteSpider):
    rows = []
    for name, schema in spider.get_param_schema()["properties"].items():
        default = schema.get("default", "")
        rows.append((f"`{name}`", f"`{default}`" if default not in ("", []) else "", schema["description"]))
    return table(["argument", "default", "meaning"], rows)


def wiki_arguments_table():
    return arguments_table(WikiSpider)


def recrawl_arguments_table():
    return arguments_table(RecrawlSpider)


def litecrawl_table():
    return table(["litecrawl", "here"], [(f"`{name}`", ours) for name, ours in LITECRAWL.items()])


def wiki_table():
    return table(["key", "meaning"], [(f"`{name}`", meaning) for name, meaning in WIKI.items()])


def errors_table():
    rows = [(f"`{rule.code}`", rule.action, rule.outcome, rule.sentence) for rule in (*errors.TABLE, errors.UNKNOWN)]
    return table(["code", "action", "outcome", "meaning"], rows)


def commands_table():
    rows = []
    for module in walk_modules_iter("wikicrawl.commands"):
        if hasattr(module, "Command"):
            command = module.Command()
            name = module.__name__.rpartition(".")[2]
            rows.append((f"`scrapy {name} {command.syntax()}`".replace(" `", "`"), command.short_desc()))
    return table(["command", "what it does"], sorted(rows))


def outcomes_table():
    return table(["outcome", "meaning"], [(f"`{name}`", meaning) for name, meaning in OUTCOMES.items()])


def reasons_table():
    return table(
        ["reason", "meaning"],
        [
            (f"`{name}`", meaning)
            for name, meaning in {
                **judge.REASONS,
                **middleware.REASONS,
                **conditional.REASONS,
                **mediawiki.REASONS,
                **robots.REASONS,
                **directives.REASONS,
                **traps.REASONS,
                **soft_404.REASONS,
            }.items()
        ],
    )


def breaker_table():
    return table(["reason", "meaning"], [(f"`{name}`", meaning) for name, meaning in breaker.REASONS.items()])


def stall_table():
    return table(["cause", "meaning"], [(f"`{name}`", meaning) for name, meaning in CAUSES.items()])


def columns_table():
    return table(["column", "meaning"], [(f"`{name}`", meaning) for name, meaning in COLUMNS.items()])


def stats_table():
    return table(["stat", "counts"], [(f"`{name}`", meaning) for name, meaning in STATS.items()])


def meta_table():
    return table(["key", "meaning"], [(f"`{name}`", meaning) for name, meaning in META.items()])


TABLES = {
    "meta": meta_table,
    "stats": stats_table,
    "arguments": arguments_table,
    "breaker": breaker_table,
    "columns": columns_table,
    "commands": commands_table,
    "outcomes": outcomes_table,
    "reasons": reasons_table,
    "settings": settings_table,
    "stall": stall_table,
    "recrawl-arguments": recrawl_arguments_table,
    "litecrawl": litecrawl_table,
    "wiki-arguments": wiki_arguments_table,
    "wiki": wiki_table,
    "wiki-errors": errors_table,
}


def block(name):
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", re.DOTALL)


@pytest.mark.parametrize("name", TABLES)
def test_a_reference_table_says_what_the_code_says(name):
    found = block(name).search(README.read_text(encoding="utf-8"))
    assert found is not None
    assert found[2].strip() == TABLES[name]()


def test_every_parameter_of_litecrawl_has_its_argument_or_setting():
    arguments = RecrawlSpider.get_param_schema()["properties"]
    ours = {name for text in LITECRAWL.values() for name in re.findall(r"`(\w+)`", text)}
    assert not [name for name in ours if name not in arguments and not hasattr(settings, name)]
    assert set(arguments) <= ours


def test_every_column_of_the_feed_is_explained():
    assert list(COLUMNS) == [name for name in Page.__dataclass_fields__ if name != "visit"]


@pytest.mark.mediawiki
def test_every_key_of_a_wiki_page_is_explained(wiki_site, scrapy, tmp_path):
    wiki_site.reset()
    crawl = WikiCrawl(scrapy, tmp_path, wiki_site)
    rows = [crawl(spider="site", url=wiki_site.page_url(title)).rows for title in ("Hogger's loot", "Westfall")]
    found = {key for pages in rows for row in pages.values() for key in row["wiki"]}
    assert found == set(WIKI)


def sources_of_the_package():
    return {path: path.read_text(encoding="utf-8") for path in (ROOT / "wikicrawl").rglob("*.py")}


def test_every_stat_is_explained_and_counted():
    counted = set()
    for path, source in sources_of_the_package().items():
        for name in re.findall(r'(?:inc_value|_count)\(\s*f?"([^"]+)"', source):
            in_browser = path.name in ("browser.py", "chromium.py", "tab.py") and "/" not in name
            counted.add("tiers/browser/" * in_browser + re.sub(r"\{[^}]*\}", "*", name))
    assert counted - {"tiers/browser/*"} == set(STATS)


def test_every_meta_key_of_ours_is_explained_and_used():
    found = {
        key
        for source in sources_of_the_package().values()
        for key in re.findall(r"""meta(?:\.get\(|\.pop\(|\[)"(\w+)""", source)
    }
    assert {key for key in found if key.startswith(("tier", "wiki")) or key in ("visit", "told")} == set(META)


def test_every_setting_of_ours_says_what_it_means():
    assert not [line for line in settings_table().splitlines()[2:] if line.endswith("|  |")]


def test_the_tree_in_the_readme_names_every_part_of_the_package():
    text = README.read_text(encoding="utf-8")
    parts = {path.name for path in (ROOT / "wikicrawl").iterdir() if path.name[0].isalpha()}
    assert not [part for part in parts if not re.search(rf"^  {re.escape(part)}/?\s", text, re.MULTILINE)]


def write():
    text = README.read_text(encoding="utf-8")
    for name, make in TABLES.items():
        text = block(name).sub(lambda found, make=make: f"{found[1]}\n{make()}\n\n{found[3]}", text)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
