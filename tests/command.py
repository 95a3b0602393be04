"""Run the project's real `scrapy` command in a process of its own, with a store of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The sites under test are ours and local: nobody is bothered by haste.
HASTE = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=0"]


class ScrapyCommand:
    def __init__(self, folder, store_url=None):
        self.store_url = store_url or f"sqlite:///{folder}/wikicrawl.db"
        self.environment = {**os.environ, "WIKICRAWL_STORE_URL": self.store_url, "PYTHONWARNINGS": "default"}

    def __call__(self, *arguments, expect=0, timeout=120):
        done = subprocess.run(
            self._line(arguments),
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == expect, done.stderr[-4000:]
        return done

    def start(self, *arguments, stderr=False):
        errors = subprocess.PIPE if stderr else subprocess.DEVNULL
        return subprocess.Popen(
            self._line(arguments), cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=errors
        )

    def _line(self, arguments):
        command, *rest = arguments
        return [sys.executable, "-m", "scrapy", command, *(HASTE if command in ("crawl", "page") else []), *rest]
