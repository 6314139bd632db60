"""Flex items of a fixed size, in containers that become as narrow as their items allow."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.letter_places import legible
from tests.support.pictures import grey_png, places_of
from tests.support.rendered_pages import Asset, boxes, picture, task
from wcspider.engines.base import PageGeometry
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.grid.fixed_items import keep_heights, keep_widths, let_shrink
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.web.styles.responsive import Viewport

WORDS, OTHERS = "WORDS " * 10, "others " * 40


def right_and_left(css: str) -> tuple[float, float]:
    """Return the right edge of the text of an item, and the left edge of that of the table beside its column."""
    body = f"<div class=row><div class=column><div class=inner><div class=item>{WORDS}</div></div></div>"
    source = f"<style>.row, .inner {{ display: flex }} .column {{ flex: 1 }} {css}</style>{body}<table><td>{OTHERS}"
    placed = boxes(PlutoBookEngine().render(task(f"{source}</table></div>")))
    return (
        max(box[2] for _, shown, box in placed if shown.isupper()),
        min(box[0] for _, shown, box in placed if shown.islower()),
    )


@pytest.mark.parametrize(
    "css",
    [
        ".item { flex: 0 0 200px }",
        ".item { flex: 0 0 12.5rem }",
        ".item { flex-basis: 200px; flex-shrink: 0 }",
        ".item { flex: 1 0 200px }",
        ".inner { overflow: hidden } .item { flex: 0 0 200px }",
    ],
)
def test_a_container_is_as_wide_as_its_items(css: str) -> None:
    right, left = right_and_left(css)
    assert right < left


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".item { flex: 0 0 200px }", True),
        (".item { flex: 0 1 200px }", False),
        (".item { flex: 0 0 50% }", False),
        (".item { flex: 0 0 auto }", False),
        (".item { flex: 0 0 200px; max-width: 100px }", False),
        (".inner { flex-direction: column } .item { flex: 0 0 200px }", False),
        (".inner { display: block } .item { flex: 0 0 200px }", False),
    ],
)
def test_only_items_of_rows_that_do_not_shrink_get_a_least_width(css: str, expected: bool) -> None:
    root = html.document_fromstring("<div class=inner><div class=item>x</div></div>")
    keep_widths(PageStyles(root, [f".inner {{ display: flex }} {css}"]))
    [item] = root.find_class("item")
    assert ("min-width: 200px" in item.get("style", "")) == expected


@pytest.mark.parametrize(
    ("css", "is_kept"),
    [
        (".item { height: 40px }", True),
        (".item { height: 40px } .row { align-items: stretch }", True),
        (".item { height: 40px } .row { align-items: center }", False),
        (".item { height: 40px } .row { flex-direction: column }", False),
        (".item { height: 40px } .row { display: block }", False),
        (".item { height: 40px; align-self: center }", False),
        (".item { height: auto; min-height: 40px }", False),
        (".item:empty { height: 40px }", False),
        (".item { height: 50% }", False),
    ],
)
def test_items_with_a_height_are_not_as_high_as_their_row(css: str, is_kept: bool) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(f".row {{ display: flex }} {css}", "https://example.com/")
    root = html.document_fromstring("<div class=row><div class=item>JD</div><p>several lines</p></div>")
    keep_heights(PageStyles(root, sheets.texts))
    [item] = root.find_class("item")
    assert ("align-self: flex-start" in item.get("style", "")) is is_kept


@pytest.mark.parametrize("size", ["flex-basis: 20%", "flex: 0 1 20%"])
def test_items_of_a_wide_page_are_as_wide_as_their_words(size: str) -> None:
    css = f".row {{ display: flex; flex-wrap: wrap }} .item {{ {size} }} p {{ padding: 0 50px }}"
    css += "section { display: grid; grid-template-columns: 1fr 1fr } nav, main { width: 700px; padding: 50px }"
    cards = "".join(f"<div class=item><p>Students{letter}</p></div>" for letter in "WXYZ")
    page = f"<!DOCTYPE html><style>{css}</style><section><nav>Side</nav><main><div class=row>{cards}</div></main>"
    rendering = PlutoBookEngine().render(task(page))
    assert legible(rendering)
    assert {letter for _, letter, _ in boxes(rendering) if letter in "WXYZ"} == set("WXYZ")


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", True),
        (".row { width: 2000px }", False),
        (".row { flex-wrap: wrap }", False),
        (".row { flex-direction: column }", False),
        (".row { display: block }", False),
        (".item { flex-shrink: 0 }", False),
        (".item { flex-basis: 300px }", False),
        (".item { min-width: 0 }", False),
        (".item { width: 90% }", False),
        (".item { width: max-content }", False),
        (".item { position: absolute }", False),
        (".other { position: absolute }", False),
        (".item { width: 500px } .row { column-gap: 200px }", True),
    ],
)
def test_items_without_room_shrink(css: str, expected: bool) -> None:
    root = html.document_fromstring("<div class=row><div class=item>x</div><div class=other>y</div></div>")
    base = ".row { display: flex; width: 600px } .item { width: 500px } .other { width: 150px }"
    styles = PageStyles(root, [f"{base} {css}"])
    let_shrink(styles, ContainerWidths(styles, 680))
    [item] = root.find_class("item")
    assert ("width: auto" in item.get("style", "")) is expected


def test_an_image_beside_a_wide_text_has_a_width() -> None:
    css = ".row { display: flex } .text { width: 640px } .photo { margin: 20px; max-width: 400px } img { width: 100% }"
    page = f"<style>{css}</style><div class=row><div class=text>{WORDS}</div><div class=photo><img src=i></div></div>"
    assets = {"https://example.com/dir/i": Asset(grey_png(300, 200, 90), "image/png")}
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html>{page}", assets))
    assert len(places_of((90, 90, 90), picture(rendering))) > 5_000


WIDE = "<div style='width: 2000px; height: 9px'></div>"


def _right_edge(css: str, text: str = "word " * 90) -> float:
    source = f"<style>.row {{ display: flex; overflow: hidden }} .text {{ flex: 1 1 70% }} {css}</style>"
    found = boxes(PlutoBookEngine().render(task(f"{source}<div class=row><div class=text>{text}{WIDE}</div><p>aside")))
    return max(right for _, _, (_, _, right, _) in found)


@pytest.mark.parametrize("css", ["", ".row { flex-wrap: nowrap }", ".row { overflow: visible; overflow-x: clip }"])
def test_a_row_that_hides_its_overflow_does_not_cut_text(css: str) -> None:
    assert _right_edge(css) < PageGeometry().width


@pytest.mark.parametrize("css", [".text { min-width: 1500px }", ".text { flex-shrink: 0 }"])
def test_a_declared_least_width_is_kept(css: str) -> None:
    assert _right_edge(css) > PageGeometry().width


def test_a_short_text_is_as_wide_as_its_widest_part() -> None:
    assert _right_edge("", "word " * 40) > PageGeometry().width
