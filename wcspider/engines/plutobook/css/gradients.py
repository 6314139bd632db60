"""Gradients (CSS Images 3, 3) as SVG images, because PlutoBook has none.

The URL of the image of a background gets a fragment with the drawing of the gradients. PlutoBook draws one layer of a
background, so it draws the gradients on the image. A background without an image gets the URL `EMPTY`.
"""

from __future__ import annotations

import re
from cmath import rect
from collections.abc import Sequence
from itertools import pairwise
from math import radians, sqrt
from typing import Any, Final
from urllib.parse import quote, unquote

import tinycss2
from tinycss2.ast import URLToken

from wcspider.engines.plutobook.css.css_colors import colors_in, hexadecimal, is_gradient, rgba_of
from wcspider.engines.plutobook.css.lengths import is_math
from wcspider.engines.plutobook.css.transforms import DEGREES
from wcspider.web.styles.tokens import serialized, significant, split_commas, url_of

EMPTY: Final = "wcspider-gradient:"
BLANK: Final = b'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%"></svg>'
"""The image at `EMPTY`. It has the size of the background."""

_FRAGMENT: Final = "#wcspider-gradient-"
_DRAWING: Final = re.compile(r"(?:</?(?:linear|radial)Gradient[^<>&]*>|<(?:stop|rect)[^<>&]*/>)+")
"""What a fragment may contain: the author of a page could write one as well."""

_AREA: Final = '<rect width="100%" height="100%"'
_CLEAREST: Final = 0.25
"""The opacity from which a color can take the place of a gradient: on a clearer color, text may be illegible."""

_SIDES: Final = {"top": -1j, "right": 1, "bottom": 1j, "left": -1}
"""The directions of gradients to the sides of a box; x is the real and y the imaginary part."""

Rgba = tuple[float, ...]
"""Red, green, blue and opacity, each from 0 to 1."""


def with_gradient_images(value: Sequence[Any]) -> list[Any]:
    """Return a background with its gradients as an image, in one layer; a value without gradients is unchanged."""
    layers = split_commas(value)
    gradients = [next(filter(is_gradient, layer), None) for layer in layers]
    if not any(gradients):
        return list(value)
    image = next((number for number, layer in enumerate(layers) if any(map(url_of, layer))), None)
    if image is None:  # the largest gradient, and those at the same place
        places = [serialized([t for t in layer if not is_gradient(t) and rgba_of(t) is None]) for layer in layers]
        numbers = [number for number, gradient in enumerate(gradients) if gradient]
        shown = min(numbers, key=lambda number: len(places[number]))
        above = [gradients[number] for number in numbers if places[number] == places[shown]]
        url = EMPTY
    else:
        shown, above = image, list(filter(None, gradients[:image]))
        url = next(filter(None, map(url_of, layers[image])))
    drawing = "".join(_drawing(gradient, number) for number, gradient in enumerate(reversed(above)))
    found = [token for token in layers[shown] if not is_gradient(token) and url_of(token) is None]
    if shown < len(layers) - 1:
        found += [token for token in layers[-1] if rgba_of(token) is not None]
    if drawing and "#" not in url and not url.lower().startswith("data:"):  # PlutoBook reads these URLs itself
        url += _FRAGMENT + quote(drawing)
    if url != EMPTY:
        found.insert(0, URLToken(value[0].source_line, value[0].source_column, url, ""))
    return found or tinycss2.parse_component_value_list("none")


def with_drawing(svg: bytes, url: str) -> bytes:
    """Return the SVG image at a URL with the gradients of its fragment above it."""
    drawing = unquote(url.partition(_FRAGMENT)[2])
    return svg.replace(b"</svg>", f"{drawing}</svg>".encode()) if _DRAWING.fullmatch(drawing) else svg


def _drawing(gradient: Any, number: int) -> str:
    """Return a gradient as SVG elements: in one color if it cannot be drawn, or "" if that could hide text."""
    parts = [significant(part) for part in split_commas(gradient.arguments)]
    geometry = [] if any(colors_in(parts[0])) else parts.pop(0)
    stops = [(offset, color) for part in parts for color in colors_in(part) for offset in _offsets(part)]
    colors = {color for _, color in stops}
    shape = "" if any(map(_has_lengths, parts)) else _shape(gradient.lower_name, geometry)
    if shape and len(colors) > 1:
        name = shape.partition(" ")[0]
        return f'<{shape} id="g{number}">{_written(stops)}</{name}>{_AREA} fill="url(#g{number})"/>'
    if len(colors) == 1 or min((color[3] for color in colors), default=0.0) >= _CLEAREST:
        return f"{_AREA} {_paint('fill', 'fill-opacity', stops[0][1])}/>"
    return ""


