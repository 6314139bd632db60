"""Gradients: the drawing in the URL of an image, and the page with it."""

from __future__ import annotations

import sys
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.support.pictures import BLUE, RED, file_of
from tests.support.rendered_pages import Asset, picture, task
from wcspider.engines.plutobook.css.gradients import BLANK, EMPTY, with_drawing, with_gradient_images
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.web.styles.tokens import serialized, url_of

IMAGE = "https://example.com/dir/i"
WHITE = (255, 255, 255)


def background(value: str) -> tuple[str, str, str]:
    """The URL of a background without its fragment, the drawing in the fragment, and the rest of the value."""
    found = with_gradient_images(tinycss2.parse_component_value_list(value))
    url, _, fragment = next(filter(None, map(url_of, found)), "").partition("#wcspider-gradient-")
    return url, unquote(fragment), serialized([token for token in found if url_of(token) is None])


def drawing(value: str) -> list[ElementTree.Element]:
    """The elements of the drawing of a background."""
    return list(ElementTree.fromstring(f"<svg>{background(value)[1]}</svg>"))


def pixels(html: str, assets: dict[str, Asset] | None = None) -> Image.Image:
    return picture(PlutoBookEngine().render(task(html, assets or {})))


@pytest.mark.parametrize(
    ("gradient", "ends"),
    [
        ("linear-gradient(red, blue)", (0.5, 0, 0.5, 1)),
        ("linear-gradient(to right, red, blue)", (0, 0.5, 1, 0.5)),
        ("linear-gradient(to top left in oklab, red, blue)", (1, 1, 0, 0)),
        ("linear-gradient(90deg, red, blue)", (0, 0.5, 1, 0.5)),
        ("linear-gradient(0.5turn, red, blue)", (0.5, 0, 0.5, 1)),
        ("linear-gradient(45deg, red, blue)", (0, 1, 1, 0)),
        ("radial-gradient(red, blue)", (0.5, 0.5, 0.7071)),
        ("radial-gradient(at top left, red, blue)", (0, 0, 1.4142)),
        ("radial-gradient(40% 40% at 30% 20%, red, blue)", (0.3, 0.2, 0.4)),
        ("repeating-linear-gradient(to right, red 10%, blue 30%)", (0.1, 0.5, 0.3, 0.5)),
    ],
)
def test_geometry(gradient: str, ends: tuple[float, ...]) -> None:
    definition, area = drawing(gradient)
    places = [float(value) for name, value in definition.items() if name not in ("id", "spreadMethod")]
    assert places == pytest.approx(ends, abs=1e-4)
    assert area.get("fill") == f"url(#{definition.get('id')})"


@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        ("red, blue", [0, 0, 1, 1]),
        ("red, lime, blue", [0, 0, 0.5, 1, 1]),
        ("red, lime, lime 80%, blue", [0, 0, 0.4, 0.8, 1, 1]),
        ("red 62%, blue 62%", [0, 0.62, 0.62, 1]),
        ("red 0 20%, blue 20%", [0, 0, 0.2, 0.2, 1]),
        ("red 20%, blue 0", [0, 0.2, 0.2, 1]),
        ("red 4px, blue 19px", [0, 0.2, 0.95, 1]),
        ("red 4px, blue 4px 9px, blue", [0, 0.4, 0.4, 0.9, 1]),
        ("red 0, blue 1.1875rem, blue 100%", [0, 0, 0.95, 1]),
    ],
)
def test_offsets(stops: str, expected: list[float]) -> None:
    definition, _ = drawing(f"linear-gradient({stops})")
    assert [float(stop.get("offset", "")) for stop in definition] == pytest.approx(expected)


HALVES = "red 20px, blue 20px"
SECTORS = "conic-gradient(red 25%, blue 0 50%, lime 180deg 75%, yellow 0)"


