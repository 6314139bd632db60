"""Partial opacity: nothing is covered or lost, and overlays and images are as clear as in a browser."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests.support.pictures import RED, file_of
from tests.support.rendered_pages import Asset, links, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.fading import faded
from wcspider.web.styles.tokens import declarations_of, serialized

pytestmark = pytest.mark.slow

ASSETS = {"https://example.com/dir/i": Asset(file_of(Image.new("RGB", (90, 90), RED), "PNG"), "image/png")}
SQUARE = ".s { width: 90px; height: 90px } .b { background: red }"
PINK = (255, 127, 127)


def page(source: str) -> Rendering:
    return PlutoBookEngine().render(task(f"<!DOCTYPE html>{source}", ASSETS))


def colors(rendering: Rendering) -> set[tuple[int, int, int]]:
    """The colors of the first page."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        found = document[0].render().to_pil().convert("RGB").getcolors(100_000)
    return {color for _, color in found}


def near(color: tuple[int, ...], rendering: Rendering) -> bool:
    return any(max(abs(a - b) for a, b in zip(color, other, strict=True)) <= 2 for other in colors(rendering))


@pytest.mark.parametrize(
    ("css", "is_faint"),
    [
        ("color: red; opacity: .02", True),
        ("color: #f00; opacity: 1%", True),
        ("color: red; opacity: .5", False),
        ("color: currentcolor; opacity: .02", False),
        ("opacity: .02", False),
    ],
)
def test_watermarks_are_faint(css: str, is_faint: bool) -> None:
    rendering = page(f"<p style='font-size: 90px; color: red'><b style='{css}'>MARK</b>")
    assert text(rendering).strip() == "MARK"
    assert near(RED, rendering) is not is_faint


@pytest.mark.parametrize(
    "source",
    [
        "<p class='s b' style='opacity: .5'>",
        "<p class=s style='background: red; opacity: .5'>",
        "<p class=s style='background: linear-gradient(to right, red, red); opacity: 50%'>",
        "<style>.s { background-color: #f00; opacity: 0.5 }</style><p class=s><b>a</b>",
        "<style>.c { opacity: .5 }</style><p class='s b c'>",
        "<style>.c { opacity: .5 !important } p { opacity: 1 }</style><p class='s b c'>",
        "<style>.c { opacity: .5 }</style><p class='s b c' id=x></p><a href=#x>b</a>",
        "<img src=i style='opacity: .5'>",
        "<p class=s style='background: url(i); opacity: .5'>",
        "<style>p { position: relative } p::after { content: ''; position: absolute; inset: 0; opacity: .5; "
        "background: url(i) }</style><p class=s>a",
        "<style>p { position: relative } p::after { content: ''; position: absolute; inset: 0; background: red } "
        ".s::after { opacity: .5 }</style><p class=s>a",
        "<p class='s b' style='position: relative'>a<b style='position: absolute; inset: 0; background: #fff; "
        "opacity: .5'>b",
        "<svg width=90 height=90><path d='M0 0h90v90h-90z' fill=red style='opacity: .5'/></svg>",
        "<div style='opacity: .5'><i><b class='s b' style='display: block'></b></i></div>",
        "<style>:root { --o: .5 } p { opacity: var(--o) }</style><p class='s b'>",
        "<style>.s:disabled { border: 0; opacity: .5 }</style><button class='s b' disabled>a</button>",
        "<style>.s { border: 0; opacity: var(--o) } p { --o: .5 }</style><form><p><button class='s b'>a</button>",
        "<form action=/x><textarea class='s b' style='border: 0; opacity: .5'>a</textarea>",
    ],
)
def test_what_is_clear_in_part(source: str) -> None:
    found = page(f"<style>{SQUARE}</style>{source}")
    assert near(PINK, found)
    assert RED not in colors(found)


@pytest.mark.parametrize(
    "source",
    [
        "<style>.c { opacity: .5 } p.s { opacity: 1 }</style><p class='s b c'>",
        "<style>.c { opacity: .5 } button.s { opacity: 1 }</style><button class='s b c'>a</button>",
        "<style>.c { opacity: .5 } p { opacity: 1 !important }</style><p class='s b c'>",
        "<p class='s b' style='opacity: 7'>",
        "<p class='s b' style='opacity: var(--none)'>",
        "<p style='opacity: .5'><b class='s b' style='display: block'></b>a",  # of all it holds, only text is drawn
        "<p style='opacity: .5'><b class='s b' style='display: block' id=x></b></p><a href='#x'>a</a>",
        "<style>.s::after { content: 'a'; background: red } p::after { opacity: .5 }</style><p class=s>",
        "<style>body { --wcspider-opacity: .5; --wcspider-faded: .5 }</style><p class='s b'>",
    ],
)
def test_what_is_opaque(source: str) -> None:
    assert RED in colors(page(f"<style>{SQUARE}</style>{source}"))


def test_text_is_readable_and_keeps_its_links_and_places() -> None:
    found = page(
        "<div style='opacity: .1'><h2 id=x>Faint</h2><a href='https://example.org/'>link</a></div>"
        "<img src=i id=y style='opacity: .5'><p id=z style='opacity: .5'></p>"
        "<a href='#x'>1</a><a href='#y'>2</a><a href='#z'></a><button id=b style='opacity: .5'>a</button>"
    )
    assert text(found).split() == ["Faint", "link", "12", "a"]
    assert "https://example.org/" in links(found)
    assert {anchor.name for anchor in found.structure.anchors} == {"x", "y", "z", "b"}
    assert (0, 0, 0) in colors(found)


@pytest.mark.parametrize("form", ["", "<form action=/x>"])
def test_text_of_buttons_stays(form: str) -> None:
    hidden = "<style>.h { opacity: .5 } button.h { opacity: 0 }</style><button class=h>hidden</button>"
    assert text(page(f"{form}{hidden}<button style='opacity: .01'>faint</button>")).split() == ["faint"]


@pytest.mark.parametrize(
    "link",
    [
        "<a href='https://example.org/'><img src=i style='opacity: .5'></a>",
        "<p style='position: relative'>a"
        "<a href='https://example.org/' style='position: absolute; inset: 0; opacity: .5'></a>",
        "<div style='opacity: .5'><i><a href='https://example.org/'><img src=i></a></i></div>",
    ],
)
def test_links_stay(link: str) -> None:
    assert links(page(link)) == ["https://example.org/"]


def test_faded_images_are_known_by_their_urls() -> None:
    found = page("<img src=i style='opacity: .5'>")
    (image,) = found.images
    assert image.url == "https://example.com/dir/i"
    with pikepdf.open(io.BytesIO(found.pdf)) as pdf:
        (group,) = pdf.pages[0].Resources.XObject.values()
        assert f"/{image.name}" in group.Resources.XObject


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("translateX(250%)", "none"),
        ("translate3d(-100%, 0, 0)", "none"),
        ("translate(300px)", "none"),
        ("translateX(-20rem) rotate(3deg)", "none"),
        ("translateX(-50%)", "translateX(-50%)"),
        ("translateY(100px)", "translateY(100px)"),
        ("rotate(45deg)", "rotate(45deg)"),  # another rule may show it
    ],
)
def test_clear_elements_do_not_wait_beside_the_window(transform: str, expected: str) -> None:
    found = faded(declarations_of(f"opacity: 0; transform: {transform}"))
    assert [serialized(d.value).strip() for d in found if d.lower_name == "transform"] == [expected]
