"""Scrapy's log, without tracebacks and errors that the summary describes."""

from __future__ import annotations

import logging

ROBOTS_LOGGER = "scrapy.downloadermiddlewares.robotstxt"
"""The logger of Scrapy that logs a robots.txt that could not be fetched, as an error with a traceback."""


class _Information(logging.Filter):
    """Turns errors into information without a traceback: the summary has the reasons for skipped pages."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change a record, and let it pass."""
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        return True


_FILTER = _Information()


def shorten() -> None:
    """Log one line of information for each robots.txt that could not be fetched."""
    logging.getLogger(ROBOTS_LOGGER).addFilter(_FILTER)
