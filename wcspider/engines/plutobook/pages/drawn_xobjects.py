"""The places where a content stream draws its XObjects, and the visible parts of the images in links."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pikepdf

from wcspider.engines.plutobook.pages.small_images import number_of
from wcspider.engines.plutobook.source.image_links import Areas
from wcspider.engines.plutobook.text.content_text import TEXT_OBJECT

DEEPEST = 12
"""How deep form XObjects are nested at most."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""

_NUMBERS = rb"(?:[-+.\d]+\s+)+"
_SEGMENT = re.compile(rb"(%b)(m|l|c|v|y|re)\s" % _NUMBERS)
"""An operator that continues a path (8.5.2)."""

_DRAWING = re.compile(rb"/\S+\s+Do(?!\S)")
"""An operator that draws an XObject. Most pages draw only a few, at their beginning."""

_INSTRUCTION = re.compile(
    rb"(?<!\S)(?:"
    rb"(?P<path>(?:(?:%b(?:m|l|c|v|y|re)|h)\s+)+)(?:(?P<clipping>W\*?)\s+)?(?:n|[fBb]\*?|[FSs])"
    rb"|(?P<matrix>%b)cm"
    rb"|/(?P<xobject>\S+)\s+Do"
    rb"|(?P<state>[qQ])"
    rb")(?!\S)" % (_NUMBERS, _NUMBERS)
)
"""A path with the operator that ends it (8.5.3), or an operator that is no part of a path, as cairo writes them."""


class Drawn(NamedTuple):
    """An XObject that is drawn."""

    name: str
    xobject: Any
    matrix: pikepdf.Matrix
    """From the space of the XObject to that of the page."""

    clip: Box | None
    """The box around the part of the page that is not clipped; None for the whole page."""

    @property
    def is_form(self) -> bool:
        """Whether the XObject has a content stream of its own (8.10)."""
        return bool(self.xobject.get("/Subtype") == "/Form")


def xobjects_of(holder: pikepdf.Object) -> Any:
    """Return the XObjects in the resources of a page or a form XObject, by their names."""
    return holder.get("/Resources", pikepdf.Dictionary()).get("/XObject", pikepdf.Dictionary())


def drawn(holder: pikepdf.Object, matrix: pikepdf.Matrix, clip: Box | None = None) -> Iterator[Drawn]:
    """Yield the XObjects that the content stream of a page or a form XObject draws."""
    stack: list[tuple[pikepdf.Matrix, Box | None]] = []
    xobjects = xobjects_of(holder)
    content = (holder["/Contents"] if holder.get("/Type") == "/Page" else holder).read_bytes()
    end = max((match.end() for match in _DRAWING.finditer(content)), default=0)
    for match in _INSTRUCTION.finditer(TEXT_OBJECT.sub(b"", content[:end])):
        kind = match.lastgroup
        if kind == "clipping":
            clip = _shared(clip, _around(list(_points(match["path"])), matrix))
        elif kind == "matrix":
            matrix = pikepdf.Matrix(*map(float, match["matrix"].split())) @ matrix
        elif kind == "xobject":
            if (name := f"/{match['xobject'].decode()}") in xobjects:
                yield Drawn(name, xobjects[name], matrix, clip)
        elif match["state"] == b"q":
            stack.append((matrix, clip))
        elif match["state"] == b"Q" and stack:
            matrix, clip = stack.pop()


def linked_areas(page: pikepdf.Page, numbers: Mapping[int, Areas]) -> list[tuple[int, Box]]:
    """Return the number of the link and the box of each visible area of the images on a page.

    `numbers` are the areas of images by the numbers of the small images.
    """
    return list(_areas(page.obj, pikepdf.Matrix(), None, numbers, 0)) if numbers else []


def _areas(
    holder: pikepdf.Object, matrix: pikepdf.Matrix, clip: Box | None, numbers: Mapping[int, Areas], depth: int
) -> Iterator[tuple[int, Box]]:
    for one in drawn(holder, matrix, clip) if has_any(holder, numbers, depth) else ():
        if one.is_form:
            yield from _areas(one.xobject, one.matrix, one.clip, numbers, depth + 1)
        for area in numbers.get(number_of(one.xobject), ()):
            edges = (area.left, 1 - area.bottom), (area.right, 1 - area.top)
            left, bottom, right, top = box = _shared(one.clip, _around(edges, one.matrix))
            if left < right and bottom < top:
                yield area.link, box


def has_any(holder: pikepdf.Object, numbers: Container[int], depth: int = 0) -> bool:
    """Tell whether a page or a form XObject has small images with certain numbers, also in its form XObjects."""
    return depth <= DEEPEST and any(
        number_of(thing) in numbers or (thing.get("/Subtype") == "/Form" and has_any(thing, numbers, depth + 1))
        for thing in xobjects_of(holder).values()
    )


def _points(path: bytes) -> Iterator[tuple[float, float]]:
    """Yield the points of a path; of rectangles, two opposite corners."""
    for operands, operator in _SEGMENT.findall(path):
        numbers = list(map(float, operands.split()))
        if operator == b"re":
            numbers[2:] = numbers[0] + numbers[2], numbers[1] + numbers[3]
        yield from zip(numbers[::2], numbers[1::2], strict=True)


def _around(points: Sequence[tuple[float, float]], matrix: pikepdf.Matrix) -> Box:
    """Return the box around the box of points, transformed."""
    across, down = [x for x, _ in points], [y for _, y in points]
    box = matrix.transform(pikepdf.Rectangle(min(across), min(down), max(across), max(down)))
    return box.llx, box.lly, box.urx, box.ury


def _shared(one: Box | None, other: Box) -> Box:
    if one is None:
        return other
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])
