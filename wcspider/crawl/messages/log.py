"""Scrapy's log, without tracebacks for errors that one line describes."""

from __future__ import annotations

import logging

SAID_IN_A_LINE = ("scrapy.downloadermiddlewares.robotstxt",)
"""The loggers of Scrapy that log a failed request with a traceback."""


class _WithoutTraceback(logging.Filter):
    """Removes tracebacks; the message names the request and the error."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the traceback of a record, and let the record pass."""
        record.exc_info = None
        return True


_FILTER = _WithoutTraceback()


def shorten() -> None:
    """Log one line, without traceback, for each request to a server that cannot be reached."""
    for name in SAID_IN_A_LINE:
        logging.getLogger(name).addFilter(_FILTER)