def _has_lengths(tokens: Sequence[Any]) -> bool:
    return any(token.type == "dimension" or is_math(token) for token in tokens)


def _written(stops: Sequence[tuple[float | None, Rgba]]) -> str:
    """Return the stops of a gradient as SVG elements.

    cairo does not draw the last of several colors at one place before the end, so the ends have stops of their own.
    """
    places = _placed([offset for offset, _ in stops])
    colors = _tinted([color for _, color in stops])
    return "".join(
        f'<stop offset="{place:.4f}" {_paint("stop-color", "stop-opacity", color)}/>'
        for place, color in zip((0.0, *places, 1.0), (colors[0], *colors, colors[-1]), strict=True)
    )


def _offsets(stop: Sequence[Any]) -> list[float | None]:
    """Return the offsets of a color, from 0 to 1; if it has no offset, a list with None."""
    given = [token.value / 100 for token in stop if token.type in ("percentage", "number")]
    return [*given] or [None]


def _placed(offsets: list[float | None]) -> list[float]:
    """Return offsets with the missing ones at equal distances between the others (CSS Images 3, 3.4.3)."""
    last = len(offsets) - 1
    given = {0: 0.0, last: 1.0} | {number: offset for number, offset in enumerate(offsets) if offset is not None}
    placed: list[float] = []
    for (left, low), (right, high) in pairwise(sorted(given.items())):
        placed += [low + (high - low) * step / (right - left) for step in range(right - left)]
    return [*placed, given[last]]


def _tinted(colors: list[Rgba]) -> list[Rgba]:
    """Return colors; a transparent one is that of its neighbor, because SVG also mixes its red, green and blue."""
    neighbors = [colors[1], *colors[:-1]]
    return [color if color[3] else (*near[:3], 0.0) for color, near in zip(colors, neighbors, strict=True)]


def _paint(name: str, opacity: str, color: Rgba) -> str:
    return f'{name}="{hexadecimal((*color[:3], 1.0))}" {opacity}="{color[3]:.3f}"'


def _shape(name: str, geometry: Sequence[Any]) -> str:
    """Return the name and the place of a gradient in SVG; "" if the gradient cannot be drawn."""
    if name == "linear-gradient":
        return _line(geometry)
    return _circle(geometry) if name == "radial-gradient" and not _has_lengths(geometry) else ""


def _line(geometry: Sequence[Any]) -> str:
    """Return a linear gradient with its line (3.1.1), in a square that is stretched to the size of the box."""
    angles = [token.value * DEGREES.get(token.lower_unit, 0.0) for token in geometry if token.type == "dimension"]
    sides = [_SIDES[token.lower_value] for token in geometry if token.type == "ident" and token.lower_value in _SIDES]
    direction = sum(sides) or rect(1, radians((angles or [180.0])[0] - 90))
    half = direction * (abs(direction.real) + abs(direction.imag)) / abs(direction) ** 2 / 2
    start, end = 0.5 + 0.5j - half, 0.5 + 0.5j + half
    return f'linearGradient x1="{start.real:.4f}" y1="{start.imag:.4f}" x2="{end.real:.4f}" y2="{end.imag:.4f}"'


def _circle(geometry: Sequence[Any]) -> str:
    """Return a radial gradient with its ending shape (3.2.1): a circle in a square that is stretched."""
    names = [token.lower_value if token.type == "ident" else "" for token in geometry]
    middle = names.index("at") if "at" in names else len(names)
    size, center = (
        [t.value / 100 for t in part if t.type == "percentage"] for part in (geometry[:middle], geometry[middle:])
    )
    x = 0.0 if "left" in names else 1.0 if "right" in names else center.pop(0) if center else 0.5
    y = 0.0 if "top" in names else 1.0 if "bottom" in names else center.pop(0) if center else 0.5
    radius = size[0] if size else max(x, 1 - x, y, 1 - y) * sqrt(2)  # to the farthest corner
    return f'radialGradient cx="{x:.4f}" cy="{y:.4f}" r="{radius:.4f}"'
