"""Elements that declarations hide visually: clipped, moved off the screen, or without a size."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from wcspider.engines.plutobook.css.lengths import PAGE, Basis, length, pixels
from wcspider.web.styles.tokens import keywords, serialized, significant, single

_FAR: Final = 900
"""The distance in CSS pixels from which an element is considered to be moved out of sight."""

_BORDERS: Final = frozenset({"border", "border-width", "border-top", "border-right", "border-bottom", "border-left"})
PLACING: Final = _BORDERS | {
    "position", "left", "right", "top", "bottom", "margin-left", "margin-right", "width", "max-width", "height",
    "transform", "clip", "clip-path",
}  # fmt: skip
"""The properties that may hide elements or move them out of sight, or show them although they have no size."""

_SIDES: Final = (("left", "right", "width"), ("right", "left", "width"), ("bottom", "top", "height"))
_DRAWER: Final = 100
"""The assumed width and height in CSS pixels of an element beside the window whose size is unknown."""

_WIDE: Final = Basis(100_000.0, 100_000.0)
"""A window in which no element that has a place in usual windows is at the far edge."""

_SIDEWAYS: Final = frozenset({"translate", "translatex", "translate3d"})

Values = Mapping[str, Sequence[Any]]
"""The values that win for elements, by property, as objects of tinycss2."""


def is_out_of_sight(values: Values) -> bool:
    """Tell whether elements are hidden visually: clipped, moved off the screen, beside the window, or a point."""
    position = keywords(values.get("position", ()))
    if position not in (("absolute",), ("fixed",)):
        return False
    known = {name: pixels(value, PAGE) for name, value in values.items()}
    if _is_clipped_away(values) or any(abs(known.get(side) or 0) >= _FAR for side in ("left", "right")):
        return True
    is_fixed = position == ("fixed",)
    if (known.get("top") or 0) <= -_FAR:
        return True
    if is_fixed and (_is_behind_window(values) or _is_beside_window(known, _shift(values))):
        return True
    # A pane that fills its box slides in as well.
    is_pane = serialized(values.get("width", ())) == "100%"
    moving = _SIDEWAYS | {"translatey"} if is_fixed else _SIDEWAYS
    if (is_fixed or is_pane) and _is_beside_itself(values, moving):
        return True
    sizes = [known.get(name) for name in ("width", "height")]
    return all(size is not None and size <= 1 for size in sizes) and not _has_border(values)


def is_back_in_place(values: Values) -> bool:
    """Tell whether values show elements again that another rule hides visually, as on wider windows."""
    expected = {"position": ("static",), "width": ("auto",), "height": ("auto",)}
    return all(keywords(values.get(name, ())) == words for name, words in expected.items())


def _is_clipped_away(values: Values) -> bool:
    """Tell whether nothing is left of clipped elements (CSS Masking 1, 5.1 and 6.1)."""
    edges = [pixels([edge], PAGE) for edge in _arguments(values, "clip", "rect")]
    known = [edge for edge in edges if edge is not None]
    if len(known) == len(edges) == 4:
        top, right, bottom, left = known
        return right <= left or bottom <= top
    inset = _arguments(values, "clip-path", "inset")
    if len(inset) == 1 and inset[0].type == "percentage":
        return bool(inset[0].value >= 50)
    circle = _arguments(values, "clip-path", "circle")[:1]
    polygon = _arguments(values, "clip-path", "polygon")
    return any(pixels([radius], PAGE) == 0 for radius in circle) or _is_line(polygon)


def _is_line(polygon: Sequence[Any]) -> bool:
    """Tell whether the points of a polygon, each with two coordinates, are on one horizontal or vertical line."""
    edges = [pixels([edge], PAGE) for edge in polygon]
    return None not in edges and any(len(set(line)) == 1 for line in (edges[::2], edges[1::2]))


def _arguments(values: Values, name: str, function: str) -> list[Any]:
    """Return the arguments of the function that is the value of a property; none for another value."""
    token = single(values.get(name, ()))
    if token is None or token.type != "function" or token.lower_name != function:
        return []
    return [argument for argument in significant(token.arguments) if argument != ","]


def _has_border(values: Values) -> bool:
    """Tell whether elements have a border, which draws the dots and triangles of elements without a size."""
    return any(length(token) for name, value in values.items() if name in _BORDERS for token in value)


def _is_behind_window(values: Values) -> bool:
    """Tell whether fixed elements begin where the window ends, such as links that appear when they have the focus."""
    wide = {name: pixels(value, _WIDE) or 0 for name, value in values.items()}
    offsets = (wide[side] + wide.get(f"margin-{side}", 0) for side in ("left", "right", "top") if side in wide)
    return "transform" not in values and any(offset >= _WIDE.container for offset in offsets)


def _is_beside_window(known: Mapping[str, float | None], shift: float) -> bool:
    """Tell whether fixed elements are beside the window, such as menus that slide in later.

    `shift` is the distance by which a transformation moves them to the right.
    """
    for (side, opposite, size), moved in zip(_SIDES, (shift, -shift, 0.0), strict=True):
        offset = (known.get(side) or 0) + (known.get(f"margin-{side}") or 0) + moved
        sizes = list(filter(None, (known.get(size), known.get(f"max-{size}"))))
        is_certain = known.get(opposite) is None or (side == "left" and bool(sizes))
        if is_certain and offset <= -min(sizes, default=_DRAWER):
            return True
    return False


def _shift(values: Values) -> float:
    """Return the distance in CSS pixels by which a transformation moves elements to the right, if it is certain."""
    moves = _functions(values, _SIDEWAYS)
    return sum(length(token) or 0.0 for move in moves for token in significant(move.arguments)[:1])


def _is_beside_itself(values: Values, moving: Container[str]) -> bool:
    """Tell whether a transformation moves elements by their own width or height."""
    moves = _functions(values, moving)
    numbers = [a.value for move in moves for a in move.arguments if a.type == "percentage"]
    return bool(numbers) and abs(numbers[0]) >= 100


def _functions(values: Values, names: Container[str]) -> list[Any]:
    """Return the functions of a transformation that have one of the names."""
    return [t for t in values.get("transform", ()) if t.type == "function" and t.lower_name in names]
