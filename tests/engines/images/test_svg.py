"""SVG images and SVG in pages, drawn by both engines: in their sizes, and without invalid shapes."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from decimal import Decimal

import pikepdf
import pypdfium2
import pytest

from tests.support.pictures import RED, places_of
from tests.support.rendered_pages import boxes, task, text
from tests.support.shown_images import BACKGROUND, ENGINES, PAPER, on_paper, page, svg_of
from wcspider.engines.base import Rendering, Step
from wcspider.engines.images.svg import FARTHEST

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("length", ["nan", "1e30", "0"])
def test_svg_without_size_shows_its_alternate_text(length: str) -> None:
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{length}' height='{length}'><rect width='5' height='5'/></svg>"
    )
    assert "A cat" in text(page(svg.encode(), "<p>a <img src=i alt='A cat'> b", "xhtml2pdf"))


SQUARE = "<rect width='30' height='30' fill='#f00'/>"
NO_LENGTHS = ["nan", "inf", "-inf", "", "abc", "1e30", "1e300", "1e400", "0", "-5", "5vw", "100%"]
SHAPES = [
    "<rect width='{0}' height='{0}'/>",
    "<rect x='{0}' rx='{0}' width='5' height='5'/>",
    "<circle r='{0}' cx='{0}' cy='4'/>",
    "<ellipse rx='{0}' ry='{0}'/>",
    "<line x1='{0}' x2='4' y1='3' y2='{0}' stroke='red'/>",
    "<polygon points='{0} 1 2 2 4'/>",
    "<path d='M {0} 1 L 3 {0} C {0} 1 2 3 4 {0} A {0} 4 0 0 1 {0} 6'/>",
    "<g transform='translate({0})'><rect width='5' height='5'/></g>",
    "<g transform='scale({0})'><rect width='5' height='5'/></g>",
    "<g transform='rotate({0})'><rect width='5' height='5'/></g>",
    "<rect stroke='red' stroke-width='{0}' stroke-dasharray='{0}' width='5' height='5' opacity='{0}'/>",
    "<text x='{0}' y='{0}' font-size='{0}'>abc<tspan dx='{0}'>x</tspan></text>",
    "<linearGradient id='g' x1='{0}'><stop offset='{0}'/></linearGradient><rect fill='url(#g)' width='5' height='5'/>",
]


TEXT = "<p>a <img src=i alt='A cat'> b"
BEHIND_TEXT = "<p style='background: url(i) no-repeat; height: 64px'>a b"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("length", NO_LENGTHS)
@pytest.mark.parametrize("engine", ENGINES)
def test_invalid_shape_is_not_drawn(engine: str, shape: str, length: str) -> None:
    """It costs no page its design or its text, and no number of it is in the file."""
    body = svg_of(shape.format(length) + f"<g transform='translate(40)'>{SQUARE}</g>")
    for markup in (TEXT, BEHIND_TEXT) if engine == "plutobook" else (TEXT,):
        rendering = page(body, markup, engine)
        with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
            operands = [operand for found, _ in pikepdf.parse_content_stream(pdf.pages[0]) for operand in found]
        assert max(abs(operand) for operand in operands if isinstance(operand, int | Decimal)) <= FARTHEST
        with pypdfium2.PdfDocument(rendering.pdf) as document:
            colors = {color for _, color in document[0].render().to_pil().convert("RGB").getcolors(100_000)}
        assert on_paper(engine, [PAPER])[0] in colors
        assert {"a", "b"} <= set(text(rendering).replace("abc", " ").split())
        if "img" in markup:
            assert (RED in colors) != ("A cat" in text(rendering))


@pytest.mark.parametrize("path", ["L 1 1", "C 1 1 1 1 1 1", "z", "", "M 1 1 L", "M 1 1 A 1 1 0", "M", "abc", "M..1 2"])
def test_invalid_path_is_not_drawn(path: str) -> None:
    rendering = page(svg_of(f"<path d='{path}'/>{SQUARE}"), TEXT, "xhtml2pdf")
    is_read = path not in ("M", "abc", "M..1 2")  # svglib fails on these
    assert ("A cat" not in text(rendering), not rendering.unreadable) == (is_read, is_read)


@pytest.mark.parametrize(
    ("shapes", "attributes"),
    [
        ("<rect x='nan' width='5' height='5'/>", "width='80' height='40'"),
        ("<path d='L 1 1'/>", "width='80' height='40'"),
        (SQUARE, "width='80' height='40' viewBox='nan nan 1 1'"),
        (SQUARE, "width='80' height='40' viewBox='0 0 inf inf'"),
        (SQUARE, "width='1e-30' height='1e-30'"),
        (SQUARE, "width='-5' height='-5'"),
    ],
)
def test_svg_without_valid_shapes_shows_its_alternate_text(shapes: str, attributes: str) -> None:
    rendering = page(svg_of(shapes, attributes), TEXT, "xhtml2pdf")
    assert "a A cat b" in " ".join(text(rendering).split())
    assert list(rendering.unreadable.values()) == ["an image cannot be read"]


@pytest.mark.parametrize("path", ["L 1 1", "C 1 1 1 1 1 1", "z", "", "M 1 1 L", "M 1 1 A 1 1 0", "M", "abc", "M..1 2"])
@pytest.mark.parametrize("attributes", ["", "viewBox='nan nan 1 1'", "viewBox='0 0 inf inf'", "viewBox='0 0 80'"])
def test_plutobook_passes_over_invalid_values_of_svg(path: str, attributes: str) -> None:
    rendering = page(svg_of(f"<path d='{path}'/>{SQUARE}", f"width='80' height='40' {attributes}"), TEXT)
    assert red_size(rendering) == pytest.approx((22.5, 22.5), abs=2)
    assert text(rendering).split() == ["a", "b"]


@pytest.mark.parametrize("engine", ENGINES)
def test_dashes_of_length_zero_are_a_line(engine: str) -> None:
    body = svg_of("<line x1='0' y1='20' x2='80' y2='20' stroke='#f00' stroke-width='8' stroke-dasharray='0 0'/>")
    with pypdfium2.PdfDocument(page(body, engine=engine).pdf) as document:
        drawn = document[0].render().to_pil().convert("RGB")
    assert sum(count for count, color in drawn.getcolors(100_000) if color == RED) > 250


def red_size(rendering: Rendering) -> tuple[int, int]:
    """The width and the height of the red area at the top of the first page, in points."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        drawn = document[0].render().to_pil().convert("RGB")
    red = [(x, y) for x, y in places_of(RED, drawn) if y < 150]
    return max(x for x, _ in red) - min(x for x, _ in red), max(y for _, y in red) - min(y for _, y in red)


