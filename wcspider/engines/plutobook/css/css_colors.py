"""Colors in all notations of CSS Color, written in a plain notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final

import tinycss2
from tinycss2 import color4

from wcspider.engines.plutobook.css.lengths import Basis, is_math, pixels
from wcspider.web.styles.tokens import serialized, split_commas

SYSTEM = dict.fromkeys(("canvas", "field"), "#ffffff") | {
    "canvastext": "#000000", "fieldtext": "#000000", "linktext": "#0000ee", "visitedtext": "#551a8b",
    "graytext": "#808080", "mark": "#ffff00", "marktext": "#000000", "highlight": "#b9d1ea", "highlighttext": "#000000",
}  # fmt: skip
_TO_RGB = {
    "xyz-d50": ((3.1338561, -1.6168667, -0.4906146), (-0.9787684, 1.9161415, 0.0334540),
                (0.0719453, -0.2289914, 1.4052427)),
    "xyz-d65": ((3.2404542, -1.5371385, -0.4985314), (-0.9692660, 1.8760108, 0.0415560),
                (0.0556434, -0.2040259, 1.0572252)),
}  # fmt: skip
_PATHS = {"lab": "xyz-d50", "lch": "xyz-d50", "oklab": "xyz-d65", "oklch": "xyz-d65"}
VISIBLE: Final = "-wcspider-visible"
"""A function that returns the first of its arguments that is a color and not transparent."""

COLORS: Final = frozenset({"lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark", VISIBLE})
"""The notations of colors that PlutoBook does not know."""

OLD_COLORS: Final = frozenset({"rgb", "rgba", "hsl", "hsla", "hwb"})
"""The notations of colors that PlutoBook knows, if they contain no calculations."""

_ANGLE: Final = re.compile(r"(\d)deg\b", re.IGNORECASE)
_WHOLE: Final = Basis(100.0, 100.0)
"""The basis on which a percentage is the same number."""


def is_gradient(token: Any) -> bool:
    """Tell whether a token is a gradient."""
    return token.type == "function" and bool(token.lower_name.endswith("gradient"))


def plain_colors(tokens: Sequence[Any], *, has_words: bool) -> Sequence[Any]:
    """Return tokens with all colors in a notation that PlutoBook knows.

    `has_words` says whether words may be colors.
    """
    if not any(t.type in ("function", "ident") for t in tokens):
        return tokens
    return [_plain_token(token, has_words=has_words) for token in tokens]


def _plain_token(token: Any, *, has_words: bool) -> Any:
    if token.type == "ident" and has_words:
        known = SYSTEM.get(token.lower_value)
        return tinycss2.parse_one_component_value(known) if known else token
    if token.type != "function":
        return token
    if token.lower_name in COLORS or (token.lower_name in OLD_COLORS and any(map(is_math, token.arguments))):
        written = hexadecimal(rgba_of(token))
        return tinycss2.parse_one_component_value(written) if written else token
    token.arguments = list(plain_colors(token.arguments, has_words=has_words))
    return token


def colors_in(tokens: Sequence[Any]) -> Iterator[tuple[float, ...]]:
    """Yield the colors among tokens and in the arguments of functions."""
    for token in tokens:
        found = rgba_of(token)
        if found is not None:
            yield found
        elif token.type == "function":
            yield from colors_in(token.arguments)


def rgba_of(token: Any) -> tuple[float, ...] | None:
    """Return red, green, blue and opacity, each from 0 to 1; None if the token is no color or an unknown one."""
    name = token.lower_name if token.type == "function" else ""
    if name == VISIBLE:
        return next((color for color in colors_in(token.arguments) if color[3] > 0), None)
    if name == "light-dark":
        return next(colors_in(token.arguments), None)
    if name == "color-mix":
        found = [one for one in map(_rgba_of_part, split_commas(token.arguments)) if one is not None]
        return _mixed(*found[:2]) if len(found) > 1 else None
    try:
        return _in_srgb(color4.parse_color(_calculated(token)))
    except (ArithmeticError, ValueError, NotImplementedError):
        return None


def _calculated(token: Any) -> Any:
    """Return a color without calculations."""
    if token.type != "function" or not any(map(is_math, token.arguments)):
        return token
    arguments = "".join(
        _number(argument) if is_math(argument) else argument.serialize() for argument in token.arguments
    )
    return tinycss2.parse_one_component_value(f"{token.name}({arguments})")


def _number(calculation: Any) -> str:
    """Return the result of a calculation as a number or a percentage; "" if it is unknown. Angles are in degrees."""
    text = serialized([calculation])
    value = pixels(_ANGLE.sub(r"\1", text), _WHOLE)
    return "" if value is None else f"{value:.4f}{'%' if '%' in text else ''}"


def _in_srgb(found: Any) -> tuple[float, ...] | None:
    if found is None or isinstance(found, str):
        return None
    if found.space in ("hsl", "hwb"):
        found = found.to("srgb")
    elif found.space in _PATHS:
        found = found.to(_PATHS[found.space])
    channels = [float(channel or 0) for channel in found.coordinates]
    if found.space in _TO_RGB:
        channels = [_gamma(sum(map(float.__mul__, row, channels))) for row in _TO_RGB[found.space]]
    if len(channels) != 3 or not all(map(isfinite, channels)):
        return None
    return *(min(max(channel, 0.0), 1.0) for channel in channels), float(found.alpha)


def _gamma(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def _rgba_of_part(tokens: Sequence[Any]) -> tuple[tuple[float, ...], float | None] | None:
    """Return a color and its share of a mixture."""
    shares = [token.value / 100 for token in tokens if token.type == "percentage"]
    found = next((rgba for token in tokens if (rgba := rgba_of(token)) is not None), None)
    return None if found is None else (found, shares[0] if shares else None)


def _mixed(
    one: tuple[tuple[float, ...], float | None], other: tuple[tuple[float, ...], float | None]
) -> tuple[float, ...]:
    """Return a mixture of two colors (CSS Color 5, 2.2). The color space of the mixture is ignored."""
    share = one[1] if one[1] is not None else 1 - other[1] if other[1] is not None else 0.5
    whole = share + other[1] if one[1] is not None and other[1] is not None else 1.0
    part = min(max(share / whole if whole else 0.5, 0.0), 1.0)
    clear, other_clear = one[0][3] * part, other[0][3] * (1 - part)
    alpha = clear + other_clear
    channels = zip(one[0][:3], other[0][:3], strict=True)
    return *((a * clear + b * other_clear) / (alpha or 1.0) for a, b in channels), alpha * min(whole, 1.0)


def hexadecimal(rgba: tuple[float, ...] | None) -> str | None:
    """Return a color in hexadecimal notation; None for None."""
    if rgba is None:
        return None
    parts = rgba if rgba[3] < 1 else rgba[:3]
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
