"""Scrapy's log, without the tracebacks of what is said in a line."""

from __future__ import annotations

import logging

SAID_IN_A_LINE = ("scrapy.downloadermiddlewares.robotstxt",)
"""The loggers of Scrapy's that log a failed request with all that led to it."""


class _WithoutTraceback(logging.Filter):
    """Leaves the message, which names the request and the error."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the traceback from a record, and let it pass."""
        record.exc_info = None
        return True


_FILTER = _WithoutTraceback()


def shorten() -> None:
    """Have a server that is not there cost one line of the log for each request, and no page of it."""
    for name in SAID_IN_A_LINE:
        logging.getLogger(name).addFilter(_FILTER)
