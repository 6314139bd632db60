"""W3C dates (https://www.w3.org/TR/NOTE-datetime) of sitemaps, which may name only a year, and date ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

BEFORE, AFTER = "last changed before the date of since", "last changed after the date of until"

_FORMS = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:[Tt ](?P<hour>\d\d):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?P<fraction>[.,]\d+)?)?(?P<zone>[Zz]|[+-]\d\d:?\d\d)?)?)?)?"
)

_NUMBERS = ("year", "month", "day", "hour", "minute", "second")

Span = tuple[datetime, datetime]


def read_span(text: str) -> Span | None:
    """Return the first and the last moment of a W3C date; None if the text is not a date.

    A time without a zone, which the W3C format does not allow, is read as UTC.
    """
    match = _FORMS.fullmatch(text.strip())
    if match is None:
        return None
    parts = {name: int(match[name]) for name in _NUMBERS if match[name]}
    parts["second"] = min(parts.get("second", 0), 59)  # a leap second
    first = {"month": 1, "day": 1, "hour": 0, "minute": 0, **parts}
    zone = match["zone"]
    try:
        begin = datetime(**first, tzinfo=_zone(zone)).astimezone(UTC)
        return begin, _last(begin, match)
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> timezone:
    """Return the time zone of a W3C date; UTC if it names none."""
    if text is None or text in "Zz":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _last(begin: datetime, match: re.Match[str]) -> datetime:
    """Return the last moment of the year, month, day, minute or second that starts at `begin`."""
    if match["month"] is None:
        return begin.replace(month=12, day=31, hour=23, minute=59, second=59, microsecond=999_999)
    if match["day"] is None:
        following = begin.replace(day=28) + timedelta(days=4)
        return following.replace(day=1) - timedelta(microseconds=1)
    length = timedelta(days=1) if match["hour"] is None else timedelta(minutes=1)
    return begin + ((length if match["second"] is None else timedelta(seconds=1)) - timedelta(microseconds=1))


@dataclass(frozen=True, slots=True)
class Window:
    """The range in which a page must have last changed: two W3C dates, both included. An empty date is no bound."""

    since: str = ""
    until: str = ""

    def refusal(self, changed: str) -> str:
        """Return why a page that last changed at a W3C date is outside the range; empty if it is inside.

        A page without a readable date counts as inside.
        """
        if self.is_before(changed):
            return BEFORE
        span, until = read_span(changed), read_span(self.until)
        return AFTER if span is not None and until is not None and span[0] > until[1] else ""

    def is_before(self, changed: str) -> bool:
        """Tell whether a W3C date lies entirely before the range."""
        span, since = read_span(changed), read_span(self.since)
        return span is not None and since is not None and span[1] < since[0]

    def problem(self) -> str:
        """Return the problem of the bounds; empty if they are valid."""
        for name, text in (("since", self.since), ("until", self.until)):
            if text and read_span(text) is None:
                return f"{name} is {text!r}, which is not a date"
        since, until = read_span(self.since), read_span(self.until)
        return "since is later than until" if since and until and since[0] > until[1] else ""