@pytest.mark.parametrize(
    ("gradient", "red", "blue"),
    [
        (f"linear-gradient(to right, {HALVES})", (10, 50), (70, 50)),
        (f"linear-gradient(to left, {HALVES})", (90, 50), (30, 50)),
        (f"linear-gradient({HALVES})", (50, 10), (50, 70)),
        (f"linear-gradient(0deg, {HALVES})", (50, 90), (50, 30)),
        (f"linear-gradient(135deg, {HALVES})", (8, 8), (60, 60)),
        (f"linear-gradient(-45deg, {HALVES})", (92, 92), (40, 40)),
        (f"linear-gradient(45deg, {HALVES})", (8, 92), (60, 40)),
        ("repeating-linear-gradient(to right, red 0 20px, blue 0 40px)", (50, 10), (70, 90)),
        ("repeating-linear-gradient(to right, red 0 20%, blue 0 40%)", (50, 10), (70, 90)),
        (f"radial-gradient({HALVES})", (60, 60), (80, 50)),
        (f"radial-gradient(circle at left, {HALVES})", (10, 50), (50, 50)),
        (f"radial-gradient(circle at 80px 20px, {HALVES})", (80, 30), (50, 50)),
        ("radial-gradient(40px, red 50%, blue 50%)", (60, 60), (80, 50)),
        ("repeating-radial-gradient(red 0 10px, blue 0 20px)", (52, 50), (67, 50)),
        (SECTORS, (80, 20), (80, 80)),
        (SECTORS.replace("(red", "(from 90deg, red"), (80, 80), (20, 80)),
        (SECTORS.replace("(red", "(from .25turn at 20% 20%, red"), (80, 80), (10, 80)),
        ("repeating-conic-gradient(red 0 12.5%, blue 0 25%)", (60, 20), (80, 40)),
        ("repeating-conic-gradient(red 0 12.5%, blue 0 25%)", (40, 80), (20, 60)),
    ],
)
def test_colors(gradient: str, red: tuple[int, int], blue: tuple[int, int]) -> None:
    page = pixels(f"<style>body {{ margin: 0 }}</style><p style='width: 100px; height: 100px; background: {gradient}'>")
    left, top, *_ = Image.eval(page, lambda value: 255 - value).getbbox() or ()
    found = [page.getpixel((left + int(x * 0.75), top + int(y * 0.75))) for x, y in (red, blue)]
    assert found == [RED, BLUE]


@pytest.mark.parametrize(
    ("geometry", "share", "red", "blue"),
    [
        ("circle", 40, [(100, 3), (65, 25), (135, 25)], [(52, 25), (148, 25)]),
        ("circle at top left", 20, [(36, 5), (5, 36)], [(48, 5), (5, 47)]),
        ("circle at 100% 50%", 20, [(172, 25), (195, 3)], [(153, 25)]),
        ("circle at 100px 25px", 20, [(110, 25)], [(40, 25), (160, 25)]),
        ("ellipse", 40, [(60, 25)], [(36, 25), (100, 7)]),
    ],
)
def test_shapes_in_a_wide_box(
    geometry: str, share: int, red: list[tuple[int, int]], blue: list[tuple[int, int]]
) -> None:
    stops = f"red {share}%, blue {share}%"
    style = f"width: 200px; height: 50px; background: radial-gradient({geometry}, {stops})"
    page = pixels(f"<style>body {{ margin: 0 }}</style><p style='{style}'>")
    left, top, *_ = Image.eval(page, lambda value: 255 - value).getbbox() or ()
    found = [[page.getpixel((left + int(x * 0.75), top + int(y * 0.75))) for x, y in places] for places in (red, blue)]
    assert found == [[RED] * len(red), [BLUE] * len(blue)]


@given(st.integers(1, 200), st.integers(1, 200), st.sampled_from(["", "repeating-"]))
def test_sectors_of_a_gradient_are_few(first: int, second: int, kind: str) -> None:
    found = drawing(f"{kind}conic-gradient(red, blue {first / 100:.2f}deg, red {(first + second) / 100:.2f}deg)")
    assert len(list(found[0])) <= 360


@pytest.mark.parametrize(
    "gradient",
    [
        "linear-gradient(1e999deg, red, blue)",
        "linear-gradient(red 1e999px, blue 2e999px)",
        "linear-gradient(red 1parsec, blue 9px)",
        "radial-gradient(circle 1e999px at 1e999% 1e999px, red -1e999%, blue)",
        "repeating-linear-gradient(red -1e300px, blue 1e308px)",
        "conic-gradient(red, blue 1e9turn)",
        "conic-gradient(from 1e999deg at 1e999% 5px, red -1e9turn, blue 1e999turn)",
        "repeating-conic-gradient(red, blue 1e-320turn)",
    ],
)
def test_numbers_of_any_size(gradient: str) -> None:
    drawn = background(gradient)[1]
    assert len(drawn) < 100_000
    assert "nan" not in drawn
    assert "inf" not in drawn


def test_usual_colors_need_no_library_of_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coloraide", None)  # so that an import fails
    stops = [e.get("stop-color") for e in drawing("linear-gradient(#f00, rgb(0, 0, 255) 50%, white)")[0]]
    assert list(dict.fromkeys(stops)) == ["#ff0000", "#0000ff", "#ffffff"]


def test_a_transparent_end_is_not_black() -> None:
    definition, _ = drawing("linear-gradient(transparent, #0f08)")
    assert {(stop.get("stop-color"), stop.get("stop-opacity")) for stop in definition} == {
        ("#00ff00", "0.000"),
        ("#00ff00", "0.533"),
    }


