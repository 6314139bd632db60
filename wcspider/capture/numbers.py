"""Numbers that somebody else wrote down, of any length."""

from __future__ import annotations


def at_most(digits: str, most: int) -> int:
    """Return the number that decimal digits spell, or `most` if that is less.

    Python reads no number of more than 4,300 digits: `int` would raise ValueError.
    """
    digits = digits.lstrip("0")
    return most if len(digits) > len(str(most)) else min(int(digits or "0"), most)
