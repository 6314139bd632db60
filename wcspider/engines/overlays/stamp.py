"""Stamps: a line in the margin of each PDF page with the URL and the time of the capture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from wcspider.engines.base import PageGeometry

HEADER, FOOTER = "header", "footer"
PLACES = (HEADER, FOOTER)
"""The places of a stamp."""

ROOM = 24.0
"""The smallest margin that has room for a stamp, in points."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The content of the stamps of a page set."""

    place: str
    """`HEADER` or `FOOTER`."""

    url: str
    """The URL of its first source."""

    moment: datetime | None
    """The time of the capture."""


def with_room(geometry: PageGeometry, place: str) -> PageGeometry:
    """Return the geometry with room for a stamp at `place`; unchanged if `place` is not in `PLACES`."""
    if place == HEADER:
        return replace(geometry, margin_top=max(geometry.margin_top, ROOM))
    if place == FOOTER:
        return replace(geometry, margin_bottom=max(geometry.margin_bottom, ROOM))
    return geometry
