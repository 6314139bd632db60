"""Dates in PDF files."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.pdf.values import date_string, read_date

MOMENTS = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(microsecond=0))


@given(MOMENTS)
def test_a_written_date_is_read_back(moment: datetime) -> None:
    assert read_date(date_string(moment)) == moment


def test_a_year_has_four_digits() -> None:
    """A server may send any date as Expires."""
    assert date_string(datetime(500, 1, 2, 3, 4, 5, tzinfo=UTC)) == b"D:05000102030405Z"


@pytest.mark.parametrize("value", [b"D:00010101000000+14'00'", b"D:99991231235959-12'00'", b"D:20261301", b"", b"D:"])
def test_a_date_that_does_not_exist_is_none(value: bytes) -> None:
    assert read_date(value) is None
