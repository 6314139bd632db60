"""Link annotations that lead to where the links of the source lead (ISO 32000-1, 12.5.6.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pikepdf

from wcspider.engines.plutobook.pages.drawn_xobjects import Box
from wcspider.engines.plutobook.source.link_targets import PRIVATE, Link
from wcspider.engines.saving import LinkAnnotation

_PAGE = re.compile(rb"endobj\n(\d+) 0 obj\n<< /Type /Page .*\n(?:   .*\n)+?   /Annots \[ ([\d R]+)\]\n")
"""A page as cairo writes it: the number of its object, and the references to its annotations."""

_LINK = re.compile(
    rb"endobj\n(\d+) 0 obj\n<< /Type /Annot\n   /Subtype /Link\n((?:   .*\n)+?)"
    rb"   /A <<\n(?:      .*\n)*?      /URI \(%b(\d+)\)\n" % PRIVATE.encode()
)
"""A Link annotation: the number of its object, the entries with its area, the number of its link."""

_UPRIGHT = re.compile(rb"/QuadPoints \[ (\S+) (\S+) (\S+) \2 \3 (\S+) \1 \4 \]")
"""One quadrilateral (Table 173) with sides that are parallel to the axes."""

_PLACE = re.compile(rb"/(?:QuadPoints|Rect) \[ [-\d. ]+\]")
_REFERENCE = re.compile(rb"(\d+) 0 R")


class LinkAnnotations:
    """The Link annotations of a document that PlutoBook has laid out.

    A page may have thousands, so they are read from the file as cairo wrote it: qpdf would need a tenth of the time of
    the layout.
    """

    def __init__(self, links: Sequence[Link], pdf: bytes) -> None:
        """`links` are the links of the source, by the numbers in their private URLs; `pdf` is the file."""
        self._links = links
        drawn = {int(of): (int(number), entries) for of, entries, number in _LINK.findall(pdf)}
        self._drawn = {
            int(page): [drawn[of] for of in map(int, _REFERENCE.findall(annotations)) if of in drawn]
            for page, annotations in _PAGE.findall(pdf)
        }
        """The number of the link, and the entries with the area, of each annotation by the object of its page."""

        self._common: dict[int, tuple[bytes, bytes]] = {}

    def take_from(self, page: pikepdf.Page, images: Sequence[tuple[int, Box]] = ()) -> list[LinkAnnotation]:
        """Return the Link annotations of a page, and remove all annotations from the page.

        `images` are the images in links, or parts of them, with the numbers of the links. Where one of them is larger
        than the annotation that PlutoBook made for its line, it takes the place of the annotation.
        """
        if "/Annots" in page.obj:
            del page.obj["/Annots"]
        found = self._drawn.get(page.obj.objgen[0], [])
        if images:
            upright = [(number, _box(place)) for number, place in found]
            images = [image for image in images if not _is_inside(image, upright)]
            found = [link for link, place in zip(found, upright, strict=True) if not _is_inside(place, images)]
        areas = [*((number, _place(place)) for number, place in found), *((n, _rectangle(*box)) for n, box in images)]
        return [self._annotation(number, area) for number, area in areas]

    def _annotation(self, number: int, place: bytes) -> LinkAnnotation:
        """Return an annotation with the URI of its link. `place` has the entries with its area."""
        if number not in self._common:
            self._common[number] = _common_entries(self._links[number])
        uri, entries = self._common[number]
        return LinkAnnotation(uri, entries + place)


def _common_entries(link: Link) -> tuple[bytes, bytes]:
    """Return the URI of a link, and the syntax of the entries that all its annotations have."""
    description = pikepdf.String(link.description).unparse()
    return link.target.encode(), b"<</Type/Annot/Subtype/Link/Border[0 0 0]/Contents %b" % description


def _place(syntax: bytes) -> bytes:
    """Return the syntax of the entries with the area of an annotation.

    cairo writes the area twice, in Rect as whole numbers. Pages have hundreds of links, and numbers compress badly: a
    second description would be 7 % of the file. So an upright area is described by Rect alone.
    """
    box = _box(syntax)
    return b"".join(_PLACE.findall(syntax)) if box is None else _rectangle(*box)


def _box(syntax: bytes) -> Box | None:
    """Return the box of an upright area; None for several areas. The page may mirror the link."""
    match = _UPRIGHT.search(syntax)
    if match is None:
        return None
    x0, y0, x1, y1 = map(float, match.groups())
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _rectangle(left: float, bottom: float, right: float, top: float) -> bytes:
    return b"/Rect[%.2f %.2f %.2f %.2f]" % (left, bottom, right, top)


def _is_inside(place: tuple[int, Box | None], others: Sequence[tuple[int, Box | None]]) -> bool:
    """Tell whether the middle of an area is in another area of the same link."""
    number, box = place
    if box is None:
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    boxes = (other for of, other in others if of == number and other is not None)
    return any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in boxes)
