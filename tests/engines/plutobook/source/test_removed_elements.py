"""Elements that are removed or replaced before the layout: what they contain, and their names."""

from __future__ import annotations

import pytest

from tests.support.rendered_pages import Asset, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.registry import ENGINES, render

BASE = "https://example.com/dir/"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='40'>{}</svg>"


def rendered(body: str, engine: str = "plutobook", **assets: str) -> Rendering:
    found = {
        f"{BASE}{name}.svg": Asset(SVG.format(content).encode(), "image/svg+xml") for name, content in assets.items()
    }
    return render(engine, task(body, found))


def anchors(rendering: Rendering) -> list[str]:
    return [anchor.name for anchor in rendering.structure.anchors]


@pytest.mark.parametrize("around", ["details", "select", "meter", "progress"])
def test_an_image_without_a_file_inside_an_element_whose_contents_are_removed(around: str) -> None:
    assert text(rendered(f"<{around}><img src=none.png alt='Alt text'></{around}><p>after")).split()[-1] == "after"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("alternative", ["Figure one", ""])
def test_the_text_in_the_place_of_an_image_has_its_id(engine: str, alternative: str) -> None:
    assert anchors(rendered(f"<p>before <img id=x src=none.png alt='{alternative}'> after", engine)) == ["x"]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("<a name=x></a><br>text", "x"),
        ("<p>one <a id=x></a><br>two", "x"),
        ("<p>one<br id=x>two", "x"),
        ("<p>one</p><a id=x></a>", "x"),
    ],
)
def test_names_before_line_breaks_and_at_the_end(body: str, name: str) -> None:
    assert anchors(rendered(body)) == [name]


@pytest.mark.parametrize(
    "reference", ["href='#part'", "href='#'", "xlink:href='#part' xmlns:xlink='http://www.w3.org/1999/xlink'"]
)
def test_an_image_in_a_drawing_that_refers_to_a_part_of_its_file(reference: str) -> None:
    """PlutoBook would take it for the file itself, and load it without end."""
    drawing = f"<image {reference} width='9' height='9'/><text y='20'>shown</text>"
    assert text(rendered("<img src=a.svg>", a=drawing)).split() == ["shown"]


def test_entities_in_a_file_of_symbols() -> None:
    source = "<!DOCTYPE svg [<!ENTITY e 'entity'>]>" + SVG.format("<symbol id='i'><text y='20'>&e;</text></symbol>")
    assets = {f"{BASE}s.svg": Asset(source.encode(), "image/svg+xml")}
    assert text(render("plutobook", task("<svg><use href='s.svg#i'/></svg>", assets))).split() == ["entity"]
