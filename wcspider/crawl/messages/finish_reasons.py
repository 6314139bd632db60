"""Scrapy's finish reasons in words."""

from __future__ import annotations

_SHUTDOWN = "shutdown"


def ending(reason: str) -> str:
    """Return how a crawl ended, from Scrapy's finish reason.

    >>> ending("shutdown"), ending("closespider_timeout")
    ('was stopped by Ctrl-C or a signal', 'ended (closespider_timeout)')
    """
    return f"was {stopped_by(reason)}" if reason == _SHUTDOWN else f"ended ({reason})"


def stopped_by(reason: str) -> str:
    """Return what stopped a crawl, from Scrapy's finish reason."""
    return "stopped by Ctrl-C or a signal" if reason == _SHUTDOWN else f"stopped ({reason})"
