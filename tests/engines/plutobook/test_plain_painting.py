"""Icons that are masks, corners of borders, and borders that are gradients."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.support.declarations import serialized
from tests.support.rendered_pages import Asset, task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.plain_painting import with_corners, with_plain_painting
from wcspider.web.styles.tokens import declarations_of

SVG = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='4' height='9' fill='red'/></svg>"
CLEAR = "background-color: transparent !"
RED, BLUE = (255, 0, 0), (0, 0, 255)


UNSEEN = "rgba(0,0,0,.004)"


@pytest.mark.parametrize(
    ("written", "is_generated", "expected"),
    [
        ("border: 4px solid Transparent", False, f"border: 4px solid {UNSEEN}"),
        ("border: 1px solid transparent", False, "border: 1px solid transparent"),
        ("border: 1px solid transparent", True, f"border: 1px solid {UNSEEN}"),
        ("width: 0; border-color: transparent red !important", False, f"width: 0; border-color: {UNSEEN} red !"),
        ("width: 9px; border-color: transparent red", False, "width: 9px; border-color: transparent red"),
        ("border-width: 9px; color: transparent", False, "border-width: 9px; color: transparent"),
        ("border-top: 1em solid; border-left: 1em solid transparent", False,
         f"border-top: 1em solid; border-left: 1em solid {UNSEEN}"),
    ],
)  # fmt: skip
def test_transparent_sides_of_a_border_have_corners(written: str, is_generated: bool, expected: str) -> None:
    assert serialized(with_corners(declarations_of(written), is_generated=is_generated)) == expected


@pytest.mark.parametrize(
    "css",
    [
        "p { width: 0; border: 60px solid transparent; border-top-color: red }",
        "p { width: 0; border: solid transparent; border-width: 60px 60px 0; border-top-color: red }",
        "p::before { content: ''; display: block; width: 0; border: 60px solid transparent; border-top-color: red }",
    ],
)
def test_corners_of_borders_are_triangles(css: str) -> None:
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style><p>"))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        image = document[0].render().to_pil().convert("RGB")
    rows = [sum(image.getpixel((x, y)) == RED for x in range(image.width)) for y in range(image.height)]
    found = list(filter(None, rows))
    assert found == sorted(found, reverse=True)
    assert found[0] > 80
    assert found[-1] < 10


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("mask: url(i) no-repeat; background: currentColor", "background: url(i) no-repeat"),
        (
            "-webkit-mask-image: var(--i); -webkit-mask-size: 1em; background-color: currentcolor; color: red",
            "background-image: var(--i); background-size: 1em; color: red",
        ),
        ("width: 1em; height: 24px; mask: url('i'); background: red", 'width: 1em; height: 24px; background: url("i")'),
        ("content: ''; mask-image: url(i); background: red", 'content: ""; background-image: url(i)'),
        # Masks of something else.
        ("mask: url(i); background: red; width: 100px; height: 100px", None),
        ("mask: url(i); background: red; width: 100%; height: 100%", None),
        ("mask: url(i); background: url(photo) currentcolor", None),
        ("mask: url(i)", None),
        ("mask: linear-gradient(red, #0000); background: currentcolor", None),
        ("mask-size: 1em; background: currentcolor", None),
    ],
)
def test_plain_words(written: str, expected: str | None) -> None:
    found = serialized(with_plain_painting(declarations_of(written)))
    assert found == (serialized(declarations_of(written)) if expected is None else expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("mask-image: var(--i); background-color: blue", f"background-image: var(--i); {CLEAR}"),
        ("mask-image: url(i)", f"background-image: url(i); {CLEAR}"),
        ("mask-size: contain; background-color: blue; top: 0", f"background-size: contain; top: 0; {CLEAR}"),
        ("background-color: blue", None),
        ("mask: linear-gradient(red, #0000); background: blue", None),
    ],
)
def test_icons_of_generated_boxes_are_described_by_several_rules(written: str, expected: str | None) -> None:
    found = serialized(with_plain_painting(declarations_of(written), is_generated=True))
    assert found == (serialized(declarations_of(written)) if expected is None else expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "<i style='display: block; width: 40px; height: 40px; background: blue; mask: url(i)'></i>",
        "<style>p::before { content: ''; padding: 9px; background: blue; -webkit-mask: url(i) }</style><p>a",
        "<style>p::before { content: ''; padding: 9px } b::before, p::before { -webkit-mask-image: url(i) } "
        "p::before { background-color: blue }</style><p>a",
        "<style>@supports (mask-image: none) { p { background: blue } } "
        "@supports not (mask-image: none) { p { background: red } }</style><p>a",
    ],
)
def test_what_is_seen(source: str) -> None:
    rendering = PlutoBookEngine().render(task(source, {"https://example.com/dir/i": Asset(SVG, "image/svg+xml")}))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        colors = {color for _, color in document[0].render().to_pil().convert("RGB").getcolors(100_000)}
    assert RED in colors
    assert BLUE not in colors
