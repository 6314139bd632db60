"""Numbers of any length in foreign text."""

from __future__ import annotations

import re
from typing import Final

DIMENSION: Final = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)")
"""A length in an attribute, in CSS pixels, or a percentage; any characters may follow.

https://html.spec.whatwg.org/review-drafts/2023-01/#dimension-attributes
"""

NUMBER: Final = re.compile(r"\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
"""A floating-point number at the start of an attribute (HTML, 2.3.4.3)."""

_MOST_DIGITS = 4_000
_INTEGER = re.compile(r"\s*([+-]?)0*(\d{1,10})(?!\d)", re.ASCII)
_LARGEST = 2**31 - 1
"""The largest integer that browsers support, also for negative numbers."""

_UNREADABLE = re.compile(rf"([0-9]{{{_MOST_DIGITS}}})[0-9]+")
_UNREADABLE_BYTES = re.compile(_UNREADABLE.pattern.encode())


def at_most(digits: str, most: int) -> int:
    """Return the number that decimal digits spell, or `most` if the number is greater.

    `int` raises ValueError for more than 4,300 digits; this function does not.
    """
    digits = digits.lstrip("0")
    return most if len(digits) > len(str(most)) else min(int(digits or "0"), most)


def integer(text: str, otherwise: int) -> int:
    """Return the integer at the start of a text (HTML, 2.3.4.1); `otherwise` if browsers find none, or a larger one."""
    match = _INTEGER.match(text)
    number = int(match[1] + match[2]) if match else otherwise
    return number if abs(number) <= _LARGEST else otherwise


def with_readable_numbers(text: str) -> str:
    """Return a text with overlong numbers cut, because tinycss2 calls `int` on numbers of any length."""
    return _UNREADABLE.sub(r"\1", text)


def with_readable_number_bytes(source: bytes) -> bytes:
    """Return `with_readable_numbers` of a source in an encoding with the digits of ASCII."""
    return _UNREADABLE_BYTES.sub(rb"\1", source)
