"""Slides, panels of tabs and both sides of cards, which cover each other on a screen."""

from __future__ import annotations

from itertools import pairwise

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import slides

WHOLE = ".s { position: absolute; top: 0; left: 0; width: 100%; height: 100% }"

PANEL = ".s { position: absolute; top: 0; left: 0; padding: 9px }"
SENTENCE = "A sentence in a panel of a tab."


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        (WHOLE, "<p class=s>a</p><p class=s>b</p>", 2),
        (".s { position: absolute; inset: 0 }", "<p class=s>a</p><p class=s>b</p><p>c</p>", 2),
        (WHOLE, "<p class=s>a</p><p class=s></p>", 0),  # one has no text
        (WHOLE, "<p class=s>a</p><div><p class=s>b</p></div>", 0),
        (f"{WHOLE} .s + .s {{ opacity: 0 }}", "<p class=s>a</p><p class=s>b</p>", 0),
        (f"{WHOLE} b {{ opacity: 0 }}", "<p class=s><b>a</b></p><p class=s><b>b</b></p>", 0),
        (f"{WHOLE} b {{ opacity: 0 }}", "<p class=s><b>a</b><i>a</i></p><p class=s><i>b</i></p>", 2),
        (f"{WHOLE} .s + .s {{ display: none }}", "<p class=s>a</p><p class=s>b</p><p class=s>c</p>", 0),
        (f"{WHOLE} .s {{ height: 50% }}", "<p class=s>a</p><p class=s>b</p>", 0),
        (f"{WHOLE} .s {{ position: relative }}", "<p class=s>a</p><p class=s>b</p>", 0),
        (PANEL, f"<p class=s>{SENTENCE}</p><p class=s>{SENTENCE}</p><p class=s>{SENTENCE}</p>", 3),
        (PANEL, f"<p class=s>{SENTENCE}</p><p class=s style='left: 9px'>{SENTENCE}</p>", 0),
        (PANEL, f"<p class=s>{SENTENCE}</p><p class=s style='margin-left: 9px'>{SENTENCE}</p>", 0),
        (PANEL, f"<p class=s>{SENTENCE}</p><p class=s style='transform: scale(2)'>{SENTENCE}</p>", 0),
        (PANEL, "<p class=s>new</p><p class=s>sale</p>", 0),
        (f"{PANEL} .s + .s {{ display: none }}", f"<p class=s>{SENTENCE}</p><p class=s>{SENTENCE}</p>", 0),
        (f"{PANEL} .s {{ top: -40px }}", f"<p class=s>{SENTENCE}</p><p class=s>{SENTENCE}</p>", 0),  # links to skip to
        (f"{PANEL} .s {{ top: auto }}", f"<p class=s>{SENTENCE}</p><p class=s>{SENTENCE}</p>", 0),
    ],
)
def test_which_boxes_get_a_place_in_the_flow(css: str, body: str, expected: int) -> None:
    root = html.document_fromstring(f"<title></title><div>{body}</div>")
    slides.unstack(PageStyles(root, [css]))
    assert sum("position:relative" in element.get("style", "") for element in root.iter("p")) == expected


def test_deeply_nested_texts_get_a_place_in_the_flow() -> None:
    deep = f"{'<div>' * 1_500}<b>text</b>{'</div>' * 1_500}"
    body = f"<div><section class=s>{deep}</section><section class=s>b</section></div>"
    root = html.document_fromstring(f"<title></title>{body}", parser=html.HTMLParser(huge_tree=True))
    slides.unstack(PageStyles(root, [f"{WHOLE} b {{ position: absolute }}"]))
    assert all("position:relative" in element.get("style", "") for element in root.iter("section", "b"))


@pytest.mark.slow
def test_texts_of_slides_do_not_cover_each_other() -> None:
    css = f"#s {{ position: relative; height: 300px }} {WHOLE} h2 {{ position: absolute; top: 40%; left: 10% }}"
    body = "".join(f"<div class=s><h2>{letter}</h2></div>" for letter in "ABC")
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style><div id=s>{body}</div><p>Z</p>"))
    tops = [box[3] for _, _, box in sorted(boxes(rendering), key=lambda found: found[1])]
    assert tops == sorted(tops, reverse=True)
    assert min(above - below for above, below in pairwise(tops)) > 10
