"""SVG images as drawings: a shape whose lengths are no numbers is left out, as a browser leaves it out."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from typing import Any

from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Group, Image, Path
from svglib.svglib import svg2rlg

from wcspider.engines.textobject import ShapedCanvas

SHORTEST, LONGEST = 0.01, 1_000_000.0
"""How wide or high an SVG image may be, in points."""

FARTHEST = 10_000_000.0
"""How far from the origin anything in an image may be, in its own units."""

_MOVE = 0
"""What a path begins with (`reportlab.graphics.shapes`)."""


def read_drawing(body: bytes) -> Any:
    """The drawing in an SVG file, None for one that cannot be drawn; nothing outside of `body` is read."""
    try:
        drawing = svg2rlg(io.BytesIO(body), resolve_entities=False)
        if drawing is None or not all(SHORTEST <= length <= LONGEST for length in (drawing.width, drawing.height)):
            return None
        if not _is_placed(drawing) or (_leave_out(drawing) and not drawing.contents):
            return None
        # Before it is part of a page: a page with half a drawing on it cannot be put right.
        renderPDF.draw(drawing, _Trial(io.BytesIO()), 0, 0)
    except Exception:  # svglib and reportlab raise of all kinds for what they do not know
        return None
    return drawing


class _Trial(ShapedCanvas):
    """A canvas to find out on whether a drawing can be drawn."""

    def drawInlineImage(self, *_: Any, **__: Any) -> None:  # noqa: N802
        """Nothing: an image in a drawing was decoded when it was read."""


def _leave_out(group: Any) -> bool:
    """Take out of a group what cannot be drawn, and groups of nothing else; return whether there was any."""
    kept, found = [], False
    for node in group.contents:
        if isinstance(node, Group):
            inside = _leave_out(node)
            left_out = not _is_placed(node) or (inside and not node.contents)
        else:
            inside, left_out = False, not _is_drawable(node)
        found = found or inside or left_out
        if not left_out:
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
