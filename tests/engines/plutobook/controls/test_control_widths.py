"""The widths of form controls that are blocks, and of those in rows, grids and cells."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.base import PageGeometry
from wcspider.engines.plutobook.controls import control_widths
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid.container_width import ContainerWidths


def fit(root: Any, css: str) -> None:
    styles = PageStyles(root, [css])
    control_widths.fit(styles, ContainerWidths(styles, 680))


@pytest.mark.parametrize(
    ("css", "shrinks"),
    [
        ("input { width: 100% }", True),
        ("input { max-width: 50%; width: 300px }", True),
        ("input { width: 100%; min-width: 200px }", False),
        ("input { width: 300px }", False),
        ("div { flex-direction: column } input { width: 100% }", False),
        ("div { display: block } input { width: 100% }", False),
        ("div { display: grid } input { width: 100% }", True),
        ("a { width: 100% }", False),
    ],
)
def test_controls_with_a_percentage_shrink(css: str, shrinks: bool) -> None:
    root = html.document_fromstring("<div><input><a>b</a></div>")
    fit(root, f"div {{ display: flex }} {css}")
    assert [element.tag for element in root.xpath("//*[@style]")] == ["input"] * shrinks


def test_only_controls_beside_a_wide_field_keep_their_widths() -> None:
    row = "<div><input class=w><button>A</button><input size=3><a>b</a></div>"
    root = html.document_fromstring(f"{row}{row.replace('class=w', '')}")
    css = "div { display: flex } .w { width: 100% } input[size] { flex: 1 }"
    fit(root, css)
    assert [element.tag for element in root.xpath("//*[contains(@style, 'flex-shrink')]")] == ["button"]


def test_a_button_beside_a_wide_field_stays_in_its_row() -> None:
    css = "div { display: flex; width: 200px } input { width: 100% } b { padding: 0 20px }"
    placed = boxes(
        PlutoBookEngine().render(task(f"<style>body {{ margin: 0 }} {css}</style><div><input><b>GO</b></div>"))
    )
    _, _, (_, _, right, _) = placed[-1]
    assert right < PageGeometry().margin_left + (200 - 20) * 0.75


def test_a_button_beside_a_wide_field_is_not_narrower_than_its_text() -> None:
    css = "body { margin: 0 } div { display: flex; width: 200px } input { width: 100% } button { padding: 0 20px }"
    button = "<button style='border: 0; box-sizing: border-box'>GO</button>"
    placed = boxes(PlutoBookEngine().render(task(f"<style>{css}</style><div><input>{button}</div>")))
    _, _, (_, _, right, _) = placed[-1]
    assert right == pytest.approx(PageGeometry().margin_left + (200 - 20) * 0.75, abs=1)


@pytest.mark.parametrize(
    ("control", "css", "is_fitted"),
    [
        ("<button>", "button { display: block }", True),
        ("<button>", "button { display: inline-flex }", False),
        ("<button>", "button { display: flex; width: auto }", True),
        ("<button>", "button { display: block } button { display: inline-block }", False),
        ("<button>", "button { display: block; width: 100% }", False),
        ("<button>", "button { display: block } div { display: flex; flex-direction: column }", False),
        ("<button>", "button { display: block } div { display: grid }", False),
        ("<button style='display: block'>", "", True),
        ("<input>", "input { display: block }", True),
        ("<input type=Checkbox>", "input { display: block }", False),
        ("<select><option>x</select>", "select { display: block }", True),
        ("<a>x</a>", "a { display: block }", False),
    ],
)
def test_controls_that_are_blocks(control: str, css: str, is_fitted: bool) -> None:
    root = html.document_fromstring(f"<div>{control}</div>")
    fit(root, css)
    assert root.xpath("boolean(//div/*[contains(@style, 'fit-content')])") is is_fitted


@pytest.mark.parametrize("control", ["<button>A</button>", "<input type=submit value=A>", "<select><option>A</select>"])
def test_a_control_of_full_width_fits_on_the_page(control: str) -> None:
    style = "<style>body { margin: 0 } button, input, select { width: 100% } p { text-align: right }</style>"
    placed = boxes(PlutoBookEngine().render(task(f"<!DOCTYPE html>{style}{control}<p>B")))
    [right] = [box[2] for _, letter, box in placed if letter == "B"]
    assert right == pytest.approx(PageGeometry().width - PageGeometry().margin_right, abs=1)  # not made smaller


@pytest.mark.parametrize(
    ("field", "css", "letters"),
    [
        ("<input>", "input { width: 100% }", "10"),
        ("<input size=8>", "input { width: 100% }", "8"),
        ("<input size=x>", "input { width: 100% }", "10"),
        (f"<input size={'9' * 5000}>", "input { width: 100% }", "10"),
        ("<p><input>", "input { width: 50% } p { padding: 0 20px }", "5"),
        ("<input>", "input { width: 100% } table { width: 12px }", "2"),
        ("<input>", "input { width: 100% } table { width: 680px }", None),
        ("<input>", "input { max-width: 100% }", None),
        ("<textarea cols=40></textarea>", "textarea { width: 100% }", "10"),
        ("<select><option>Long text</select>", "select { width: 100% }", None),
    ],
)
def test_a_field_in_a_cell_needs_no_more_room_than_the_cell(field: str, css: str, letters: str | None) -> None:
    root = html.document_fromstring(f"<table><tr><td>{field}<td>A<td>B</table>")
    fit(root, f"body {{ margin: 0 }} table {{ width: 240px }} {css}")
    control = root.xpath("//input | //textarea | //select")[0]
    assert control.get("cols" if control.tag == "textarea" else "size") == letters


def test_a_table_with_fields_is_no_wider_than_the_box_around_it() -> None:
    css = "body { margin: 0 } main { width: 300px } table, input { width: 100% } input { box-sizing: border-box }"
    cells = "<td><input></td>" * 4
    page = f"<style>{css}</style><main><table><tr>{cells}<td>END</table></main>"
    _, _, (_, _, right, _) = boxes(PlutoBookEngine().render(task(page)))[-1]
    assert right < PageGeometry().margin_left + 300 * 0.75
