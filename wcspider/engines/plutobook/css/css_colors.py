"""Colors in all notations of CSS Color, written in a plain notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, TypeVar

import tinycss2
from tinycss2.color4 import parse_color

from wcspider.engines.plutobook.css.lengths import Basis, is_math, pixels
from wcspider.web.styles.tokens import keywords, serialized, significant, split_commas, words

if TYPE_CHECKING:
    from coloraide import Color

_Color = TypeVar("_Color")

SYSTEM = dict.fromkeys(("canvas", "field"), "#ffffff") | {
    "canvastext": "#000000", "fieldtext": "#000000", "linktext": "#0000ee", "visitedtext": "#551a8b",
    "graytext": "#808080", "mark": "#ffff00", "marktext": "#000000", "highlight": "#b9d1ea", "highlighttext": "#000000",
}  # fmt: skip
VISIBLE: Final = "-wcspider-visible"
"""A function that returns the first of its arguments that is a color and not transparent."""

LAYERED: Final = "-wcspider-layered"
"""A function that returns the color that its arguments make above each other, the first one on top."""

CLEAR: Final[tuple[float, ...]] = (0.0, 0.0, 0.0, 0.0)
"""A color without opacity."""

COLORS: Final = frozenset({"lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark", VISIBLE, LAYERED})
"""The notations of colors that PlutoBook does not know."""

OLD_COLORS: Final = frozenset({"rgb", "rgba", "hsl", "hsla", "hwb"})
"""The notations of colors that PlutoBook knows, if they contain no calculations."""

_SPACES: Final = {"xyz": "xyz-d65", "rgb": "srgb"}
_RELATIVE: Final = OLD_COLORS | {"lab", "lch", "oklab", "oklch"}
"""The notations of colors that may have the channels of another color."""

_LARGEST: Final = {"rgb": 255, "hsl": 100, "hwb": 100}
"""The largest numbers of the channels in some notations, except for angles."""

_NAME: Final = re.compile("[a-z]+", re.IGNORECASE)

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


def needs_result(arguments: Sequence[Any]) -> bool:
    """Tell whether the arguments of a color contain calculations, or depend on another color."""
    return _is_relative(arguments) or any(map(is_math, arguments))


def _plain_token(token: Any, *, has_words: bool) -> Any:
    if token.type == "ident" and has_words:
        known = SYSTEM.get(token.lower_value)
        return tinycss2.parse_one_component_value(known) if known else token
    if token.type != "function":
        return token
    if token.lower_name in COLORS or (token.lower_name in OLD_COLORS and needs_result(token.arguments)):
        written = hexadecimal(rgba_of(token))
        return tinycss2.parse_one_component_value(written) if written else token
    token.arguments = list(plain_colors(token.arguments, has_words=has_words))
    return token


def colors_in(tokens: Sequence[Any]) -> Iterator[tuple[float, ...]]:
    """Yield the colors among tokens and in the arguments of functions, as `rgba_of` returns them."""
    return _found(tokens, rgba_of)


def rgba_of(token: Any) -> tuple[float, ...] | None:
    """Return red, green, blue and opacity, each from 0 to 1; None if the token is no color or an unknown one."""
    simple = parse_color(token) if _is_simple(token) else None
    if simple is not None and not isinstance(simple, str):
        return tuple(min(max(channel, 0.0), 1.0) for channel in simple)
    if token.type == "function" and token.lower_name == LAYERED:
        return reduce(_above, filter(None, map(rgba_of, token.arguments)), CLEAR)
    color = _color_of(token) if token.type == "function" else None
    return None if color is None else _rgba(color)


def _above(top: tuple[float, ...], ground: tuple[float, ...]) -> tuple[float, ...]:
    """Return the color of one color above another (Compositing 1, 5.1)."""
    seen = ground[3] * (1 - top[3])
    opacity = top[3] + seen
    if not opacity:
        return CLEAR
    return *((a * top[3] + b * seen) / opacity for a, b in zip(top[:3], ground[:3], strict=True)), opacity


def _is_simple(token: Any) -> bool:
    """Tell whether tinycss2 may know a color: a word, digits, or numbers for red, green and blue."""
    if token.type != "function":
        return token.type in ("ident", "hash")
    numbers = {argument.type for argument in significant(token.arguments)}
    return token.lower_name in ("rgb", "rgba") and numbers <= {"number", "percentage", "literal"}


def _rgba(color: Color) -> tuple[float, ...] | None:
    try:
        color = color.convert("srgb").clip()
    except ArithmeticError:  # a number that is too large
        return None
    return *color.coords(nans=False), color.alpha(nans=False)


def _color_of(token: Any) -> Color | None:
    name = token.lower_name if token.type == "function" else ""
    if name == VISIBLE:
        return next((color for color in _colors(token.arguments) if color.alpha() > 0), None)
    if name == "light-dark":
        return next(_colors(token.arguments), None)
    if name == "color-mix":
        return _mixture(token.arguments)
    if token.type not in ("ident", "hash", "function"):
        return None
    from coloraide import Color  # here, because it takes 50 ms and few pages need it

    found = Color.match(serialized([_calculated(_absolute(token))]), fullmatch=True)
    return found.color if found is not None else None


def _is_relative(arguments: Sequence[Any]) -> bool:
    return keywords(significant(arguments)[:1]) == ("from",)


def _absolute(token: Any) -> Any:
    """Return a relative color with the channels of its origin as numbers (CSS Color 5, 4); other tokens unchanged."""
    is_relative = token.type == "function" and token.lower_name in _RELATIVE and _is_relative(token.arguments)
    _, *origin = significant(token.arguments)[:2] if is_relative else [token]
    color = _color_of(origin[0]) if origin else None
    if color is None:
        return token
    parts = significant(token.arguments)[2:]
    name = token.lower_name.removesuffix("a")
    largest = _LARGEST.get(name, 1)
    try:
        numbers = color.convert(_SPACES.get(name, name)).coords(nans=False)
    except ArithmeticError:  # a number that is too large
        return token
    values = {c: f"{number * (1 if c == 'h' else largest):.4f}" for c, number in zip(name[-3:], numbers, strict=True)}
    values["alpha"] = f"{color.alpha(nans=False):.4f}"
    text = " ".join(token.serialize() for token in parts) + ("" if "/" in parts else " / alpha")
    written = _NAME.sub(lambda match: values.get(match[0].lower(), match[0]), text)
    return tinycss2.parse_one_component_value(f"{name}({written})")


def _colors(tokens: Sequence[Any]) -> Iterator[Color]:
    return _found(tokens, _color_of)


def _found(tokens: Sequence[Any], read: Callable[[Any], _Color | None]) -> Iterator[_Color]:
    """Yield the colors that `read` finds among tokens; functions such as `linear-gradient()` are searched for them."""
    for token in tokens:
        color = read(token)
        if color is not None:
            yield color
        elif token.type == "function":
            yield from _found(token.arguments, read)


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


def _mixture(arguments: Sequence[Any]) -> Color | None:
    """Return a mixture of two colors (CSS Color 5, 2.2); None if one of them is unknown."""
    method, *parts = split_commas(arguments)
    colors = [color for part in parts for color in _colors(part)]
    shares = [next((share for share in map(_share, part) if share is not None), None) for part in parts]
    space, *hue = words(method)[1:] or [""]
    if len(colors) != 2 or len(parts) != 2:
        return None
    one = shares[0] if shares[0] is not None else 1 - (0.5 if shares[1] is None else shares[1])
    other = shares[1] if shares[1] is not None else 1 - one
    try:
        mixed = colors[0].mix(
            colors[1], other / (one + other), space=_SPACES.get(space, space), hue=(*hue, "shorter")[0]
        )
    except (ArithmeticError, LookupError, ValueError):  # shares of 0, an unknown color space, an unknown hue
        return None
    return mixed.set("alpha", mixed.alpha(nans=False) * min(one + other, 1.0))


def _share(token: Any) -> float | None:
    """Return a percentage, which may be calculated, as a number from 0 to 1; None for other tokens."""
    value = pixels([token], _WHOLE) if token.type == "percentage" or is_math(token) else None
    return None if value is None else min(max(value / 100, 0.0), 1.0)


def hexadecimal(rgba: tuple[float, ...] | None) -> str | None:
    """Return a color in hexadecimal notation; None for None."""
    if rgba is None:
        return None
    parts = rgba if rgba[3] < 1 else rgba[:3]
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
