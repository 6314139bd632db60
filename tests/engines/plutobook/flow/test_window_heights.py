"""Boxes that are as high as the window by percentages, and what stands below them."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import window_heights

CHAIN = "html, body { height: 100% }"


@pytest.mark.parametrize(
    ("css", "body", "is_high"),
    [
        (f"{CHAIN} #b {{ height: 100% }}", "<div id=b><p>text</p></div>", True),
        (f"{CHAIN} #b {{ min-height: 100% }}", "<div id=b><p>text</p></div>", True),
        ("html { min-height: 100% } body { min-height: 100vh } #b { height: 100% }", "<div id=b><p>text</div>", True),
        ("body { height: 100% } #b { height: 100% }", "<div id=b><p>text</p></div>", False),
        (f"{CHAIN} #b {{ height: 50% }}", "<div id=b><p>text</p></div>", False),
        (f"{CHAIN} #b {{ height: 100%; display: none }}", "<div id=b><p>text</p></div>", False),
        (f"{CHAIN} #b {{ height: 100%; position: absolute }}", "<div id=b><p>text</p></div>", False),
        (f"{CHAIN} #b {{ height: 100% }}", "<div id=b><p>text</p>more</div>", False),
        (f"{CHAIN} #b {{ height: 100% }}", "<div id=b><img src=i.png><p>text</p></div>", False),
        (f"{CHAIN} #b {{ height: 100% }}", "<div id=b><div></div></div>", False),
        (f"{CHAIN} #b {{ height: 100% }} i {{ background: url(i.png) }}", "<div id=b><i></i></div>", True),
        (f"{CHAIN} div {{ height: 100% }}", "<div>text<div id=b><p>text</p></div></div>", True),
        (f"{CHAIN} #b {{ height: 100% }}", "<section><div id=b><p>text</p></div></section>", False),
        # Containers with text
        (f"{CHAIN} #b {{ height: 100%; display: flex }}", "<div id=b>text</div>", True),
        (f"{CHAIN} #b {{ height: 100%; display: inline-grid }}", "<div id=b>text</div>", True),
        ("body { height: 100vh } #b { height: 100%; display: flex }", "<div id=b>text</div>", True),
        (f"{CHAIN} #b {{ height: 50%; display: flex }}", "<div id=b>text</div>", False),
        (f"{CHAIN} body, #b {{ display: flex }} #b {{ height: 100% }}", "<div id=b>text</div><p>text", False),
        ("body { height: 100% } #b { height: 100%; display: flex }", "<div id=b>text</div>", False),
    ],
)
def test_which_boxes_are_as_high_as_the_window(css: str, body: str, is_high: bool) -> None:
    root = html.document_fromstring(f"<title></title>{body}")
    window_heights.fill(PageStyles(root, [f"p {{ position: absolute }} {css}"]))
    assert ("min-height" in root.get_element_by_id("b").get("style", "")) is is_high


@pytest.mark.parametrize("nested", ["div", "#b"])
def test_deeply_nested_boxes(nested: str) -> None:
    body = f"<div id=b>{'<div>' * 1_500}<p>text</p>{'</div>' * 1_500}</div>"
    root = html.document_fromstring(f"<title></title>{body}", parser=html.HTMLParser(huge_tree=True))
    window_heights.fill(PageStyles(root, [f"p {{ position: absolute }} {CHAIN} {nested} {{ height: 100% }}"]))
    assert "min-height" in root.get_element_by_id("b").get("style", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "height", ["body { height: 100vh }", "html, body { height: 100% }", "body { min-height: 100vh }"]
)
@pytest.mark.parametrize("display", ["flex", "grid"])
def test_a_short_page_is_in_the_middle_of_the_window(display: str, height: str) -> None:
    css = f"body {{ display: {display}; align-items: center; margin: 0; padding: 30px }} {height}"
    page = f"<!DOCTYPE html><style>{css}</style><p>A</p>"
    ((number, _, box),) = boxes(PlutoBookEngine().render(task(page)))
    assert number == 0
    assert 400 < box[3] < 440


@pytest.mark.slow
def test_text_over_a_box_does_not_cover_the_text_below_it() -> None:
    css = f"{CHAIN} div {{ height: 100%; position: relative }} b {{ position: absolute; top: 40% }}"
    page = f"<!DOCTYPE html><style>{css}</style><div><b>A</b></div><p>B</p>"
    places = {c: (number, box[3]) for number, c, box in boxes(PlutoBookEngine().render(task(page)))}
    assert places["B"][0] == 1
    assert places["A"][0] == 0
    assert 400 < places["A"][1] < 600