@pytest.mark.parametrize(
    ("engine", "markup"), [("plutobook", "<img src=i>"), ("plutobook", BACKGROUND), ("xhtml2pdf", "<img src=i>")]
)
def test_svg_is_drawn_as_vectors_in_its_size(engine: str, markup: str) -> None:
    size = b"width='80' height='40'"
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' %b><rect %b fill='#f00'/></svg>" % (size, size)
    rendering = page(svg, markup, engine)
    assert rendering.images == ()
    assert red_size(rendering) == pytest.approx((60, 30), abs=2)


CAPITAL = 0.688
"""How high a capital letter is, in parts of its size."""

BOX = "<rect width=80 height=40 fill=#f00 />"
INLINE = [
    (f"<svg width=80 height=40>{BOX}</svg>", (80, 40)),
    (
        "<div style='width: 80px'><svg viewBox='0 0 80 40'><g style='fill: #f00'><path d='M0 0h80v40h-80z'/></g></svg>",
        (80, 40),
    ),
    (f"<svg @click=x :y=1 width=80 height=40><!-- -- -->{BOX}<4 /></svg>", (80, 40)),
    (f"<svg width=80 height=40><defs><g id=a>{BOX}</g></defs><use xlink:href='#a'/></svg>", (80, 40)),
    (f"<p>x <svg width=80 height=40 style='vertical-align: -0.125em'>{BOX}</svg>", (80, 40)),
    (
        f"<svg width=80 height=40><clipPath id=c><path d='M0 0h40v20h-40'/></clipPath><g clip-path=url(#c)>{BOX}</g>",
        (40, 20),
    ),
]
ICON = f"<style>.icon {{ width: 20px; height: 10px }}</style><svg class=icon viewBox='0 0 80 40'>{BOX}</svg>"


