"""SVG images as reportlab drawings. As in browsers, shapes with invalid lengths are not drawn."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Group, Image, Path
from reportlab.lib.fonts import tt2ps
from svglib.fonts import FontMap
from svglib.svglib import SvgRenderer, load_svg_file

from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.svg_source import is_html
from wcspider.engines.text import fonts, runs
from wcspider.engines.text.text_objects import ShapedCanvas
from wcspider.exceptions import SourceUnreadableError

SHORTEST, LONGEST = 0.01, 1_000_000.0
"""The limits of the width and height of an SVG image, in points."""

FARTHEST = 10_000_000.0
"""The largest coordinate in an image, in its own units."""

_SIZED = etree.XPath("//*[@font-size]")
_ABSOLUTE = re.compile(r"\s*\+?(\d+\.?\d*|\.\d+)(px|pt|pc|in|cm|mm|q)?\s*", re.IGNORECASE)
"""The format of a font size that does not refer to another one."""

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


def read_drawing(body: bytes) -> Vectors:
    """Read an SVG file; raise `SourceUnreadableError` if it cannot be drawn. Nothing outside `body` is read."""
    runs.load()
    drawing = _drawing_in(body)
    if drawing is None and is_html(body):
        raise SourceUnreadableError("the image cannot be read: it is an HTML page", "")
    if drawing is None:
        raise SourceUnreadableError("the SVG image cannot be read", "")
    return Vectors(drawing)


def _drawing_in(body: bytes) -> Any:
    """Return the drawing in an SVG file, or None if it cannot be drawn."""
    try:
        root = load_svg_file(io.BytesIO(body), resolve_entities=False)
        _remove_relative_sizes(root)
        drawing = SvgRenderer(io.BytesIO(), font_map=_Fonts()).render(root)
        if drawing is None or not all(SHORTEST <= length <= LONGEST for length in (drawing.width, drawing.height)):
            return None
        if not _has_valid_matrix(drawing) or (_remove_invalid(drawing) and not drawing.contents):
            return None
        # A trial, because a drawing that fails half-way would spoil the page.
        renderPDF.draw(drawing, _Trial(io.BytesIO()), 0, 0)
    except Exception:  # svglib and reportlab raise exceptions of many kinds for unsupported input
        return None
    return drawing


def _remove_relative_sizes(root: Any) -> None:
    """Remove the font sizes that refer to others, because svglib takes them for pixels, and invalid ones."""
    for element in _SIZED(root):
        if not _ABSOLUTE.fullmatch(element.get("font-size")):
            del element.attrib["font-size"]


class _Fonts(FontMap):
    """The bundled fonts. svglib would start fc-match for each family."""

    def find_font(self, font_name: str, weight: str = "normal", style: str = "normal") -> tuple[str, bool]:
        family = _GENERIC.get(font_name.split()[0].lower() if font_name.split() else "", fonts.SANS)
        bold = weight in ("bold", "bolder", "600", "700", "800", "900")
        return tt2ps(family, int(bold), int(style in ("italic", "oblique"))), True


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
