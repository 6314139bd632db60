"""The heights of boxes: of those without text, such as icons and bars, and of those that are too low for their text."""

from __future__ import annotations

import pypdfium2
import pypdfium2.raw
import pytest

from tests.support.letter_places import letters, rendered
from tests.system.conformance import layout


def heights_of_shapes(html: str) -> list[int]:
    """The heights of the shapes that are drawn on the first page, in points."""
    with pypdfium2.PdfDocument(rendered(html)) as document:
        shapes = [o.get_bounds() for o in document[0].get_objects((pypdfium2.raw.FPDF_PAGEOBJ_PATH,))]
    return [round(top - bottom) for _, bottom, _, top in shapes]


@pytest.mark.parametrize(
    ("contents", "is_kept"),
    [
        ("<svg viewBox='0 0 9 9'></svg>", True),
        ("<b><svg></svg></b> <i><svg></svg></i>", True),
        ("<p></p>" * 30, True),
        ("<b><svg></svg></b> words" + " of a box" * 5, False),
        ("<p></p> words" + " of a box" * 5, False),
        ("<svg></svg> words" + " of a box" * 5, False),
        ("words" + " of a box" * 5, False),
    ],
)
def test_boxes_without_text_keep_their_height(contents: str, is_kept: bool) -> None:
    css = "div { height: 40px; width: 40px } svg, div p { width: 100%; height: 100% } p { margin: 0 }"
    top = letters(f"<style>{css}</style><p>Q<div>{contents}</div><p>Z")
    assert (top["Z"][1] - top["Q"][1] < 60) is is_kept


@pytest.mark.parametrize("style", [".b { height: 40px }", ""])
def test_bars_have_their_share_of_the_height_around_them(style: str) -> None:
    bars = "".join(f"<i style='height: {share}%'></i>" for share in (50, 100, 25))
    css = f".b {{ display: flex; align-items: flex-end }} i {{ width: 9px; background: #f00 }} {style}"
    page = f"<style>{css}</style><div class=b {'' if style else 'style=height:40px'}>{bars}</div><p>text"
    assert sorted(heights_of_shapes(page)) == [8, 15, 30]


@pytest.mark.parametrize(
    "contents", ["", "<s style='position: absolute; width: 1px; height: 1px; overflow: hidden'>7</s>"]
)
def test_a_bar_behind_a_text_is_as_high_as_the_box_around_it(contents: str) -> None:
    css = """section { position: relative; height: 40px } b { height: 100%; display: block; background: #f00 }
             div { position: absolute; top: 0; right: 0; bottom: 0; left: 0; height: 100% }"""
    page = f"<style>{css}</style><section><div><b>{contents}</b></div>text</section>"
    assert heights_of_shapes(page) == [30]


@pytest.mark.parametrize("around", ["span", "div style=float:left", "p style='display: flex; flex: none'"])
def test_an_icon_with_a_ratio_is_as_wide_as_its_height(around: str) -> None:
    icon = "<i style='display: inline-block; height: 40px; aspect-ratio: 2; background: #f00'></i>"
    found = letters(f"<div style='display: flex'><{around}>A{icon}</{around.split()[0]}><span>Z</span></div>")
    assert 60 < found["Z"][0] - found["A"][0] < 75


def test_a_later_rule_of_any_kind_sets_the_height_of_an_icon() -> None:
    css = "p { margin: 0 } .i { display: block; height: 90px } p .i { height: var(--h); --h: 10px }"
    top = letters(f"<style>{css}</style><p>Q<p><b class=i></b><p>Z")
    assert top["Z"][1] - top["Q"][1] < 40


def test_a_drawing_has_the_height_in_the_style_of_its_box() -> None:
    root = (
        "<i style='display: block; height: 20px'><svg viewBox='0 0 9 9' style='width: 100%; height: inherit'></svg></i>"
    )
    top = letters(f"<style>p {{ margin: 0 }}</style><p>Q</p>{root}<p>Z")
    assert top["Z"][1] - top["Q"][1] < 60


@pytest.mark.parametrize("height", ["40px", "calc(50px - 10px)", "var(--h)", "var(--unknown, 40px)"])
def test_an_image_inherits_the_height_of_its_box(height: str) -> None:
    drawing = "<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%22200%22 height=%22200%22/>"
    image = f"<img src='data:image/svg+xml,{drawing}'>"
    css = f"a {{ --h: 40px; display: block; height: {height} }} img {{ height: inherit; width: auto }}"
    top = letters(f"<style>{css}</style><p>Q</p><a href=x>{image}</a><p>Z")
    assert 30 < top["Z"][1] - top["Q"][1] < 80


def height_of_box(css: str) -> float:
    """The height of the box ``.b.c`` with a line of 20 pixels, in points."""
    page = f"<style>p {{ margin: 0; line-height: 20px }} {css}</style><p>Q<div class='b c'><p>text</div><p>Z"
    top = letters(page)
    return top["Z"][1] - top["Q"][1] - 0.75 * 20


@pytest.mark.parametrize(
    ("css", "height"),
    [
        (".b { height: 80px }", 80),
        ("div.b { height: 0 } .b { height: 80px }", 0),
        (".b { height: 80px } div.b { height: auto }", 20),
        (".b { height: 80px; min-height: 40px } div.b { height: auto }", 40),
        (".b { height: 80px } .b { height: auto; min-height: 40px }", 40),
        ("div.b { height: 60px } .b { height: 0 }", 60),
        (".b { height: 0 !important } div.b { height: 60px }", 0),
        (".b { height: 80px } div.b { height: auto; min-height: calc(20px + 1em) }", 36),
        (".b { height: 60px } .c { height: 50% }", 20),
    ],
)
def test_the_rule_that_wins_decides_on_the_height(css: str, height: int) -> None:
    assert height_of_box(css) == pytest.approx(0.75 * height, abs=1)


@pytest.mark.parametrize(
    "height",
    [
        "300px",
        "calc(100vh - 600px)",
        "min(300px, 50vh)",
        "clamp(10px, 300px, 50vh)",
        "var(--h)",
        "calc(50vh - var(--h))",
    ],
)
@pytest.mark.parametrize("name", ["height", "max-height"])
@pytest.mark.parametrize("is_rule", [True, False])
def test_a_long_text_does_not_cover_the_text_behind_its_box(name: str, height: str, is_rule: bool) -> None:
    css, style = (f".a {{ {name}: {height} }}", "") if is_rule else ("", f"{name}: {height}")
    page = f"<style>body {{ --h: 90px }} {css}</style><div class=a style='{style}'>{'<p>word</p>' * 60}</div><h1>Title"
    with pypdfium2.PdfDocument(rendered(page)) as document:
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize(
    ("css", "height"),
    [
        (".b { height: calc(100px - 20px) }", 80),
        (".b { height: var(--h) }", 80),
        (".b { height: var(--h); min-height: 90px }", 90),
        (".b { height: var(--unknown) }", 20),
        (".b { height: var(--unknown, 60px) }", 60),
        (".b { height: var(--auto) }", 20),
        (".b { height: var(--h); max-height: var(--less) }", 80),
        (".b { height: calc(100px - 100%) }", 20),
    ],
)
def test_heights_that_are_computed_are_least_heights(css: str, height: int) -> None:
    variables = "body { --h: 80px; --less: 60px; --auto: auto }"
    assert height_of_box(f"{variables} {css}") == pytest.approx(0.75 * height, abs=1)
