"""Keep cookies as Scrapy does, but ask no third party what a public domain is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import cookies
from tldextract import TLDExtract

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

# At the first cookie Scrapy's own fetches the list of public suffixes, from the event loop and past every policy of
# ours; the snapshot that comes with the package is good enough to refuse a cookie for all of co.uk.
OFFLINE = TLDExtract(include_psl_private_domains=True, suffix_list_urls=(), cache_dir=None)


class CookiesMiddleware(cookies.CookiesMiddleware):
    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        cookies._split_domain = OFFLINE
        return super().from_crawler(crawler)
