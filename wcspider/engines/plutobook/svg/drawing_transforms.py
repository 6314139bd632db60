"""Transformations of shapes in SVG elements by style sheets (CSS Transforms 1). PlutoBook reads only attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import tinycss2
from fontTools.misc.transform import Transform

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.engines.plutobook.css.transforms import matrix_of
from wcspider.engines.plutobook.svg.drawings import drawable

_TRANSFORMED: Final = re.compile(r"transform:(?!none$).+", re.IGNORECASE | re.DOTALL)
_SEPARATOR: Final = re.compile(r"[\s,]+")
_SHARES: Final = {"left": "0%", "top": "0%", "center": "50%", "right": "100%", "bottom": "100%"}
_VERTICAL: Final = frozenset({"top", "bottom"})
_HORIZONTAL: Final = frozenset({"left", "right"})


@dataclass(frozen=True, slots=True)
class _Box:
    """A reference box (CSS Transforms 1, 6), in user units."""

    left: float
    top: float
    width: float
    height: float


def write(styles: PageStyles) -> None:
    """Write the transformations of shapes into their attributes. Those without a known reference box are left out."""
    if next(styles.root.iter("svg"), None) is None:
        return
    for wrapper in styles.wrappers_with(_TRANSFORMED, where=_is_shape):
        shape, values = wrapper.etree_element, styles.values(wrapper)
        box = _reference_box(shape, values.get("transform-box", "view-box"))
        matrix = None if box is None else _matrix(values, box)
        if matrix is not None:
            numbers = " ".join(f"{number:.6g}" for number in matrix)
            shape.set("transform", drawable("transform", f"matrix({numbers})"))


def _is_shape(element: Any) -> bool:
    """Tell whether an element is inside of an SVG element, and not in a part of it in HTML."""
    around = next(element.iterancestors("svg", "foreignobject"), None)
    return around is not None and around.tag == "svg" and element.tag != "svg"


def _matrix(values: Mapping[str, str], box: _Box) -> Transform | None:
    """Return the transformation with its origin; None if it is not certain."""
    horizontal, vertical = Basis(box.width, box.width), Basis(box.height, box.height)
    left, top = _origin(values.get("transform-origin", "0 0"))
    x, y = pixels(left, horizontal), pixels(top, vertical)
    matrix = matrix_of(values.get("transform", ""), horizontal, vertical)
    if x is None or y is None or matrix is None:
        return None
    x, y = x + box.left, y + box.top
    found = Transform().translate(x, y).transform(matrix).translate(-x, -y)
    return found if all(map(math.isfinite, found)) else None


def _origin(value: str) -> tuple[str, str]:
    """Return the two coordinates of a `transform-origin` as lengths or percentages (CSS Transforms 1, 5)."""
    tokens = tinycss2.parse_component_value_list(value.lower())
    first, second = (*(token.serialize() for token in tokens if token.type != "whitespace"), "center", "center")[:2]
    if first in _VERTICAL or second in _HORIZONTAL:
        first, second = second, first
    return _SHARES.get(first, first), _SHARES.get(second, second)


def _reference_box(shape: Any, name: str) -> _Box | None:
    """Return the box of a shape that percentages refer to, and whose corner is the start of its coordinates."""
    if name == "view-box":
        drawing = next(shape.iterancestors("svg"))
        sizes = _SEPARATOR.split(drawing.get("viewbox", "").strip())[2:4]
        if len(sizes) < 2:
            sizes = [drawing.get(side, "").removesuffix("px") for side in ("width", "height")]
        return _Box(0, 0, *_numbers(sizes))
    if shape.tag in ("circle", "ellipse"):
        radii = ("r", "r") if shape.tag == "circle" else ("rx", "ry")
        x, y, width, height = _numbers(shape.get(attribute, "0") for attribute in ("cx", "cy", *radii))
        return _Box(x - width, y - height, 2 * width, 2 * height)
    if shape.tag == "rect":
        return _Box(*_numbers(shape.get(attribute, "0") for attribute in ("x", "y", "width", "height")))
    return None


def _numbers(values: Iterable[str]) -> list[float]:
    """Return attributes as numbers; not a number (NaN) stands for those that are none."""
    return list(map(_number, values))


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
