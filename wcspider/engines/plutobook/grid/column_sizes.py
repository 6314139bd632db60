"""The sizes of the columns of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import NamedTuple

from wcspider.engines.plutobook.grid.partition import Cell
from wcspider.engines.plutobook.grid.placement import Area
from wcspider.engines.plutobook.grid.tracks import Track


class NarrowItem(NamedTuple):
    """An item with a width of its own that does not fill its columns."""

    width: float
    """The width in pixels, with paddings."""

    side: str
    """The side of its columns at which it is: "left", "center" or "right"."""

    def margins(self, room: str, half: str | None = None) -> str:
        """Return the declarations of the margins that fill its columns: all of the room, or half of it at each side."""
        sides = {"left": ("0", room), "center": (half or room, half or room), "right": (room, "0")}
        left, right = sides[self.side]
        return f"margin-left: {left}; margin-right: {right}"


@dataclass(frozen=True)
class Geometry:
    """The columns of a grid, with their estimated sizes in pixels."""

    tracks: Sequence[Track]
    sizes: Sequence[float]
    room: float
    """The width of the container."""

    column_gap: float
    row_gap: float
    values: Mapping[str, str]
    """The declared values of the container."""

    margins: Sequence[float]
    """The margins at the left and at the right of each item in pixels, by its place in the source."""

    narrow: Sequence[NarrowItem | None]
    """The items that are narrower than their columns, by their places in the source; None for the others."""

    is_full: bool
    """True if the contents of the columns are certainly too wide: they share the room (CSS Grid 2, 12.6)."""

    is_ordered: bool
    """True if items have an ``order`` of their own."""

    def width(self, area: Area) -> float:
        """Return the width of an area, including the gaps in it."""
        return sum(self.sizes[area.column : area.right]) + self.column_gap * (area.columns - 1)

    def percent(self, width: float) -> str:
        """Return a width as a percentage of the container, rounded down so that a full line does not wrap.

        In a container without room, which only an estimate may be, each width is the whole.
        """
        share = width / self.room if self.room > 0 else 1.0
        return f"{floor(10_000 * share) / 100:.2f}%"

    def tracks_of(self, area: Area) -> Sequence[Track]:
        """Return the columns of an area."""
        return self.tracks[area.column : area.right]

    def share(self, area: Area) -> float:
        """Return the sum of the shares (``fr``) of the columns of an area."""
        return sum(track.share for track in self.tracks_of(area))

    def fixed(self, area: Area) -> float:
        """Return the sum of the fixed sizes of the columns of an area, and the gaps between its columns."""
        sizes = zip(self.tracks_of(area), self.sizes[area.column : area.right], strict=True)
        own = sum(min(track.pixels, size) for track, size in sizes if not track.share)
        return own + self.column_gap * (area.columns - 1)

    def margin_of(self, cell: Cell) -> float:
        """Return the sum of the margins of a cell at the left and at the right in pixels; a group has none."""
        return self.margins[cell.item] if cell.item is not None else 0.0

    def narrow_item(self, cell: Cell) -> NarrowItem | None:
        """Return the item of a cell if it is narrower than its columns."""
        return self.narrow[cell.item] if cell.item is not None else None

    def part(self, area: Area) -> Geometry:
        """Return the columns of an area as those of a grid of their own."""
        sizes = self.sizes[area.column : area.right]
        return replace(self, tracks=self.tracks_of(area), sizes=sizes, room=self.width(area))
