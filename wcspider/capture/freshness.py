"""Until when a resource holds: the E entry of source information (14.10.5.1), from what the server said explicitly."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_MAX_AGE = re.compile(r'(?:^|,)\s*max-age\s*=\s*"?(\d+)"?\s*(?=,|$)', re.IGNORECASE)
_SECONDS = re.compile(r"\d+")

FOREVER = timedelta(days=365 * 100)
"""An age beyond which a date would mean nothing."""


def expiry(fetched: datetime, cache_control: str = "", expires: str = "", age: str = "") -> datetime | None:
    """Return when a response fetched at `fetched` expires (RFC 9111, 4.2.1); None if the server did not say.

    max-age goes before Expires; Age, the seconds that a cache held the response, is taken off. Nothing is guessed
    from Last-Modified. An Expires that is no date says nothing.
    """
    seconds = _MAX_AGE.search(cache_control)
    if seconds is not None:
        held = int(age) if _SECONDS.fullmatch(age.strip()) else 0
        lifetime = timedelta(seconds=max(0, min(int(seconds[1]) - held, FOREVER.total_seconds())))
        return fetched + lifetime
    try:
        moment = parsedate_to_datetime(expires)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
