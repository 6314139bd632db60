"""Numbers of any length."""

from __future__ import annotations

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.numbers import at_most, integer, with_readable_number_bytes, with_readable_numbers

# digits, most, expected
CASES = [
    ("0", 9, 0),
    ("9", 9, 9),
    ("10", 9, 9),
    ("0010", 99, 10),
    ("0" * 5000 + "7", 9, 7),
    ("9" * 5000, 65_536, 65_536),
    ("٣", 9, 3),  # digits of any script, as str.isdecimal() takes them
    ("7", 0, 0),
]


@pytest.mark.parametrize(("digits", "most", "expected"), CASES, ids=range(len(CASES)))
def test_numbers(digits: str, most: int, expected: int) -> None:
    assert at_most(digits, most) == expected


@pytest.mark.parametrize("text", ["", "a12", "9" * 4000, "9" * 5000 + "." + "9" * 5000, "9e" * 5000])
def test_numbers_are_readable(text: str) -> None:
    found = with_readable_numbers(text)
    tinycss2.parse_component_value_list(found)
    assert found == text or len(text) > 4300
    assert with_readable_number_bytes(text.encode()) == found.encode()


@given(st.integers(0), st.integers(0), st.integers(0, 9))
def test_it_is_the_lesser_one(number: int, most: int, zeros: int) -> None:
    assert at_most("0" * zeros + str(number), most) == min(number, most)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        (" +007 items", 7),
        ("-3.5", -3),
        ("2147483647", 2147483647),
        ("2147483648", 1),
        ("9" * 5000, 1),
        ("", 1),
        ("x7", 1),
        ("\u0667", 1),  # a digit, but not one of ASCII
    ],
)
def test_integers(text: str, expected: int) -> None:
    assert integer(text, 1) == expected
