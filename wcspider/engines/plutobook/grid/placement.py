"""Placement of the items of a grid in rows and columns (CSS Grid 2, 8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Final

from wcspider.engines.plutobook.grid.tracks import MAX_TRACKS

MAX_CELLS: Final = 20_000
"""The number of cells that the items of a grid cover; the items of a larger grid become blocks."""

_INTEGER: Final = re.compile(r"[+-]?\d{1,4}")

Lines = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Span:
    """The tracks that an item covers on one axis."""

    start: int | None
    """The first track, from 0; None if the item is placed automatically."""

    length: int = 1


@dataclass(frozen=True, slots=True)
class Area:
    """The rectangle of cells that an item covers; rows and columns count from 0."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1

    @property
    def bottom(self) -> int:
        """The row below the area."""
        return self.row + self.rows

    @property
    def right(self) -> int:
        """The column after the area."""
        return self.column + self.columns


def areas_of(strings: Sequence[str]) -> dict[str, Area]:
    """Return the named areas of ``grid-template-areas`` (CSS Grid 2, 7.3)."""
    found: dict[str, Area] = {}
    for row, text in enumerate(strings[:MAX_TRACKS]):
        for column, name in enumerate(text.split()[:MAX_TRACKS]):
            if name.strip("."):
                old = found.get(name, Area(row, column))
                left, right = min(old.column, column), max(old.right, column + 1)
                found[name] = Area(old.row, left, row + 1 - old.row, right - left)
    return found


def line_names(rows: Lines, columns: Lines, areas: Mapping[str, Area]) -> tuple[Lines, Lines]:
    """Return the named lines of both axes with those of the named areas (CSS Grid 2, 7.3.2)."""
    row_lines, column_lines = dict(rows), dict(columns)
    for name, area in areas.items():
        row_lines |= {f"{name}-start": [area.row + 1], f"{name}-end": [area.bottom + 1]}
        column_lines |= {f"{name}-start": [area.column + 1], f"{name}-end": [area.right + 1]}
    return row_lines, column_lines


def span(start: str, end: str, tracks: int, lines: Lines) -> Span:
    """Return the tracks between two grid lines (CSS Grid 2, 8.3); ``tracks`` is the number of explicit tracks."""
    first, first_span = _line(start, tracks, lines, "start")
    last, last_span = _line(end, tracks, lines, "end")
    if first is not None and last is not None and first != last:
        return Span(min(first, last), min(abs(last - first), MAX_TRACKS))
    length = max(last_span or first_span or 1, 1)
    if first is None and last is not None:
        return Span(max(last - length, 0), length)
    return Span(first, length)


def _line(text: str, tracks: int, lines: Lines, side: str) -> tuple[int | None, int]:
    """Return a line, counted from 0, or the number of spanned tracks."""
    words = text.split()
    numbers = [int(word) for word in words if _INTEGER.fullmatch(word)]
    names = [word for word in words if not _INTEGER.fullmatch(word)]
    number = numbers[0] if numbers else 1
    if "span" in text.lower().split():
        return None, min(number, MAX_TRACKS)
    if names:
        known = lines.get(f"{names[0]}-{side}") or lines.get(names[0]) or [0]
        number = known[min(number, len(known)) - 1] if number > 0 else known[-1]
    elif not numbers:
        number = 0
    if number == 0:
        return None, 0
    return (number - 1 if number > 0 else max(tracks + 1 + number, 0)), 0


def place(items: Sequence[tuple[Span, Span]], columns: int, *, by_column: bool, rows: int, dense: bool) -> list[Area]:
    """Return the area of each item, given as its rows and its columns (CSS Grid 2, 8.5).

    Raises ValueError for a grid with too many cells.
    """
    if by_column:
        turned = place([(across, down) for down, across in items], max(rows, 1), by_column=False, rows=0, dense=dense)
        return [Area(area.column, area.row, area.columns, area.rows) for area in turned]
    widest = max((across.length + (across.start or 0) for _, across in items), default=1)
    return _Placement(max(columns, widest), dense).run(items)


class _Placement:
    """Auto-placement row by row."""

    def __init__(self, columns: int, dense: bool) -> None:
        self._columns = columns
        self._dense = dense
        self._taken: set[tuple[int, int]] = set()
        self._cursor = (0, 0)

    def run(self, items: Sequence[tuple[Span, Span]]) -> list[Area]:
        """Place the items with a given cell first, then those with a given row, then the others."""
        placed: dict[int, Area] = {}
        for number in sorted(range(len(items)), key=lambda number: _freedom(*items[number])):
            area = placed[number] = self._room(*items[number])
            self._taken |= set(_cells(area))
            if len(self._taken) > MAX_CELLS:
                raise ValueError("the grid has too many cells")
        return [placed[number] for number in range(len(items))]

    def _room(self, down: Span, across: Span) -> Area:
        if down.start is None:
            return self._in_any_row(down, across)
        if across.start is not None:
            return Area(down.start, across.start, down.length, across.length)
        areas = (Area(down.start, column, down.length, across.length) for column in count())
        return next(filter(self._is_free, areas))

    def _in_any_row(self, down: Span, across: Span) -> Area:
        """Return the next free area after the previous item, or the first free area if the packing is dense."""
        row, column = (0, 0) if self._dense else self._cursor
        if across.start is not None and across.start < column:
            row += 1
        while True:
            for start in range(column, self._columns) if across.start is None else [across.start]:
                area = Area(row, start, down.length, across.length)
                if area.right <= self._columns and self._is_free(area):
                    self._cursor = (row, area.right)
                    return area
            row, column = row + 1, 0

    def _is_free(self, area: Area) -> bool:
        return self._taken.isdisjoint(_cells(area))


def _freedom(down: Span, across: Span) -> int:
    """Return 0 for an item with a given row and column, 1 for one with a given row, 2 for others."""
    return 2 if down.start is None else int(across.start is None)


def _cells(area: Area) -> Iterator[tuple[int, int]]:
    return product(range(area.row, area.bottom), range(area.column, area.right))
