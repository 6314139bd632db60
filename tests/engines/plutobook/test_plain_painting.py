"""Corners of borders, which are triangles."""

from __future__ import annotations

from collections import Counter

import pypdfium2
import pytest

from tests.support.declarations import serialized
from tests.support.pictures import RED, places_of
from tests.support.rendered_pages import task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.plain_painting import with_corners
from wcspider.web.styles.tokens import declarations_of

UNSEEN = "rgba(0,0,0,.004)"


@pytest.mark.parametrize(
    ("written", "is_generated", "expected"),
    [
        ("border: 4px solid Transparent", False, f"border: 4px solid {UNSEEN}"),
        ("border: 1px solid transparent", False, "border: 1px solid transparent"),
        ("border: 1px solid transparent", True, f"border: 1px solid {UNSEEN}"),
        ("width: 0; border-color: transparent red !important", False, f"width: 0; border-color: {UNSEEN} red !"),
        ("width: 9px; border-color: transparent red", False, "width: 9px; border-color: transparent red"),
        ("border-width: 9px; color: transparent", False, "border-width: 9px; color: transparent"),
        ("border-top: 1em solid; border-left: 1em solid transparent", False,
         f"border-top: 1em solid; border-left: 1em solid {UNSEEN}"),
    ],
)  # fmt: skip
def test_transparent_sides_of_a_border_have_corners(written: str, is_generated: bool, expected: str) -> None:
    assert serialized(with_corners(declarations_of(written), is_generated=is_generated)) == expected


@pytest.mark.parametrize(
    "css",
    [
        "p { width: 0; border: 60px solid transparent; border-top-color: red }",
        "p { width: 0; border: solid transparent; border-width: 60px 60px 0; border-top-color: red }",
        "p::before { content: ''; display: block; width: 0; border: 60px solid transparent; border-top-color: red }",
    ],
)
def test_corners_of_borders_are_triangles(css: str) -> None:
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style><p>"))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        image = document[0].render().to_pil().convert("RGB")
    found = list(Counter(y for _, y in places_of(RED, image)).values())
    assert found == sorted(found, reverse=True)
    assert found[0] > 80
    assert found[-1] < 10
