"""The texts of buttons, in the middle of their heights."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.plutobook.controls import button_texts
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine

HIGH = "* { height: 60px }"


@pytest.mark.parametrize(
    ("button", "css", "is_centered"),
    [
        ("<button>text</button>", HIGH, True),
        ("<button><b>text</b></button>", HIGH, True),
        ("<button><i></i> text</button>", HIGH, False),
        ("<button><i></i><b>text</b></button>", HIGH, False),
        ("<button>text</button>", f"{HIGH} button::after {{ content: ' >' }}", False),
        ("<button>text</button>", f"{HIGH} button::after {{ content: none }}", True),
        ("<input type=submit>", HIGH, True),
        ("<input>", HIGH, False),
        ("<a>text</a>", HIGH, False),
        ("<button>text</button>", "", False),
        ("<button>text</button>", "button { height: auto; min-height: 0 }", False),
        ("<button>text</button>", "button { min-height: 3em }", True),
        ("<button>text</button>", "div { display: flex }", True),
        ("<button>text</button>", "div { display: grid }", True),
        ("<button>text</button>", "button { height: 60px; display: none }", False),
        ("<button>text</button>", "button { height: 60px; display: inline-flex }", False),
    ],
)
def test_buttons_that_are_higher_than_their_text(button: str, css: str, is_centered: bool) -> None:
    root = html.document_fromstring(f"<div>{button}</div>")
    button_texts.center(PageStyles(root, [css]))
    assert root.xpath("boolean(//*[contains(@style, 'justify-content')])") is is_centered


@pytest.mark.slow
@pytest.mark.parametrize("display", ["inline-block", "block"])
@pytest.mark.parametrize("alignment", ["center", "left"])
def test_the_text_is_in_the_middle(display: str, alignment: str) -> None:
    css = (
        f"button {{ display: {display}; text-align: {alignment}; width: 200px; height: 120px; padding: 0; border: 0 }}"
    )
    page = f"<style>body {{ margin: 0 }} p {{ margin: 0 }} {css}</style><p>A</p><button>B</button><p>C"
    placed = {letter: box for _, letter, box in boxes(PlutoBookEngine().render(task(page)))}
    middle = (placed["A"][1] + placed["C"][3]) / 2
    assert (placed["B"][1] + placed["B"][3]) / 2 == pytest.approx(middle, abs=5)
    center = placed["A"][0] + 75  # 100 pixels
    assert (abs((placed["B"][0] + placed["B"][2]) / 2 - center) < 5) is (alignment == "center")


@pytest.mark.slow
def test_an_icon_is_in_the_middle() -> None:
    css = "button { width: 200px; height: 120px; padding: 0; border: 0 } i { display: inline-block; width: 20px }"
    page = f"<style>body {{ margin: 0 }} p {{ margin: 0 }} {css}</style><p>A</p><button><i>B</i></button>"
    placed = {letter: box for _, letter, box in boxes(PlutoBookEngine().render(task(page)))}
    assert (placed["B"][0] + placed["B"][2]) / 2 == pytest.approx(placed["A"][0] + 75, abs=2)  # 100 pixels
