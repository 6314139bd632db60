"""Transformations (CSS Transforms 1, 10 and 12) without the third dimension, and which of them cairo cannot draw.

PlutoBook ignores a transformation with any function of CSS Transforms 2, 7, or with an angle of zero without a unit.

After a transformation without an inverse, cairo draws nothing more, on any page. A very large one makes thousands of
pages, and text that is slanted very much makes the PDF file invalid.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final

import tinycss2
from fontTools.misc.transform import Transform

from wcspider.engines.plutobook.css.calculations import divided
from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.web.styles.tokens import serialized, significant, split_list

SMALLEST: Final = 1e-6
"""The least factor by which a transformation may scale areas."""

LARGEST_SCALE: Final = 20.0
"""The largest factor by which a style sheet may scale lengths: a usual letter becomes half as high as a page."""

LARGEST_SLANT: Final = 8.0
"""The largest slant, as the tangent of an angle of 83 degrees. From about 17 on, PDF files are invalid."""

LARGEST_ANGLE: Final = 1e6
"""The largest angle, in degrees."""

UNSEEN: Final = "0.0001"
"""A factor that leaves nothing to be seen, but has an inverse."""

_FUNCTION: Final = re.compile(r"\b(scale[xy]?|skew[xy]?|rotate|matrix)\s*\(([^()]*)\)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(%|[a-z]*)", re.IGNORECASE)
DEGREES: Final[Mapping[str, float]] = {"deg": 1.0, "grad": 0.9, "turn": 360.0, "rad": 180 / math.pi}
"""The units of angles (CSS Values 4, 7.1), in degrees."""

_ANGULAR: Final = frozenset({"rotate", "skew", "skewx", "skewy"})
_Z_AXIS: Final = ("0", "0", "1")
_IN_SPACE: Final = frozenset({"translatez", "scalez", "rotatex", "rotatey", "rotate3d", "perspective"})
"""Functions that change nothing on the plane, or turn an element out of it."""

_SCALED: Final = re.compile(r"\bscale[xy]?\(([^;{}]*)", re.IGNORECASE)
_VARIABLE: Final = re.compile(r"var\(\s*(--[^\s,()]+)")
_ZERO: Final = re.compile(r"(?<=[;{])(--[^\s:;{}]+):[-+]?0?\.?0+%?(?=[;}!])")


class Effect(Enum):
    """The effect of a transformation."""

    USUAL = auto()
    NOTHING = auto()
    """The element has no area, so browsers draw nothing of it."""

    TOO_MUCH = auto()
    """The element is too large or too slanted to be read."""


def flat(transform: Sequence[Any]) -> str:
    """Return a list of transform functions without the third dimension; elements keep facing the reader.

    A translation by the sum of a percentage and a length becomes two translations: PlutoBook does not know such sums.
    """
    found = [_flat(token) if token.type == "function" else serialized([token]) for token in transform]
    return " ".join(filter(None, found)) or "none"


def _flat(function: Any) -> str:
    """Return a transform function without the third dimension; "" if nothing is left."""
    name, arguments = function.lower_name, split_list(function.arguments)
    if name in ("translate3d", "scale3d"):
        name, arguments = name[:-2], arguments[:2]
    if name in ("translate", "translatex", "translatey") and any(map(divided, arguments)):
        parts = [divided(argument) or (argument, "0px") for argument in arguments]
        return " ".join(f"{name}({', '.join(column)})" for column in zip(*parts, strict=True))
    if name in ("translate", "scale"):
        return f"{name}({', '.join(arguments)})"
    if name == "rotatez" or (name == "rotate3d" and arguments[:3] == _Z_AXIS):
        name, arguments = "rotate", arguments[-1:]
    if name in _ANGULAR:
        return f"{name}({', '.join('0deg' if argument == '0' else argument for argument in arguments)})"
    if name == "matrix3d":
        return f"matrix({', '.join((*arguments[:2], *arguments[4:6], *arguments[12:14]))})"
    return "" if name in _IN_SPACE else serialized([function])


def effect(transform: str, largest_scale: float = math.inf) -> Effect:
    """Return the effect of a list of transform functions. Functions with calculations or variables count as usual."""
    functions = _FUNCTION.findall(transform)
    if not functions:
        return Effect.USUAL
    matrix = Transform()
    for name, arguments in functions:
        matrix = matrix.transform(_transform(name.lower(), _numbers(arguments)))
    a, b, c, d = matrix[:4]
    area = a * d - b * c
    if abs(area) < SMALLEST:
        return Effect.NOTHING
    # The slant is 0 if the axes stay at right angles.
    is_usual = max(map(abs, matrix[:4])) <= largest_scale and abs(a * c + b * d) <= LARGEST_SLANT * abs(area) < math.inf
    return Effect.USUAL if is_usual else Effect.TOO_MUCH


def matrix_of(transform: str, horizontal: Basis, vertical: Basis) -> Transform | None:
    """Return the matrix of a list of transform functions; None if it contains another function or an unknown length.

    Percentages of translations refer to the lengths.
    """
    matrix = Transform()
    for function in significant(tinycss2.parse_component_value_list(transform)):
        if function.type != "function":
            return None
        name, arguments = function.lower_name, split_list(function.arguments)
        numbers = _numbers(" ".join(arguments))
        if name in ("translate", "translatex", "translatey"):
            pair = ("0", *arguments[:1]) if name == "translatey" else (*arguments, "0")[:2]
            x, y = pixels(pair[0], horizontal), pixels(pair[1], vertical)
            if x is None or y is None:
                return None
            matrix = matrix.translate(x, y)
        elif name == "matrix" and len(numbers) == 6:
            matrix = matrix.transform(Transform(*numbers))
        elif _FUNCTION.fullmatch(function.serialize()):
            matrix = matrix.transform(_transform(name, numbers))
        else:
            return None
    return matrix


def with_unseen_scales(sheet: str) -> str:
    """Return a style sheet in which no variable of a scale is zero."""
    if "scale" not in sheet or "var(" not in sheet:
        return sheet
    names = {name for arguments in _SCALED.findall(sheet) for name in _VARIABLE.findall(arguments)}
    return _ZERO.sub(lambda zero: f"{zero[1]}:{UNSEEN}" if zero[1] in names else zero[0], sheet)


def _numbers(arguments: str) -> list[float]:
    """Return the arguments of a function: percentages as numbers, angles in degrees."""
    return [
        float(number) * (0.01 if unit == "%" else DEGREES.get(unit.lower(), 1.0))
        for number, unit in _NUMBER.findall(arguments)
    ]


def _transform(name: str, numbers: Sequence[float]) -> Transform:
    """Return a function without its translation; the identity for invalid arguments."""
    if name == "matrix":
        return Transform(*numbers[:4]) if len(numbers) == 6 else Transform()
    if not numbers:
        return Transform()
    first, last = numbers[0], numbers[-1]
    if name.startswith("scale"):
        return Transform(xx=1.0 if name == "scaley" else first, yy=1.0 if name == "scalex" else last)
    if max(abs(first), abs(last)) > LARGEST_ANGLE:
        return Transform(xx=math.inf)
    if name == "rotate":
        return Transform().rotate(math.radians(first))
    is_along_y = name == "skewy" or (name == "skew" and len(numbers) > 1)
    return Transform().skew(0.0 if name == "skewy" else math.radians(first), math.radians(last) if is_along_y else 0.0)
