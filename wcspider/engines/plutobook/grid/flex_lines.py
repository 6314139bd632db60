"""Lines of grid items as flex items (CSS Flexbox 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from wcspider.engines.plutobook.grid.partition import Cell
from wcspider.engines.plutobook.grid.placement import Area
from wcspider.engines.plutobook.grid.tracks import Track

GROUP: Final = "wcspider-group"
"""The name of the elements around the items beside an item that spans rows."""

FILLED: Final = "data-wcspider-grid"
"""The attribute of containers whose last line is not full."""

MOST_SLACK: Final = 0.15
"""How much smaller the items of a line are at first, as a share of their size; flex-grow makes up for it.

Gaps are lengths and items are shares, so this is the room for gaps, and for a wrong estimate of the container.
"""

_KEYWORDS: Final = {"start": "flex-start", "end": "flex-end", "self-start": "flex-start", "self-end": "flex-end",
                    "left": "flex-start", "right": "flex-end", "normal": "stretch"}  # fmt: skip


@dataclass(frozen=True)
class Geometry:
    """The columns of a grid, with their estimated sizes in pixels."""

    tracks: tuple[Track, ...]
    sizes: tuple[float, ...]
    room: float
    """The width of the container."""

    column_gap: float
    row_gap: float
    values: Mapping[str, str]
    """The declared values of the container."""

    margins: Mapping[int, float]
    """The sum of the margins at the left and at the right of each item in pixels, by its place."""

    def width(self, area: Area) -> float:
        """Return the width of an area, the gaps inside of it included."""
        return self._between(area.column, area.right)

    def _between(self, left: int, right: int) -> float:
        return sum(self.sizes[left:right]) + self.column_gap * max(right - left - 1, 0)

    def hole(self, left: int, right: int) -> float:
        """Return the width of empty columns with one gap."""
        return self._between(left, right) + self.column_gap if right > left else 0.0

    def margin(self, cell: Cell) -> float:
        """Return the margins of a cell in pixels; a group has none."""
        return self.margins.get(cell.item, 0.0) if cell.item is not None else 0.0

    def share(self, area: Area) -> float:
        """Return the sum of the shares (``fr``) of the columns of an area."""
        return sum(track.share for track in self.tracks[area.column : area.right])

    def fixed(self, area: Area) -> float:
        """Return the sum of the fixed sizes of the columns of an area, and the gaps between its columns."""
        own = sum(track.pixels for track in self.tracks[area.column : area.right] if not track.share)
        return own + self.column_gap * (area.columns - 1)

    def part(self, area: Area) -> Geometry:
        """Return the columns of a group."""
        return replace(
            self,
            tracks=self.tracks[area.column : area.right],
            sizes=self.sizes[area.column : area.right],
            room=self.width(area),
        )


def write_lines(container: Any, items: Sequence[Any], lines: Sequence[Sequence[Cell]], geometry: Geometry) -> str:
    """Write items as flex items of a container; return a rule that they need, or ""."""
    cells = [cell for line in lines for cell in line]
    elements = [_element_of(container, items, cell, geometry) for cell in cells]
    places = [cell.first for cell in cells]
    is_reversed = len(lines) == 1 and places == sorted(places, reverse=True) and len(places) > 1
    if places != sorted(places) and not is_reversed:
        for number, element in enumerate(elements):
            add_style(element, f"order: {number}")
    container_style(
        container,
        geometry.values,
        direction="row-reverse" if is_reversed else "row",
        wraps=len(lines) > 1,
        column_gap=geometry.column_gap,
        row_gap=geometry.row_gap,
    )
    if len(lines) == 1:
        for cell, element, hole in zip(cells, elements, _holes(lines[0], geometry), strict=True):
            _write_single(cell.area, element, geometry, hole)
        return _filler(container, lines[0], geometry, 0.0)
    slack = _slack(lines, geometry)
    by_cell = dict(zip(map(id, cells), elements, strict=True))
    for line, following in pairwise([*lines, ()]):
        _write_line(line, [by_cell[id(cell)] for cell in line], geometry, slack, is_last=not following)
    return _filler(container, lines[-1], geometry, slack)


def _element_of(container: Any, items: Sequence[Any], cell: Cell, geometry: Geometry) -> Any:
    """Return the element of a cell; a group gets one."""
    if cell.item is not None:
        return items[cell.item]
    members = sorted(member for line in cell.lines for inner in line for member in _members(inner))
    group = container.makeelement(GROUP, {"style": "display: block"})
    container.insert(list(container).index(items[members[0]]), group)
    for member in members:
        container.remove(items[member])
        group.append(items[member])
    area = cell.area
    inner = tuple(tuple(_moved(inner, area.column) for inner in line) for line in cell.lines)
    write_lines(group, items, inner, geometry.part(area))
    return group


def _members(cell: Cell) -> list[int]:
    return [cell.item] if cell.item is not None else [m for line in cell.lines for c in line for m in _members(c)]


def _moved(cell: Cell, columns: int) -> Cell:
    """Return a cell with its columns counted from another column."""
    lines = tuple(tuple(_moved(inner, columns) for inner in line) for line in cell.lines)
    return replace(cell, area=replace(cell.area, column=cell.area.column - columns), lines=lines)


def _write_single(area: Area, element: Any, geometry: Geometry, hole: float) -> None:
    """Write an item of a grid of one line, in which nothing is ever wrapped."""
    share, fixed = geometry.share(area), geometry.fixed(area)
    tracks = geometry.tracks[area.column : area.right]
    if share:
        flex = f"{share:g} 1 {fixed:.2f}px"
    elif any(track.by_content for track in tracks):
        grows = not any(track.share for track in geometry.tracks) and "justify-content" not in geometry.values
        flex = f"{int(grows)} 1 auto"
    else:
        flex = f"0 1 {fixed:.2f}px"
    least = sum(track.least for track in tracks)
    add_style(element, f"flex: {flex}; box-sizing: border-box" + (f"; min-width: {least:.2f}px" if least else ""))
    if hole:
        add_style(element, f"margin-left: {100 * hole / geometry.room:.3f}%")


def _write_line(
    line: Sequence[Cell], elements: Sequence[Any], geometry: Geometry, slack: float, *, is_last: bool
) -> None:
    """Write the items of one of several lines: the line is full, so that the next item begins another."""
    for cell, element, hole in zip(line, elements, _holes(line, geometry), strict=True):
        width = geometry.width(cell.area)
        grow = width if geometry.share(cell.area) or _is_content_sized(cell.area, geometry) else 0
        base = max(width * (1 - slack) if grow else width, 1.0) - geometry.margin(cell)
        style = f"flex: {grow:.2f} 1 {100 * max(base, 0.0) / geometry.room:.3f}%; box-sizing: border-box"
        if hole:
            style += f"; margin-left: {100 * hole * (1 - slack) / geometry.room:.3f}%"
        add_style(element, style)
    left = geometry.room - geometry.hole(0, line[-1].area.right)
    if not is_last and left > 1 + geometry.column_gap:
        add_style(elements[-1], f"margin-right: {100 * left * (1 - slack) / geometry.room:.3f}%")


def _is_content_sized(area: Area, geometry: Geometry) -> bool:
    return any(track.by_content for track in geometry.tracks[area.column : area.right])


def _holes(line: Sequence[Cell], geometry: Geometry) -> list[float]:
    """Return the width of the empty columns before each cell."""
    edges = [0, *(cell.area.right for cell in line[:-1])]
    return [geometry.hole(edge, cell.area.column) for edge, cell in zip(edges, line, strict=True)]


def _slack(lines: Sequence[Sequence[Cell]], geometry: Geometry) -> float:
    """Return the share by which items are smaller at first, so that each line holds its items and none of the next."""
    firsts = [geometry.hole(0, line[0].area.column) + geometry.width(line[0].area) for line in lines[1:]]
    smallest = min(firsts) / max(geometry.room, 1.0)
    return min(MOST_SLACK, smallest / (1 + smallest) / 2)


def _filler(container: Any, line: Sequence[Cell], geometry: Geometry, slack: float) -> str:
    """Fill the last line with an empty item, so that its items do not grow; return the rule for it."""
    column, count = line[-1].area.right, len(geometry.tracks)
    if column >= count:
        return ""
    area = Area(0, column, 1, count - column)
    if slack:
        width = geometry.width(area)
        flex = f"{width:.2f} 1 {100 * width * (1 - slack) / geometry.room:.3f}%"
    elif geometry.share(area):
        flex = f"{geometry.share(area):g} 1 {geometry.fixed(area):.2f}px"
    else:
        return ""
    name = flex.replace(" ", "_")
    container.set(FILLED, name)
    return (
        f'[{FILLED}="{name}"]::after {{ content: "" !important; display: block !important; flex: {flex} !important }}'
    )


def container_style(
    element: Any,
    values: Mapping[str, str],
    *,
    direction: str,
    wraps: bool = False,
    column_gap: float = 0.0,
    row_gap: float = 0.0,
) -> None:
    """Make an element a flex container with the alignment that it has as a grid container."""
    is_inline = values.get("display", "").startswith("inline") and element.tag != GROUP
    style = [
        f"display: {'inline-flex' if is_inline else 'flex'}",
        f"flex-direction: {direction}",
        f"flex-wrap: {'wrap' if wraps else 'nowrap'}",
    ]
    style += [f"column-gap: {column_gap:.2f}px"] if column_gap else []
    style += [f"row-gap: {row_gap:.2f}px"] if row_gap else []
    across, along = values.get("align-items", "normal"), values.get("justify-content", "normal")
    if direction == "column":
        across, along = values.get("justify-items", "normal"), values.get("align-content", "normal")
    style.append(f"align-items: {_KEYWORDS.get(across, across)}")
    if values.get("grid-template-rows", "none") not in ("none", "auto"):
        # Rows with sizes of their own leave no room that all lines would share.
        style.append("align-content: flex-start")
    if along not in ("normal", "stretch"):
        style.append(f"justify-content: {_KEYWORDS.get(along, along)}")
    add_style(element, "; ".join(style))


def add_style(element: Any, declarations: str) -> None:
    """Add declarations that nothing overrides to the style attribute of an element."""
    important = "; ".join(f"{declaration.strip()} !important" for declaration in declarations.split(";"))
    own = (element.get("style") or "").strip().rstrip(";")
    element.set("style", f"{own}; {important}" if own else important)
