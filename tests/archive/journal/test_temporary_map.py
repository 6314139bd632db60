"""A map on disk returns the values that were stored in it."""

from __future__ import annotations

from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from wcspider.archive.journal.temporary_map import TemporaryMap


@given(st.dictionaries(st.integers(0, 2**32), st.binary()), st.integers(0, 2**32))
def test_numbers_lead_to_their_bytes(rows, other):
    with closing(TemporaryMap(rows.items())) as found:
        assert {number: found.get(number) for number in rows} == rows
        assert found.get(other) == rows.get(other)


def test_the_first_row_of_a_number_counts():
    with closing(TemporaryMap([(1, b"first"), (1, b"second")])) as found:
        assert found.get(1) == b"first"
