"""Masks of SVG that become clipping paths, and SVG files that become pixels because of their masks."""

from __future__ import annotations

import io

import pikepdf
import pytest
from lxml import etree, html

from tests.support.pictures import RED, places_of
from tests.support.rendered_pages import Asset, picture, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.pages import small_images
from wcspider.engines.plutobook.svg import masks, pixels

NAMESPACE = "xmlns='http://www.w3.org/2000/svg'"
RECT = "<rect width='50' height='80' fill='white'/>"
GRADIENT = "<linearGradient id='g'><stop stop-color='white'/><stop offset='1' stop-color='white'/></linearGradient>"
MASKED = "<rect mask='url(#m)' width='100' height='80' fill='red'/>"


def svg(definitions: str, shape: str = MASKED, size: str = "width='100' height='80'") -> str:
    return f"<svg {NAMESPACE} {size}>{definitions}{shape}</svg>"


def rendered(file: str, page: str = "<div style='background: url(i) no-repeat; height: 80px'>text") -> Rendering:
    assets = {"https://example.com/dir/i": Asset(file.encode(), "image/svg+xml")}
    return PlutoBookEngine().render(task(f"<!DOCTYPE html><body style='margin: 0'>{page}", assets))


def number_of_images(rendering: Rendering) -> int:
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        return sum(
            1 for found in pdf.objects if isinstance(found, pikepdf.Stream) and found.get("/Subtype") == "/Image"
        )


SUITED = [
    f"<mask id='m'>{RECT}</mask>",
    f"<mask id='m'><g fill='black'>{RECT}</g></mask>",
    "<mask id='m' fill='white'><path d='M0 0h50v80h-50z'/></mask>",
    "<mask id='m' fill='#FFF'><use href='#p'/></mask><defs><path id='p' d='M0 0h50v80h-50z'/></defs>",
    "<mask id='m' style='mask-type:alpha' maskUnits='userSpaceOnUse' x='0' y='0' width='50' height='80'>"
    "<rect width='50' height='80' fill='#D9D9D9'/></mask>",
    "<mask id='m' mask-type='alpha'><circle cx='25' cy='40' r='25' style='fill: rgb(1, 2, 3)'/></mask>",
    "<mask id='m' maskContentUnits='objectBoundingBox'><rect width='.5' height='1' fill='white'/></mask>",
]
UNSUITED = [
    "<mask id='m'><rect width='50' height='80' fill='#D9D9D9'/></mask>",
    "<mask id='m'><rect width='50' height='80'/></mask>",
    f"<mask id='m'>{RECT}{RECT}</mask>",
    f"<mask id='m'><g opacity='.5'>{RECT}</g></mask>",
    f"<mask id='m'><g transform='scale(2)'>{RECT}</g></mask>",
    f"{GRADIENT}<mask id='m'><rect width='50' height='80' fill='url(#g)'/></mask>",
    "<mask id='m' mask-type='alpha'><rect width='50' height='80' fill='none'/></mask>",
    "<mask id='m' fill='white' stroke='white'><path d='M0 0h50v80h-50z'/></mask>",
    "<mask id='m' fill='white'><use href='#missing'/></mask>",
    "<mask id='m' fill='white'><use href='#m'/></mask>",
    f"<mask id='m'>{RECT}</mask><mask id='m'/>",
    f"<style>rect {{ mask: url(#m) }}</style><mask id='m'>{RECT}</mask>",
    "<mask id='m'/>",
]


@pytest.mark.parametrize("definitions", SUITED)
def test_masks_of_one_opaque_shape_are_clipping_paths(definitions: str) -> None:
    root = etree.fromstring(svg(definitions))
    masks.become_clipping_paths(root)
    assert (len(list(root.iter("{*}mask"))), len(list(root.iter("{*}clipPath")))) == (0, 1)
    assert next(e.get("clip-path") for e in root.iter() if "clip-path" in e.attrib) == "url(#m)"
    assert masks.parts_as_images(root) == []


@pytest.mark.parametrize("definitions", UNSUITED)
def test_other_masks_stay_as_they_are(definitions: str) -> None:
    root = etree.fromstring(svg(definitions))
    before = etree.tostring(root)
    masks.become_clipping_paths(root)
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    ("sheets", "shape", "is_clipped"),
    [
        ([], MASKED, True),
        (["p { color: red }"], "<g style='fill: red; mask: url(\"#m\")'/>", True),
        (["rect { mask: url(#m) }"], MASKED, False),
        ([], "<rect mask='url(#m)' clip-path='url(#other)'/>", False),
    ],
)
def test_references_of_a_page(sheets: list[str], shape: str, *, is_clipped: bool) -> None:
    page = html.document_fromstring(f"<body><svg>{SUITED[0]}</svg><svg>{shape}</svg>")
    masks.become_clipping_paths(page, sheets)
    found = [e for e in page.iter("rect", "g") if "url(#m)" in e.get("clip-path", "") and "mask" not in str(e.items())]
    assert (len(found), len(list(page.iter("clippath")))) == ((1, 1) if is_clipped else (0, 0))


