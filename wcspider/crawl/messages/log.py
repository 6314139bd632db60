"""Scrapy's log, without the messages that wcspider writes in its own words."""

from __future__ import annotations

import logging

_ROBOTS = logging.getLogger("scrapy.downloadermiddlewares.robotstxt")
"""A logger whose errors are left out: they have a traceback, and name a page instead of robots.txt."""


def _is_no_error(record: logging.LogRecord) -> bool:
    return record.levelno < logging.ERROR


def shorten() -> None:
    """Leave out the messages of Scrapy that wcspider writes in its own words."""
    _ROBOTS.addFilter(_is_no_error)
