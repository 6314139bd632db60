"""Gradients above the image of a background: the color in the URL, and the drawing with the color."""

from __future__ import annotations

import io

import pypdfium2
import pytest
import tinycss2
from PIL import Image

from tests.support.pictures import RED, file_of
from tests.support.rendered_pages import Asset, task
from wcspider.engines.plutobook.css.shades import shaded, with_shades
from wcspider.engines.plutobook.engine import PlutoBookEngine

IMAGE = "https://example.com/dir/i"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("linear-gradient(#00000080, #00000080), url(i)", "i#wcspider-shade-00000080"),
        ("linear-gradient(#f00, #00f), url(i)", "i#wcspider-shade-800080"),
        ("linear-gradient(#0f08, transparent), url(i)", "i#wcspider-shade-00ff0044"),  # no black of the transparent end
        ("linear-gradient(#000, #000), radial-gradient(#fff, #fff), url(i)", "i#wcspider-shade-808080"),
        ("url(i), linear-gradient(#000, #fff)", "i"),
        ("linear-gradient(var(--a), var(--b)), url(i)", "i"),
        ("linear-gradient(#000, #fff), url(i#part)", "i#part"),
        ("url(i) no-repeat #fff", "i"),
    ],
)
def test_color_in_the_url(value: str, expected: str) -> None:
    found = with_shades(tinycss2.parse_component_value_list(value))
    assert [token.value for token in found if token.type == "url"] == [expected]


@pytest.mark.parametrize("fragment", ["", "#part", "#wcspider-shade-", '#wcspider-shade-"/><x'])
def test_other_urls_change_nothing(fragment: str) -> None:
    assert shaded(b"<svg></svg>", f"{IMAGE}{fragment}") == b"<svg></svg>"


@pytest.mark.parametrize(
    "style",
    [
        "background: linear-gradient(#00000080, #00000080), url(i)",
        "background-image: linear-gradient(to right, rgba(0,0,0,.3), rgb(0 0 0 / 70%)), url(i)",
        "--c: rgba(0,0,0,.5); background: linear-gradient(var(--c), var(--c)), url(i) center / cover no-repeat",
    ],
)
def test_an_image_is_as_dark_as_in_a_browser(style: str) -> None:
    assets = {IMAGE: Asset(file_of(Image.new("RGB", (90, 90), RED), "PNG"), "image/png")}
    rendering = PlutoBookEngine().render(task(f"<p style='height: 90px; {style}'>", assets))
    assert [image.url for image in rendering.images] == [IMAGE]
    with pypdfium2.PdfDocument(io.BytesIO(rendering.pdf)) as document:
        colors = document[0].render().to_pil().convert("RGB").getcolors(100_000)
    shown = max((count, color) for count, color in colors if color != (255, 255, 255))[1]
    assert shown == pytest.approx((127, 0, 0), abs=3)
