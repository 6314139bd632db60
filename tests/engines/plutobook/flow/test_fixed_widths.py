"""Pages that are laid out for a certain width are made smaller, and their columns stay side by side."""

from __future__ import annotations

from typing import Final

import pypdfium2
import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.base import PageGeometry, Rendering
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow.fixed_widths import SMALLEST, page_width

ROOM: Final = 700.0
TEXT: Final = "word " * 40
COLUMNS: Final = f"<div class=l>L {TEXT}</div><div class=r>R {TEXT}</div>"
CSS: Final = "body { margin: 0 } .l { float: left; width: 600px } .r { float: right; width: 340px }"


def render(body: str, **options: object) -> Rendering:
    return PlutoBookEngine().render(task(f"<!DOCTYPE html>{body}", **options))


def places(rendering: Rendering) -> dict[str, tuple[float, float, float]]:
    """The left edge, the top and the height of each capital letter, in points."""
    return {c: (box[0], box[3], box[3] - box[1]) for _, c, box in boxes(rendering) if c.isupper()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("css", "is_beside"),
    [
        ("#w { width: 960px }", True),
        ("#w { width: 60em }", True),
        ("#w { min-width: 960px }", True),
        ("#w { width: 960px; max-width: 100% }", False),
        ("#w { width: 2000px }", False),  # nobody could read it
        (".l { width: 600px } #w { }", False),
    ],
)
def test_columns_stay_side_by_side(css: str, is_beside: bool) -> None:
    found = places(render(f"<style>{CSS}{css}</style><div id=w>{COLUMNS}</div>"))
    assert (found["L"][1] == pytest.approx(found["R"][1], abs=2)) is is_beside


@pytest.mark.slow
def test_the_text_is_as_large_as_the_page_allows() -> None:
    wide, narrow = (
        places(render(f"<style>{CSS}</style><div style='width: {width}px'>{COLUMNS}</div>"))["L"][2]
        for width in (1200, 960)
    )
    assert narrow / wide == pytest.approx(1200 / 960, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("width", ["80em", "96rem"])
def test_a_width_may_depend_on_the_size_of_the_text(width: str) -> None:
    found, expected = (
        places(
            render(
                f"<style>html {{ font-size: 10px }} {CSS} #w {{ font-size: 12px; width: {size} }}</style>"
                f"<div id=w>{COLUMNS}</div>"
            )
        )["L"]
        for size in (width, "960px")
    )
    assert found == pytest.approx(expected, abs=0.5)


@pytest.mark.slow
def test_a_long_line_in_a_page_of_fixed_width_is_broken() -> None:
    rendering = render(f"<style>{CSS}</style><div style='width: 960px'>{COLUMNS}<pre>{'x' * 900}</pre></div>")
    found = places(rendering)
    assert found["L"][1] == pytest.approx(found["R"][1], abs=2)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert sum(page.get_textpage().get_text_range().count("x") for page in document) == 900


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_the_scale_of_the_user_counts(scale: float) -> None:
    width = 960 / scale
    css = f".l {{ width: {0.6 * width}px }} .r {{ width: {0.35 * width}px }} #w {{ width: {width}px }}"
    found = places(render(f"<style>{CSS}{css}</style><div id=w>{COLUMNS}</div>", geometry=PageGeometry(scale=scale)))
    assert found["L"][1] == pytest.approx(found["R"][1], abs=2)


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        ("", f"<p>{TEXT}", 0),
        ("p { width: 960px }", f"<p>{TEXT}", 960),
        ("p { width: 960px; padding: 0 10px }", f"<p>{TEXT}", 980),
        ("p { width: 960px; padding: 0 10px; box-sizing: border-box }", f"<p>{TEXT}", 960),
        ("p { width: 700px }", f"<p>{TEXT}", 0),
        ("p { width: 1300px }", f"<p>{TEXT}", 0),
        ("p { width: 960px; max-width: 800px }", f"<p>{TEXT}", 800),
        ("p { width: 50%; min-width: 750px }", f"<p>{TEXT}", 750),
        ("p { width: 960px; display: none }", f"<p>{TEXT}", 0),
        ("p { width: 960px; position: absolute }", f"<p>{TEXT}", 0),
        ("p { width: 960px }", f"<div>{TEXT}<p>{TEXT}{TEXT}</div>", 960),
        ("p { width: 960px }", f"<div>{TEXT}{TEXT}<p>{TEXT}</div>", 0),
        ("div { width: 900px } p { width: 960px }", f"<div><p>{TEXT}</div><div>{TEXT}</div>", 900),
        ("", f"<table width=800><tr><td>{TEXT}</table>", 800),
        ("table { width: 100% }", f"<table width=800><tr><td>{TEXT}</table>", 700),
        ("", f"<table width='100%'><tr><td>{TEXT}</table>", 0),
    ],
)
def test_width_of_a_page(css: str, body: str, expected: float) -> None:
    root = html.document_fromstring(f"<title></title>{body}")
    found = page_width(PageStyles(root, [css]), ROOM, ROOM / SMALLEST)
    assert found == (expected if ROOM < expected <= ROOM / SMALLEST else 0)


@pytest.mark.parametrize(
    ("css", "width", "is_laid_out"),
    [
        ("", 1300, False),
        ("body { font-size: 20px }", 1300, True),
        ("html { font-size: 15pt }", 1300, True),
        ("html { font-size: 20px } body { font-size: 1em }", 1300, False),
        ("body { font-size: 125% }", 1300, False),  # its size in pixels is not computed
        ("body { font-size: 10px }", 1200, True),
        ("body { font-size: 20px }", 1600, False),
    ],
)
def test_a_page_with_large_text_may_become_smaller(css: str, width: int, *, is_laid_out: bool) -> None:
    root = html.document_fromstring(f"<title></title><p>{TEXT}")
    found = page_width(PageStyles(root, [f"{css} p {{ width: {width}px }}"]), ROOM, ROOM / SMALLEST)
    assert found == (width if is_laid_out else 0)
