"""The items of a grid as lines, one below the other; what stands beside an item that spans rows is a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wcspider.engines.plutobook.grid.placement import Area

MAX_DEPTH = 8
"""How deep groups may stand in groups."""


@dataclass(frozen=True)
class Cell:
    """An item of a grid, or several that stand in one rectangle."""

    area: Area
    item: int | None = None
    """The place of the item in the source; None for a group."""

    lines: tuple[tuple[Cell, ...], ...] = ()
    """The lines of a group."""

    @property
    def first(self) -> int:
        """The place in the source of the first item."""
        return self.item if self.item is not None else min(cell.first for line in self.lines for cell in line)


Lines = tuple[tuple[Cell, ...], ...]


def partition(areas: Sequence[Area]) -> Lines:
    """Return items as lines, from top to bottom and from left to right.

    Rows that an item spans together are one line, in which the items beside it are a group, if they follow each other
    in the source. If they do not, each item stands on the line of its first row.
    """
    return _lines([Cell(area, number) for number, area in enumerate(areas)], 0)


def _lines(cells: Sequence[Cell], depth: int) -> Lines:
    lines: list[tuple[Cell, ...]] = []
    for band in _bands(cells):
        if len({cell.area.row for cell in band}) == 1:
            lines.append(tuple(sorted(band, key=lambda cell: cell.area.column)))
            continue
        groups = _contiguous(_columns(band))
        if depth < MAX_DEPTH and len(groups) > 1:
            lines.append(tuple(_group(group, depth) for group in groups))
        else:
            lines += _by_first_row(band)
    return tuple(lines)


def _bands(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Divide cells where a line between two rows crosses none of them."""
    return _divided(cells, lambda cell: (cell.area.row, cell.area.column, cell.area.bottom))


def _columns(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Divide cells where a line between two columns crosses none of them."""
    return _divided(cells, lambda cell: (cell.area.column, cell.area.row, cell.area.right))


def _divided(cells: Sequence[Cell], place: Callable[[Cell], tuple[int, int, int]]) -> list[list[Cell]]:
    """Divide cells at lines that cross none of them; `place` gives a cell's start, its order there, and its end."""
    groups: list[list[Cell]] = []
    end = -1
    for cell in sorted(cells, key=lambda cell: place(cell)[:2]):
        start, _, cell_end = place(cell)
        if start >= end:
            groups.append([])
        groups[-1].append(cell)
        end = max(end, cell_end)
    return groups


def _contiguous(groups: Sequence[list[Cell]]) -> Sequence[list[Cell]]:
    """Join groups side by side until the items of each follow each other in the source; a single group if none do."""
    if all(_is_contiguous(group) for group in groups):
        return groups
    for cut in range(1, len(groups)):
        halves = [[cell for group in part for cell in group] for part in (groups[:cut], groups[cut:])]
        if all(_is_contiguous(half) for half in halves):
            return halves
    return [[cell for group in groups for cell in group]]


def _is_contiguous(group: Sequence[Cell]) -> bool:
    places = sorted(cell.first for cell in group)
    return places[-1] - places[0] == len(places) - 1


def _group(cells: Sequence[Cell], depth: int) -> Cell:
    if len(cells) == 1:
        return cells[0]
    row, column = min(cell.area.row for cell in cells), min(cell.area.column for cell in cells)
    bottom, right = max(cell.area.bottom for cell in cells), max(cell.area.right for cell in cells)
    return Cell(Area(row, column, bottom - row, right - column), None, _lines(cells, depth + 1))


def _by_first_row(cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
    rows = sorted({cell.area.row for cell in cells})
    return [
        tuple(sorted((cell for cell in cells if cell.area.row == row), key=lambda cell: cell.area.column))
        for row in rows
    ]
