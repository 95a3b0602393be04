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
from wikicrawl.spiders.site import SiteSpider
from wikicrawl.spiders.wiki import WikiSpider
from wikicrawl.stall import CAUSES
from wikicrawl.tiers import breaker, judge, mediawiki, middleware, robots

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
OURS = re.compile(r"^(WIKICRAWL|SOURCES|STORE|SCHEDULE|TIERS|WIKI|MARKDOWN|EXTRACT|STALL|PROGRESS|DEMO)_")
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
    "site/sitemap_pages": "new pages that sitemaps named",
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
    "tiers/no_browser": "1 where no browser was found",
    "tiers/paused/*": "pauses that hosts asked for, by reason",
    "tiers/robots/*": "robots.txt files asked for: `rules`, none (`allow`), or not to be had now (`wait`)",
    "tiers/robots_skipped": "requests that robots.txt forbids, or that it cannot be asked for",
    "tiers/verdict/*/*": "answers by tier and verdict",
    "tiers/verdict/api/*": "answers of wikis' APIs by verdict",
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
                **mediawiki.REASONS,
                **robots.REASONS,
                **directives.REASONS,
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
