"""Pages that crash or stop a layout engine, with the fallback step at which each is laid out (docs/pictures.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pypdfium2
import pytest

from tests.support.paths import ROOT
from tests.support.rendered_pages import Asset, Step, task
from wcspider.engines import registry
from wcspider.engines.plutobook import page_rendering
from wcspider.exceptions import EngineError

pytestmark = pytest.mark.slow

I = "https://example.com/dir/i"  # noqa: E741
LOOP = f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><image href='{I}' width='9' height='9'/></svg>"
BOMB = (
    "".join(f"<g id='u{n}'><use href='#u{n + 1}'/><use href='#u{n + 1}'/></g>" for n in range(30))
    + "<path id='u30' d='M0 0h9'/>"
)
FONT = "<style>@font-face { font-family: x; src: url(i) } p { font-family: x }</style>"


@dataclass(frozen=True)
class Case:
    """A page that ends with a paragraph "end"."""

    body: str
    assets: dict[str, Asset] = field(default_factory=dict)


CASES = {
    "an SVG image that includes itself": Case("<img src=i>", {I: Asset(LOOP.encode(), "image/svg+xml")}),
    "40 nested tables": Case("<table><tr><td>" * 40),
    "100 nested flex columns": Case("<div style='display: flex; flex-direction: column'>" * 100),
    "50 nested multi-column boxes": Case("<div style='columns: 2'>" * 50),
    "60 nested grids": Case("<div style='display: grid; grid-template-columns: 1fr 1fr'><p>x</p>" * 60),
    "cells that span 1,000 columns and 65,000 rows": Case(
        f"<table>{'<tr><td colspan=1000>x<td rowspan=65000>y' * 20}</table>"
    ),
    "600 nested elements": Case("<b>" * 600),
    "a height of 100,000,000 pixels": Case("<div style='height: 1e8px'>x</div>"),
    "a text of 1,000,000,000 pixels": Case("<p style='font-size: 1e9px'>x"),
    "a text area of 1,000,000,000 rows": Case("<textarea rows=1000000000>x</textarea>"),
    "a transformation to nothing in a style sheet": Case(
        "<style>b { transform: scale(0); float: left }</style><b>x</b>"
    ),
    "a transformation to nothing by a variable in a style sheet": Case(
        "<style>b { transform: scaleX(var(--x)); float: left } .small { --x: 0 }</style><b class=small>x</b>"
    ),
    "a transformation to nothing by a variable in a STYLE attribute": Case(
        "<style>b { transform: scaleX(var(--x)); float: left }</style><b style='--x: 0'>x</b>"
    ),
    "a transformation by 90 degrees in both directions": Case("<p style='transform: skew(90deg, 90deg)'>x</p>"),
    "a transformation to 1,000,000,000 times the size": Case("<p style='transform: scale(1e9)'>x</p>"),
    "a transformation to nothing in an SVG image": Case("<svg><g transform='scale(0)'><path d='M0 0h9'/></g></svg>"),
    "40 nested SVG elements": Case(f"{'<svg>' * 40}<path d='M0 0h9'/>{'</svg>' * 40}"),
    "2 to the power of 30 copies in an SVG element": Case(f"<svg>{BOMB}</svg>"),
    "2 to the power of 30 copies in an SVG image": Case(
        "<img src=i>", {I: Asset(f"<svg xmlns='http://www.w3.org/2000/svg'>{BOMB}</svg>".encode(), "image/svg+xml")}
    ),
    "a selector and a value with 1,000 nested parentheses": Case(
        f"<style>{':is(' * 1000}b{')' * 1000} {{ color: red }}</style>"
        f"<b style='transform: rotate({'calc(' * 1000}0deg{')' * 1000})'>x</b>"
    ),
    "a damaged font": Case(FONT, {I: Asset(b"wOFF" + bytes(99), "font/woff")}),
    "more than 3,000,000 characters": Case("<p>" + "word " * 600_001),
    "more than 200,000 elements": Case("<br>" * 200_001),
    "more than 2,048 nested elements": Case("<b>" * 3_000),
}
STEPS = {
    "full": Step.FULL,
    "without the author's fonts": Step.NO_AUTHOR_FONTS,
    "without the author's styles": Step.NO_AUTHOR_STYLES,
    "laid out by xhtml2pdf": Step.SIMPLER_ENGINE,
    "as text only": Step.TEXT_ONLY,
}
DOCUMENTED = dict(
    re.findall(
        r"^\| (.+) \| (.+) \|$",
        (ROOT / "docs" / "pictures.md").read_text("utf-8").partition("\n## Difficult pages\n")[2].partition("\n## ")[0],
        re.MULTILINE,
    )[2:]
)


def test_each_case_is_documented() -> None:
    assert DOCUMENTED.keys() == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_step(name: str) -> None:
    case, expected = CASES[name], STEPS[DOCUMENTED[name]]
    page = f"{case.body}<p>end"
    if expected > Step.FULL:  # if the step before fails, so do those before it, which leave out less
        with pytest.raises(EngineError):
            page_rendering.render(task(page, case.assets, step=Step(min(expected - 1, Step.NO_AUTHOR_STYLES))))
    if expected < Step.SIMPLER_ENGINE:
        with pypdfium2.PdfDocument(registry.render("plutobook", task(page, case.assets, step=expected)).pdf) as pdf:
            assert "end" in "".join(sheet.get_textpage().get_text_range() for sheet in pdf)
