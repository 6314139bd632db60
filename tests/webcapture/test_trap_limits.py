"""Traps: URLs that go on without end are refused, ordinary ones are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.webcapture.trap_limits import TrapLimits

LIMITS = TrapLimits(url_length=60, path_depth=5, segment_repeats=2)
DEEP = "a path of more than 5 segments"
REPEATS = "a path that repeats a segment more than 2 times"
LONG = "a URL of more than 60 characters"

CASES = [
    ("http://example.com/", ""),
    ("http://example.com/a/b/c/d/e", ""),
    ("http://example.com/a/b/c/d/e/", ""),  # an empty segment is none
    ("http://example.com/a/b/c/d/e/f", DEEP),
    ("http://example.com/en/x/en/y", ""),
    ("http://example.com/en/en/en/", REPEATS),
    ("http://example.com/a/b/a/b/a", REPEATS),  # a cycle of two
    ("http://example.com/?a=/1/2/3/4/5/6/7", ""),  # a query has no depth
    ("http://example.com/" + "x" * 41, ""),
    ("http://example.com/" + "x" * 42, LONG),
]


@pytest.mark.parametrize(("url", "reason"), CASES)
def test_refusal(url, reason):
    assert LIMITS.refusal(url) == reason


@given(st.text(alphabet="ab/?&=", max_size=200))
def test_without_limits_nothing_is_refused(path):
    assert TrapLimits().refusal(f"http://example.com/{path}") == ""


@given(st.lists(st.sampled_from("abc"), min_size=7))
def test_whatever_nests_without_end_is_refused_at_last(segments):
    assert LIMITS.refusal("http://example.com/" + "/".join(segments))
