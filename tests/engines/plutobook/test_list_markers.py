"""The images and bullets that mark the items of lists (CSS Lists 3, 3)."""

from __future__ import annotations

import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_FORM, FPDF_PAGEOBJ_IMAGE

from tests.support.pictures import file_of, quarters
from tests.support.rendered_pages import Asset, task
from wcspider.engines.plutobook.engine import PlutoBookEngine

ASSETS = {"https://example.com/dir/i": Asset(file_of(quarters().resize((6, 6)), "PNG"), "image/png")}


def gap(page: str) -> float:
    """The room between the marker, an image or a character, and the text ``X``, in CSS pixels."""
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html>{page}", ASSETS))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        found, content = document[0], document[0].get_textpage()
        kinds = (FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_FORM)
        edges = [image.get_bounds()[2] for image in found.get_objects(kinds) if image.type == kinds[0]]
        shown = content.get_text_range()
        edges += [content.get_charbox(number)[2] for number, character in enumerate(shown) if character == "•"]
        [edge] = edges
        return (content.get_charbox(shown.index("X"), loose=True)[0] - edge) / 0.75


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<style>ul { list-style-image: url(i) }</style><ul><li>X", 7),
        ("<style>ul { list-style: url(i) }</style><ul><li>X", 7),
        ("<ul style='list-style: disc url(i)'><li>X", 7),
        ("<ul><li>X", 10),  # with the space behind the character
        ("<menu><li>X", 10),
        ("<dir><li>X", 10),
        ("<ol><li><ul style='list-style-type: disc'><li>X", 10),
        ("<style>ul { list-style-type: disc }</style><ul><li>X", 10),
        ("<style>ul { list-style: none } li { list-style: disc }</style><ul><li>X", 10),
        ("<ol style='list-style-type: disc'><li>X", 10),
        ("<style>ul { list-style-image: url(i); list-style-type: none }</style><ul><li>X", 7),
        ("<style>ol { list-style-image: url(i) } ul { list-style: disc }</style><ol><ul><li>X", 10),
    ],
)
def test_a_marker_has_the_room_that_it_has_in_a_browser(page: str, expected: int) -> None:
    assert gap(page) == pytest.approx(expected, abs=0.8)


@pytest.mark.parametrize(
    ("css", "has_line"),
    [
        ("", True),
        ("ul { list-style: none }", False),
        ("ul { list-style-type: none }", False),
        ("ul { list-style: none } li { list-style-type: square }", True),
        ("ul { list-style: none url(i) }", True),
        ("ul { list-style-type: none; list-style-image: url(i) }", True),
        ("ul { list-style-image: url(i); list-style-type: none }", False),
        ("li { min-height: 0 }", False),
    ],
)
def test_an_item_without_contents_is_as_high_as_its_mark(css: str, has_line: bool) -> None:
    page = f"<!DOCTYPE html><style>ul {{ margin: 0 }} p {{ margin: 0 }} {css}</style><p>X<ul><li><a></a></ul><p>X"
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(page, ASSETS)).pdf) as document:
        content = document[0].get_textpage()
        shown = content.get_text_range()
        first, second = (content.get_charbox(place)[1] for place in (shown.index("X"), shown.rindex("X")))
    assert ((first - second) / 0.75 > 30) is has_line  # a line of text has 18 pixels