@pytest.mark.parametrize(
    ("gradient", "color"),
    [
        ("linear-gradient(red calc(100% - 1px), blue 0)", "#ff0000"),
        ("linear-gradient(red 9px, blue 90%)", "#ff0000"),
        ("linear-gradient(red, blue 9px, lime)", "#ff0000"),
        ("radial-gradient(9px 5px, red, blue)", "#ff0000"),
        ("repeating-radial-gradient(red 4px, blue 9px)", "#ff0000"),
        ("repeating-linear-gradient(red 9px, blue 9px)", "#ff0000"),
        ("repeating-conic-gradient(red 9deg, blue 9deg)", "#ff0000"),
        ("conic-gradient(red 9px, blue)", "#ff0000"),
        ("unknown-gradient(red, blue)", "#ff0000"),
        ("linear-gradient(#00f, #00f)", "#0000ff"),
        ("linear-gradient(red 9px, transparent 90%)", None),  # it would cover text
        ("linear-gradient(currentcolor, currentcolor)", None),
    ],
)
def test_gradients_in_one_color(gradient: str, color: str | None) -> None:
    assert [element.get("fill") for element in drawing(gradient)] == ([color] if color else [])


@pytest.mark.parametrize(
    ("value", "url", "number", "rest"),
    [
        ("linear-gradient(red, blue) #fff", EMPTY, 1, "#fff"),
        ("linear-gradient(red, blue) 0 100%/100% 2px no-repeat, #fff", EMPTY, 1, "0 100%/100% 2px no-repeat#fff"),
        ("linear-gradient(red, blue), linear-gradient(#0f08, #00f8)", EMPTY, 2, ""),
        ("linear-gradient(red, blue) 0 0/9px 9px, linear-gradient(lime, blue)", EMPTY, 1, ""),
        ("linear-gradient(red, blue), url(i) center", "i", 1, "center"),
        ("linear-gradient(red, blue), radial-gradient(red, blue), url(i), red", "i", 2, "red"),
        ("url(i), linear-gradient(red, blue)", "i", 0, ""),
        ("linear-gradient(red, blue), url(i#part)", "i#part", 0, ""),
        ("linear-gradient(red, blue), url(data:,i)", "data:,i", 0, ""),
        ("linear-gradient(var(--a), var(--b)), url(i)", "i", 0, ""),
        ("linear-gradient(red 9px, transparent 90%)", "", 0, "none"),
    ],
)
def test_one_layer(value: str, url: str, number: int, rest: str) -> None:
    found, drawn, others = background(value)
    assert (found, drawn.count("Gradient>"), others) == (url, number, rest)


def test_layers_have_different_names() -> None:
    names = [element.get("id") for element in drawing("linear-gradient(red, blue), linear-gradient(lime, red)")[::2]]
    assert len(set(names)) == 2


@given(st.text(alphabet="<>/&\"'=#% abgrstx-"))
def test_authors_write_no_drawings(text: str) -> None:
    drawn = with_drawing(BLANK, f"{EMPTY}#wcspider-gradient-{text}")
    assert drawn == BLANK


@pytest.mark.parametrize("fragment", ["", "#part", "#wcspider-gradient-", "#wcspider-gradient-<image href='x'/>"])
def test_other_urls_change_nothing(fragment: str) -> None:
    assert with_drawing(BLANK, f"{IMAGE}{fragment}") == BLANK


@pytest.mark.parametrize(
    "style",
    [
        "background: linear-gradient(#00000080, #00000080), url(i)",
        "background-image: linear-gradient(to right, #00000080, rgb(0 0 0 / 50%)), url(i)",
        "--c: rgba(0,0,0,.5); background: linear-gradient(var(--c), var(--c)), url(i) center / cover no-repeat",
    ],
)
def test_an_image_is_as_dark_as_in_a_browser(style: str) -> None:
    assets = {IMAGE: Asset(file_of(Image.new("RGB", (90, 90), RED), "PNG"), "image/png")}
    colors = pixels(f"<p style='height: 90px; {style}'>", assets).getcolors(100_000)
    shown = max((count, color) for count, color in colors or () if color != WHITE)[1]
    assert shown == pytest.approx((127, 0, 0), abs=3)


@pytest.mark.parametrize("asset", [None, Asset(b"<p>Not found", "text/html")])
def test_a_gradient_is_drawn_without_its_image(asset: Asset | None) -> None:
    style = "height: 90px; background: linear-gradient(#00000080, #00000080), url(i) center / cover"
    colors = pixels(f"<p style='{style}'>", {} if asset is None else {IMAGE: asset}).getcolors(100_000)
    shown = max((count, color) for count, color in colors or () if color != WHITE)[1]
    assert shown == pytest.approx((127, 127, 127), abs=3)


@pytest.mark.parametrize(
    "style",
    [
        "background: linear-gradient(to right, red 25%, blue 25%)",
        "background: no-repeat linear-gradient(red, red) 0 0 / 25% 100%, blue",
        "--g: linear-gradient(to right, red 25%, blue 25%); background-image: var(--g)",
        "--c: blue; background: linear-gradient(to right, red 25%, var(--c) 25%)",
    ],
)
def test_a_meter_shows_its_share(style: str) -> None:
    found = pixels(f"<p style='height: 90px; {style}'>").getcolors(100_000)
    colors = {color: count for count, color in found or ()}
    assert colors[RED] / (colors[RED] + colors[BLUE]) == pytest.approx(0.25, abs=0.01)
