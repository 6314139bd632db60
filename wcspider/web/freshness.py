"""The expiry of a resource: the E entry of source information (14.10.5.1), from the server's explicit headers."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from wcspider.web.numbers import at_most

_MAX_AGE = re.compile(r'(?:^|,)\s*max-age\s*=\s*"?([0-9]+)"?\s*(?=,|$)', re.IGNORECASE)
_NOT_STORED = re.compile(r"(?:^|,)\s*no-(?:cache|store)\s*(?=,|$)", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]+")

FOREVER = timedelta(days=365 * 100)
"""The longest lifetime that is read; longer ones could not be added to a date."""


def expiry(fetched: datetime, cache_control: str = "", expires: str = "", age: str = "") -> datetime | None:
    """Return when a response fetched at `fetched` expires (RFC 9111, 4.2.1); None if the server did not say.

    max-age takes precedence over Expires. Age, the time that a cache stored the response, is subtracted. A response
    with no-cache (5.2.2.4) or no-store (5.2.2.5) has no expiry date. Nothing is guessed from Last-Modified, and an
    Expires that is not a date is ignored.
    """
    if _NOT_STORED.search(cache_control):
        return None
    lifetime = _MAX_AGE.search(cache_control)
    if lifetime is not None:
        left = (delta_seconds(lifetime[1]) or 0) - (delta_seconds(age) or 0)
        return fetched + timedelta(seconds=max(0, left))
    return http_date(expires)


def http_date(text: str) -> datetime | None:
    """Return the date in a header (RFC 9110, 5.6.7), in UTC; None if it is not a date."""
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def delta_seconds(text: str) -> int | None:
    """Return the number of seconds in a header (RFC 9111, 1.2.2), `FOREVER` at most; None if it is not a number."""
    digits = text.strip()
    if _SECONDS.fullmatch(digits) is None:
        return None
    return at_most(digits, int(FOREVER.total_seconds()))
