"""SVG images as reportlab drawings. As in browsers, shapes with invalid lengths are not drawn."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import svglib.fonts
import svglib.svglib
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Group, Image, Path
from reportlab.lib.fonts import tt2ps
from svglib.svglib import Svg2RlgAttributeConverter, svg2rlg

from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.svg_source import is_html
from wcspider.engines.text import fonts, runs
from wcspider.engines.text.text_objects import ShapedCanvas
from wcspider.exceptions import SourceUnreadableError

SHORTEST, LONGEST = 0.01, 1_000_000.0
"""The limits of the width and height of an SVG image, in points."""

FARTHEST = 10_000_000.0
"""The largest coordinate in an image, in its own units."""

MEDIUM = 16.0
"""The default font size, in pixels."""

SIZES: Mapping[str, float] = {
    "xx-small": 9, "x-small": 10, "small": 13, "medium": MEDIUM, "initial": MEDIUM, "large": 18, "x-large": 24,
    "xx-large": 32,
}  # fmt: skip
"""The font size keywords of CSS, in pixels."""

_RELATIVE: Mapping[str, float] = {"": 1, "inherit": 1, "unset": 1, "larger": 1.2, "smaller": 1 / 1.2}
_RELATIVE_LENGTH = re.compile(r"\+?(\d+\.?\d*|\.\d+)(%|em|ex)")
_UNITS: Mapping[str, float] = {"%": 0.01, "em": 1, "ex": 0.5}

_MOVE = 0
"""The operator with which a path begins (`reportlab.graphics.shapes`)."""

_GENERIC = {"serif": fonts.SERIF, "monospace": fonts.MONO, "courier": fonts.MONO, "times": fonts.SERIF}


@dataclass(frozen=True, slots=True)
class Vectors:
    """An SVG image, ready to be drawn."""

    drawing: Any

    def getSize(self) -> tuple[float, float]:  # noqa: N802
        """Return the width and height in CSS pixels; svglib gives them in points."""
        return self.drawing.width / POINTS_PER_PIXEL, self.drawing.height / POINTS_PER_PIXEL

    def draw_on(self, canvas: Any, x: float, y: float, width: float, height: float) -> str:
        """Draw the image into a box and return an empty name, because there is no image XObject."""
        canvas.saveState()
        canvas.translate(x, y)
        canvas.scale(width / self.drawing.width, height / self.drawing.height)
        renderPDF.draw(self.drawing, canvas, 0, 0)
        canvas.restoreState()
        return ""


@cache
def _install() -> None:
    """Give svglib the bundled fonts, once in a process. By default it starts fc-match for each family."""
    runs.load()
    svglib.fonts._font_map = _Fonts()
    svglib.svglib.Svg2RlgAttributeConverter = Attributes  # type: ignore[misc]


def read_drawing(body: bytes) -> Vectors:
    """Read an SVG file; raise `SourceUnreadableError` if it cannot be drawn. Nothing outside `body` is read."""
    _install()
    drawing = _drawing_in(body)
    if drawing is None and is_html(body):
        raise SourceUnreadableError("the image cannot be read: it is an HTML page", "")
    if drawing is None:
        raise SourceUnreadableError("the SVG image cannot be read", "")
    return Vectors(drawing)


def _drawing_in(body: bytes) -> Any:
    """Return the drawing in an SVG file, or None if it cannot be drawn."""
    try:
        drawing = svg2rlg(io.BytesIO(body), resolve_entities=False)
        if drawing is None or not all(SHORTEST <= length <= LONGEST for length in (drawing.width, drawing.height)):
            return None
        if not _has_valid_matrix(drawing) or (_remove_invalid(drawing) and not drawing.contents):
            return None
        # A trial, because a drawing that fails half-way would spoil the page.
        renderPDF.draw(drawing, _Trial(io.BytesIO()), 0, 0)
    except Exception:  # svglib and reportlab raise exceptions of many kinds for unsupported input
        return None
    return drawing


class _Fonts(svglib.fonts.FontMap):
    def find_font(self, font_name: str, weight: str = "normal", style: str = "normal") -> tuple[str, bool]:
        family = _GENERIC.get(font_name.split()[0].lower() if font_name.split() else "", fonts.SANS)
        bold = weight in ("bold", "bolder", "600", "700", "800", "900")
        return tt2ps(family, int(bold), int(style in ("italic", "oblique"))), True


class Attributes(Svg2RlgAttributeConverter):
    """A reader of attributes with correct relative font sizes; svglib's reader takes them for pixels."""

    def findAttr(self, svgNode: Any, name: str) -> str:  # noqa: N802, N803
        """Return the value of an attribute, inherited if necessary; font sizes in pixels."""
        found: str = super().findAttr(svgNode, name)
        return f"{self._font_size(svgNode):f}" if found and name == "font-size" else found

    def _font_size(self, node: Any) -> float:
        """Return the font size of a node; an invalid one counts as none."""
        if node is None:
            return MEDIUM
        super().findAttr(node, "font-size")  # applies the style sheets to the attributes of the node
        own = node.attrib.get("font-size", "").strip().lower()
        if own in SIZES:
            return SIZES[own]
        relative = _RELATIVE_LENGTH.fullmatch(own)
        if relative is None and own not in _RELATIVE:
            with suppress(ValueError):
                size = self.convertLength(own)
                if not isinstance(size, list):
                    return size
        factor = float(relative[1]) * _UNITS[relative[2]] if relative else _RELATIVE.get(own, 1)
        return factor * self._font_size(node.parent)


class _Trial(ShapedCanvas):
    """A canvas for trying out whether a drawing can be drawn."""

    def drawInlineImage(self, *_: Any, **__: Any) -> None:  # noqa: N802
        """Do nothing: the images in a drawing were decoded when the drawing was read."""


def _remove_invalid(group: Any) -> bool:
    """Remove shapes that cannot be drawn, and groups of only such shapes; tell whether there were any."""
    kept, found = [], False
    for node in group.contents:
        if isinstance(node, Group):
            found_inside = _remove_invalid(node)
            is_invalid = not _has_valid_matrix(node) or (found_inside and not node.contents)
        else:
            found_inside, is_invalid = False, not _is_drawable(node)
        found = found or found_inside or is_invalid
        if not is_invalid:
            kept.append(node)
    group.contents[:] = kept
    return found


def _has_valid_matrix(group: Any) -> bool:
    """Tell whether the matrix of a group consists of valid numbers and has an inverse."""
    a, b, c, d, *_ = group.transform
    return _are_numbers(group.transform) and a * d - b * c != 0


def _is_drawable(node: Any) -> bool:
    if not all(_are_numbers(_numbers(value)) for value in vars(node).values()):
        return False
    dashes = getattr(node, "strokeDashArray", None)
    if dashes and not (all(dash >= 0 for dash in _numbers(dashes)) and sum(_numbers(dashes)) > 0):
        node.strokeDashArray = None
    if isinstance(node, Path):
        return not node.operators or node.operators[0] == _MOVE
    return not isinstance(node, Image) or (node.width > 0 and node.height > 0)


def _are_numbers(values: Iterable[float]) -> bool:
    return all(math.isfinite(value) and abs(value) <= FARTHEST for value in values)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int | float):
        yield value
