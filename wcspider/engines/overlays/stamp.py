"""Provenance on the page: a line in the margin that says where a page came from, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from wcspider.engines.base import PageGeometry

HEADER, FOOTER = "header", "footer"
PLACES = (HEADER, FOOTER)
"""Where a stamp may be."""

ROOM = 24.0
"""The least margin that a stamp stands in, in points."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What is stamped on the pages of a page set."""

    place: str
    """`HEADER` or `FOOTER`."""

    url: str
    """The URL of its first source."""

    moment: datetime | None
    """When it was captured."""


def with_room(geometry: PageGeometry, place: str) -> PageGeometry:
    """Return the page with a margin that a stamp at `place` has room in; as it is for a place that is none."""
    if place == HEADER:
        return replace(geometry, margin_top=max(geometry.margin_top, ROOM))
    if place == FOOTER:
        return replace(geometry, margin_bottom=max(geometry.margin_bottom, ROOM))
    return geometry
