"""The widths of images in flex and grid containers."""

from __future__ import annotations

import base64

import pytest
from lxml import html

from tests.support.pictures import grey_png, places_of
from tests.support.rendered_pages import Asset, boxes, picture, task
from wcspider.engines.base import PageGeometry
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid import image_widths
from wcspider.engines.plutobook.sheets.image_shapes import SMALL, WIDTH

IMAGE = grey_png(900, 300, 90)


@pytest.mark.parametrize(
    ("css", "markup", "width", "is_small"),
    [
        ("p { display: flex }", "<img>", "90", True),
        ("p { display: grid }", "<a><picture><img></picture></a>", "90", True),
        ("p { display: grid }", "<img width=70>", None, False),
        ("p { display: grid } img { height: 80px }", "<img>", "180", False),
        ("p { display: grid } img { width: 50% }", "<img>", "90", False),
        ("img { width: 120px }", "<img>", "120", True),
        ("img { width: 320px }", "<img>", "320", False),
        ("", "<img>", None, False),
        ("p { display: grid } img { max-width: 60px }", "<img>", "60", True),
        ("p { display: grid } img { max-height: 20px }", "<a><img></a>", "45", True),
        ("p { display: grid } img { width: 100% } b { width: 48px }", "<b><img></b>", "48", False),
        ("p { display: grid } img { height: 100% } b { height: 20px }", "<b><img></b>", "45", False),
        ("p { display: grid } b { max-width: 70px }", "<a><b><img></b></a>", "70", True),
        ("p { display: grid } body { width: 20px }", "<img>", "90", True),
        ("p { display: grid } b { display: none }", "<b><img></b>", "0", True),
        ("p { display: grid }", "<b hidden><img></b>", "0", True),
    ],
)
def test_small_images_are_marked_and_widths_are_noted(css: str, markup: str, width: str | None, is_small: bool) -> None:
    root = html.document_fromstring(f"<p>{markup}</p>")
    image_widths.mark(PageStyles(root, [css]), lambda _: (90.0, 40.0))
    [image] = root.iter("img")
    assert (image.get(WIDTH), SMALL in image.attrib) == (width, is_small)


def test_an_image_without_a_size_is_left_alone() -> None:
    root = html.document_fromstring("<p><img></p>")
    image_widths.mark(PageStyles(root, ["p { display: grid }"]), lambda _: None)
    assert root.find(".//img").attrib == {}


@pytest.mark.parametrize("source", ["i", f"data:image/png;base64,{base64.b64encode(IMAGE).decode()}"])
@pytest.mark.parametrize("image", ["<img src={}>", "<a href=x><img src={} align=left></a>"])
def test_a_wide_image_leaves_room_for_a_text_in_the_grid(image: str, source: str) -> None:
    css = "div.g { display: grid; grid-template-columns: auto auto; gap: 20px } img { max-width: 100%; height: auto }"
    cells = f"<div>{image.format(source)}</div><div>{'words ' * 90}</div>"
    page = f"<!DOCTYPE html><style>{css}</style><div class=g>{cells}</div>"
    rendering = PlutoBookEngine().render(task(page, {"https://example.com/dir/i": Asset(IMAGE, "image/png")}))
    words = [box for _, _, box in boxes(rendering)]
    middle = PageGeometry().width / 2
    assert min(left for left, *_ in words) == pytest.approx(middle, abs=10)
    assert max(right for _, _, right, _ in words) < PageGeometry().width
    assert len(places_of((90, 90, 90), picture(rendering))) > 5_000
