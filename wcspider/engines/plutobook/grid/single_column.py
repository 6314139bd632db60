"""The only column of a grid: items that are below each other, in a column that may be narrower than the grid.

PlutoBook has no grids, so the items become those of a flex container with the direction "column". There is nothing in
it like a column with a width of its own, so each item gets this width, and its place beside the free room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wcspider.engines.plutobook.css.lengths import Basis
from wcspider.engines.plutobook.grid.boxes import REPLACED, Box
from wcspider.engines.plutobook.grid.flex_lines import alignment
from wcspider.engines.plutobook.grid.tracks import Track, sizes

_FILLING: Final = frozenset({"normal", "stretch"})
_NARROWER: Final = 1.0
"""The least room in CSS pixels beside a narrow column."""


@dataclass(frozen=True, slots=True)
class NarrowColumn:
    """A column that is narrower than its grid."""

    side: str
    """Where it is, as the value of ``align-items`` of the flex container."""

    width: float
    """Its width in CSS pixels; that of a column with the size of its contents is an estimate."""

    by_content: bool
    fits_item: bool
    """True for a column that is as wide as its only item."""

    def style(self, item: Box) -> str:
        """Return the declarations that make an item as wide as the column."""
        if self.fits_item or item.element.tag in REPLACED:
            return ""
        name = "min-width" if self.by_content else "width"
        if name in item.values or "width" in item.values:
            return ""
        margins = sum(item.sides("margin", Basis(self.width, self.width)))
        return f"{name}: {max(self.width - margins, 0.0):.2f}px; box-sizing: border-box"


def narrow_column(track: Track, items: Sequence[Box], values: Mapping[str, str], basis: Basis) -> NarrowColumn | None:
    """Return the only column of a grid with these values; None if it is as wide as the grid or has narrower items.

    A column with the size of its contents takes the whole width unless ``justify-content`` says where it is (CSS Grid
    2, 11.8).
    """
    place = values.get("justify-content", "normal")
    fits_item = track.by_content and len(items) == 1
    if values.get("justify-items", "normal") not in _FILLING and not fits_item:
        return None
    if track.stretches and place not in _FILLING:
        track = replace(track, stretches=False)
    contents = max(item.preferred(basis) for item in items) if track.by_content else 0.0
    width = sizes([track], [contents], basis.container)[0]
    if width > basis.container - _NARROWER:
        return None
    side = "flex-start" if place in _FILLING else alignment(place)
    return NarrowColumn(side, width, track.by_content, fits_item)
