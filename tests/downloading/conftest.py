"""The reactor, which Scrapy installs before it makes downloader middlewares."""

from __future__ import annotations

from scrapy.utils.reactor import install_reactor

from wcspider.settings import TWISTED_REACTOR

install_reactor(TWISTED_REACTOR)
