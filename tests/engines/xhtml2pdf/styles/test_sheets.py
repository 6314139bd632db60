"""Declarations as the layout gets them: what is not known is ignored, what can be said in other words is."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.support.rendered_pages import boxes, render, text
from wcspider.engines.xhtml2pdf.styles.sheets import inline

KNOWN = [
    ("white-space: pre-wrap; white-space: -moz-pre-wrap; white-space: -o-pre-wrap", "white-space: pre-wrap"),
    ("white-space: break-spaces", "white-space: pre-wrap"),
    ("white-space: var(--w)", "white-space: var(--w)"),
    ("WHITE-SPACE: Pre-Line", "white-space: pre-line"),
    ("display: none; display: bogus", "display: none"),
    ("display: -ms-flexbox; display: -webkit-flex", "display: flex"),
    ("display: -webkit-box", "display: block"),  # with lines that are cut off: no flex container
    ("display: revert !important", "display: revert !important"),
    ("display: inline flow", "display: inline flow"),  # not one keyword: as it stands
    ("text-decoration: line-through; text-decoration: bogus", "text-decoration: line-through"),
    ("text-decoration: underline dotted red", "text-decoration: underline"),
    ("text-decoration: #f00 2px wavy underline line-through", "text-decoration: underline line-through"),
    ("text-decoration: rgb(1, 2, 3) dotted", "text-decoration: none"),
    ("text-decoration: none", "text-decoration: none"),
    ("text-decoration: inherit", "text-decoration: inherit"),
    ("text-decoration: var(--t)", "text-decoration: var(--t)"),
    ("text-decoration-line: line-through", "text-decoration: line-through"),
    ("list-style-type: upper-roman; list-style-type: bogus", "list-style-type: upper-roman"),
    ('list-style-type: "-"', 'list-style-type: "-"'),
    ("text-align: right; text-align: -webkit-auto", "text-align: right"),
    ("text-align: -webkit-center", "text-align: center"),
    ("float: left; float: footnote", "float: left"),
    ("font-weight: 700; font-weight: fat", "font-weight: 700"),
    ("border-top-style: solid; border-top-style: dot-dot-dash", "border-top-style: solid"),
    ("font-family: bogus", "font-family: bogus"),  # any name may be one
]


@pytest.mark.parametrize(("declared", "expected"), KNOWN)
def test_declarations(declared: str, expected: str) -> None:
    assert inline(declared, "") == expected


COLORS = [
    ("color: red; color: oklch(40% 0.2 250)", "color: red; color: #0041ac"),
    ("color: red; color: oklch(bogus)", "color: red"),
    ("color: red; color: bogus", "color: red"),
    ("color: red; color: #12345", "color: red"),
    ("color: inherit", "color: inherit"),
    ("color: rgb(1 2 3 / 50%)", "color: rgb(1 2 3 / 50%)"),
    ("color: hsl(var(--x) 1% 2%)", "color: hsl(var(--x) 1% 2%)"),
    ("color: CanvasText", "color: #000000"),
    ("color: lab(46.2775% -47.5621 48.5837)", "color: #008000"),  # as the Web Platform Tests have these four
    ("color: lch(46.2775% 67.9892 134.3912)", "color: #008000"),
    ("color: oklab(51.975% -0.1403 0.10768)", "color: #008000"),
    ("color: oklch(51.975% 0.17686 142.495)", "color: #008000"),
    ("color: lab(1e999 1 1)", ""),
    ("color: color-mix(in oklab, red 20%, white)", "color: #ffcccc"),
    ("color: light-dark(#123456, white)", "color: #123456"),
    ("color: color(srgb 1 0 0 / 0.5)", "color: #ff000080"),
    ("border: 1px solid rebeccapurple", "border: 1px solid #663399"),
    ("border-color: hwb(0 0% 100%) transparent", "border-color: #000000 transparent"),
    ("background: rebeccapurple", "background: #663399"),
    ("background: #036; background: bogus", "background: #036"),
    ("background: #036; background: element(#x)", "background: #036"),
    ("background: #036; background: linear-gradient(#036, #069)", "background: #036; background: #003366"),
    ("background: -webkit-gradient(linear, left top, left bottom, from(#003), to(red))", "background: #000033"),
    ("background: linear-gradient(#fff, #eee), no-repeat", "background: #ffffff   no-repeat"),
    ("background: linear-gradient(#fff, #eee) #036", "background: #036"),
    ("background: linear-gradient(transparent 90%, #000 90%)", ""),  # a line below the text
    ("background: linear-gradient(#000, #000) 0 100% / 100% 1px no-repeat", "background: 0 100% / 100% 1px no-repeat"),
    ("background-image: linear-gradient(#036, #069)", "background: #003366"),
    ("background-image: linear-gradient(#000, #000); background-size: 100% 1px", ""),
    ("background: #fff linear-gradient(#000, #000); background-size: 100% 1px", "background: #fff"),
    (
        "background-color: #fff; background-image: linear-gradient(#036, #069)",
        "background-color: #fff; background-image: linear-gradient(#036, #069)",  # which xhtml2pdf leaves out
    ),
]


@pytest.mark.parametrize(("declared", "expected"), COLORS)
def test_colors(declared: str, expected: str) -> None:
    assert inline(declared, "") == expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("rebeccapurple", (0x66, 0x33, 0x99)),
        ("hsl(210 50% 20%)", (0x19, 0x33, 0x4D)),
        ("hwb(200 10% 20%)", (0x1A, 0x90, 0xCC)),
        ("lab(40% 20 30)", (0x85, 0x51, 0x2E)),
        ("oklch(40% 0.2 250)", (0x00, 0x41, 0xAC)),
        ("color-mix(in srgb,red,blue)", (0x80, 0x00, 0x80)),
        ("linear-gradient(#003,#006)", (0x00, 0x00, 0x33)),
        ("#036;background:linear-gradient(#036,#069)", (0x00, 0x33, 0x66)),
        ("var(--x,#036)", (0x00, 0x33, 0x66)),
    ],
)
def test_light_text_has_its_dark_background(declared: str, expected: tuple[int, int, int]) -> None:
    rendering = render(f"<div style='color: #fff; background: {declared}'>TEXT</div>")
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        picture = document[0].render().to_pil().convert("RGB")
    assert expected in {color for number, color in picture.getcolors(100_000) if number > 1_000}


def test_lines_stay_lines_where_older_browsers_are_spoken_to() -> None:
    style = "<style>pre { white-space: pre-wrap; white-space: -moz-pre-wrap; white-space: -o-pre-wrap }</style>"
    assert text(render(f"{style}<pre>one\ntwo</pre>")).split("\r\n") == ["one", "two"]


@pytest.mark.parametrize("line", ["line-through", "underline", "underline dotted red"])
@pytest.mark.parametrize("name", ["text-decoration", "text-decoration-line"])
def test_lines_of_text_are_drawn(name: str, line: str) -> None:
    plain, decorated = (render(f"<p style='{style}'>text") for style in ("", f"{name}: {line}"))
    assert boxes(plain) == boxes(decorated)
    assert len(decorated.pdf) > len(plain.pdf) + 10
