"""Every component in running order, and every default with its unit and reason."""

import os

from wikicrawl import items

BOT_NAME = "wikicrawl"
SPIDER_MODULES = ["wikicrawl.spiders"]
NEWSPIDER_MODULE = "wikicrawl.spiders"
COMMANDS_MODULE = "wikicrawl.commands"

# Who we are. Sites may want to reach us: set WIKICRAWL_CONTACT to an address or a page.
WIKICRAWL_CONTACT = os.environ.get("WIKICRAWL_CONTACT", "")  # e-mail or URL; Wikimedia's wikis demand it
USER_AGENT = "wikicrawl/0.1" + (f" (+{WIKICRAWL_CONTACT})" if WIKICRAWL_CONTACT else "") + " Scrapy"
ROBOTSTXT_USER_AGENT = "wikicrawl"  # the token in robots.txt; never that of the browser we resemble

# components, in the order a page meets them

# robots (100) judges the page's own URL; tiers stand just outside retry (550), so that they see what is left
# after decompression, redirects and retries.
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "wikicrawl.tiers.traps.TrapsMiddleware": 40,
    "wikicrawl.tiers.scope.ScopeMiddleware": 50,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "wikicrawl.tiers.robots.RobotsMiddleware": 100,
    "wikicrawl.tiers.breaker.BreakerMiddleware": 120,
    "wikicrawl.tiers.guise.GuiseMiddleware": 490,
    "wikicrawl.tiers.middleware.TierMiddleware": 543,
    "wikicrawl.tiers.conditional.ConditionalMiddleware": 545,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "wikicrawl.tiers.cookies.CookiesMiddleware": 700,
}
DOWNLOAD_HANDLERS = {
    "http": "wikicrawl.tiers.handler.TierDownloadHandler",
    "https": "wikicrawl.tiers.handler.TierDownloadHandler",
    # a crawled page must not be able to name a file or a bucket
    "file": None,
    "data": None,
    "ftp": None,
    "s3": None,
}
SPIDER_MIDDLEWARES = {
    # depth and length of links are the frontier's business, and every status is an outcome
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
}
ITEM_PIPELINES = {
    "wikicrawl.pipelines.hooks.TransformPipeline": 50,
    "wikicrawl.pipelines.extract.ExtractPipeline": 100,
    "wikicrawl.pipelines.traps.TrapsPipeline": 150,
    "wikicrawl.pipelines.changes.ChangesPipeline": 200,
    "wikicrawl.pipelines.store.StorePipeline": 400,
    "wikicrawl.pipelines.hooks.DownstreamPipeline": 900,
}
EXTENSIONS = {
    "wikicrawl.extensions.JobRecorder": 100,
    "wikicrawl.extensions.StoreWatch": 150,
    "wikicrawl.extensions.Progress": 200,
    "wikicrawl.stall.StallMonitor": 300,
    "scrapy.extensions.telnet.TelnetConsole": None,
}
CONCURRENT_ITEMS = 4  # a response gives one item; Scrapy starts this many tasks for each, and its 100 cost 1 ms of CPU
DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"  # the frontier is the seen-set; a 302 to itself must not vanish

# source: what we are told about sites
SOURCES_FILE = ""  # path of sources.yml; empty: config/sources.yml where there is one

# store
STORE_URL = os.environ.get("WIKICRAWL_STORE_URL", "sqlite:///data/wikicrawl.db")  # or postgresql://user@host/name
STORE_LEASE_SECONDS = 120  # a claim not renewed for this long belongs to a dead process; renewed every third of it
STORE_PATIENCE_SECONDS = 600  # so long a crawl waits for a full disk or a stopped server to be mended
STORE_CLAIM_SIZE = 50  # pages claimed at a time: enough to keep the downloader busy, few enough to share

# schedule: when a page is due again
SCHEDULE_NEW_SECONDS = 24 * 3600  # after the first visit
SCHEDULE_MIN_SECONDS = 3600  # never sooner
SCHEDULE_MAX_SECONDS = 30 * 24 * 3600  # never later
SCHEDULE_FRESH_FACTOR = 0.2  # interval × this after a change
SCHEDULE_STALE_FACTOR = 2.0  # interval × this after no change
SCHEDULE_GONE_AFTER = 3  # visits in a row that find a page missing (HTTP 404, 410): then it is gone, and left alone
SCHEDULE_GONE_SECONDS = 6 * 3600  # such visits closer than this count as one: an outage of minutes ends no page
SCHEDULE_LISTS_SECONDS = 3600  # sitemaps and feeds are read again, and wikis asked for changes, no sooner than this
SCHEDULE_RETEST_EVERY = 20  # of the pages that a believed list calls unchanged, every n-th is visited all the same

