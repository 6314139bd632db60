"""The settings of the project: Scrapy's, changed where archiving needs it, and wcspider's with their defaults.

docs/settings.md describes each WEBCAPTURE_ setting.
"""

from scrapy.settings import default_settings

BOT_NAME = "wcspider"
SPIDER_MODULES = ["wcspider.spiders"]
COMMANDS_MODULE = "wcspider.commands"

# The pages of a site in the order in which a reader meets them: breadth first.
DEPTH_PRIORITY = 1
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"

# Polite to servers, and safe for the user's own machine.
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 8
DOWNLOADER = "wcspider.downloading.slots.StrictDownloader"
DOWNLOAD_HANDLERS = {
    "http": "wcspider.downloading.handlers.http_handler.BoundedHeadersHandler",
    "https": "wcspider.downloading.handlers.http_handler.BoundedHeadersHandler",
    "file": "wcspider.downloading.handlers.file_and_ftp.BoundedFileHandler",
    "ftp": "wcspider.downloading.handlers.file_and_ftp.BoundedFtpHandler",
}
TWISTED_DNS_RESOLVER = "scrapy.resolver.CachingHostnameResolver"  # Scrapy's default finds no IPv6 address
REACTOR_THREADPOOL_MAXSIZE = 30  # lookups of host names at once; those of hosts that are gone take seconds
DOWNLOAD_DELAY = 0
METAREFRESH_MAXDELAY = 5  # a page that readers see for longer is a page of its own
CONCURRENT_ITEMS = 2  # per response, which has one item; Scrapy starts as many tasks for each response
DOWNLOAD_TIMEOUT = 60
RETRY_GIVE_UP_LOG_LEVEL = "INFO"  # the summary has the URL with its reason
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_MAXSIZE = 256 * 1024 * 1024
DOWNLOAD_WARNSIZE = 64 * 1024 * 1024
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
LOG_LEVEL = "INFO"

SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,  # WEBCAPTURE_MAX_URL_LENGTH limits links, not seeds
}
EXTENSIONS = {
    "wcspider.pipelines.tables.Tables": 0,  # in the place of Scrapy's FeedExporter
    "wcspider.crawl.session.CaptureSession": 100,
    "wcspider.downloading.graceful_stop.GracefulStop": 150,
    "wcspider.crawl.progress.Progress": 200,
}
# Scrapy imports all extensions of this setting, even those that are disabled in EXTENSIONS.
EXTENSIONS_BASE = {
    path: order
    for path, order in default_settings.EXTENSIONS_BASE.items()
    if path.rpartition(".")[2] not in ("FeedExporter", "LogStats", "RemoteControl", "TelnetConsole")
}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "wcspider.downloading.robots.StrictRobotsTxtMiddleware": 100,
    "wcspider.downloading.headers.CommandHeadersMiddleware": 350,
    "wcspider.downloading.headers.NetrcMiddleware": 355,
    "wcspider.downloading.conditional.ConditionalRequestMiddleware": 360,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "wcspider.downloading.retry.PatientRetryMiddleware": 550,
    "wcspider.downloading.redirect.ScopedMetaRefreshMiddleware": 580,
    "wcspider.downloading.decompress.ContentDecodingMiddleware": 590,
    "wcspider.downloading.redirect.ScopedRedirectMiddleware": 600,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "wcspider.downloading.headers.CookieFileMiddleware": 700,
    "wcspider.downloading.ssrf_guard.SsrfGuardMiddleware": 800,
}
ITEM_PIPELINES = {
    "wcspider.pipelines.read.ReadPipeline": 10,
    "wcspider.pipelines.auxiliary.AuxiliaryPipeline": 100,
    "wcspider.pipelines.render.RenderPipeline": 200,
    "wcspider.pipelines.store.StorePipeline": 300,
}

WEBCAPTURE_PDF = ""
WEBCAPTURE_ENGINE = "auto"
WEBCAPTURE_WORKERS = 0
WEBCAPTURE_CLUSTER = ""
WEBCAPTURE_CLUSTER_CA = ""
WEBCAPTURE_CLUSTER_CERT = ""
WEBCAPTURE_CLUSTER_KEY = ""
WEBCAPTURE_CLUSTER_LOST = "local"
WEBCAPTURE_CLUSTER_WAIT = 60.0
WEBCAPTURE_RENDER_TIMEOUT = 60.0
WEBCAPTURE_RENDER_MEMORY = 2048
WEBCAPTURE_PAGE_SIZE = "A4"
WEBCAPTURE_ORIENTATION = "portrait"
WEBCAPTURE_MARGINS = "15mm"
WEBCAPTURE_MEDIA = "print"
WEBCAPTURE_SCALE = 1.0
WEBCAPTURE_STAMP = "none"
WEBCAPTURE_CONTENTS = False
WEBCAPTURE_SYSTEM_FONTS = True
WEBCAPTURE_FORMS = True
WEBCAPTURE_PDF_ACTIVE = "remove"
WEBCAPTURE_BATCH_PAGES = 50
WEBCAPTURE_BATCH_BYTES = 16 * 1024 * 1024
WEBCAPTURE_BATCH_SECONDS = 120.0
WEBCAPTURE_WAITING_BYTES = 32 * 1024 * 1024
WEBCAPTURE_LOOKAHEAD = 200
WEBCAPTURE_FOLLOW_NOFOLLOW = False
WEBCAPTURE_MAX_PAGES = 0
WEBCAPTURE_MAX_URL_LENGTH = 2000
WEBCAPTURE_MAX_PATH_DEPTH = 32
WEBCAPTURE_MAX_SEGMENT_REPEATS = 4
WEBCAPTURE_MAX_QUERY_VARIANTS = 1000
WEBCAPTURE_MAX_LINKS = 50_000
WEBCAPTURE_MAX_RESOURCES = 5000
WEBCAPTURE_MAX_RESOURCE_BYTES = 256 * 1024 * 1024
WEBCAPTURE_MAX_LAYOUT_BYTES = 8 * 1024 * 1024
WEBCAPTURE_MAX_HEADER_BYTES = 256 * 1024
WEBCAPTURE_MAX_RETRY_AFTER = 300
WEBCAPTURE_MAX_SITEMAPS = 1000
WEBCAPTURE_MAX_SITEMAP_URLS = 500_000
WEBCAPTURE_MAX_OMITTED = 10_000
WEBCAPTURE_ALLOWED_HOSTS = ""
WEBCAPTURE_NETRC = ""
WEBCAPTURE_DEFAULT_CHARSET = "windows-1252"
WEBCAPTURE_FIXED_TIME = ""
WEBCAPTURE_REPORT_LIMIT = 20
WEBCAPTURE_REPORT = ""
WEBCAPTURE_SHIP_TO = ""
WEBCAPTURE_PROGRESS = "auto"
