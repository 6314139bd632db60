"""W3C dates (https://www.w3.org/TR/NOTE-datetime) and windows of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.dates import AFTER, BEFORE, Window, read_span

SPANS = [
    ("2026", "2026-01-01T00:00:00", "2026-12-31T23:59:59.999999"),
    ("2026-02", "2026-02-01T00:00:00", "2026-02-28T23:59:59.999999"),
    ("2024-02", "2024-02-01T00:00:00", "2024-02-29T23:59:59.999999"),
    ("2026-12", "2026-12-01T00:00:00", "2026-12-31T23:59:59.999999"),
    ("2026-03-05", "2026-03-05T00:00:00", "2026-03-05T23:59:59.999999"),
    ("2026-03-05T10:30Z", "2026-03-05T10:30:00", "2026-03-05T10:30:59.999999"),
    ("2026-03-05T10:30+02:00", "2026-03-05T08:30:00", "2026-03-05T08:30:59.999999"),
    ("2026-03-05T10:30:15-05:00", "2026-03-05T15:30:15", "2026-03-05T15:30:15.999999"),
    ("2026-03-05T10:30:15.25Z", "2026-03-05T10:30:15", "2026-03-05T10:30:15.999999"),
    ("2026-03-05T23:59:60Z", "2026-03-05T23:59:59", "2026-03-05T23:59:59.999999"),  # a leap second
    (" 2026-03-05 ", "2026-03-05T00:00:00", "2026-03-05T23:59:59.999999"),
    ("2026-03-05T10:30:15", "2026-03-05T10:30:15", "2026-03-05T10:30:15.999999"),  # not W3C's, but common
    ("2026-03-05 10:30:15+0200", "2026-03-05T08:30:15", "2026-03-05T08:30:15.999999"),
    ("9999-12-31", "9999-12-31T00:00:00", "9999-12-31T23:59:59.999999"),
]


@pytest.mark.parametrize(("text", "first", "last"), SPANS)
def test_a_date_means_all_moments_of_it(text: str, first: str, last: str) -> None:
    assert read_span(text) == tuple(datetime.fromisoformat(f"{moment}+00:00") for moment in (first, last))


@pytest.mark.parametrize(
    "text", ["", "yesterday", "26", "2026-13", "2026-02-30", "2026-3-5", "05.03.2026", "2026-03-05T25:00Z",
             "2026-03-05T10Z", "2026-03-05T10:30+99:99", "0000", "1 Mar 2026", "0001-01-01T00:00+10:00"],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    assert read_span(text) is None
    assert Window("2026", "2026").refusal(text) == ""


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)))
def test_a_moment_is_in_the_span_of_each_of_its_forms(moment: datetime) -> None:
    moment = moment.replace(microsecond=0)
    zone = moment + timedelta(hours=5, minutes=30)
    year = f"{moment.year:04}"
    forms = [
        year,
        f"{year}{moment:-%m}",
        f"{year}{moment:-%m-%d}",
        f"{year}{moment:-%m-%dT%H:%MZ}",
        f"{zone.year:04}{zone:-%m-%dT%H:%M:%S}+05:30",
    ]
    for form in forms:
        span = read_span(form)
        assert span is not None
        assert span[0] <= moment <= span[1]
        assert Window(form, form).refusal(forms[-1]) == ""


WINDOWS = [
    ("2026-01-01", "", "2025-12-31", BEFORE),
    ("2026-01-01", "", "2026-01-01", ""),
    ("2026-01-01", "", "2025-12-31T23:30:00-01:00", ""),  # in UTC it is the next year
    ("2026-03-15", "", "2026-03", ""),  # it may be behind
    ("2026-03-15", "", "2026-02", BEFORE),
    ("", "2026-01-31", "2026-01-31T23:59:59Z", ""),
    ("", "2026-01-31", "2026-02-01", AFTER),
    ("", "2026-01", "2026", ""),
    ("2026", "2026", "2027-01-01", AFTER),
    ("2026", "2026", "", ""),  # an entry without a date is taken
]


@pytest.mark.parametrize(("since", "until", "changed", "expected"), WINDOWS)
def test_windows(since: str, until: str, changed: str, expected: str) -> None:
    assert Window(since, until).refusal(changed) == expected


@pytest.mark.parametrize(
    ("since", "until", "problem"),
    [
        ("2026-01-01", "2026", ""),
        ("last week", "", "since is 'last week', which is not a date"),
        ("", "2026-1", "until is '2026-1', which is not a date"),
        ("2026-02", "2026-01-31", "since is later than until"),
    ],
)
def test_bounds_that_cannot_be(since: str, until: str, problem: str) -> None:
    assert Window(since, until).problem() == problem
