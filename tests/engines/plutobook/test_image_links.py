"""Links of images and image maps: their annotations are where the images are visible."""

from __future__ import annotations

import io

import pikepdf
import pytest
from PIL import Image

from tests.support.rendered_pages import Asset, task
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.source.image_links import _edges

PLACE = "https://example.com/dir/"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-5 -5 80 40" width="80" height="40"><path d="M0 0h9v9"/></svg>'
MAP = "<map name=m><area coords='0,0,40,20' href=a><area shape=circle coords='40,20,20' href=b><area nohref></map>"


def picture() -> bytes:
    out = io.BytesIO()
    Image.effect_noise((80, 40), 80).convert("RGB").save(out, "PNG")
    return out.getvalue()


ASSETS = {f"{PLACE}i.png": Asset(picture(), "image/png"), f"{PLACE}i.svg": Asset(SVG, "image/svg+xml")}


def render(body: str) -> Rendering:
    return PlutoBookEngine().render(task(body, ASSETS))


def places(rendering: Rendering) -> list[tuple[str, int, int]]:
    """The target, the width and the height of each link annotation, in points."""
    found = []
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        for page in pdf.pages:
            for link in page.get("/Annots", []):
                left, bottom, right, top = map(float, link.Rect)
                found.append((str(link.A.URI).removeprefix(PLACE), round(right - left), round(top - bottom)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<a href=h><img src=i.png></a>", [("h", 60, 30)]),
        ("<a href=h><img src=i.svg></a>", [("h", 60, 30)]),
        ("<a href=h><img src=i.png align=right></a>text", [("h", 60, 30)]),
        ("<a href=h><img src=i.png style='position:absolute;left:9px'></a>", [("h", 60, 30)]),
        ("<a href=h><img src=i.png style='object-fit:cover;width:40px;height:40px'></a>", [("h", 30, 30)]),
        ("<a href=h><img src=i.png style='border-radius:9px'></a>", [("h", 60, 30)]),
        ("<a href=h style='display:block;width:200px'><img src=i.png></a>", [("h", 150, 33)]),  # covers the image
        ("<a href=g><img src=i.png></a><a href=h><img src=i.png></a>", [("g", 60, 30), ("h", 60, 30)]),
        ("<img src=i.png>", []),
        (f"{MAP}<img src=i.png usemap=#m>", [("b", 30, 30), ("a", 30, 15)]),
        (f"<img src=i.png usemap=#m width=160>{MAP}", [("b", 30, 30), ("a", 30, 15)]),
        (f"<img src=i.png usemap=#m width=100% style='width: 80px'>{MAP}", [("b", 30, 30), ("a", 30, 15)]),
        (f"{MAP}<a href=h><img src=i.png usemap=#m></a>", [("h", 60, 30)]),
        (f"{MAP}<img src=i.png usemap=#other>", []),
    ],
)
def test_the_link_of_an_image_is_as_large_as_its_visible_part(body: str, expected: list[tuple[str, int, int]]) -> None:
    assert places(render(body)) == expected


@pytest.mark.slow
def test_a_small_image_beside_the_text_of_a_link_needs_no_annotation() -> None:
    ((target, width, _),) = places(render("<a href=h><img src=i.png width=12 height=12> text</a>"))
    assert target == "h"
    assert width > 20


@pytest.mark.slow
def test_an_image_in_many_links_is_stored_once() -> None:
    rendering = render("".join(f"<a href=h{number}><img src=i.png></a>" for number in range(9)) + "<img src=i.png>")
    assert len(places(rendering)) == 9
    assert {drawn.url for drawn in rendering.images} == {f"{PLACE}i.png"}
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        images = [o for o in pdf.objects if isinstance(o, pikepdf.Stream) and o.get("/Subtype") == "/Image"]
    assert [int(image["/Width"]) for image in images] == [80]


@pytest.mark.parametrize(
    ("shape", "coords", "edges"),
    [
        ("rect", "10,10,60,30", (0.1, 0.2, 0.6, 0.6)),
        ("", " 60 ; 30 10,10", (0.1, 0.2, 0.6, 0.6)),  # corners in any order, with any separators
        ("rect", "-10,-10,200,200", (0.0, 0.0, 1.0, 1.0)),
        ("rect", "10,10,60", None),
        ("rect", "200,0,300,9", None),
        ("circle", "50,25,25", (0.25, 0.0, 0.75, 1.0)),
        ("CIRC", "50,25,25", (0.25, 0.0, 0.75, 1.0)),
        ("poly", "0,0,100,0,50,50", (0.0, 0.0, 1.0, 1.0)),
        ("default", "", (0.0, 0.0, 1.0, 1.0)),
        ("rect", "", None),
    ],
)
def test_the_box_of_an_area(shape: str, coords: str, edges: tuple[float, ...] | None) -> None:
    assert _edges({"shape": shape or "rect", "coords": coords}, 100, 50) == edges
