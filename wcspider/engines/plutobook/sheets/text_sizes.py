"""Sizes of text that can be read on paper: letters are neither higher than a page nor smaller than usual print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wcspider.engines.base import SMALLEST_TEXT
from wcspider.engines.plutobook.css.lengths import PAGE, is_math, length, pixels
from wcspider.web.styles.tokens import serialized

SIZES: Final = frozenset({"font-size", "font"})
"""The properties that set the size of text."""

SMALLEST: Final = SMALLEST_TEXT / 0.75
"""The smallest size of text, in CSS pixels."""

LARGEST: Final = 200
"""The largest size of text, in CSS pixels."""

NESTED: Final = 0.6
"""The least size, as a share of the size around it, that can be read where it is inside of another such size."""

_LENGTHS: Final = frozenset({"dimension", "percentage"})


def is_too_large(token: Any) -> bool:
    """Tell whether a size of text, or the height of a line, is larger than a page."""
    if token.type == "percentage":
        return bool(token.value > 3_000)
    if token.type == "number":
        return bool(token.value > 20 and token.int_value is None) or bool(token.value > 1_000)
    return (length(token) or 0.0) > LARGEST


def readable_size(declarations: Sequence[Any]) -> str:
    """Return a declaration for text that others make too small to be read; "" if there is none.

    Text without any size is not shown.
    """
    last = [declaration for declaration in declarations if declaration.lower_name in SIZES][-1:]
    found = [(d, token) for d in last for token in d.value if token.type in _LENGTHS or is_math(token)][:1]
    for declaration, token in found:
        size = _computed_size(token) if is_math(token) else _given_size(token)
        return f"font-size:{size}{'!important' if declaration.important else ''}" if size else ""
    return ""


def _given_size(token: Any) -> str:
    """Return a size in place of a length or a percentage that is too small; "" if it is not."""
    is_share = token.type == "percentage" or token.lower_unit == "em"
    share = token.value / (100 if token.type == "percentage" else 1)
    if not 0 < (share / NESTED if is_share else (length(token) or 0.0) / SMALLEST) < 1:
        return ""
    return f"max({share:g}em,{SMALLEST:g}px)" if is_share else f"{SMALLEST:g}px"


def _computed_size(token: Any) -> str:
    """Return a size in place of a calculation whose result is too small, or is not known; "" if it is large enough."""
    size = pixels([token], PAGE)
    return "" if size is not None and not 0 < size < SMALLEST else f"max({serialized([token])},{SMALLEST:g}px)"
