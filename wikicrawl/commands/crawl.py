"""`scrapy crawl` that explains a wrong argument or setting instead of showing a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader
from scrapy_spider_metadata import Args
from scrapy_spider_metadata._utils import get_generic_param

from wikicrawl.commands import print_problem, run_crawls

if TYPE_CHECKING:
    import argparse

    from pydantic import BaseModel
    from scrapy import Spider


class Command(CrawlCommand):
    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if len(args) != 1:
            raise UsageError("name one spider, for example: scrapy crawl site -a url=https://example.org")
        assert self.settings is not None
        try:
            spider = get_spider_loader(self.settings).load(args[0])
        except KeyError:
            raise UsageError(f"there is no spider {args[0]!r}; scrapy list names them") from None
        if problem := wrong_arguments(spider, opts.spargs):
            raise SystemExit(print_problem(problem))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.crawler_process is not None
        crawl = self.crawler_process.crawl(self._create_crawler(args[0]), **opts.spargs)
        self.exitcode = run_crawls(self.crawler_process, [crawl])


def wrong_arguments(spider: type[Spider], arguments: dict[str, Any]) -> str:
    """What is wrong with a spider's arguments and what is allowed; empty where nothing is wrong."""
    if not issubclass(spider, Args):
        return ""
    own = {name: value for name, value in arguments.items() if not name.startswith("_")}
    model = cast("type[BaseModel]", get_generic_param(spider, Args))
    try:
        model(**own)
    except ValidationError as error:
        problems = [_problem(detail) for detail in error.errors(include_url=False)]
        allowed = _allowed(spider.get_param_schema()["properties"])
        return "\n".join([f"wrong arguments for {spider.name}", *problems, "", "allowed (-a name=value):", *allowed])
    return ""


def _problem(detail: Any) -> str:
    name = ".".join(str(part) for part in detail["loc"]) or "arguments"
    if detail["type"] == "extra_forbidden":
        return f"  {name}: there is no such argument"
    if detail["type"] == "missing":
        return f"  {name}: must be given"
    return f"  {name}: {detail['msg'].removeprefix('Value error, ')} (got {str(detail['input'])[:80]!r})"


def _allowed(properties: dict[str, Any]) -> list[str]:
    lines = []
    for name, schema in properties.items():
        choices = " | ".join(schema["enum"]) if "enum" in schema else schema.get("type", "")
        default = f" [{schema['default']}]" if schema.get("default") not in (None, "", []) else ""
        lines.append(f"  {name:<10} {choices}{default}  {schema['description']}")
    return lines