@pytest.mark.parametrize(
    ("engine", "markup", "size"),
    [*((engine, *entry) for engine in ENGINES for entry in INLINE), ("plutobook", ICON, (20, 10))],
)
def test_inline_svg_is_drawn(engine: str, markup: str, size: tuple[float, float]) -> None:
    assert red_size(page(b"", markup, engine)) == pytest.approx((0.75 * size[0], 0.75 * size[1]), abs=2)


@pytest.mark.parametrize("engine", ENGINES)
def test_inline_svg_without_author_styles(engine: str) -> None:
    markup = f"<p>x <svg width=80 height=40 style='vertical-align: -0.125em'>{BOX}</svg>"
    rendering = ENGINES[engine].render(task(markup, step=Step.NO_AUTHOR_STYLES))
    assert red_size(rendering) == pytest.approx((60, 30), abs=2)


@pytest.mark.parametrize("engine", ENGINES)
def test_text_of_inline_svg_is_text(engine: str) -> None:
    rendering = page(b"", "<p>before <svg width=80 height=40><text x=5 y=20>inside</text></svg> after", engine)
    assert sorted(text(rendering).split()) == ["after", "before", "inside"]  # PDFium goes by the lines


ABSOLUTE = [("", 16), ("font-size='20'", 20), ("font-size='15pt'", 20), ("style='font-size: 20px'", 20)]
RELATIVE = [(f"font-size='{size}'", 16) for size in ("140%", "1.5em", "larger", "x-large", "no size", "1px 2px")]
"""svglib does not know these sizes. Text with such a size has the size of the text around it."""


@pytest.mark.parametrize(
    ("engine", "attributes", "size"),
    [*((engine, *entry) for engine in ENGINES for entry in ABSOLUTE), *(("xhtml2pdf", *entry) for entry in RELATIVE)],
)
def test_font_size_in_svg(engine: str, attributes: str, size: float) -> None:
    drawing = f"<svg width=160 height=80><g><text x=5 y=60 {attributes}>H</text></g></svg>"
    [(_, _, (_, bottom, _, top))] = boxes(page(b"", drawing, engine))
    assert (top - bottom) / 0.75 / CAPITAL == pytest.approx(size, rel=0.03)


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("<svg width=nan height=4><text>Said all the same</text></svg>", ["Said", "all", "the", "same"]),
        ("<svg style='display: none'><symbol id=a><text>unseen</text></symbol></svg>", []),
        ("<svg width=0 height=0><symbol id=a><text>unseen</text></symbol></svg>", []),
        ("<svg></svg>", []),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_invalid_inline_svg_shows_its_text(engine: str, markup: str, words: list[str]) -> None:
    rendering = page(b"", f"<p>a {markup} b", engine)
    assert text(rendering).split() == ["a", *words, "b"]
    assert rendering.warnings == ()


@pytest.mark.parametrize("markup", [TEXT, BEHIND_TEXT])
@pytest.mark.parametrize("encode", [lambda svg: gzip.compress(svg), lambda svg: svg.decode().encode("utf-16")])
@pytest.mark.parametrize("engine", ENGINES)
def test_encodings_and_compression(engine: str, encode: Callable[[bytes], bytes], markup: str) -> None:
    if (engine, markup) != ("xhtml2pdf", BEHIND_TEXT):  # which draws no backgrounds
        rendering = page(encode(svg_of(SQUARE)), markup, engine)
        assert red_size(rendering) == pytest.approx((22.5, 22.5), abs=2)
        assert rendering.warnings == ()


def test_an_image_that_is_not_well_formed_is_reported() -> None:
    rendering = page(svg_of("<rect>"), TEXT)
    assert " ".join(text(rendering).split()) == "a A cat b"
    assert list(rendering.unreadable.values()) == ["an SVG image cannot be read: mismatched tag"]


def test_a_background_that_is_not_well_formed_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    """On the standard error of PlutoBook, which is a part of the conversion (`engines.workers`)."""
    assert text(page(svg_of("<rect>"), BEHIND_TEXT)).split() == ["a", "b"]
    assert "Unable to load image 'https://example.com/dir/i': xml parse error: mismatched tag" in capfd.readouterr().err