@pytest.mark.parametrize("definitions", SUITED)
def test_masks_of_a_drawing_in_the_page(definitions: str) -> None:
    page = f"<div style='color: red'>text</div><svg width='100' height='80'>{definitions}{MASKED}</svg>"
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html><body style='margin: 0'>{page}"))
    assert (text(rendering).strip(), rendering.warnings) == ("text", ())
    assert len(places_of(RED, picture(rendering))) > 1_000


def test_the_fill_rule_becomes_that_of_the_clipping_path() -> None:
    root = etree.fromstring(svg("<mask id='m' fill='white' fill-rule='evenodd'><path d='M0 0h9v9z'/></mask>"))
    masks.become_clipping_paths(root)
    assert next(root.iter("{*}path")).get("clip-rule") == "evenodd"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "images", "share"),
    [
        (svg(SUITED[0]), 0, 0.5),
        (svg(SUITED[3]), 0, 0.5),
        (svg(f"<mask id='m'>{RECT}<rect width='25' height='80'/></mask>"), 2, 0.25),
        (svg(UNSUITED[5]), 2, 0.5),
        (svg(UNSUITED[5].replace("width='50'", "width='100'")), 1, 1.0),  # opaque
        (svg(UNSUITED[5], size="viewBox='0 0 100 80' width='100'"), 2, 0.5),
        (svg(f"<clipPath id='m'>{RECT}<path d='M70 0h30v80h-30'/></clipPath>", MASKED.replace("mask", "clip-path")),
         2, 0.8),
        (svg(f"<clipPath id='Up'>{RECT}<path d='M70 0h30v80h-30'/></clipPath>",
             MASKED.replace("mask='url(#m)", "clip-path='url(#Up)")), 2, 0.8),
    ],
)  # fmt: skip
@pytest.mark.parametrize("page", ["<div style='background: url(i) no-repeat; height: 80px'>text", "<img src=i> text"])
def test_text_above_a_masked_drawing_is_text(page: str, file: str, images: int, share: float) -> None:
    rendering = rendered(file, page)
    assert text(rendering).split() == ["text"]
    assert number_of_images(rendering) == images
    assert len(places_of(RED, picture(rendering))) == pytest.approx(75 * 60 * share, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [MASKED, MASKED.replace("mask='url(#m)'", "style='mask: url(#m)'")])
@pytest.mark.parametrize("page", ["<img src=i>", "{}"])
def test_a_drawing_with_text_keeps_its_text(page: str, shape: str) -> None:
    file = svg(UNSUITED[5], f"{shape}<text x='60' y='40'>label</text>")
    assert text(rendered(file, page.format(file))).split() == ["label"]


@pytest.mark.parametrize(
    "size", ["", "width='0' height='9'", "viewBox='0 0 1e9 9'", "viewBox='0 0 1e999 1e999'", "viewBox='0 0 900 1'"]
)
def test_sizes_that_are_not_drawn_as_pixels(size: str) -> None:
    assert pixels.drawn(svg(UNSUITED[2], size=size).encode()) is None


CHAIN = "".join(
    f"<mask id='{name}'><rect width='9' height='9' mask='url(#{after})'/>{RECT}</mask>" for name, after in ("mn", "nm")
)


@pytest.mark.parametrize(
    "definitions",
    [
        CHAIN,
        f"{UNSUITED[2]}<pattern id='p'>{MASKED}</pattern>",
        f"{UNSUITED[2]}<symbol id='p'>{MASKED}</symbol>",
        f"{UNSUITED[2]}{MASKED * pixels.MOST_PARTS}",
        f"{UNSUITED[2]}{'<use/>' * (pixels.MOST_USES + 1)}",
        "<clipPath id='m' clip-path='url(#m)'/>",
        "",
    ],
)
def test_drawings_that_may_take_long_are_left_to_cairo(definitions: str) -> None:
    assert pixels.drawn(svg(definitions).encode()) is None


@pytest.mark.slow
def test_a_page_has_a_certain_number_of_drawings_as_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_images, "MOST_DRAWN", 2)
    files = [svg(UNSUITED[5], MASKED.replace("'80'", f"'{height}'")) for height in (10, 20, 30)]
    images = small_images.Images()
    found = [images.small(file.encode(), str(number)) for number, file in enumerate((*files, *files))]
    assert [b"<image" in (image or b"") for image in found] == [True, True, False] * 2
    assert len(images.pictures) == 2
