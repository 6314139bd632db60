"""A project of Scrapy's; the last line is all that it needs for capturing."""

BOT_NAME = "project"
SPIDER_MODULES = ["lighthouses"]

ADDONS = {"wcspider.addon.WebCaptureAddon": 500}
