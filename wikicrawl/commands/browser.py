"""Say which browser the browser tier would use, and install one where none is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from wikicrawl.commands import print_problem
from wikicrawl.tiers.executable import find_browser

if TYPE_CHECKING:
    import argparse

INSTALL_SECONDS = 600  # a browser is ~150 MB; slower than this is a hanging download


class Command(ScrapyCommand):
    requires_project = True
    requires_crawler_process = False

    def short_desc(self) -> str:
        return "Show the browser that the browser tier uses; --install gets one where none is found"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--install", action="store_true", help="install Chromium where no browser is found")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        if endpoint := self.settings.get("TIERS_BROWSER_ENDPOINT"):
            print(f"browser   {endpoint}")
            return
        configured = self.settings.get("TIERS_BROWSER_EXECUTABLE")
        try:
            found = find_browser(configured)
        except ValueError as error:
            self.exitcode = print_problem(error)
            return
        if found is None and opts.install:
            install()
            found = find_browser(configured)
        print(f"browser   {found}" if found else "browser   none found: crawling goes on without the browser tier")


def install() -> None:
    """Playwright's own Chromium, else the distribution's where we may install it."""
    commands = ["playwright install chromium"]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        commands += ["apt-get update -qq", "apt-get install -y -qq chromium"]
    for command in commands:
        print(f"browser   none found; trying: {command}", file=sys.stderr)
        words = [*([sys.executable, "-m"] if command.startswith("playwright") else []), *command.split()]
        try:
            subprocess.run(words, check=False, timeout=INSTALL_SECONDS, capture_output=True)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"browser   {error}", file=sys.stderr)
        if find_browser(None):
            return
