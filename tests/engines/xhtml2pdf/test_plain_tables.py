"""Tables that stay tables, and those that become blocks."""

from __future__ import annotations

from typing import Any

import pytest

from wcspider.engines.document.page_parsing import parse_exactly
from wcspider.engines.xhtml2pdf.source.plain_tables import MAX_COLUMNS, MAX_ROWS, prepare_tables

ROOM = 500.0


def prepared(body: str) -> Any:
    document = parse_exactly(body)
    prepare_tables(document, ROOM)
    return document


def rows(document: Any) -> list[list[tuple[str, str]]]:
    """The cells of all tables, with their text and how many columns they span."""
    found = []
    for row in document.iter("tr"):
        found.append([("".join(cell.itertext()), cell.get("colspan")) for cell in row])
    return found


@pytest.mark.parametrize(
    ("table", "count"),
    [
        ("<table><tr><td>a<td>b</table>", 1),
        (f"<table><tr>{'<td>a' * MAX_COLUMNS}</table>", 1),
        (f"<table><tr>{'<td>a' * (MAX_COLUMNS + 1)}</table>", 0),
        (f"<table><tr><td colspan={MAX_COLUMNS + 1}>a</table>", 0),
        (f"<table><tr><td>{'a ' * 2_000}<td>b</table>", 0),  # a cell of more than a page
        (f"<table><tr><td>{'<p>a' * 200}<td>b</table>", 0),
        (f"<table><tr>{'<td>incomprehensibilities' * 6}</table>", 0),  # longer words than there is room for
        (f"<table><tr>{'<td>漢字仮名交じり文' * 6}</table>", 1),  # a line may end between any two letters
        ("<table><tr><td><table><tr><td>a</table></table>", 1),
    ],
)
def test_tables_and_blocks(table: str, count: int) -> None:
    assert len(list(prepared(table).iter("table"))) == count


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("<tr><td rowspan=3>a<td>b<tr><td>c<tr><td>d", [["a", "b"], ["", "c"], ["", "d"]]),
        ("<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e", [["a", "b", "c"], ["d", "", "e"]]),
        ("<tr><td rowspan=99>a<tr><td>b", [["a"], ["", "b"]]),
        ("<tr><td rowspan=2>a<td rowspan=2>b<td>c<tr><td>d", [["a", "b", "c"], ["", "", "d"]]),
    ],
)
def test_cells_that_span_rows_end_in_the_first(table: str, expected: list[list[str]]) -> None:
    assert [[text for text, _ in row] for row in rows(prepared(f"<table>{table}</table>"))] == expected


@pytest.mark.parametrize(
    ("source", "expected", "text"),
    [
        ("<table><tr><td><ul><li>a<td>b<tr><td>c</table>", [[("a", "1"), ("b", "1")], [("c", "1")]], "abc"),
        ("<td>a<tr><td>b", [], "ab"),
        ("<table>text<tr><td>a</table>", [[("a", "1")]], "texta"),
        ("<table><td>a<td>b</table>", [[("a", "1"), ("b", "1")]], "ab"),
    ],
)
def test_parts_of_tables_in_wrong_places(source: str, expected: list[list[tuple[str, str]]], text: str) -> None:
    document = prepared(source)
    assert rows(document) == expected
    assert "".join(document.itertext()) == text


@pytest.mark.parametrize("written", ["0", "-3", "abc", "", "1"])
def test_spans_are_written_as_they_are_understood(written: str) -> None:
    assert rows(prepared(f"<table><tr><td colspan='{written}'>a<td>b</table>")) == [[("a", "1"), ("b", "1")]]


def test_a_blank_cell_spans_as_many_columns_as_the_cell_above() -> None:
    assert rows(prepared("<table><tr><td colspan=2 rowspan=2>a<td>b<tr><td>c</table>"))[1] == [("", "2"), ("c", "1")]


def test_a_long_table_goes_on_in_others() -> None:
    document = prepared(f"<table>{'<tr><td>a' * (2 * MAX_ROWS + 1)}</table>")
    counts = [len(list(table.iter("tr"))) for table in document.iter("table")]
    assert counts == [MAX_ROWS, MAX_ROWS, 1]


@pytest.mark.parametrize("cells", ["<td>a", "<td>a" * 30])
def test_the_foot_is_below_the_bodies(cells: str) -> None:
    document = prepared(f"<table><tfoot><tr><td>foot</tfoot><tr>{cells}</table>")
    assert "".join(document.itertext()).endswith("afoot")
