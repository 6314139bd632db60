"""Numbers that somebody else wrote down, of any length."""

from __future__ import annotations

import re

_MOST_DIGITS = 4_000
_UNREADABLE = re.compile(rf"([0-9]{{{_MOST_DIGITS}}})[0-9]+")


def at_most(digits: str, most: int) -> int:
    """Return the number that decimal digits spell, or `most` if that is less.

    Python reads no number of more than 4,300 digits: `int` would raise ValueError.
    """
    digits = digits.lstrip("0")
    return most if len(digits) > len(str(most)) else min(int(digits or "0"), most)


def with_readable_numbers(text: str) -> str:
    """Return a text that tinycss2 can take: it makes a number of any digits, and `int` has the bound above."""
    return _UNREADABLE.sub(r"\1", text)
