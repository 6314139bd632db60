"""The values of Retry-After (RFC 9110, 10.2.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.downloading.retry import retry_after_seconds
from wcspider.web.freshness import FOREVER

NOON = "Sun, 01 Mar 2026 12:00:00 GMT"

# Retry-After, Date, seconds
CASES = [
    ("", NOON, None),
    ("120", NOON, 120),
    (" 120 ", "", 120),
    ("0", "", 0),
    ("-1", "", None),
    ("1.5", "", None),
    ("soon", NOON, None),
    ("9" * 5000, "", FOREVER.total_seconds()),
    ("Sun, 01 Mar 2026 12:02:00 GMT", NOON, 120),
    ("Sunday, 01-Mar-26 12:02:00 GMT", NOON, 120),  # the forms of old (RFC 9110, 5.6.7)
    ("Sun Mar  1 12:02:00 2026", NOON, 120),
    ("Sun, 01 Mar 2026 11:00:00 GMT", NOON, 0),  # it is over
    ("Sun, 01 Mar 1970 12:02:00 GMT", "", 0),
    ("Sun, 01 Mar 1970 12:02:00 GMT", "Sun, 01 Mar 1970 12:00:00 GMT", 120),  # by the server's clock
]


@pytest.mark.parametrize(("retry_after", "date", "expected"), CASES)
def test_seconds(retry_after: str, date: str, expected: float | None) -> None:
    assert retry_after_seconds(retry_after, date) == expected


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_header_is_too_odd(retry_after: str, date: str) -> None:
    seconds = retry_after_seconds(retry_after, date)
    assert seconds is None or seconds >= 0
