"""Obey robots.txt as Scrapy does, and tell of one that cannot be got in a line instead of a traceback."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import robotstxt

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RobotsMiddleware(robotstxt.RobotsTxtMiddleware):
    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        robotstxt.logger.addFilter(_in_one_line)


def _in_one_line(record: logging.LogRecord) -> bool:
    """A host that does not answer is an outcome of its pages, not a bug of ours."""
    record.exc_info = None
    record.levelno, record.levelname = logging.INFO, "INFO"
    return logging.getLogger().isEnabledFor(logging.INFO)
