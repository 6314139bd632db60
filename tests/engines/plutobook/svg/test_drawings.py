"""SVG images and elements with values after which cairo would draw nothing more."""

from __future__ import annotations

import re
from html import unescape
from unicodedata import normalize
from xml.sax.saxutils import quoteattr

import pypdfium2
import pytest
from lxml import etree, html

from tests.support.pictures import RED, places_of
from tests.support.rendered_pages import Asset, Step, task, text
from tests.support.worker_pools import with_worker_pool
from wcspider.engines import registry
from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.plutobook.css import transforms
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.fonts import font_setup
from wcspider.engines.plutobook.svg import drawing_transforms, drawings
from wcspider.engines.pool import WorkerPool
from wcspider.exceptions import EngineError

pytestmark = pytest.mark.slow

SHAPE = "<rect width='5' height='5'/>"
MARKED = "<marker id='m' markerWidth='9' markerHeight='9'><rect width='9' height='9'/></marker>"
SHAPES = [
    f"<g transform='scale(0)'>{SHAPE}</g>",
    f"<g transform='scale(1, 0)'>{SHAPE}</g>",
    f"<g transform='scale(.5) translate(3) scale(0 1)'>{SHAPE}</g>",
    f"<g transform='scale(1e999 0)'>{SHAPE}</g>",
    f"<g transform='matrix(1 1 1 1 0 0)'>{SHAPE}</g>",
    f"<g transform='skewX(45) skewY(45)'>{SHAPE}</g>",
    "<g transform='scale(1e-5)'>" * 30 + SHAPE + "</g>" * 30,
    f"<pattern id='p' width='1' height='1' patternTransform='scale(0)'>{SHAPE}</pattern><g fill='url(#p)'>{SHAPE}</g>",
    f"<use href='#r' transform='scale(0)'/><g id='r'>{SHAPE}</g>",
    "<path d='M0 0h9' stroke='blue' stroke-dasharray='0'/>",
    "<path d='M0 0h9' stroke='blue' stroke-dasharray='0 -0.0, 0px'/>",
    "<path d='M0 0h9' stroke='blue' stroke-dasharray='0%'/>",
    "<path d='M0 0h9' style='stroke: blue; stroke-dasharray: 0'/>",
    "<style>path { stroke: blue; stroke-dasharray: 0 0 }</style><path d='M0 0h9'/>",
    "<style>path { stroke: blue; stroke-dasharray: var(--d) } g { --d: 0 }</style><g><path d='M0 0h9'/></g>",
    f"{MARKED}<path d='M0 0h9' marker-end='url(#m)' stroke='blue' stroke-width='0'/>",
    f"{MARKED}<path d='M0 0h9' marker-end='url(#m)' style='stroke: blue; stroke-width: 0'/>",
]  # fmt: skip

