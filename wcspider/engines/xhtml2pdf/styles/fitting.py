"""Declarations that would put text off the page, over other text or aside, fitted to a page of paper.

A page of paper has one column: what an author makes room for at a side is not there, and what is moved about by
scripts, or shown at a corner of the screen, stands where it is in the source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import tinycss2
from tinycss2.ast import DimensionToken

FARTHEST_ASIDE = 160
"""The widest margin or padding at a side, in CSS pixels; the page is some 680 wide."""

TALLEST = 480
"""The widest margin or padding above or below, in CSS pixels: about half a page."""

THICKEST = 48
"""The widest border, in CSS pixels."""

LARGEST_SHIFT = 20
"""How far something may be moved from its place, in CSS pixels: a note number is, a column is not."""

TIGHTEST = -1
"""How much closer letters and words may stand than they do by themselves, in CSS pixels."""

OUT_OF_SIGHT = 900
"""From how many CSS pixels on something is moved so that nobody sees it."""

_PIXELS = {"px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "pt": 96 / 72, "pc": 16.0, "in": 96.0,
           "cm": 96 / 2.54, "mm": 9.6 / 2.54, "vw": 6.8, "vh": 9.6}  # fmt: skip
_KNOWN = _PIXELS.keys() - {"vw", "vh", "ch"}
"""The units that xhtml2pdf knows; a width in others would be none at all."""

_NO_NUMBER = re.compile(r"-?(nan|inf|infinity)[a-z]{0,3}", re.ASCII)
"""A word that Python takes for a number, and xhtml2pdf with it, also in front of a unit."""

_PERCENT = 6.8
_POSITIONS = frozenset({"static", "relative", "absolute", "fixed"})
_OFFSETS = frozenset({"top", "right", "bottom", "left"})
_SIDES = {1: (0,), 2: (1,), 3: (1,), 4: (1, 3)}
"""Which values of a shorthand are of the sides, by how many there are."""


def pixels(token: Any) -> float | None:
    """Return a length in CSS pixels (a percentage refers to the page width); None if it is not a length."""
    if token.type == "dimension":
        factor = _PIXELS.get(token.lower_unit)
        return None if factor is None else float(token.value) * factor
    if token.type == "percentage":
        return float(token.value) * _PERCENT
    return float(token.value) if token.type == "number" else None


def is_aside(declarations: Sequence[Any]) -> bool:
    """Whether a rule hides something from all who see: it is moved off the screen, or clipped to nothing."""
    values = {d.lower_name: [t for t in d.value if t.type != "whitespace"] for d in declarations}
    if not any(t.type == "ident" and t.lower_value in ("absolute", "fixed") for t in values.get("position", ())):
        return False
    lengths = {name: pixels(tokens[0]) for name, tokens in values.items() if len(tokens) == 1}
    if any((lengths.get(name) or 0) <= -OUT_OF_SIGHT for name in _OFFSETS):
        return True
    sizes = [lengths.get(name) for name in ("width", "height")]
    return all(size is not None and size <= 1 for size in sizes)


def is_floating(content: Sequence[Any]) -> bool:
    """Whether the declarations of a rule make a float."""
    return any(
        declaration.type == "declaration"
        and declaration.lower_name == "float"
        and any(t.type == "ident" and t.lower_value in ("left", "right") for t in declaration.value)
        for declaration in tinycss2.parse_blocks_contents(content, True, True)
    )


def fitted(name: str, value: Sequence[Any]) -> Sequence[Any] | None:
    """Return the value of a property for paper; None if the declaration is dropped."""
    tokens = [token for token in value if token.type != "whitespace"]
    lengths = [pixels(token) for token in tokens]
    if name != "font-family" and any(map(_is_no_number, tokens)):
        return None
    if name in ("font-size", "line-height", "font"):
        return [_in_known_unit(token) for token in value]
    if name == "position":
        return value if any(t.type == "ident" and t.lower_value in _POSITIONS for t in tokens) else None
    if name in _OFFSETS:
        shift = lengths[0] if len(lengths) == 1 else None
        return value if shift is not None and abs(shift) <= LARGEST_SHIFT else None
    if name == "vertical-align":  # xhtml2pdf knows names only
        return value if all(token.type == "ident" for token in tokens) else None
    if name.startswith("border"):
        return value if all(0 <= length <= THICKEST for length in lengths if length is not None) else None
    if name in ("letter-spacing", "word-spacing"):  # xhtml2pdf measures lines without them
        spaces = zip(tokens, lengths, strict=True)
        return value if all(t.type == "ident" or TIGHTEST <= (1 if p is None else p) <= 0 for t, p in spaces) else None
    if name in ("width", "height", "max-width"):
        return None if any(token.type == "dimension" and token.lower_unit not in _KNOWN for token in tokens) else value
    if name == "text-indent":
        return value if all(abs(length) <= FARTHEST_ASIDE for length in lengths if length is not None) else None
    if name in ("margin", "padding"):
        return _fitted_sides(tokens, lengths)
    if name.startswith(("margin-", "padding-")):
        aside = name.endswith(("left", "right"))
        return [_fitted_side(*side, aside=aside) for side in zip(tokens, lengths, strict=True)]
    return value


def _is_no_number(token: Any) -> bool:
    """Whether xhtml2pdf would read a number that is none, or has no end."""
    if token.type == "ident":
        return _NO_NUMBER.fullmatch(token.lower_value) is not None
    return token.type in ("dimension", "number", "percentage") and not math.isfinite(token.value)


def _in_known_unit(token: Any) -> Any:
    """Return a length in CSS pixels if xhtml2pdf does not support its unit."""
    if token.type != "dimension" or token.lower_unit in _KNOWN or token.lower_unit not in _PIXELS:
        return token
    size = token.value * _PIXELS[token.lower_unit]
    return DimensionToken(token.source_line, token.source_column, size, None, f"{size:.2f}", "px")


def _fitted_sides(tokens: Sequence[Any], lengths: Sequence[float | None]) -> Sequence[Any]:
    aside = _SIDES.get(len(tokens), ())
    sides = [_fitted_side(t, p, aside=at in aside) for at, (t, p) in enumerate(zip(tokens, lengths, strict=True))]
    return [part for side in sides for part in (side, _SPACE)]


def _fitted_side(token: Any, length: float | None, *, aside: bool) -> Any:
    if length is not None and not 0 <= length <= (FARTHEST_ASIDE if aside else TALLEST):
        return _ZERO
    return token


_ZERO, _SPACE = tinycss2.parse_component_value_list("0 ")
