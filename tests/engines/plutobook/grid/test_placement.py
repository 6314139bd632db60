"""Where the items of a grid stand (CSS Grid 2, 8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.plutobook.grid.partition import Cell, partition
from wcspider.engines.plutobook.grid.placement import Area, Span, areas_of, place, span

LINES = {"main-start": [2], "main-end": [4], "edge": [1, 3]}


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("auto", "auto", Span(None, 1)),
        ("2", "auto", Span(1, 1)),
        ("2", "4", Span(1, 2)),
        ("4", "2", Span(1, 2)),  # the other way round
        ("1", "-1", Span(0, 4)),
        ("span 3", "auto", Span(None, 3)),
        ("auto", "span 2", Span(None, 2)),
        ("2", "span 2", Span(1, 2)),
        ("span 2", "4", Span(1, 2)),
        ("main", "main", Span(1, 2)),
        ("edge", "auto", Span(0, 1)),
        ("edge 2", "auto", Span(2, 1)),
        ("unknown", "auto", Span(None, 1)),
        ("0", "auto", Span(None, 1)),  # line 0 is invalid
    ],
)
def test_lines(start: str, end: str, expected: Span) -> None:
    assert span(start, end, 4, LINES) == expected


def test_named_areas() -> None:
    assert areas_of(["head head", "nav main", ". main"]) == {
        "head": Area(0, 0, 1, 2),
        "nav": Area(1, 0),
        "main": Area(1, 1, 2),
    }


def _auto(columns: int = 1) -> tuple[Span, Span]:
    return Span(None), Span(None, columns)


def test_items_go_where_there_is_room() -> None:
    items = [_auto(2), _auto(2), _auto(1)]
    assert place(items, 3, by_column=False, rows=0, dense=False) == [Area(0, 0, 1, 2), Area(1, 0, 1, 2), Area(1, 2)]
    assert place(items, 3, by_column=False, rows=0, dense=True) == [Area(0, 0, 1, 2), Area(1, 0, 1, 2), Area(0, 2)]


def test_columns_are_filled_first_if_the_grid_says_so() -> None:
    assert place([_auto()] * 3, 0, by_column=True, rows=2, dense=False) == [Area(0, 0), Area(1, 0), Area(0, 1)]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=20), st.integers(1, 4))
def test_items_without_a_place_never_lie_over_each_other(sizes: list[tuple[int, int]], columns: int) -> None:
    items = [(Span(None, rows), Span(None, across)) for rows, across in sizes]
    for dense in (False, True):
        areas = place(items, columns, by_column=False, rows=0, dense=dense)
        taken = [(r, c) for a in areas for r in range(a.row, a.bottom) for c in range(a.column, a.right)]
        assert len(taken) == len(set(taken))


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=20), st.integers(1, 4))
def test_each_item_is_on_one_line(sizes: list[tuple[int, int]], columns: int) -> None:
    items = [(Span(None, rows), Span(None, across)) for rows, across in sizes]
    lines = partition(place(items, columns, by_column=False, rows=0, dense=False))
    assert sorted(item for line in lines for cell in line for item in _items(cell)) == list(range(len(items)))


def _items(cell: Cell) -> list[int]:
    return [cell.item] if cell.item is not None else [i for line in cell.lines for c in line for i in _items(c)]


def test_what_stands_beside_an_item_of_several_rows_is_a_group() -> None:
    ((nav, group),) = partition([Area(0, 0, 3), Area(0, 1), Area(1, 1), Area(2, 1)])
    assert nav.item == 0
    assert [[cell.item for cell in line] for line in group.lines] == [[1], [2], [3]]


def test_the_items_of_a_group_need_not_follow_each_other_if_there_is_one_group() -> None:
    ((group, nav),) = partition([Area(0, 0), Area(0, 1, 2), Area(1, 0)])
    assert nav.item == 1
    assert [[cell.item for cell in line] for line in group.lines] == [[0], [2]]


def test_there_are_no_groups_whose_items_are_mixed() -> None:
    lines = partition([Area(0, 0), Area(0, 1, 2), Area(1, 0, 2), Area(2, 1)])
    assert [[cell.item for cell in line] for line in lines] == [[0, 1], [2], [3]]


def test_columns_beside_a_large_item_are_one_group() -> None:
    ((large, group),) = partition([Area(0, 0, 2, 2), Area(0, 2), Area(0, 3), Area(1, 2), Area(1, 3)])
    assert large.item == 0
    assert [[cell.item for cell in line] for line in group.lines] == [[1, 2], [3, 4]]
