"""Absolute boxes without offsets in flex and grid containers: they are where a single item would be."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.base import PageGeometry
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import static_positions

WIDTH, HEIGHT = 300, 100
CSS = f"body {{ margin: 0 }} .c {{ display: flex; width: {WIDTH}px }} .c::before {{ content: ''; height: {HEIGHT}px }}"
CSS += ".a { position: absolute; font-size: 10px; line-height: 10px }"


def place(css: str) -> tuple[float, float]:
    """Return the place of the letter of an absolute box in its container, from 0 to 1 from the left and the top."""
    page = f"<!DOCTYPE html><style>{CSS} {css}</style><div class=c><div class=a>M</div></div>"
    [(_, _, box)] = boxes(PlutoBookEngine().render(task(page)))
    geometry = PageGeometry()
    x = (box[0] + box[2]) / 2 - geometry.margin_left
    y = geometry.height - geometry.margin_top - (box[1] + box[3]) / 2
    return x / (WIDTH * 0.75), y / (HEIGHT * 0.75)


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", (0, 0)),
        (".c { align-items: center }", (0, 0.5)),
        (".c { justify-content: center; align-items: flex-end }", (0.5, 1)),
        (".c { justify-content: end; align-items: center; position: relative }", (1, 0.5)),
        (".c { justify-content: space-around }", (0.5, 0)),
        (".c { justify-content: space-between }", (0, 0)),
        (".c { flex-direction: column; align-items: center }", (0.5, 0)),
        (".c { flex-direction: row-reverse }", (1, 0)),
        (".c { display: grid; place-items: center }", (0.5, 0.5)),
        (".a { align-self: center }", (0, 0.5)),
        (".c { align-items: center; position: relative } .a { right: 0 }", (1, 0.5)),
        (".c { align-items: center; position: relative } .a { top: 0 }", (0, 0)),
        (".c { align-items: center } .a { transform: translateX(150px) }", (0.5, 0.5)),
        (".c { justify-content: center } .a { margin-left: 150px }", (0.75, 0)),
        (".c { justify-content: flex-end; padding-right: 150px; width: 150px }", (0.5, 0)),
        (".c { align-items: center } .a { position: static }", (0, 0.5)),
        (".c { display: block; align-items: center }", (0, 0)),
    ],
)
def test_places(css: str, expected: tuple[float, float]) -> None:
    assert place(css) == pytest.approx(expected, abs=0.09)


@pytest.mark.parametrize(
    ("css", "inner", "is_written"),
    [
        ("", "", True),
        ("", "<b class=o></b>", True),
        ("", "<b class=o style='left: 0'></b>", False),
        ("", "<b class=o style='width: 50%'></b>", False),
        (".c { position: relative }", "<b class=o style='left: 0'></b>", True),
        (".c { transform: rotate(1deg) }", "<b class=o style='left: 0'></b>", True),
        ("", "<i><b class=o style='left: 0'></b></i>", False),
        ("i { position: relative }", "<i><b class=o style='left: 0'></b></i>", True),
        (".o { position: static }", "<b class=o style='left: 0'></b>", True),
        (".a { left: 0 }", "", False),
        (".a { width: 100% }", "", False),
    ],
)
def test_other_boxes_keep_their_containing_block(css: str, inner: str, is_written: bool) -> None:
    root = html.document_fromstring(f"<div class=c><p class=a>M</p>{inner}</div>")
    base = ".c { display: flex; align-items: center } .a, .o { position: absolute }"
    static_positions.write(PageStyles(root, [f"{base} {css}"]))
    [box] = root.find_class("a")
    assert ("50%" in box.get("style", "")) is is_written


@pytest.mark.timeout(60)  # in quadratic time, it would take longer
def test_20_000_boxes_are_no_problem() -> None:
    root = html.document_fromstring("<div class=c>" + "<b>M</b>" * 20_000 + "<i></i></div>")
    css = ".c { display: flex; align-items: center } b, i { position: absolute } i { left: 0 }"
    static_positions.write(PageStyles(root, [css]))
    assert not root.xpath("//b[@style]")
