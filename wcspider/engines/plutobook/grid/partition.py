"""The items of a grid as lines, one below the other; items beside an item that spans rows are a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from wcspider.engines.plutobook.grid.placement import Area

MAX_DEPTH = 8
"""The number of groups that may be nested."""


@dataclass(frozen=True)
class Cell:
    """An item of a grid, or a group of items that fill a rectangle."""

    area: Area
    item: int | None = None
    """The place of the item in the source; None for a group."""

    lines: tuple[tuple[Cell, ...], ...] = ()
    """The lines of a group. Their columns are counted from the first column of the group."""

    @property
    def members(self) -> list[int]:
        """The places in the source of its items, in order."""
        if self.item is not None:
            return [self.item]
        return sorted(member for line in self.lines for cell in line for member in cell.members)


Lines = tuple[tuple[Cell, ...], ...]


def partition(areas: Sequence[Area]) -> Lines:
    """Return items as lines, from top to bottom and from left to right.

    The rows that an item spans are one line, in which the items beside it are a group. Neighbouring groups whose items
    are mixed in the source become one group. If this leaves a single group, there are no groups: each item is in the
    line of its first row.
    """
    return _lines([Cell(area, number) for number, area in enumerate(areas)], 0)


def _lines(cells: Sequence[Cell], depth: int) -> Lines:
    lines: list[tuple[Cell, ...]] = []
    for band in _divided(cells, lambda area: (area.row, area.column, area.bottom)):
        groups = _divided(band, lambda area: (area.column, area.row, area.right))
        groups = groups if _are_separate(groups) else _joined(groups)
        if len({cell.area.row for cell in band}) == 1:
            lines.append(tuple(sorted(band, key=lambda cell: cell.area.column)))
        elif depth < MAX_DEPTH and len(groups) > 1 and _are_separate(groups):
            lines.append(tuple(_group(group, depth) for group in groups))
        else:
            lines += _by_first_row(band)
    return tuple(lines)


def _divided(cells: Sequence[Cell], place: Callable[[Area], tuple[int, int, int]]) -> list[list[Cell]]:
    """Divide cells at grid lines that cross none of them.

    ``place`` returns the start of an area on the axis, its start on the other axis, and its end.
    """
    groups: list[list[Cell]] = []
    end = -1
    for cell in sorted(cells, key=lambda cell: place(cell.area)[:2]):
        start, _, cell_end = place(cell.area)
        if start >= end:
            groups.append([])
        groups[-1].append(cell)
        end = max(end, cell_end)
    return groups


def _joined(groups: Sequence[list[Cell]]) -> list[list[Cell]]:
    """Join neighbouring groups whose items are mixed in the source, such as the columns of a smaller grid."""
    joined: list[list[Cell]] = []
    for group in groups:
        joined.append(group)
        while len(joined) > 1 and _are_mixed(joined[-2], joined[-1]):
            last = joined.pop()
            joined[-1] = joined[-1] + last
    return joined


def _are_mixed(left: Sequence[Cell], right: Sequence[Cell]) -> bool:
    places, others = [cell.members[0] for cell in left], [cell.members[0] for cell in right]
    return min(places) < max(others) and min(others) < max(places)


def _are_separate(groups: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the items of at most one group stand between those of others in the source."""
    places = [sorted(cell.members[0] for cell in group) for group in groups]
    return sum(len(found) > 1 for found in places) == 1 or all(
        found[-1] - found[0] == len(found) - 1 for found in places
    )


def _group(cells: Sequence[Cell], depth: int) -> Cell:
    if len(cells) == 1:
        return cells[0]
    row, column = min(cell.area.row for cell in cells), min(cell.area.column for cell in cells)
    bottom, right = max(cell.area.bottom for cell in cells), max(cell.area.right for cell in cells)
    inside = [replace(cell, area=replace(cell.area, column=cell.area.column - column)) for cell in cells]
    return Cell(Area(row, column, bottom - row, right - column), None, _lines(inside, depth + 1))


def _by_first_row(cells: Sequence[Cell]) -> Lines:
    rows = groupby(sorted(cells, key=lambda cell: (cell.area.row, cell.area.column)), lambda cell: cell.area.row)
    return tuple(tuple(line) for _, line in rows)
