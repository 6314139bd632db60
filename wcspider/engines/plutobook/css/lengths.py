"""CSS lengths in pixels, as far as they are known before the layout (CSS Values 4, 6 and 10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from wcspider.web.styles.tokens import PIXELS, significant, single, split_commas

FONT_SIZE: Final = 16.0
"""The assumed font size for em, and the default font size of the root element."""

_UNITS: Final = {**PIXELS, "em": FONT_SIZE, "ex": FONT_SIZE / 2, "ch": FONT_SIZE / 2, "lh": 1.2 * FONT_SIZE}
_VIEWPORT_WIDTHS: Final = frozenset({"vw", "svw", "lvw", "dvw", "vi", "vmin"})
_VIEWPORT_HEIGHTS: Final = frozenset({"vh", "svh", "lvh", "dvh", "vb", "vmax"})
_HEIGHT_TO_WIDTH: Final = 1.4
_MAX_DEPTH: Final = 32
MATH: Final = frozenset({"calc", "min", "max", "clamp"})
"""The functions that calculate."""

_CHOICES: Final[dict[str, Callable[[Sequence[float]], float]]] = {
    "min": min,
    "max": max,
    "clamp": lambda values: max(values[0], min(values[1], values[-1])),
}


@dataclass(frozen=True, slots=True)
class Basis:
    """The lengths that relative lengths refer to, in CSS pixels."""

    container: float
    """The width that percentages refer to."""

    viewport: float
    root_font_size: float = FONT_SIZE


PAGE: Final = Basis(680.0, 680.0)
"""The assumed width of the text on a page."""


def pixels(value: Any, basis: Basis) -> float | None:
    """Return a length or percentage in pixels; None for a keyword or anything else.

    ``value`` is text, or the tokens of one component value.
    """
    token = single(tinycss2.parse_component_value_list(value) if isinstance(value, str) else value)
    return None if token is None else _term(token, basis, 0)


def declared_length(values: Mapping[str, str], name: str) -> float | None:
    """Return a declared length in pixels, relative to `PAGE`; None for a percentage, a keyword or anything else."""
    value = values.get(name, "")
    return None if "%" in value else pixels(value, PAGE)


def length(token: Any) -> float | None:
    """Return a token that is a length with a unit in pixels, relative to `PAGE`; None for any other token."""
    return _term(token, PAGE, 0) if token.type == "dimension" else None


def is_math(token: Any) -> bool:
    """Tell whether a token is a function that calculates."""
    return bool(token.type == "function" and token.lower_name in MATH)


def _term(token: Any, basis: Basis, depth: int) -> float | None:
    """Return one operand: a length, a percentage, a number, or a function of these."""
    if depth > _MAX_DEPTH:
        return None
    if token.type == "number":
        return float(token.value)
    if token.type == "percentage":
        return float(token.value) * basis.container / 100
    if token.type == "dimension":
        return _dimension(float(token.value), token.lower_unit, basis)
    if token.type == "() block":
        return _sum(token.content, basis, depth + 1)
    if token.type == "function" and token.lower_name == "calc":
        return _sum(token.arguments, basis, depth + 1)
    if token.type == "function" and token.lower_name in _CHOICES:
        values = [_sum(part, basis, depth + 1) for part in split_commas(token.arguments)]
        known = [value for value in values if value is not None]
        return _CHOICES[token.lower_name](known) if known and len(known) == len(values) else None
    return None


def _dimension(value: float, unit: str, basis: Basis) -> float | None:
    if unit in _VIEWPORT_WIDTHS:
        return value * basis.viewport / 100
    if unit in _VIEWPORT_HEIGHTS:
        return value * basis.viewport * _HEIGHT_TO_WIDTH / 100
    if unit == "rem":
        return value * basis.root_font_size
    return value * _UNITS[unit] if unit in _UNITS else None


def _sum(tokens: Sequence[Any], basis: Basis, depth: int) -> float | None:
    """Return the value of a calculation; products bind closer than sums."""
    terms: list[float] = []
    operator = "+"
    for token in significant(tokens):
        if token.type == "literal" and token.value in "+-*/":
            operator = token.value
            continue
        value = _term(token, basis, depth)
        if value is None or not operator or (operator in "*/" and not terms) or (operator == "/" and not value):
            return None
        if operator in "+-":
            terms.append(value if operator == "+" else -value)
        else:
            terms[-1] = terms[-1] * value if operator == "*" else terms[-1] / value
        operator = ""
    return sum(terms) if terms else None
