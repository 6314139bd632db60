"""Boxes that are laid out as blocks because they are nested too deep."""

from __future__ import annotations

import pytest
from lxml import html

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.source.nested_boxes import DEEPEST, untangle


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
        # Pseudo-classes and pseudo-elements are ignored if lxml does not know them.
        ("div:focus-visible { columns: 2 } div::before { display: table }", 3),
        (":any(:not(p):first-of-type) > div:nth-child(n of :is(p, a)) { columns: 2 }", 3),
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
