"""The limits of the resources of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.webcapture import resource_limits
from wcspider.webcapture.resource_limits import LISTED, Allowance, most_references


def test_without_limits_everything_is_got() -> None:
    allowance = Allowance()
    assert all(allowance.admit(str(number)) and allowance.take(str(number), 10**9) for number in range(1000))


def test_the_first_are_admitted_and_stay_so() -> None:
    allowance = Allowance(resources=2)
    assert [allowance.admit(url) for url in "abacb"] == [True, True, True, False, True]


def test_behind_the_limit_the_first_are_listed_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_limits, "LISTED", 2)
    allowance = Allowance(resources=1)
    assert [allowance.lists(url) for url in "bcbdec"] == [True, True, True, False, False, True]
    assert allowance.unlisted == 2


def test_without_a_limit_all_references_are_read() -> None:
    assert [most_references(limit) for limit in (0, 1, 500)] == [0, LISTED + 1, LISTED + 500]


def test_behind_the_first_that_is_too_large_nothing_is_got() -> None:
    allowance = Allowance(size=10)
    got = [allowance.take(url, size) for url, size in [("a", 6), ("a", 6), ("b", 4), ("c", 1), ("d", 0), ("a", 6)]]
    assert got == [True, True, True, False, False, True]


@given(st.lists(st.integers(0, 5), max_size=20), st.sets(st.integers(0, 19)), st.integers(1, 30))
def test_nothing_is_got_behind_what_came_and_was_too_much(sizes: list[int], came: set[int], limit: int) -> None:
    """So it makes no difference which answers come first, and what comes behind need not be fetched."""
    came = {index for index in came if index < len(sizes)}
    too_much = Allowance(size=limit).exhausted_with(sum(sizes[index] for index in came))
    allowance = Allowance(size=limit)
    got = [index for index, size in enumerate(sizes) if allowance.take(str(index), size)]
    assert got == list(range(len(got)))
    assert not too_much or max(got, default=-1) < max(came)


def test_a_sheet_is_read_again_only_where_it_may_lead_further() -> None:
    allowance = Allowance()
    assert [allowance.reads("sheet", depth) for depth in (3, 3, 4, 2, 3, 1)] == [True, False, False, True, False, True]
