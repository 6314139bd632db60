"""Pages of the nineties: attributes in the place of style sheets, elements that are no longer in HTML, tiled images."""

from __future__ import annotations

import io

import pikepdf
import pytest
from PIL import Image

from tests.support.rendered_pages import Asset, boxes, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.presentational_hints import legacy_color
from wcspider.engines.plutobook.source.preparation import prepare
from wcspider.web.styles.responsive import Viewport

IMAGE = "https://example.com/dir/i.png"


def image(*, is_clear: bool = False) -> Asset:
    out = io.BytesIO()
    drawn = Image.effect_noise((40, 20), 80).convert("RGB")
    if is_clear:
        drawn.putalpha(128)
    drawn.save(out, "PNG")
    return Asset(out.getvalue(), "image/png")


def render(body: str, *, is_clear: bool = False) -> Rendering:
    return PlutoBookEngine().render(task(body, {IMAGE: image(is_clear=is_clear)}))


def tops(rendering: Rendering) -> dict[str, float]:
    """The top of each character, in points from the lower edge of its page."""
    return {character: box[3] for _, character, box in boxes(rendering)}


def lefts(rendering: Rendering) -> dict[str, float]:
    """The left of each character."""
    return {character: box[0] for _, character, box in boxes(rendering)}


@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("red", "red"),
        (" ReD ", "red"),
        ("#F00", "#f00"),
        ("#ff00FF", "#ff00ff"),
        ("FF00FF", "#ff00ff"),
        ("fff", "#0f0f0f"),  # without the sign, a digit is not doubled
        ("#ab", "#0a0b00"),
        ("chucknorris", "#c00000"),
        ("rgb(1,2,3)", "#001030"),
        ("#000011112222", "#001122"),
        ("012345678" * 3, "#121212"),
        ("\U0001f600", "#000000"),
        ("transparent", ""),
        ("", ""),
    ],
)
def test_a_color_of_an_attribute(text: str, color: str) -> None:
    assert legacy_color(text) == color


def test_attributes_become_what_plutobook_reads() -> None:
    page = prepare(task("<body bgcolor=ffffee link=green background=i.png><font color=00f>a</font>"), Viewport("print"))
    body = page.root.find("body")
    assert (body.get("bgcolor"), body.get("background")) == ("#ffffee", IMAGE)
    assert body[0].get("color") == "#00000f"
    assert page.sheets == [":where(a[href]) { color: green }"]


@pytest.mark.slow
@pytest.mark.parametrize("element", ["<img src=i.png align={}>", "<table align={}><tr><td>.</table>"])
def test_text_is_beside_an_element_with_align(element: str) -> None:
    left = lefts(render(f"{element.format('left')}a<br>b"))
    assert left["a"] == pytest.approx(left["b"], abs=1)
    assert left["a"] > 45  # the margin is 42.5
    right = lefts(render(f"{element.format('RIGHT')}a<br>b"))
    assert right["a"] < 60


@pytest.mark.slow
def test_a_caption_may_be_below_its_table() -> None:
    top = tops(render("<table><caption align=bottom>c</caption><tr><td>t</table>"))
    assert top["c"] < top["t"]


@pytest.mark.slow
@pytest.mark.parametrize("element", ["isindex", "applet", "layer", "multicol"])
def test_nothing_is_lost_in_elements_of_old_html(element: str) -> None:
    assert text(render(f"<{element} prompt=p>alpha</{element}>beta<{element}>gamma")).split() == ["alphabetagamma"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("doctype", "is_equal"),
    [
        ("", True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', True),
        ("<!DOCTYPE html>", False),
    ],
)
def test_nested_tables_do_not_shrink_the_text_of_old_pages(doctype: str, is_equal: bool) -> None:
    css = "<style>body, td { font-size: 80% } h1 { font-size: 30px; text-align: center }</style>"
    rendering = render(f"{doctype}{css}<h1><table width=100%><tr><td>M<table><tr><td>W</table></table></h1>")
    heights = {character: box[3] - box[1] for _, character, box in boxes(rendering)}
    assert (heights["M"] == pytest.approx(heights["W"], rel=0.05)) is is_equal
    assert (lefts(rendering)["M"] < 60) is is_equal


def tiles(rendering: Rendering) -> list[tuple[list[float], tuple[float, float]]]:
    """The box and the steps of each tiling pattern (8.7.3)."""
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        return [
            ([float(edge) for edge in found["/BBox"]], (float(found["/XStep"]), float(found["/YStep"])))
            for found in pdf.objects
            if isinstance(found, pikepdf.Stream) and found.get("/PatternType") == 1
        ]


@pytest.mark.slow
@pytest.mark.parametrize(("is_clear", "size"), [(False, [0, 0, 40.5, 20.5]), (True, [0, 0, 40, 20])])
def test_the_tiles_of_an_opaque_background_overlap(is_clear: bool, size: list[float]) -> None:
    rendering = render("<body background=i.png>a", is_clear=is_clear)
    assert tiles(rendering) == [(size, (40, 20))]
    assert [drawn.url for drawn in rendering.images] == [IMAGE]
