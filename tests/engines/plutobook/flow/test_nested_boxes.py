"""Boxes that are laid out as blocks because they are nested too deep."""

from __future__ import annotations

import pytest
from lxml import html

from wcspider.engines.plutobook.css import element_styles
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.flow.nested_boxes import DEEPEST, untangle


@pytest.mark.parametrize(
    ("css", "weight"),
    [
        ("div { display: flex; flex-direction: column }", 1),
        ("div { flex-flow: column wrap }", 1),
        ("div { display: table }", 1),
        ("div { columns: 2 }", 3),
        ("div { column-count: 2 }", 3),
        ("div { columns: 2; display: table; flex-flow: column }", 3),
        # These are laid out once, however deep they are. Columns of a grid are not those of a text.
        ("div { display: flex }", 0),
        ("div { display: table-cell } p { display: inline-table }", 0),
        ("div { display: grid; grid-template-columns: 1fr 1fr }", 0),
        ("div { margin: 0 }", 0),
        ("div { columns: auto; column-count: auto }", 0),
        # The last rule wins.
        ("div { columns: 2 } div { columns: auto }", 0),
        ("div { flex-flow: column } div { flex-direction: row }", 0),
        # Pseudo-classes count, also those without the name of an element or a class.
        (":not(p) { columns: 2 } html, body { columns: auto }", 3),
        (":is(.card, .other) { columns: 2 } :not(div) { display: table }", 0),
        (":is(.card):where([data-long]) { column-count: 2 } div::before { display: table }", 0),
    ],
)
def test_boxes_below_the_limit_are_kept(css: str, weight: int) -> None:
    root = html.document_fromstring("<div>" * 2 * DEEPEST + "x")
    untangle(PageStyles(root, [css]))
    kept = [element for element in root.iter("div") if "style" not in element.attrib]
    assert len(kept) == (DEEPEST // weight if weight else 2 * DEEPEST)


@pytest.mark.parametrize(
    ("style", "weight"),
    [("column-count: 2", 3), ("DISPLAY: TABLE !important", 1), ("grid-column: 1; column-gap: 9px", 0)],
)
def test_style_attributes_count(style: str, weight: int) -> None:
    root = html.document_fromstring(f"<div style='{style}'>" * 2 * DEEPEST + "x")
    untangle(PageStyles(root, []))
    kept = [element for element in root.iter("div") if element.get("style") == style]
    assert len(kept) == (DEEPEST // weight if weight else 2 * DEEPEST)


def test_all_boxes_of_a_very_large_page_count_as_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(element_styles, "MAX_ELEMENTS", DEEPEST)
    root = html.document_fromstring("<div>" * 2 * DEEPEST + "x")
    untangle(PageStyles(root, ["div { display: table }"]))
    kept = [element for element in root.iter("div") if "style" not in element.attrib]
    assert len(kept) == DEEPEST // 3
