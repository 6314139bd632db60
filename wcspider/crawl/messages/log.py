"""Scrapy's log, without the messages that wcspider writes in its own words."""

from __future__ import annotations

import logging

SAID_BY_US = ("scrapy.downloadermiddlewares.robotstxt",)
"""The loggers of Scrapy whose errors are left out: they log a traceback, and name a page instead of robots.txt."""


def _is_no_error(record: logging.LogRecord) -> bool:
    return record.levelno < logging.ERROR


def shorten() -> None:
    """Leave out the messages of Scrapy that wcspider writes in its own words."""
    for name in SAID_BY_US:
        logging.getLogger(name).addFilter(_is_no_error)
