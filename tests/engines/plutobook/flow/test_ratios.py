"""Boxes with a ratio of width and height: which size they get, and how large they are drawn."""

from __future__ import annotations

import pypdfium2
import pytest
from lxml import html

from tests.support.pictures import RED, places_of
from tests.support.rendered_pages import Asset, task
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import ratios

IMAGE = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'><rect width='90' height='90' fill='red'/></svg>"
)


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        ("#b { aspect-ratio: 2 }", "<div id=b>text</div>", "min-height:min(350.00px, 98vh)"),
        ("#b { aspect-ratio: 16 / 9 }", "<div id=b></div>", "height:min(393.75px, 98vh)"),
        ("#b { aspect-ratio: auto 7/2; width: 50% }", "<div id=b></div>", "height:min(100.00px, 98vh)"),
        ("#b { aspect-ratio: 2; max-width: 200px }", "<div id=b></div>", "height:min(100.00px, 98vh)"),
        ("#b { aspect-ratio: 2; max-height: 90px }", "<div id=b></div>", "height:min(90.00px, 98vh)"),
        ("#b { aspect-ratio: 2; max-height: 900px }", "<div id=b></div>", "height:min(350.00px, 98vh)"),
        ("#b { aspect-ratio: 2; max-height: 10% }", "<div id=b></div>", "height:min(350.00px, 98vh)"),
        ("#b { aspect-ratio: 2; padding: 50px }", "<div id=b></div>", "height:min(300.00px, 98vh)"),
        (
            "#b { aspect-ratio: 2; padding: 50px; box-sizing: border-box }",
            "<div id=b></div>",
            "height:min(350.00px, 98vh)",
        ),
        ("#b { aspect-ratio: var(--r) } div { --r: 7 }", "<div id=b></div>", "height:min(100.00px, 98vh)"),
        (
            ".g { display: grid; grid-template-columns: 1fr 1fr } #b { aspect-ratio: 1 }",
            "<div class=g><p></p><div id=b></div></div>",
            "height:min(350.00px, 98vh)",
        ),
        ("#b { aspect-ratio: 2; width: 100px }", "<img id=b>", "height:min(50.00px, 98vh)"),
        ("#b { aspect-ratio: auto 2 / 1; width: 100px }", "<img id=b>", ""),
        # A declared height, also as it is written for paper.
        ("#b { aspect-ratio: 2; height: 100px }", "<div id=b>text</div>", "width:200.00px; max-width:100%"),
        (
            "#b { aspect-ratio: 2; height: auto; min-height: 100px }",
            "<div id=b>text</div>",
            "width:200.00px; max-width:100%",
        ),
        ("#b { aspect-ratio: 2; height: 100px; width: 100px }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 2; height: 100% }", "<div id=b></div>", "height:min(350.00px, 98vh)"),
        # The width depends on the contents.
        ("#b { aspect-ratio: 2; display: inline-block }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 2; float: left }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 2; position: absolute }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 2 }", "<span id=b>text</span>", ""),
        (
            "section { display: flex; flex-direction: column; align-items: center } #b { aspect-ratio: 2 }",
            "<section><div id=b>text</div></section>",
            "",
        ),
        # No ratio.
        ("#b { aspect-ratio: auto }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 0 / 1 }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 1 / 0 }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 1e999 }", "<div id=b>text</div>", ""),
        ("#b { aspect-ratio: 1 }", "<button id=b>text</button>", ""),
    ],
)
def test_sizes(css: str, body: str, expected: str) -> None:
    root = html.document_fromstring(f"<title></title>{body}")
    ratios.keep(PageStyles(root, [f"body {{ margin: 0 }} {css}"]), 700)
    style = root.get_element_by_id("b").get("style", "")
    assert style.replace(" !important", "") == expected


def test_an_image_makes_room_in_a_box_of_unknown_size() -> None:
    root = html.document_fromstring("<title></title><div><img id=b><p><img></p></div>")
    ratios.keep(PageStyles(root, ["div { aspect-ratio: 1; float: left } img { position: absolute }"]), 700)
    assert [image.get("style", "") for image in root.iter("img")] == ["position:static !important", ""]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("img { height: 100% }", "height:min(350.00px, 98vh)"),
        ("img { height: 50% }", ""),
        ("img { height: 100%; position: absolute }", ""),
    ],
)
def test_an_image_is_as_high_as_a_box_with_text(css: str, expected: str) -> None:
    root = html.document_fromstring("<title></title><div><img id=b><p>text</p></div>")
    ratios.keep(PageStyles(root, [f"body {{ margin: 0 }} div {{ aspect-ratio: 2 }} {css}"]), 700)
    assert root.get_element_by_id("b").get("style", "").replace(" !important", "") == expected


@pytest.mark.parametrize(
    "css",
    [
        "div { background: red }",
        "div { background: red; aspect-ratio: 1; max-height: 100px }",
        "div { background: url(i.svg) center / cover }",
        "div { position: relative } img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover }",
        "img { width: 100%; height: 100%; object-fit: cover }",
    ],
)
def test_boxes_are_drawn_with_their_ratio(css: str) -> None:
    image = "<img src=i.svg>" if "img" in css else ""
    source = f"<!DOCTYPE html><style>div {{ aspect-ratio: 4; width: 400px }} {css}</style><div>{image}</div>"
    assets = {"https://example.com/dir/i.svg": Asset(IMAGE, "image/svg+xml")}
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(source, assets)).pdf) as document:
        drawn = document[0].render(scale=4 / 3).to_pil().convert("RGB")
    width, height = (max(edge) - min(edge) + 1 for edge in zip(*places_of(RED, drawn), strict=True))
    assert abs(width - 400) <= 2
    assert abs(height - 100) <= 2
