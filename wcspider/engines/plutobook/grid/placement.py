"""Where the items of a grid stand (CSS Grid 2, 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wcspider.engines.plutobook.grid.tracks import MAX_TRACKS

MAX_CELLS: Final = 20_000
"""How many cells a grid has at most; a grid with more becomes blocks."""

Lines = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Span:
    """The tracks that an item covers on one axis."""

    start: int | None
    """The first track, from 0; None if the item goes where there is room."""

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
        """The column behind the area."""
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


def span(start: str, end: str, count: int, lines: Lines) -> Span:
    """Return the tracks between two grid lines (CSS Grid 2, 8.3); ``count`` is the number of explicit tracks."""
    first, first_span = _line(start, count, lines, "start")
    last, last_span = _line(end, count, lines, "end")
    if first is not None and last is not None and first != last:
        first, last = min(first, last), max(first, last)
        return Span(first, min(last - first, MAX_TRACKS))
    length = max(last_span or first_span or 1, 1)
    if first is not None:
        return Span(first, length)
    return Span(max(last - length, 0), length) if last is not None else Span(None, length)


def _line(text: str, count: int, lines: Lines, side: str) -> tuple[int | None, int]:
    """Return a line, counted from 0, or how many tracks are spanned."""
    text = text.strip()
    words = text.lower().split()
    numbers = [int(word) for word in words if re.fullmatch(r"[+-]?\d{1,4}", word)]
    if not words or words == ["auto"]:
        return None, 0
    if "span" in words:
        return None, min(numbers[0] if numbers else 1, MAX_TRACKS)
    named = next((word for word in text.split() if not re.fullmatch(r"[+-]?\d{1,4}", word)), "")
    if named:
        known = lines.get(f"{named}-{side}") or lines.get(named)
        if not known:
            return None, 0
        nth = numbers[0] if numbers else 1
        place = known[min(nth, len(known)) - 1] if nth > 0 else known[-1]
        return place - 1, 0
    if not numbers or numbers[0] == 0:
        return None, 0
    number = numbers[0]
    return (number - 1 if number > 0 else max(count + 1 + number, 0)), 0


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
        placed: dict[int, Area] = {}
        for number, (down, across) in enumerate(items):
            if down.start is not None and across.start is not None:
                placed[number] = self._take(Area(down.start, across.start, down.length, across.length))
        for number, (down, across) in enumerate(items):
            if number not in placed and down.start is not None:
                placed[number] = self._in_row(down.start, down.length, across.length)
        for number, (down, across) in enumerate(items):
            if number not in placed:
                placed[number] = self._anywhere(down, across)
        return [placed[number] for number in range(len(items))]

    def _take(self, area: Area) -> Area:
        self._taken |= {
            (row, column)
            for row in range(area.row, area.bottom)
            for column in range(area.column, area.right)
        }  # fmt: skip
        if len(self._taken) > MAX_CELLS:
            raise ValueError("the grid has too many cells")
        return area

    def _is_free(self, area: Area) -> bool:
        return not any(
            (row, column) in self._taken
            for row in range(area.row, area.bottom)
            for column in range(area.column, area.right)
        )

    def _in_row(self, row: int, rows: int, columns: int) -> Area:
        """Return the first room in a row that is given."""
        column = 0
        while not self._is_free(Area(row, column, rows, columns)):
            column += 1
        return self._take(Area(row, column, rows, columns))

    def _anywhere(self, down: Span, across: Span) -> Area:
        """Return the first room behind the item before, or the first room of all if the packing is dense."""
        row, column = (0, 0) if self._dense else self._cursor
        if across.start is not None and across.start < column:
            row += 1
        while True:
            candidates = [across.start] if across.start is not None else range(column, self._columns)
            for at in candidates:
                area = Area(row, at, down.length, across.length)
                if area.right <= self._columns and self._is_free(area):
                    self._cursor = (row, area.right)
                    return self._take(area)
            row, column = row + 1, 0
