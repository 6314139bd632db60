"""Sizes of images with a width and a height of another shape than their own."""

from __future__ import annotations

import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_FORM, FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_TEXT

from tests.support.pictures import file_of, quarters
from tests.support.rendered_pages import Asset, boxes, task
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

WIDE, TALL, LARGE = (file_of(quarters().resize(size), "PNG") for size in ((80, 40), (30, 150), (400, 200)))
FILES = (("w", WIDE), ("t", TALL), ("l", LARGE))
ASSETS = {f"https://example.com/dir/{name}": Asset(body, "image/png") for name, body in FILES}


def size(page: str) -> tuple[int, int]:
    """The width and height in CSS pixels of the only image of a page."""
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html>{page}", ASSETS))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        kinds = (FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_FORM)
        (image,) = (found for sheet in document for found in sheet.get_objects(kinds) if found.type == kinds[0])
        left, bottom, right, top = image.get_bounds()
        return round((right - left) / 0.75), round((top - bottom) / 0.75)


@pytest.mark.parametrize(
    ("image", "height"),
    [
        ("<img src=l>", 50),
        ("<img src=l width=400 height=200>", 50),
        ("<img src=l width=400 height=300>", 300),  # of another shape
        ("<img src=l width=400 height=200 style='height: 60px'>", 60),
        ("<img src=w width=80 height=40>", 40),  # so small that it is not made smaller
    ],
)
def test_an_image_that_is_made_smaller_leaves_no_gap(image: str, height: int) -> None:
    page = "<style>p { margin: 0; width: 100px } img { display: block }</style><p>A</p><p>{}</p><p>Z</p>"
    rows = [boxes(PlutoBookEngine().render(task(page.replace("{}", shown), ASSETS))) for shown in ("", image)]
    places = [{letter: box[1] for _, letter, box in row} for row in rows]
    without, found = (place["A"] - place["Z"] for place in places)
    assert round((found - without) / 0.75) == height


@pytest.mark.parametrize(
    ("styles", "image", "expected"),
    [
        ("", "<img src=w>", (80, 40)),
        ("", "<img src=w width=60 height=90>", (60, 90)),
        ("", "<img src=w width=60 style='height: 90px'>", (60, 90)),
        ("", "<img src=w height=90 style='width: 60px'>", (60, 90)),
        ("", "<img src=w width=60 height=90 style='height: auto'>", (60, 30)),
        ("", "<img src=w style='width: 400px; height: 10px'>", (400, 10)),
        (".a { width: 60px; height: 90px }", "<img src=w class=a>", (60, 90)),
        (".a { inline-size: 5em; block-size: 2em }", "<img src=w class=a>", (80, 32)),
        (".a { width: 100%; height: 50px }", "<p style='width: 300px'><img src=w class=a>", (300, 50)),
        # Only a rule with both sizes stretches an image.
        (".a { width: 50% } img { height: 50px }", "<p style='width: 300px'><img src=w class=a>", (100, 50)),
        ("p { position: relative; width: 300px; height: 50px } .a { position: absolute; width: 100%; height: 100% }",
         "<p><img src=w class=a>", (300, 50)),
        # The author's own words.
        (".a { object-fit: contain } img { width: 60px; height: 90px }", "<img src=w class=a>", (60, 30)),
        ("img { object-fit: cover } .a { width: 60px; height: 90px }", "<img src=w class=a>", (180, 90)),
        (".a { width: 60px; height: 90px } .b { height: auto }", "<img src=w class='a b'>", (60, 30)),
        (".a { width: 60px; height: auto !important } img.b { height: 90px }", "<img src=w class='a b'>", (60, 30)),
        (".a { width: auto; height: 90px }", "<img src=w class=a>", (180, 90)),
        (".a { width: 60px; height: 90px }", "<video class=a poster=w></video>", (60, 30)),
        # An image that is made narrower keeps its shape.
        ("", "<p style='width: 200px'><img src=w width=400 height=200>", (200, 100)),
        (".a { width: 400px; height: 200px }", "<p style='width: 200px'><img src=w class=a>", (200, 100)),
        (".a { width: 100%; height: 100% }", "<img src=t class=a>", (202, 1009)),
        # A column of a table has room for a small image.
        ("", "<table><tr><td><img src=w><td style='width: 100%'>a</table>", (80, 40)),
        ("", "<table><tr><td><img src=w width=160 height=80><td width='100%'>a</table>", (160, 80)),
        (".a, b { display: table-cell } b { width: 10000px }", "<p class=a><img src=w width=60></p><b>a</b>", (60, 30)),
        ("", "<p style='width: 200px'><img src=w width=400>", (200, 100)),
        # No image inherits a shape.
        ("p { width: 60px; height: 90px }", "<p><img src=w height=20>", (40, 20)),
    ],
)  # fmt: skip
def test_size(styles: str, image: str, expected: tuple[int, int]) -> None:
    assert size(f"<style>{styles}</style>{image}") == expected


@pytest.mark.parametrize("rule", ["width: 60px", "width: 4em; height: auto"])
@pytest.mark.parametrize("image", ["<img src=large>", "<svg viewBox='0 0 8 5'><path d='M0 0h8v5z'/></svg>"])
def test_text_beside_a_small_image_covers_no_other_item(image: str, rule: str) -> None:
    styles = f"nav, nav > * {{ display: flex }} nav :is(img, svg) {{ {rule} }} b {{ font-size: 30px }}"
    page = f"<style>{styles}</style><nav><p>{image}<b>Nameofthis</b></p><p>{'menu ' * 200}</p></nav>"
    large = {"https://example.com/dir/large": Asset(file_of(quarters().resize((700, 400)), "PNG"), "image/png")}
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html>{page}", large))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        text = document[0].get_textpage()
        name, menu = (text.get_text_range().index(word) for word in ("Nameofthis", "menu"))
        assert text.get_charbox(name + 9)[2] <= text.get_charbox(menu)[0]


LOGO = b"<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30px'><path d='M0 0h90v30z' fill='red'/></svg>"


@pytest.mark.parametrize(
    ("file", "styles", "expected"),
    [
        (file_of(quarters().resize((90, 30)), "PNG"), "", 90),
        (file_of(quarters().resize((900, 300)), "PNG"), "img { height: 30px }", 90),
        (LOGO, "", 90),
        (LOGO, "img { height: 20px }", 60),
        (LOGO, "img { max-width: 100% }", 0),
    ],
)
def test_a_logo_beside_a_long_menu_is_visible(file: bytes, styles: str, expected: int) -> None:
    css = f"nav {{ display: flex }} p {{ margin: 0; flex: none; width: 700px }} {styles}"
    page = f"<!DOCTYPE html><style>{css}</style><nav><a href=x><img src=logo></a><p>menu</p></nav>"
    rendering = PlutoBookEngine().render(task(page, {"https://example.com/dir/logo": Asset(file, "")}))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        edges = [o.get_bounds() for o in document[0].get_objects() if o.type != FPDF_PAGEOBJ_TEXT]
        width = max((right - left for left, _, right, _ in edges), default=0) / 0.75
        menu = document[0].get_textpage().get_charbox(0)[0] / 0.75
    assert menu > expected * 0.7
    assert bool(width) is bool(expected)
