"""A crawl of the crash site in a process of its own, whose log can be waited for."""

import threading
from contextlib import contextmanager


class Crawl:
    def __init__(self, scrapy, arguments):
        self.process = scrapy.start(*arguments, stderr=True)
        self._lines = []
        self._changed = threading.Condition()
        self._is_ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self._changed:
                self._lines.append(line.decode())
                self._changed.notify_all()
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()

    @property
    def log(self):
        with self._changed:
            return "".join(self._lines)

    def wait_for(self, words, seconds=30):
        """The line of the log that has the words."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_ended or any(words in line for line in self._lines), seconds)
            found = [line for line in self._lines if words in line]
            assert found, "".join(self._lines)[-4000:]
            return found[0]

    def end(self, seconds=60):
        """The exit code, when it ends by itself."""
        code = self.process.wait(seconds)
        self._reader.join()
        return code


def crawl_arguments(site, *more, pages=None):
    limits = ("-a", "sitemap=false", "-a", "max_depth=9", "-a", f"max_pages={pages or site.size + 1}")
    # Its pages are called /page/n, as those of a list are, whose next one would be guessed.
    settings = ("-s", "TIERS_BROWSER=0", "-s", "TRAPS_PREDICT=0")
    return ("crawl", "site", "-a", f"url={site.start}", *limits, *settings, *more)


@contextmanager
def crawling(scrapy, site, *more):
    crawl = Crawl(scrapy, crawl_arguments(site, *more))
    try:
        yield crawl
    finally:
        if crawl.process.poll() is None:
            crawl.process.kill()
        crawl.end()
        crawl.process.stderr.close()