SLANTED = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'>"
    "<text y='20' font-size='9' transform='matrix(1 0 20 1 0 0)'>slanted</text></svg>"
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("markup", ["<p>a <img src=i> b", "<p>a {} b"])
def test_what_follows_is_drawn(markup: str, shape: str) -> None:
    red = "<rect x='40' width='30' height='30' fill='#f00'/>"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'>{shape}{red}</svg>"
    assets = {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")}
    rendering = PlutoBookEngine().render(task(markup.format(svg), assets))
    assert text(rendering).split() == ["a", "b"]
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert RED in {color for _, color in document[0].render().to_pil().convert("RGB").getcolors(100_000)}


@pytest.mark.parametrize(
    "data",
    [
        "<x:pgf xmlns:x='x' id='i'>{}</x:pgf>", "<metadata>{}</metadata>", "<g><!--c-->{}<desc>{}</desc></g>",
        "<style>rect {{ fill: #f00 }} {}</style>", "<text><tspan/>{}</text>", "<![CDATA[{}]]>",
    ],
)  # fmt: skip
def test_data_of_drawing_programs_takes_little_memory(data: str) -> None:
    lines = "KLUv/QBYDLQDTo3EDQo4ME+SpAPAwMAAg4GBQdhHZPuOb3+GNWKWz\n" * 8_000
    svg = f"<svg xmlns='http://www.w3.org/2000/svg'>{data.format(lines, lines)}<rect width='9' height='9'/></svg>"
    page = task("<p>a <img src=i> b", {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")})

    async def use(pool: WorkerPool) -> object:
        return await pool.run(words_of, page)

    first, *_, last = with_worker_pool(use, memory=2 << 30)  # type: ignore[misc]
    assert (first, last) == ("a", "b")


def words_of(page: RenderTask) -> list[str]:
    return text(PlutoBookEngine().render(page)).split()


@pytest.mark.parametrize("page", ["<img src=i>", SLANTED])
def test_slanted_text_leaves_the_file_valid(page: str) -> None:
    assets = {"https://example.com/dir/i": Asset(SLANTED.encode(), "image/svg+xml")}
    assert text(PlutoBookEngine().render(task(page, assets))).split() == ["slanted"]


@pytest.mark.parametrize("shown", ["مُحَمَّدٌ لا يَنْسَى", "&#x645;&#x64f;&#x62d;&#x651; &#x644;&#x627;"])
def test_text_of_an_image_whose_glyphs_depend_on_their_neighbours(shown: str) -> None:
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='200' height='40'><text y='20'>{shown}</text></svg>"
    assets = {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")}
    found = text(PlutoBookEngine().render(task("<img src=i>", assets)))
    assert normalize("NFC", found).split() == normalize("NFC", unescape(shown)).split()


@pytest.mark.parametrize("markup", ["<p>a {} b", "<p>a <img src=i> b"])
def test_labels_of_diagrams_are_shown_once(markup: str) -> None:
    label = (
        "<switch><foreignObject width='90' height='30'><div xmlns='http://www.w3.org/1999/xhtml'>Label</div>"
        "</foreignObject><text x='5' y='20'>Label</text></switch>"
    )
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='200' height='40'>{label}</svg>"
    assets = {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")}
    assert text(PlutoBookEngine().render(task(markup.format(svg), assets))).split().count("Label") == 1


@pytest.mark.parametrize("markup", ["<p>{}", "<p><img src=i>"])
@pytest.mark.parametrize(
    ("alternatives", "shown"),
    [
        ("<text y='20' systemLanguage='de'>de</text><text y='20' systemLanguage='en-GB, fr'>en</text>", "en"),
        ("<text y='20' systemLanguage='de'>de</text><text y='20'>any</text>", "any"),
        ("<foreignObject requiredExtensions='x'/><g><text y='20'>artwork</text></g>", "artwork"),
        ("<g requiredExtensions='x'><text y='20'>no</text></g><text y='20'>yes</text>", "yes"),
    ],
)
def test_the_first_alternative_that_can_be_shown(markup: str, alternatives: str, shown: str) -> None:
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='200' height='40'><switch>{alternatives}</switch></svg>"
    assets = {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")}
    assert text(PlutoBookEngine().render(task(markup.format(svg), assets))).split() == [shown]


@pytest.mark.parametrize("where", ["<style>path {{ {} }}</style><svg{}>", "<svg style='{}'{}>"])
def test_dashes_from_the_page(where: str) -> None:
    drawing = where.format("stroke-dasharray: 0; stroke: blue", " width=80 height=40")
    assert text(PlutoBookEngine().render(task(f"<p>a {drawing}<path d='M0 0h9'/></svg> b"))).split() == ["a", "b"]


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><g transform='rotate(5) scale(-1 1)'/><g transform=\"matrix(0 1 -1 0 5 5)\"/></svg>",
        "<svg><path stroke-dasharray='0 5' stroke-width='0'/><path style='stroke-dasharray: none'/></svg>",
        "<svg><text>transform is scale(0) é</text></svg>",
    ],
)
def test_sound_drawings_stay_as_they_are(svg: str) -> None:
    found = drawings.readable(svg.encode())
    assert found is not None
    assert etree.canonicalize(found.decode()) == etree.canonicalize(svg)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("<image href='a.png'/>", "<image href=''/>"),
        ("<use xlink:href='a.svg#b'/><use xlink:href=' #b'/>", "<use xlink:href=''/><use xlink:href=' #b'/>"),
        ("<image href='data:image/png;base64,AA'/>", "<image href='data:image/png;base64,AA'/>"),
        ("<image href='data:text/html,a'/>", "<image href=''/>"),
        ("<path fill='url(a.svg#b)' style='fill: url(#c)'/>", "<path fill='none' style='fill: url(#c)'/>"),
        ("<style>@import 'a.css'; a > b { fill: url(c) }</style>", "<style>none a &gt; b { fill: none }</style>"),
    ],
)
def test_references_of_files(part: str, expected: str) -> None:
    file = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'>{}</svg>"
    found = drawings.readable(file.format(part).encode())
    assert found is not None
    assert etree.canonicalize(found.decode()) == etree.canonicalize(file.format(expected))


@pytest.mark.parametrize(
    ("size", "width"),
    [("width='600' height='400'", 150), ("width='150mm' height='100mm'", 150), ("viewBox='0 0 600 400'", 150)],
)
def test_percentages_in_a_file_refer_to_its_own_size(size: str, width: int) -> None:
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' {size}><rect width='100%' height='100%' fill='red'/></svg>"
    page = task(
        "<body style='margin: 0'><img src=i style='width: 150px; height: 100px'>",
        {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")},
    )
    with pypdfium2.PdfDocument(PlutoBookEngine().render(page).pdf) as document:
        picture = document[0].render(scale=96 / 72).to_pil()
    row = [picture.getpixel((x, 57 + 50)) for x in range(picture.width)]
    assert abs(row.count(RED) - width) <= 2


def test_nested_elements_of_files() -> None:
    found = drawings.readable(f"{'<svg>' * 40}{'</svg>' * 40}".encode())
    assert found is not None
    assert found.count(b"<svg") == drawings.MAX_NESTED


@pytest.mark.parametrize("part", ["transform='", "scale(", "a", " ", "1", "stroke-width:", "transform=\"scale(0)'"])
def test_time_is_linear(part: str) -> None:
    """With quadratic time, the test would not end within its time limit."""
    text = part * (2_000_000 // len(part))
    assert drawings.readable(f"<svg transform={quoteattr(text)}/>".encode()) is not None
    transforms.effect(text)
    drawings.has_length(text)


@pytest.mark.parametrize(
    "page",
    [
        "{}<p>a",
        "<p>a{}",
        "{}<p style='break-before: page'>a<p style='break-before: page'>b",
        "<p>a<p style='break-before: page'>b{}",
    ],
)
@pytest.mark.parametrize(
    "value",
    [
        "<svg width='9' height='9'><g transform='scale(0)'><rect width='9' height='9'/></g></svg>",
        "<style>div { transform: scale(var(--size)) }</style><div style='--size: 0'>c</div>",  # in no list
    ],
)
def test_a_page_on_which_cairo_fails_is_not_kept(page: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "effect", lambda transform: transforms.Effect.USUAL)
    source = page.format(value)
    # The fonts that this process uses: for others, the page would be laid out in another process, without the patch.
    of_this_process = {"system_fonts": font_setup.can_use(system_fonts=True)}
    with pytest.raises(EngineError, match="a value that cannot be drawn, so page"):
        PlutoBookEngine().render(task(source, **of_this_process))
    simpler = registry.render("plutobook", task(source, step=Step.SIMPLER_ENGINE))
    assert set(re.findall(">([ab])", page)) <= set(text(simpler))


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("scale(0)", "ab"),
        ("scaleX(0)", "ab"),
        ("scale3d(1,1,1) scaleY(0)", "ab"),
        ("MATRIX(1,1,1,1,0,0)", "ab"),
        ("skew(45deg, 45deg)", "ab"),
        ("skew(90deg, 90deg)", "acb"),  # thousands of pages
        ("skewX(0.2495turn)", "acb"),  # an invalid PDF file
        ("matrix(1e9, 0, 0, 1e9, 0, 0)", "acb"),
        ("rotate(1e300deg)", "acb"),
    ],
)
@pytest.mark.parametrize(
    "page",
    [
        "<style>div {{ transform: {} }}</style><p>a</p><div>c</div><p>b",
        "<style>div {{ --it: {}; transform: var(--it) }}</style><p>a</p><div>c</div><p>b",
        "<p>a</p><div style='transform:{}'>c</div><p>b",
    ],
)
def test_transformations_that_cannot_be_drawn(page: str, transform: str, expected: str) -> None:
    assert "".join(text(PlutoBookEngine().render(task(page.format(transform)))).split()) == expected


def test_another_rule_brings_into_sight() -> None:
    page = "<style>p { transform: scale(0) } .open { transform: scale(1) }</style><p class=open>a<p>b"
    assert text(PlutoBookEngine().render(task(page))).split() == ["a"]


def red_pixels(rendering: Rendering) -> list[tuple[int, int]]:
    """The places on the first page that are red, in CSS pixels from its upper left corner."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        picture = document[0].render(scale=4 / 3).to_pil().convert("RGB")
    return places_of(RED, picture)


RING = "fill='none' stroke='red' stroke-width='10' {}"
QUARTER = "stroke-dasharray='63 189'"
STYLE = "style='stroke-dasharray: 63, 189'"
RULE = "{ stroke-dasharray: 63 189 }"


RINGS = [
    f"<svg><circle cx='50' cy='50' r='40' {RING.format(QUARTER)}/></svg>",
    f"<svg><circle r='40' transform='translate(50 50)' {RING.format(QUARTER)}/></svg>",
    f"<svg><circle cx='50' cy='50' r='40' {RING.format(STYLE)}/></svg>",
    f"<svg><style>circle {RULE}</style><circle cx='50' cy='50' r='40' {RING.format('')}/></svg>",
]
WITH_SHEET = f"<style>.c {RULE}</style><svg><circle cx='50' cy='50' r='40' class='c' {RING.format('')}/></svg>"


@pytest.mark.parametrize(
    ("svg", "is_file"), [*((svg, is_file) for svg in RINGS for is_file in (False, True)), (WITH_SHEET, False)]
)
def test_the_outline_of_a_circle_begins_at_its_right(svg: str, is_file: bool) -> None:
    svg = svg.replace("<svg>", "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'>")
    assets = {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")}
    rendering = PlutoBookEngine().render(task("<img src=i>" if is_file else svg, assets))
    red = red_pixels(rendering)
    left, right = min(x for x, _ in red), max(x for x, _ in red)
    top, bottom = min(y for _, y in red), max(y for _, y in red)
    assert right - left < 60
    assert bottom - top < 60
    assert (right - 5, top + 1) in red  # the beginning of the quarter
    assert (left + 1, bottom - 5) in red  # its end, below the center


@pytest.mark.parametrize(
    ("css", "left", "top"),
    [
        ("transform: translate(20px, 10px)", 20, 10),
        ("transform: translate(20%, 10%)", 20, 10),
        ("transform: translateY(1em)", 0, 16),
        ("translate: 20px 10px", 20, 10),
        ("transform: rotate(90deg); transform-origin: 50% 50%", 90, 0),
        ("transform: rotate(90deg); transform-origin: center", 90, 0),
        ("transform: rotate(0.25turn); transform-origin: top right", 90, -100),
        ("transform: rotate(90deg); transform-origin: 5px 5px", 0, 0),
        ("transform: scale(2) translateX(10px)", 20, 0),
        ("transform: rotate(180deg); transform-box: fill-box; transform-origin: center", 0, 0),
        ("transform: matrix(1, 0, 0, 1, 20, 10)", 20, 10),
        ("--x: 20px; transform: translate(var(--x))", 20, 0),
        ("transform: translate(var(--unknown))", 0, 0),
        ("transform: none", 0, 0),
    ],
)
def test_style_sheets_move_shapes(css: str, left: float, top: float) -> None:
    shape = "<g><rect width='10' height='10' fill='red' class='a'/></g>"
    svg = f"<svg width='100' height='100' viewBox='0 0 100 100' style='overflow: visible'>{shape}</svg>"
    page = (
        f"<style>rect.a {{ {css} }} p, svg {{ margin: 0; display: block }}</style><p style='padding: 200px'>{svg}</p>"
    )
    red = red_pixels(PlutoBookEngine().render(task(page)))
    start = (57 + 208, 57 + 208)
    assert (min(x for x, _ in red) - start[0], min(y for _, y in red) - start[1]) == pytest.approx((left, top), abs=2)


@pytest.mark.parametrize(
    "body",
    [
        "<svg><path class=a d='M0 0h9v9z' style='transform-box: fill-box'/></svg>",  # its box is unknown
        "<svg><foreignObject><p class=a>text</p></foreignObject></svg>",
        "<svg class=a><rect/></svg>",
        "<svg><rect class=a width='1e999' x='nan' style='transform-box: fill-box'/></svg>",
        "<svg viewBox='1 2'><rect class=a /></svg>",
    ],
)
def test_other_elements_get_no_attribute(body: str) -> None:
    root = html.document_fromstring(f"<title></title>{body}")
    drawing_transforms.write(PageStyles(root, [".a { transform: translate(50%) }"]))
    assert "transform" not in root.find_class("a")[0].attrib
