"""The expiry of responses, from explicit headers only (RFC 9111, 4.2.1)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.freshness import FOREVER, expiry

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DATE = "Sun, 01 Mar 2026 14:00:00 GMT"

CASES = [
    ({}, None),
    ({"cache_control": "max-age=3600"}, NOW + HOUR),
    ({"cache_control": "public, MAX-AGE = 3600"}, NOW + HOUR),
    ({"cache_control": 'max-age="3600"'}, NOW + HOUR),
    ({"cache_control": "s-maxage=3600"}, None),  # for shared caches only
    ({"cache_control": "no-cache"}, None),
    ({"cache_control": "max-age=3600, no-cache"}, None),
    ({"cache_control": "No-Store , max-age=3600"}, None),
    ({"cache_control": "no-cache", "expires": DATE}, None),
    ({"cache_control": 'no-cache="set-cookie", max-age=3600'}, NOW + HOUR),  # of these fields only
    ({"cache_control": "x-no-cache, no-cache-x, max-age=3600"}, NOW + HOUR),
    ({"cache_control": "max-age=-1"}, None),
    ({"cache_control": "max-age=3600", "age": "600"}, NOW + HOUR - timedelta(minutes=10)),
    ({"cache_control": "max-age=60", "age": "600"}, NOW),  # stale in the cache that it came from
    ({"cache_control": "max-age=3600", "age": "old"}, NOW + HOUR),
    ({"expires": DATE}, NOW + 2 * HOUR),
    ({"expires": "Sun, 01 Mar 2026 14:00:00 +0200"}, NOW),
    ({"expires": "Sun, 01 Mar 2026 14:00:00 -0000"}, NOW + 2 * HOUR),  # UTC, and nothing about the time zone
    ({"expires": "0"}, None),
    ({"expires": "-1"}, None),
    ({"cache_control": "max-age=3600", "expires": DATE}, NOW + HOUR),  # max-age goes first
    ({"cache_control": "max-age=99999999999999999999"}, NOW + FOREVER),
    ({"cache_control": f"max-age={'9' * 5000}"}, NOW + FOREVER),  # more digits than Python makes a number of
    ({"cache_control": "max-age=60", "age": "9" * 5000}, NOW),
    ({"expires": "Sun, 01 Mar 99999999999 14:00:00 GMT"}, None),
    ({"expires": "Fri, 31 Dec 9999 23:59:59 -0100"}, None),  # past the last year that there is
]


@pytest.mark.parametrize(("headers", "expected"), CASES)
def test_expiry(headers, expected):
    assert expiry(NOW, **headers) == expected


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=10))
def test_no_header_is_too_odd(cache_control, expires, age):
    found = expiry(NOW, cache_control, expires, age)
    assert found is None or found.tzinfo is not None