# tiers: how a page is got
TIERS_BROWSER = True  # False: never start a browser
TIERS_SCOPE = "pattern"  # or "site": the first page of a host decides for all of it
TIERS_RETEST_EVERY = 10  # of the pages remembered to need a browser, every n-th tries HTTP first again
TIERS_WAIT_SECONDS = 300  # so long a crawl waits for a host that asked for a pause, failed, or is another process's
TIERS_HALF_LIFE_DAYS = 14.0  # a vote for a tier counts half after this
TIERS_GAIN = 0.15  # a browser that gives less than this share more text was not needed
TIERS_PAUSE_SECONDS = 5.0  # after a 429 that does not say for how long; as MediaWiki's etiquette asks
TIERS_MAX_PAUSE_SECONDS = 24 * 3600  # the longest pause that a host may ask for: some say ten years
TIERS_PATIENCE_SECONDS = 30.0  # a pause up to this is waited for, as an answer is; for a longer one pages are postponed
TIERS_BREAKER_FAILURES = 8  # pages of a host in a row, each after its retries: two rounds of those under way at once
TIERS_BREAKER_SECONDS = 60.0  # then it is left alone this long: a restart is over by then; twice as long each time
TIERS_BREAKER_MAX_SECONDS = 3600.0  # but no longer: a page may be due again after an hour
TIERS_ROBOTS_SECONDS = 24 * 3600  # a robots.txt is asked for again after this; RFC 9309: not more than a day
TIERS_ROBOTS_RETRY_SECONDS = 300  # one that cannot be got, the first time; then after as long as it has been away
TIERS_MAX_CRAWL_DELAY_SECONDS = 30.0  # of what robots.txt asks for between two requests, at most this; 0: nothing
TIERS_ETAG_TEST_EVERY = 20  # of the pages that could be asked for by ETag or date, every n-th is got whole, as a test
TIERS_BROWSER_EXECUTABLE = ""  # path of a Chromium; empty: looked for on PATH, then Playwright's own
TIERS_BROWSER_ENDPOINT = ""  # a browser elsewhere: http:// or ws:// of its DevTools, or ws:// of a Playwright server
TIERS_BROWSER_HEADERS: dict[str, str] = {}  # further headers of browser pages
TIERS_BROWSER_SCROLL_ROUNDS = 1  # scrolls to the bottom, for what loads late
TIERS_BROWSER_SCROLL_WAIT_MS = 800  # at most this long after each
TIERS_BROWSER_TIMEOUT_MS = 15_000  # one deadline for all of a page: navigation, waiting, reading, closing
TIERS_BROWSER_VIEWPORT = {"width": 2160, "height": 3840}  # pixels; tall, so that most of a page counts as seen
TIERS_BROWSER_BLOCK_MEDIA = True  # images, fonts, audio and video are not loaded
TIERS_BROWSER_PAGE_HOOK = ""  # import path of a callable given the Playwright page after scrolling
TIERS_BROWSER_QUIET_MS = 400  # no DOM change for this long: the page has settled
TIERS_BROWSER_CHALLENGE_SECONDS = 8  # how long a challenge may take to clear itself
TIERS_BROWSER_CONTEXT_PAGES = 50  # then a new context: contexts keep memory until they are closed
TIERS_BROWSER_MAX_MB = 1500  # then a new browser
TIERS_BROWSER_PAGES = 2  # browser pages at a time

