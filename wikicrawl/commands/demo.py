"""Serve the demo web, and crawl it where asked."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from scrapy.commands import BaseRunSpiderCommand

from wikicrawl.commands import print_problem, run_crawls
from wikicrawl.demo import DemoWeb

if TYPE_CHECKING:
    import argparse

# Nobody else is waiting for a server that this process runs itself.
UNHURRIED = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}


class Command(BaseRunSpiderCommand):
    requires_project = True

    def short_desc(self) -> str:
        return "Serve a small local web of six sites; --crawl crawls it"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--crawl", action="store_true", help="crawl the six sites, then stop")
        parser.add_argument("--port", type=int, help="first of six ports (default: DEMO_PORT; 0: any free ones)")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        # In place of the project's own values; what the command line says still wins.
        self.settings.setdict(UNHURRIED if opts.crawl else {"LOG_LEVEL": "WARNING"}, priority="project")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        port = self.settings.getint("DEMO_PORT") if opts.port is None else opts.port
        try:
            web = DemoWeb(port)
        except OSError as error:
            self.exitcode = print_problem(error)
            return
        with web:
            if opts.crawl:
                self._crawl(web, opts)
            else:
                _serve(web)

    def _crawl(self, web: DemoWeb, opts: argparse.Namespace) -> None:
        process = self.crawler_process
        assert process is not None
        sites = web.urls.items()
        crawls = [process.crawl("site", **{"url": url, "source": f"demo-{site}", **opts.spargs}) for site, url in sites]
        self.exitcode = run_crawls(process, crawls)


def _serve(web: DemoWeb) -> None:
    for site, url in web.urls.items():
        print(f"{site:<10} {url}")
    print("Ctrl-C stops it.", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print()
