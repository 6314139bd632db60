"""The settings of a Scrapy project. Only the last line is needed for capturing."""

BOT_NAME = "project"
SPIDER_MODULES = ["lighthouses"]

ADDONS = {"wcspider.addon.WebCaptureAddon": 500}
