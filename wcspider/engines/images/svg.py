"""SVG images as drawings: a shape whose lengths are no numbers is left out, as a browser leaves it out."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import svglib.fonts
import svglib.svglib
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Group, Image, Path
from reportlab.lib.fonts import tt2ps
from svglib.svglib import Svg2RlgAttributeConverter, svg2rlg

from wcspider.engines.text import fonts, runs
from wcspider.engines.text.text_objects import ShapedCanvas

SHORTEST, LONGEST = 0.01, 1_000_000.0
"""How wide or high an SVG image may be, in points."""

FARTHEST = 10_000_000.0
"""How far from the origin anything in an image may be, in its own units."""

MEDIUM = 16.0
"""How large text is by default, in pixels."""

SIZES: Mapping[str, float] = {
    "xx-small": 9, "x-small": 10, "small": 13, "medium": MEDIUM, "initial": MEDIUM, "large": 18, "x-large": 24,
    "xx-large": 32,
}  # fmt: skip
"""The sizes of text that have names, in pixels."""

_SHARES: Mapping[str, float] = {"": 1, "inherit": 1, "unset": 1, "larger": 1.2, "smaller": 1 / 1.2}
_SHARE = re.compile(r"\+?(\d+\.?\d*|\.\d+)(%|em|ex)")
_UNITS: Mapping[str, float] = {"%": 0.01, "em": 1, "ex": 0.5}

_MOVE = 0
"""What a path begins with (`reportlab.graphics.shapes`)."""

_GENERIC = {"serif": fonts.SERIF, "monospace": fonts.MONO, "courier": fonts.MONO, "times": fonts.SERIF}


@cache
def install() -> None:
    """Give svglib the bundled fonts, once in a process; on its own it would start fc-match for each family."""
    runs.load()
    svglib.fonts._font_map = _Fonts()
    svglib.svglib.Svg2RlgAttributeConverter = Attributes  # type: ignore[misc]


def read_drawing(body: bytes) -> Any:
    """The drawing in an SVG file, None for one that cannot be drawn; nothing outside of `body` is read."""
    try:
        drawing = svg2rlg(io.BytesIO(body), resolve_entities=False)
        if drawing is None or not all(SHORTEST <= length <= LONGEST for length in (drawing.width, drawing.height)):
            return None
        if not _is_placed(drawing) or (_skip(drawing) and not drawing.contents):
            return None
        # Before it is part of a page: a page with half a drawing on it cannot be put right.
        renderPDF.draw(drawing, _Trial(io.BytesIO()), 0, 0)
    except Exception:  # svglib and reportlab raise of all kinds for what they do not know
        return None
    return drawing


class _Fonts(svglib.fonts.FontMap):
    def find_font(self, font_name: str, weight: str = "normal", style: str = "normal") -> tuple[str, bool]:
        family = _GENERIC.get(font_name.split()[0].lower() if font_name.split() else "", fonts.SANS)
        bold = weight in ("bold", "bolder", "600", "700", "800", "900")
        return tt2ps(family, int(bold), int(style in ("italic", "oblique"))), True


class Attributes(Svg2RlgAttributeConverter):
    """What reads attributes; svglib takes text of a share of the size around it for one of so many pixels."""

    def findAttr(self, svgNode: Any, name: str) -> str:  # noqa: N802, N803
        """The value of an attribute of an element, or of one around it; of a size of text in pixels."""
        found: str = super().findAttr(svgNode, name)
        return f"{self._font_size(svgNode):f}" if found and name == "font-size" else found

    def _font_size(self, node: Any) -> float:
        factor = 1.0
        while node is not None:
            super().findAttr(node, "font-size")  # lets the style sheets say what they have to
            own = node.attrib.get("font-size", "").strip().lower()
            if (size := self._size(own)) is not None:
                return factor * size
            factor *= _share(own)
            node = node.parent
        return factor * MEDIUM

    def _size(self, value: str) -> float | None:
        """A size that depends on no other; None for one that does, and for what is none."""
        if value in _SHARES or _SHARE.fullmatch(value):
            return None
        try:
            size = SIZES[value] if value in SIZES else self.convertLength(value)
        except ValueError:
            return None
        return None if isinstance(size, list) else size


def _share(value: str) -> float:
    match = _SHARE.fullmatch(value)
    return float(match[1]) * _UNITS[match[2]] if match else _SHARES.get(value, 1)


class _Trial(ShapedCanvas):
    """A canvas to find out on whether a drawing can be drawn."""

    def drawInlineImage(self, *_: Any, **__: Any) -> None:  # noqa: N802
        """Nothing: an image in a drawing was decoded when it was read."""


def _skip(group: Any) -> bool:
    """Take out of a group what cannot be drawn, and groups of nothing else; return whether there was any."""
    kept, found = [], False
    for node in group.contents:
        if isinstance(node, Group):
            inside = _skip(node)
            skipped_pages = not _is_placed(node) or (inside and not node.contents)
        else:
            inside, skipped_pages = False, not _is_drawable(node)
        found = found or inside or skipped_pages
        if not skipped_pages:
            kept.append(node)
    group.contents[:] = kept
    return found


def _is_placed(group: Any) -> bool:
    """Whether the matrix of a group has numbers, and makes more than a line or a point of what is in it."""
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