# wiki: how the API of a MediaWiki is asked
WIKI_TRANSPORT = "auto"  # the API, but for Wikimedia's own wikis and where it is down; or "api" or "html" for all wikis
WIKI_API_ROBOTS = "page"  # robots.txt is asked for the page's URL; "strict": for that of api.php, too
WIKI_MAXLAG = 5  # seconds that a wiki's databases may lag behind before it is left in peace; as its etiquette asks
WIKI_SLOW_SECONDS = 1.0  # after an answer that took longer …
WIKI_SLOW_PAUSE_SECONDS = 5.0  # … the API is not asked for this long: Wikimedia's rule for robots, good for all
WIKI_RETRY_TIMES = 5  # how often a question is put again to an API that is busy
WIKI_MAX_PAUSE_SECONDS = 300  # the longest pause that an API may ask for
WIKI_PROFILE_SECONDS = 7 * 24 * 3600  # then a wiki is asked again what it is
WIKI_DOWN_SECONDS = 3600  # so long after its API failed a wiki's pages are got as HTML
WIKI_SWEEP_SECONDS = 24 * 3600  # wikis over 10,000 pages: in between only their recent changes are read

# traps: what is learned of a site's addresses
TRAPS_ENABLED = True  # False: every address is a page of its own, and every link of the scope is followed
TRAPS_FORGET_DAYS = 30.0  # then what was decided of a kind of addresses is learned anew
TRAPS_CANONICAL = True  # a page that names another address as its own belongs there, where that can be believed
TRAPS_PREDICT = True  # the next page of a list is asked for where no page links to it
TRAPS_SOFT_404_DAYS = 7.0  # so long a host's answer for a page that cannot exist is remembered; 0: it is never asked

# site: what the site spider does when its queue runs dry
SITE_SIGNPOSTS = 20  # archives, indexes and feeds named by pages that are then looked into, at most; 0: none

# extract
MARKDOWN_ENGINE = "html-to-markdown"  # or "markdownify"
EXTRACT_META_ROBOTS = "obey"  # noindex and nofollow in a page's head and headers; or "ignore"
EXTRACT_PROCESSES = max(1, min(4, (os.cpu_count() or 2)))  # worker processes
EXTRACT_SECONDS = 20.0  # wall-clock limit a page
EXTRACT_CPU_SECONDS = 5.0  # CPU limit a page
EXTRACT_MEMORY_MB = 1024  # address space of a worker

# pipelines: functions of yours, by import path (package.module.function), sync or async
PIPELINES_TRANSFORM_HOOK = ""  # (content: bytes, content_type, url) -> str | bytes: what content is read from instead
PIPELINES_DOWNSTREAM_HOOK = ""  # (content: bytes, content_type, url, fresh: bool): told of each page's markdown

# politeness
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 4  # over all tiers
DOWNLOAD_DELAY = 0.25  # seconds between two requests to one host; AutoThrottle raises it where the host is slow
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.25  # seconds
AUTOTHROTTLE_MAX_DELAY = 30.0  # seconds
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "INFO"  # giving up is an outcome in the store
DOWNLOAD_TIMEOUT = 30  # seconds
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024  # bytes after decompression; Scrapy's 1 GiB × 16 requests is more than a machine
DOWNLOAD_WARNSIZE = 0  # a large page is an outcome, not a warning
DOWNLOAD_VERIFY_CERTIFICATES = True
REDIRECT_MAX_TIMES = 10
REFERRER_POLICY = "same-origin"

# stall: what is done about a crawl that stands still
STALL_SECONDS = 300.0  # without a page that brought something, while pages are under way; 0: nobody watches
STALL_ROUNDS = 3  # so often something is done about it; then the crawl ends as stalled_<cause>
STALL_USER_AGENTS: list[str] = []  # taken one after the other where hosts refuse us or do not answer
STALL_PROXIES: list[str] = []  # the same; http://host:port or http://user:pass@host:port

# feeds
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORT_FIELDS = list(items.COLUMNS)
FEED_EXPORTERS = {"csv": "wikicrawl.feeds.CsvExporter"}
FEED_STORAGES = {"": "wikicrawl.feeds.UnbufferedFileStorage", "file": "wikicrawl.feeds.UnbufferedFileStorage"}

# console
PROGRESS_ENABLED = True  # live line and summary; the line only where a terminal is
DEMO_PORT = 8700  # the demo web takes this port and the five after it
LOG_LEVEL = "INFO"
LOG_FORMATTER = "wikicrawl.extensions.QuietLogFormatter"
TELNETCONSOLE_ENABLED = False  # runs any Python for whoever reaches the port
REMOTE_CONTROL_ENABLED = False  # the same
