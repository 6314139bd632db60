"""CSS grids rewritten as flex containers, because PlutoBook has no grids (CSS Grid 2).

Items that are side by side in a grid are side by side in the flex container. If this is impossible, the items become
blocks, one below the other, so that no text is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Final

import tinycss2

from wcspider.engines.document.html_trees import BLOCKS, HAS_TEXT
from wcspider.engines.plutobook.css.element_styles import PageStyles, add_style
from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.engines.plutobook.grid.boxes import (
    LETTER,
    Box,
    items_of,
    remove_spaces,
    wrap_text,
)
from wcspider.engines.plutobook.grid.column_sizes import Geometry, NarrowItem
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.grid.flex_lines import (
    CELL,
    alignment,
    container_style,
    write_lines,
)
from wcspider.engines.plutobook.grid.partition import Cell, partition
from wcspider.engines.plutobook.grid.placement import Area, Lines, Span, areas_of, line_names, place, span
from wcspider.engines.plutobook.grid.single_column import NarrowColumn, narrow_column
from wcspider.engines.plutobook.grid.tracks import (
    AUTO,
    Track,
    TrackList,
    is_subgrid,
    sizes,
    subgrid,
    track_list,
    wanted,
)

MAX_CONTAINERS: Final = 2_000
MAX_ITEMS: Final = 10_000
"""The number of items of a grid; a grid with more becomes blocks."""

_ALIGNMENTS: Final = frozenset({"justify-items", "align-items", "justify-content", "align-content"})
_MOVED: Final = ("flex-end", "center")
"""The alignments that move an item away from the start."""

_SIDES: Final = {(True, True): "center", (True, False): "right", (False, True): "left"}
"""The side of an item, by whether its left and its right margin is ``auto`` (CSS Grid 2, 11.2)."""

_NARROWER: Final = 2.0
"""By how many pixels an item is narrower than its area if it does not fill it: sizes are estimated."""

_FULL: Final = 2.0
"""How many times as wide as a container its contents are if there is certainly no room for them."""

_OPAQUE: Final = frozenset({"math", "select", "svg", "textarea"})
"""The elements in which nothing is a grid container."""

_NO_CONTAINERS: Final = _OPAQUE | {"details"}
"""The elements that are no grid containers. The contents of DETAILS are in a box of their own."""

_GRID: Final = re.compile("display:(inline-)?grid", re.IGNORECASE)


def rewrite_grids(styles: PageStyles, viewport_width: float) -> None:
    """Rewrite the grid containers of a page as flex containers.

    ``viewport_width`` is the width of the page area in CSS pixels. The style attributes of containers and items are
    changed in place. Elements named ``wcspider-group`` are inserted around items beside an item that spans rows, and
    around text between items.
    """
    candidates = _candidates(styles)
    if not candidates:
        return
    wrapped = [wrap_text(element) for element in candidates]
    if any(wrapped):
        styles.restructured()
    widths = ContainerWidths(styles, viewport_width)
    for wrapper in islice(_grids(styles, candidates), MAX_CONTAINERS):
        _Container(wrapper, styles, widths).rewrite()
    styles.restructured()


def measured_widths(styles: PageStyles, viewport_width: float) -> ContainerWidths:
    """Return the estimated widths of elements, with those of the areas of grid items. The page is not changed.

    ``viewport_width`` is the width of the page area in CSS pixels.
    """
    widths = ContainerWidths(styles, viewport_width)
    for wrapper in islice(_grids(styles, _candidates(styles)), MAX_CONTAINERS):
        _Container(wrapper, styles, widths).measure()
    return widths


def _candidates(styles: PageStyles) -> set[Any]:
    """Return the elements that may be grid containers."""
    found = styles.elements_with(_GRID)
    return {e for e in found if e.tag not in _NO_CONTAINERS and next(e.iterancestors(*_OPAQUE), None) is None}


def _grids(styles: PageStyles, candidates: Iterable[Any]) -> Iterator[Any]:
    """Yield the grid containers, in document order."""
    for wrapper in styles.wrappers_of(candidates):
        if _GRID.match(f"display:{styles.values(wrapper).get('display')}"):
            yield wrapper


class _Container:
    """One grid container that is rewritten."""

    def __init__(self, wrapper: Any, styles: PageStyles, widths: ContainerWidths) -> None:
        self._wrapper, self._styles = wrapper, styles
        self._element = wrapper.etree_element
        self._values = styles.values(wrapper)
        self._widths = widths
        self._shared: TrackList | None = None
        """The columns of a subgrid."""

        if is_subgrid(self._values) and id(self._element) in widths.subgrids:
            self._shared, gap = widths.subgrids[id(self._element)]
            self._values = {"column-gap": f"{gap}px", **self._values}
        self._basis = widths.basis(wrapper)
        self._items = items_of(wrapper, styles)

    def rewrite(self) -> None:
        """Change the styles of the container and its items."""
        remove_spaces(self._element)
        columns = self._columns()
        if columns is None or not 0 < len(self._items) <= MAX_ITEMS:
            self._as_one_column(range(len(self._items)), None)
            return
        try:
            areas, columns = self._placed(columns)
        except ValueError:
            self._as_blocks()
            return
        if max(area.right for area in areas) <= 1:
            column = narrow_column(columns.tracks[0], self._items, self._values, self._basis)
            self._as_one_column([area.row for area in areas], column)
            return
        lines, geometry = partition(areas), self._geometry(columns.tracks, areas)
        for item, area in zip(self._items, areas, strict=True):
            shared = columns.part(area.column, geometry.sizes[area.column : area.right])
            self._widths.subgrids[id(item.element)] = shared, geometry.column_gap
        if any(map(_overlap, lines)):
            self._as_blocks()
        else:
            self._as_lines(lines, areas, geometry)

    def measure(self) -> None:
        """Note the widths of the areas of the items."""
        columns = self._columns()
        if columns is None or not 0 < len(self._items) <= MAX_ITEMS:
            return
        with suppress(ValueError):
            areas, columns = self._placed(columns)
            geometry = self._geometry(columns.tracks, areas)
            for number, area in enumerate(areas):
                self._note_width(number, area, geometry)

    def _as_lines(self, lines: Sequence[Sequence[Cell]], areas: Sequence[Area], geometry: Geometry) -> None:
        for number, (item, area) in enumerate(zip(self._items, areas, strict=True)):
            self._note_width(number, area, geometry)
            item.element.set(CELL, str(int(geometry.width(area) / LETTER)))
            if geometry.narrow[number] is None:
                self._align(item)
            add_style(item.element, self._height(item, area))
        if len(lines) > 1 and self._has_width_of(geometry.tracks):
            add_style(self._element, f"width: {geometry.room:.2f}px; box-sizing: content-box; max-width: 100%")
        write_lines(self._element, [item.element for item in self._items], lines, geometry)

    def _note_width(self, number: int, area: Area, geometry: Geometry) -> None:
        narrow = geometry.narrow[number]
        width = geometry.width(area) if narrow is None else narrow.width
        self._widths.areas[id(self._items[number].element)] = width

    def _gap(self, axis: str) -> float:
        return max(pixels(self._values.get(f"{axis}-gap", "0"), self._basis) or 0.0, 0.0)

    def _columns(self) -> TrackList | None:
        value = self._values.get("grid-template-columns", "none")
        if self._shared is not None:
            return subgrid(value, self._shared)
        return track_list(value, self._basis, self._gap("column"))

    @cached_property
    def _rows(self) -> TrackList:
        return track_list(self._values.get("grid-template-rows", "none"), self._basis, 0.0) or TrackList()

    @cached_property
    def _implicit_rows(self) -> Sequence[Track]:
        found = track_list(self._values.get("grid-auto-rows", "auto"), self._basis, 0.0)
        return found.tracks if found is not None and found.tracks else [AUTO]

    def _placed(self, columns: TrackList) -> tuple[list[Area], TrackList]:
        """Return the areas of the items, and the columns including implicit columns."""
        rows = self._rows
        strings = _strings(self._values.get("grid-template-areas", ""))
        named = areas_of(strings)
        while len(columns.tracks) < max((area.right for area in named.values()), default=0):
            columns.tracks.append(AUTO)
        row_count = max(len(rows.tracks), len(strings))
        row_lines, column_lines = line_names(rows.lines, columns.lines, named)
        spans = [_spans(item.values, row_count, len(columns.tracks), row_lines, column_lines) for item in self._items]
        flow = self._values.get("grid-auto-flow", "row").split()
        areas = place(spans, len(columns.tracks), by_column="column" in flow, rows=row_count, dense="dense" in flow)
        last = max(area.right for area in areas)
        if columns.fits and last < len(columns.tracks):
            columns.tracks = columns.tracks[:last]
        implicit = track_list(self._values.get("grid-auto-columns", "auto"), self._basis, 0)
        more = implicit.tracks if implicit is not None and implicit.tracks else [AUTO]
        while len(columns.tracks) < last:
            columns.tracks.append(more[len(columns.tracks) % len(more)])
        return areas, columns

    def _geometry(self, tracks: Sequence[Track], areas: Sequence[Area]) -> Geometry:
        gap = self._gap("column")
        contents = self._contents(tracks, areas)
        gaps = gap * (len(tracks) - 1)
        room = self._basis.container - gaps
        if self._has_width_of(tracks):
            room = min(room, sum(track.pixels for track in tracks))
        geometry = Geometry(
            tracks=tracks,
            sizes=sizes(tracks, contents, room),
            room=room + gaps,
            column_gap=gap,
            row_gap=self._gap("row"),
            values=self._values,
            margins=[sum(item.sides("margin", replace(self._basis, container=room))) for item in self._items],
            narrow=[None] * len(self._items),
            is_full=all(t.stretches or t.pixels for t in tracks) and sum(map(wanted, tracks, contents)) >= _FULL * room,
            is_ordered=any(item.order for item in self._items),
        )
        rooms = map(geometry.width, areas)
        return replace(geometry, narrow=list(map(self._narrow, self._items, rooms)))

    def _has_width_of(self, tracks: Sequence[Track]) -> bool:
        """Tell whether the grid is as wide as its columns, which have fixed sizes, because it is inline."""
        is_inline = self._values.get("display", "").startswith("inline") and "width" not in self._values
        return is_inline and all(track.pixels and not track.share for track in tracks)

    def _narrow(self, item: Box, room: float) -> NarrowItem | None:
        """Return the width and the side of an item that does not fill its area of a width; None if it does."""
        basis = replace(self._basis, container=0.0)  # a percentage refers to the area
        width = item.given("width", basis)
        if width is None or not 0 < width <= room - _NARROWER:
            return None
        is_pushed = item.values.get("margin-left") == "auto", item.values.get("margin-right") == "auto"
        return NarrowItem(width, _SIDES.get(is_pushed) or self._physical_side(item))

    def _physical_side(self, item: Box) -> str:
        """Return at which side of its area an item is: "left", "center" or "right"."""
        side = self._side(item)
        if side == "center":
            return side
        directions = (e.get("dir", "").lower() for e in (self._element, *self._element.iterancestors()))
        is_mirrored = next(filter(None, directions), "") == "rtl"
        return "left" if (side == "flex-end") is is_mirrored else "right"

    def _side(self, item: Box) -> str:
        """Return how an item is aligned in its area (CSS Box Alignment 3, 6.1)."""
        side = item.values.get("justify-self", "auto")
        return alignment(self._values.get("justify-items", "") if side == "auto" else side)

    def _contents(self, tracks: Sequence[Track], areas: Sequence[Area]) -> list[float]:
        """Return the width that the items in each column alone need, if the size of the column depends on them."""
        contents = [0.0] * len(tracks)
        for placed, area in zip(self._items, areas, strict=True):
            for item, column in self._alone(placed, range(area.column, area.right)):
                if tracks[column].by_content:
                    contents[column] = max(contents[column], item.preferred(self._basis))
        return contents

    def _alone(self, item: Box, columns: Sequence[int]) -> Iterator[tuple[Box, int]]:
        """Yield an item that is in a single column, and the items of a subgrid, whose own places are not read."""
        if len(columns) == 1:
            yield item, columns[0]
        if is_subgrid(item.values):
            for place, inner in enumerate(items_of(self._styles.wrapper_of(item.element), self._styles)):
                column = columns[place % len(columns)]
                yield from self._alone(inner, columns if is_subgrid(inner.values) else [column])

    def _align(self, item: Box) -> None:
        """Align the contents of an item, which fills its area, as the item is aligned (CSS Box Alignment 3, 6.1)."""
        side, display = self._side(item), item.values.get("display", "")
        if side not in _MOVED:
            return
        if "flex" in display:
            add_style(item.element, f"{'align-items' if item.is_column else 'justify-content'}: {side}")
        elif BLOCKS.isdisjoint(found.tag for found in item.element.iterdescendants()):
            add_style(item.element, f"text-align: {side.removeprefix('flex-')}")

    def _height(self, item: Box, area: Area, around: float = 0.0) -> str:
        """Return the declaration of the height of an item that fills its rows, as far as they are fixed.

        `around` is the height of the paddings that do not belong to the declared height.
        """
        rows = [self._row(number) for number in range(area.row, area.row + area.rows)]
        height = sum(row.pixels or row.least for row in rows)
        height += self._gap("row") * (len(rows) - 1) if height else 0.0
        declared = item.values.get("height", "")
        if "%" in declared and all(row.pixels for row in rows) and not HAS_TEXT(item.element):
            part = pixels(declared, Basis(height, height))
            return "" if part is None else f"height: {part:.2f}px"
        aligned = item.values.get("align-self", "auto")
        aligned = self._values.get("align-items", "normal") if aligned == "auto" else aligned
        if aligned not in ("normal", "stretch") or not {"height", "min-height"}.isdisjoint(item.values):
            return ""
        return f"min-height: {height - around:.2f}px" if height > around else ""

    def _row(self, number: int) -> Track:
        """Return a row, which may be implicit (CSS Grid 2, 7.6)."""
        rows, more = self._rows.tracks, self._implicit_rows
        return rows[number] if number < len(rows) else more[(number - len(rows)) % len(more)]

    def _as_one_column(self, places: Sequence[int], column: NarrowColumn | None) -> None:
        """Place the items below each other, with the gaps and alignment of the grid; ``places`` are their rows."""
        rows, values = self._rows.tracks, self._values
        has_shares = any(track.share for track in rows)
        if len(self._items) == 1 and alignment(values.get("align-items", "")) in _MOVED:
            values = {"align-content": values["align-items"], **values}  # its row is as high as the grid
        for item, row in zip(self._items, places, strict=True):
            paddings = (pixels(item.values.get(f"padding-{side}", "0"), self._basis) for side in ("top", "bottom"))
            around = 0.0 if item.values.get("box-sizing") == "border-box" else sum(size or 0.0 for size in paddings)
            add_style(item.element, self._height(item, Area(row, 0), around))
            if column is not None:
                add_style(item.element, column.style(item))
                self._widths.areas[id(item.element)] = column.width
        values = values if column is None else {**values, "justify-items": column.side}
        is_sorted = list(places) == sorted(places)
        is_aligned = not _ALIGNMENTS.isdisjoint(self._values) or any("justify-self" in i.values for i in self._items)
        if is_sorted and not (self._gap("row") or has_shares or is_aligned):
            self._as_blocks()
            return
        container_style(self._element, values, direction="column", row_gap=self._gap("row"))
        for item, row in zip(self._items, places, strict=True):
            styles = [] if is_sorted else [f"order: {row}"]
            styles += [f"flex: {rows[row].share:g} 0 auto"] if has_shares and row < len(rows) else []
            if "justify-self" in item.values:
                styles.append(f"align-self: {alignment(item.values['justify-self'])}")
            add_style(item.element, "; ".join(styles))

    def _as_blocks(self) -> None:
        inline = self._values.get("display", "").startswith("inline")
        add_style(self._element, f"display: {'inline-block' if inline else 'block'}")
        for item in self._items:
            if item.display.startswith("inline"):
                add_style(item.element, f"display: {item.display.removeprefix('inline-').replace('inline', 'block')}")


def _strings(value: str) -> list[str]:
    return [token.value for token in tinycss2.parse_component_value_list(value) if token.type == "string"]


def _spans(
    values: Mapping[str, str], rows: int, columns: int, row_lines: Lines, column_lines: Lines
) -> tuple[Span, Span]:
    down = span(values.get("grid-row-start", ""), values.get("grid-row-end", ""), rows, row_lines)
    across = span(values.get("grid-column-start", ""), values.get("grid-column-end", ""), columns, column_lines)
    return down, across


def _overlap(line: Sequence[Any]) -> bool:
    """Return whether cells of a line overlap."""
    return any(one.area.right > other.area.column for one, other in pairwise(line))
