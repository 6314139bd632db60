"""The places where a content stream draws its XObjects, and the visible parts of the images in links."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import pikepdf

from wcspider.engines.plutobook.pages.small_images import number_of
from wcspider.engines.plutobook.source.image_links import Areas

DEEPEST = 12
"""How deep form XObjects are nested at most."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""

_CONSTRUCTION = frozenset({"m", "l", "c", "v", "y", "re"})
"""The operators that continue a path (8.5.2)."""

_PAINTING = frozenset({"n", "f", "F", "f*", "B", "B*", "b", "b*", "S", "s"})
"""The operators that end a path (8.5.3)."""

_OPERATORS = " ".join(("q Q cm Do W W*", *_CONSTRUCTION, *_PAINTING))


class Drawn(NamedTuple):
    """An XObject that is drawn."""

    name: str
    matrix: pikepdf.Matrix
    """From the space of the XObject to that of the page."""

    clip: Box | None
    """The box around the part of the page that is not clipped; None for the whole page."""


def xobjects_of(holder: pikepdf.Object) -> Any:
    """Return the XObjects in the resources of a page or a form XObject, by their names."""
    return holder.get("/Resources", pikepdf.Dictionary()).get("/XObject", pikepdf.Dictionary())


def drawn(holder: pikepdf.Object, matrix: pikepdf.Matrix, clip: Box | None = None) -> Iterator[Drawn]:
    """Yield the XObjects that the content stream of a page or a form XObject draws."""
    stack: list[tuple[pikepdf.Matrix, Box | None]] = []
    path: list[Any] = []  # the coordinates are read only if the path clips
    is_clip = False
    content: Any = pikepdf.Page(holder) if holder.get("/Type") == "/Page" else holder
    for instruction in pikepdf.parse_content_stream(content, _OPERATORS):
        operator = str(instruction.operator)
        if operator == "q":
            stack.append((matrix, clip))
        elif operator == "Q" and stack:
            matrix, clip = stack.pop()
        elif operator == "cm":
            matrix = pikepdf.Matrix(*map(float, instruction.operands)) @ matrix
        elif operator == "Do":
            yield Drawn(str(instruction.operands[0]), matrix, clip)
        elif operator in _CONSTRUCTION:
            path.append(instruction)
        elif operator in _PAINTING:
            if is_clip and path:
                clip = _shared(clip, _around(list(chain.from_iterable(map(_points, path))), matrix))
            path, is_clip = [], False
        elif operator in ("W", "W*"):
            is_clip = True


def linked_areas(page: pikepdf.Page, numbers: Mapping[int, Areas]) -> list[tuple[int, Box]]:
    """Return the number of the link and the box of each visible area of the images on a page.

    `numbers` are the areas of images by the numbers of the small images.
    """
    return list(_areas(page.obj, pikepdf.Matrix(), None, numbers, 0)) if numbers else []


def _areas(
    holder: pikepdf.Object, matrix: pikepdf.Matrix, clip: Box | None, numbers: Mapping[int, Areas], depth: int
) -> Iterator[tuple[int, Box]]:
    if not has_any(holder, numbers, depth):
        return
    xobjects = xobjects_of(holder)
    for name, own, visible in drawn(holder, matrix, clip):
        thing = xobjects.get(name)
        if thing is None:
            continue
        if thing.get("/Subtype") == "/Form":
            yield from _areas(thing, own, visible, numbers, depth + 1)
        number = number_of(thing)
        for area in numbers.get(number, ()) if number is not None else ():
            edges = (area.left, 1 - area.bottom), (area.right, 1 - area.top)
            left, bottom, right, top = box = _shared(visible, _around(edges, own))
            if left < right and bottom < top:
                yield area.link, box


def has_any(holder: pikepdf.Object, numbers: Container[int | None], depth: int = 0) -> bool:
    """Tell whether a page or a form XObject has small images with certain numbers, also in its form XObjects."""
    return depth <= DEEPEST and any(
        number_of(thing) in numbers or (thing.get("/Subtype") == "/Form" and has_any(thing, numbers, depth + 1))
        for thing in xobjects_of(holder).values()
    )


def _points(construction: Any) -> list[tuple[float, float]]:
    """Return the points of an operator that continues a path, or two opposite corners of a rectangle."""
    numbers = [float(number) for number in construction.operands]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    if str(construction.operator) == "re":
        (x, y), (width, height) = points
        points[1] = x + width, y + height
    return points


def _around(points: Sequence[tuple[float, float]], matrix: pikepdf.Matrix) -> Box:
    """Return the box around the box of points, transformed."""
    across, down = [x for x, _ in points], [y for _, y in points]
    box = matrix.transform(pikepdf.Rectangle(min(across), min(down), max(across), max(down)))
    return box.llx, box.lly, box.urx, box.ury


def _shared(one: Box | None, other: Box) -> Box:
    if one is None:
        return other
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
