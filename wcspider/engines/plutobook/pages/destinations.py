"""The positions of named elements and headings on the pages."""

from __future__ import annotations

from collections.abc import Mapping

import pikepdf

from wcspider.engines.base import Anchor, Heading
from wcspider.engines.document import headings
from wcspider.engines.plutobook.source.named_places import Places

Place = tuple[int, float, float]
"""The index of a page, and x and y in its default user space."""


def anchors(places: Places, found: Mapping[str, Place]) -> tuple[Anchor, ...]:
    """Return the positions of the names. A name without a position has that of the next name."""
    return tuple(Anchor(name, *found[own]) for name, own in places.names.items() if own in found)


def outline(places: Places, found: Mapping[str, Place]) -> tuple[Heading, ...]:
    """Return the headings on the pages, with their levels."""
    shown = ((title, rank, found[own]) for title, rank, own in places.headings if own in found)
    return headings.outline((title, rank, page, y) for title, rank, (page, _, y) in shown)


def destinations(pdf: pikepdf.Pdf) -> dict[str, Place]:
    """Return page, x and y of the named destinations (12.3.2.3).

    PlutoBook writes one for each page that an element is on, and one for each line of an inline element. The element
    begins at the highest one on the first page.
    """
    tree = pdf.Root.get("/Names", pikepdf.Dictionary()).get("/Dests")
    pages = {page.obj.objgen: number for number, page in enumerate(pdf.pages)}
    found: dict[str, Place] = {}
    stack = [] if tree is None else [tree]
    while stack:
        node = stack.pop()
        stack.extend(node.get("/Kids", ()))
        entries = list(node.get("/Names", ()))
        for name, place in zip(entries[::2], entries[1::2], strict=True):
            other = pages[place[0].objgen], round(float(place[2]), 2), round(float(place[3]), 2)
            found[str(name)] = min(found.get(str(name), other), other, key=_reading_order)
    return found


def _reading_order(place: Place) -> tuple[int, float]:
    page, _, y = place
    return page, -y
