"""Link annotations that lead to where the links of the source lead (ISO 32000-1, 12.5.6.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pikepdf

from wcspider.engines.plutobook.source.link_targets import PRIVATE, Link
from wcspider.engines.saving import LinkAnnotation

_LINK = re.compile(rb"/URI \(%b(\d+)\)(.*)" % PRIVATE.encode())
"""A link of the source: its number, and the entries behind its action."""

_UPRIGHT = re.compile(rb"/QuadPoints \[ (\S+) (\S+) (\S+) \2 \3 (\S+) \1 \4 \]")
"""One quadrilateral (Table 173) with sides that are parallel to the axes, as qpdf writes it."""

_PLACE = re.compile(rb"/(?:QuadPoints|Rect) \[ [-\d. ]+\]")


class LinkAnnotations:
    """The Link annotations of a document that PlutoBook has laid out.

    A page may have thousands, so each is read once, as syntax.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        """`links` are the links of the source, by the numbers in their private URLs."""
        self._links = links
        self._common: dict[int, tuple[bytes, bytes]] = {}

    def take_from(self, page: pikepdf.Page) -> list[LinkAnnotation]:
        """Return the Link annotations of a page, and remove all annotations from the page."""
        annotations: Any = page.obj.get("/Annots")
        if annotations is None:
            return []
        del page.obj["/Annots"]
        syntax = b"\n".join([annotation.unparse(resolved=True) for annotation in annotations.as_list()])
        return [self._annotation(int(number), place) for number, place in _LINK.findall(syntax)]

    def _annotation(self, number: int, syntax: bytes) -> LinkAnnotation:
        """Return an annotation of the layout with the URI of its link. `syntax` has the entries with its area."""
        if number not in self._common:
            self._common[number] = _common_entries(self._links[number])
        uri, entries = self._common[number]
        return LinkAnnotation(uri, entries + _place(syntax))


def _common_entries(link: Link) -> tuple[bytes, bytes]:
    """Return the URI of a link, and the syntax of the entries that all its annotations have."""
    description = pikepdf.String(link.description).unparse()
    return link.target.encode(), b"<</Type/Annot/Subtype/Link/Border[0 0 0]/Contents %b" % description


def _place(syntax: bytes) -> bytes:
    """Return the syntax of the entries with the area of an annotation.

    cairo writes the area twice, in Rect as whole numbers. Pages have hundreds of links, and numbers compress badly: a
    second description would be 7 % of the file. So an upright area is described by Rect alone.
    """
    match = _UPRIGHT.search(syntax)
    if match is None:  # several areas
        return b"".join(_PLACE.findall(syntax))
    x0, y0, x1, y1 = map(float, match.groups())  # in any order, because the page may mirror the link
    return b"/Rect[%.2f %.2f %.2f %.2f]" % (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
