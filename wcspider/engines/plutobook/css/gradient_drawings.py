"""Gradients (CSS Images 4, 3) as drawings in SVG, for an area of any size.

Offsets in percent refer to a square that is stretched to the size of the area. Offsets in lengths begin at a corner of
the area, at the middle, or at another place. Both can be drawn before the size of the area is known. A gradient with
offsets of both kinds, or with calculated ones, is drawn in one color.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import ceil, hypot, radians, sqrt
from typing import Any, Final

from wcspider.engines.plutobook.css.css_colors import colors_in, hexadecimal
from wcspider.engines.plutobook.css.lengths import PAGE, is_math, pixels
from wcspider.engines.plutobook.css.transforms import DEGREES
from wcspider.web.styles.tokens import significant, split_commas

_CLEAREST: Final = 0.25
"""The opacity from which a color can take the place of a gradient: on a clearer color, text may be illegible."""

_SIDES: Final = {"top": -1j, "right": 1, "bottom": 1j, "left": -1}
"""The directions of gradients to the sides of a box; x is the real and y the imaginary part."""

_REPEATING: Final = "repeating-"
_IN_LENGTHS: Final = 'gradientUnits="userSpaceOnUse" '
_FAR: Final = 9999
"""A length in pixels that is outside of all areas."""

_STEP: Final = 0.01
"""The largest part of a turn that is drawn in one color by a gradient around a center."""

_MAX_SECTORS: Final = 360
_SMALLEST: Final = 1 / _MAX_SECTORS
"""The smallest part of a turn that is repeated."""

_LARGEST: Final = 1e6
"""The largest number that is read: a percentage, an angle, or a length in pixels."""

_AREA: Final = '<rect width="100%" height="100%"'

Rgba = tuple[float, ...]
"""Red, green, blue and opacity, each from 0 to 1."""

_Place = float | str
"""A coordinate of a center: a share of the area, or a length in pixels such as "9"."""


@dataclass(frozen=True, slots=True)
class _Stop:
    """A color and its offset: a share of the gradient line, a length in pixels, a part of a turn, or None."""

    color: Rgba
    offset: float | None
    is_length: bool


def drawing_of(gradient: Any, number: int) -> str:
    """Return a gradient as SVG elements: in one color if it cannot be drawn, or "" if that could hide text.

    `number` makes the names in the drawing unique.
    """
    parts = [significant(part) for part in split_commas(gradient.arguments)]
    geometry = [] if any(colors_in(parts[0])) else parts.pop(0)
    stops = [stop for part in parts for stop in _stops(part)]
    colors = {stop.color for stop in stops}
    drawn = ""
    if len(colors) > 1 and not any(map(is_math, (*geometry, *(token for part in parts for token in part)))):
        name = gradient.lower_name
        drawn = _drawn(name.removeprefix(_REPEATING), geometry, stops, name.startswith(_REPEATING), f"g{number}")
    if not drawn and (len(colors) == 1 or min((color[3] for color in colors), default=0.0) >= _CLEAREST):
        return f"{_AREA} {_paint('fill', 'fill-opacity', stops[0].color)}/>"
    return drawn


def _drawn(kind: str, geometry: Sequence[Any], stops: Sequence[_Stop], repeats: bool, name: str) -> str:
    """Return a gradient as SVG elements; "" if it cannot be drawn."""
    given = _in_one_unit(stops)
    if not given:
        return ""
    in_lengths = any(stop.is_length for stop in given)
    placed = _placed([stop.offset for stop in given])
    colors = _tinted([stop.color for stop in given])
    if kind == "conic-gradient":
        return "" if in_lengths else _sectors(geometry, placed, colors, repeats)
    first, last = (placed[0], placed[-1]) if repeats else (0.0, placed[-1] + 1 if in_lengths else 1.0)
    if last <= first or kind not in ("linear-gradient", "radial-gradient"):
        return ""
    line = _line(geometry, first, last, in_lengths) if kind == "linear-gradient" else None
    shape = line or _circle(geometry, first, last, in_lengths)
    if not shape:
        return ""
    offsets = [(place - first) / (last - first) for place in placed]
    element = shape.partition(" ")[0]
    spread = ' spreadMethod="repeat"' if repeats else ""
    definition = f'<{shape} id="{name}"{spread}>{_written(offsets, colors)}</{element}>'
    area = f'{_AREA} fill="url(#{name})"/>'
    if line and in_lengths:
        area = _from_corner(_direction(geometry), name)
    return f"{definition}{area}"


def _stops(part: Sequence[Any]) -> Iterator[_Stop]:
    """Yield the stops of a color, which may have two offsets."""
    for color in colors_in(part):
        offsets = [token for token in part if token.type in ("percentage", "number", "dimension")]
        for token in offsets:
            if token.type == "dimension" and token.lower_unit in DEGREES:
                yield _Stop(color, _degrees(token) / 360, False)
            elif token.type == "dimension":
                yield _Stop(color, _length(token), True)
            else:
                yield _Stop(color, _share(token), False)
        if not offsets:
            yield _Stop(color, None, False)


def _in_one_unit(stops: Sequence[_Stop]) -> Sequence[_Stop]:
    """Return stops of which either all or no offsets are lengths; none if they cannot be compared."""
    known = [stop for stop in stops if stop.offset]
    if not any(stop.is_length for stop in known):
        return [replace(stop, is_length=False) for stop in stops]
    *others, last = stops
    # The color of the last length goes on to the end.
    if (last.offset is None or not last.is_length) and others and last.color == others[-1].color:
        stops = others
    if stops[-1].offset is None or not all(stop.is_length for stop in stops if stop.offset):
        return ()
    return stops


def _limited(number: float) -> float:
    return min(max(number, -_LARGEST), _LARGEST)


def _share(token: Any) -> float:
    return _limited(token.value) / 100


def _degrees(token: Any) -> float:
    return _limited(token.value * DEGREES.get(token.lower_unit, 0.0))


def _length(token: Any) -> float | None:
    length = pixels([token], PAGE)
    return None if length is None else _limited(length)


def _names(geometry: Sequence[Any]) -> list[str]:
    """Return the words of a geometry; "" for each other token."""
    return [token.lower_value if token.type == "ident" else "" for token in geometry]


def _angle(geometry: Sequence[Any], otherwise: float) -> float:
    """Return the first angle of a geometry in degrees."""
    return next((_degrees(token) for token in geometry if token.type == "dimension"), otherwise)


def _direction(geometry: Sequence[Any]) -> complex:
    """Return the direction of a linear gradient (3.1.1)."""
    direction = sum(_SIDES.get(name, 0) for name in _names(geometry)) or rect(1, radians(_angle(geometry, 180.0) - 90))
    return direction / abs(direction)


def _line(geometry: Sequence[Any], first: float, last: float, in_lengths: bool) -> str:
    """Return a linear gradient in SVG, from the first to the last of its offsets."""
    direction = _direction(geometry)
    if in_lengths:
        start, line = 0j, direction
    else:
        line = direction * (abs(direction.real) + abs(direction.imag))
        start = 0.5 + 0.5j - line / 2
    ends = (start + line * first, start + line * last)
    units = _IN_LENGTHS if in_lengths else ""
    places = (f'{axis}{number}="{place:.4f}"' for number, end in enumerate(ends, 1)
              for axis, place in (("x", end.real), ("y", end.imag)))  # fmt: skip
    return f"linearGradient {units}{' '.join(places)}"


def _from_corner(direction: complex, name: str) -> str:
    """Return the area of a linear gradient in lengths, with the corner where the gradient begins as the origin."""
    x, y = (-100 if part < -1e-6 else 0 for part in (direction.real, direction.imag))
    inner = f'{_AREA} x="{x}%" y="{y}%" fill="url(#{name})"/>'
    return f'<svg x="{-x}%" y="{-y}%" overflow="visible">{inner}</svg>' if x or y else inner


def _circle(geometry: Sequence[Any], first: float, last: float, in_lengths: bool) -> str:
    """Return a radial gradient in SVG; "" if it cannot be drawn.

    Its ending shape (3.2.1) is a circle, or a circle in a square that is stretched.
    """
    if first:
        return ""
    sizes, (x, y) = _sizes_and_center(geometry)
    lengths = [token for token in sizes if token.type == "dimension"]
    center = f'cx="{_written_place(x)}" cy="{_written_place(y)}"'
    if not in_lengths and not lengths and "circle" in _names(geometry):
        # Such a share is one of the diagonal (SVG 2, 8.9). So a circle in the middle reaches to the corners of any box.
        radius = hypot(_farthest(x), _farthest(y)) * last
        return f'radialGradient {_IN_LENGTHS}{center} r="{radius:.2%}"'
    if in_lengths or lengths or isinstance(x, str) or isinstance(y, str):
        length = 1.0 if in_lengths else _length(lengths[0]) if len(sizes) == len(lengths) == 1 else None
        return f'radialGradient {_IN_LENGTHS}{center} r="{length * last:.4f}"' if length else ""
    share = _share(sizes[0]) if sizes else max(_farthest(x), _farthest(y)) * sqrt(2)  # to the farthest corner
    return f'radialGradient cx="{x:.4f}" cy="{y:.4f}" r="{share * last:.4f}"'


def _farthest(place: _Place) -> float:
    """Return the distance from a coordinate to the farthest edge; that of a length is assumed to be the whole box."""
    return 1.0 if isinstance(place, str) else max(place, 1 - place)


def _sizes_and_center(geometry: Sequence[Any]) -> tuple[list[Any], tuple[_Place, _Place]]:
    """Return the tokens of sizes of a geometry, and the center at which its gradient begins."""
    names = _names(geometry)
    middle = names.index("at") if "at" in names else len(names)
    sizes, places = (
        [token for token in part if token.type in ("percentage", "dimension")]
        for part in (geometry[:middle], geometry[middle:])
    )
    return sizes, (_place(places, names, "left", "right"), _place(places, names, "top", "bottom"))


def _place(places: list[Any], names: Sequence[str], start: str, end: str) -> _Place:
    """Return a coordinate of a center; the token for it is taken from `places`."""
    if start in names or end in names:
        return 0.0 if start in names else 1.0
    if not places:
        return 0.5
    token = places.pop(0)
    return _share(token) if token.type == "percentage" else f"{_length(token) or 0:g}"


def _written_place(place: _Place) -> str:
    return place if isinstance(place, str) else f"{place:.2%}"


def _sectors(geometry: Sequence[Any], placed: Sequence[float], colors: Sequence[Rgba], repeats: bool) -> str:
    """Return a gradient around a center (3.3) as sectors in SVG, each in one color."""
    _, (x, y) = _sizes_and_center(geometry)
    turn = _angle(geometry, 0.0) / 360 if "from" in _names(geometry) else 0.0
    length = placed[-1] - placed[0]
    if repeats and length <= 0:
        return ""
    rounds = min(ceil(1 / max(length, _SMALLEST)), _MAX_SECTORS) if repeats else 1
    # Opaque sectors reach below the next ones, or there would be gaps between them.
    below = _STEP if all(color[3] == 1 for color in colors) else 0.0
    drawn: list[str] = []
    for number in range(rounds):
        for start, end, color in _steps(placed, colors, is_open=not repeats):
            begin, stop = (max(0.0, min(1.0, place + number * length)) for place in (start, end))
            if stop > begin and len(drawn) < _MAX_SECTORS:
                path = _sector(begin + turn, min(stop + below, 1.0) + turn)
                drawn.append(f'<path d="{path}" {_paint("fill", "fill-opacity", color)}/>')
    return f'<svg x="{_written_place(x)}" y="{_written_place(y)}" overflow="visible">{"".join(drawn)}</svg>'


def _steps(placed: Sequence[float], colors: Sequence[Rgba], *, is_open: bool) -> Iterator[tuple[float, float, Rgba]]:
    """Yield the sectors of a gradient around a center, each with its ends and its color."""
    if is_open:
        yield min(placed[0], 0.0), placed[0], colors[0]
    for (start, end), (one, other) in zip(pairwise(placed), pairwise(colors), strict=True):
        count = min(max(1, ceil((end - start) / _STEP)), _MAX_SECTORS) if one != other else 1
        for step in range(count):
            share = (step + 0.5) / count
            mixed = tuple(a + (b - a) * share for a, b in zip(one, other, strict=True))
            yield start + (end - start) * step / count, start + (end - start) * (step + 1) / count, mixed
    if is_open:
        yield placed[-1], max(placed[-1], 1.0), colors[-1]


def _sector(start: float, end: float) -> str:
    """Return the path of a sector between two parts of a turn, which begins at the top."""
    count = ceil((end - start) * 8)
    turns = (start + (end - start) * step / count for step in range(count + 1))
    points = (rect(_FAR, radians(turn * 360 - 90)) for turn in turns)
    return "M0 0" + "".join(f"L{point.real:.1f} {point.imag:.1f}" for point in points) + "z"


def _written(offsets: Sequence[float], colors: Sequence[Rgba]) -> str:
    """Return the stops of a gradient as SVG elements.

    cairo does not draw the last of several colors at one place before the end, so the ends have stops of their own.
    """
    return "".join(
        f'<stop offset="{place:.4f}" {_paint("stop-color", "stop-opacity", color)}/>'
        for place, color in zip((0.0, *offsets, 1.0), (colors[0], *colors, colors[-1]), strict=True)
    )


def _placed(offsets: Sequence[float | None]) -> list[float]:
    """Return offsets with the missing ones at equal distances between the others (3.4.3), in ascending order."""
    last = len(offsets) - 1
    given = {0: 0.0, last: 1.0} | {number: offset for number, offset in enumerate(offsets) if offset is not None}
    placed: list[float] = []
    for (left, low), (right, high) in pairwise(sorted(given.items())):
        placed += [low + (high - low) * step / (right - left) for step in range(right - left)]
    return list(accumulate([*placed, given[last]], max))


def _tinted(colors: list[Rgba]) -> list[Rgba]:
    """Return colors; a transparent one is that of its neighbor, because SVG also mixes its red, green and blue."""
    neighbors = [colors[1], *colors[:-1]] if len(colors) > 1 else colors
    return [color if color[3] else (*near[:3], 0.0) for color, near in zip(colors, neighbors, strict=True)]


def _paint(name: str, opacity: str, color: Rgba) -> str:
    return f'{name}="{hexadecimal((*color[:3], 1.0))}" {opacity}="{color[3]:.3f}"'
