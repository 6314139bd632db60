"""Stamps: their content, their place in the margin, and the pages below them."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from datetime import UTC, datetime

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.support.rendered_pages import boxes, text
from wcspider.archive.pages.stamping import stamped
from wcspider.engines.base import PageGeometry, Rendering, RenderTask, Step
from wcspider.engines.overlays.stamp import FOOTER, HEADER, PLACES, ROOM, Stamp, with_room
from wcspider.engines.overlays.stamp_pages import draw_stamps
from wcspider.engines.registry import render
from wcspider.engines.text.runs import Runs, load
from wcspider.engines.text.single_line import ELLIPSIS, LineSetter, folded

pytestmark = pytest.mark.slow

URL = "https://example.com/guide/page.html?version=3"
MOMENT = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
LONG = "<title>The title</title>" + "<p>paragraph of the page</p>" * 60


def _png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (2000, 3000), (40, 90, 160)).save(out, "PNG")
    return out.getvalue()


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="1500"><rect width="900" height="1500"/></svg>'
SOURCES = {
    "html": ("text/html", LONG.encode(), Step.FULL),
    "html as text": ("text/html", LONG.encode(), Step.TEXT_ONLY),
    "dark": ("text/html", f"<body style='background: #000; color: #fff'>{LONG}".encode(), Step.FULL),
    "fixed bar": ("text/html", f"<div style='position: fixed; top: 0'>bar</div>{LONG}".encode(), Step.FULL),
    "text": ("text/plain", b"a line of the page\n" * 200, Step.FULL),
    "png": ("image/png", _png(), Step.FULL),
    "svg": ("image/svg+xml", SVG, Step.FULL),
}
GEOMETRIES = {
    "A4": PageGeometry(),
    "no margins": PageGeometry(400, 500, 0, 0, 0, 0),
    "scaled": PageGeometry(400, 500, 10, 10, 10, 10, scale=0.5),
    "narrow": PageGeometry(110, 400, 20, 10, 20, 10),
}


def _stamped(source: str, geometry: PageGeometry, place: str, url: str = URL) -> tuple[Rendering, Rendering]:
    """A rendering without a stamp and with it."""
    media_type, body, step = SOURCES[source]
    task = RenderTask(url, body, media_type, geometry=with_room(geometry, place), step=step)
    plain = render("xhtml2pdf", task)
    return plain, stamped(plain, Stamp(place, url, MOMENT), task)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("source", SOURCES)
def test_a_stamp_stands_alone_in_its_margin(source: str, geometry: str, place: str) -> None:
    plain, result = _stamped(source, GEOMETRIES[geometry], place)
    page = with_room(GEOMETRIES[geometry], place)
    own = boxes(plain)
    found = boxes(result)
    added = [(bottom, top) for _, _, (_, bottom, _, top) in found]
    for box in own:
        assert box in found, "the page is as it was"
        added.remove((box[2][1], box[2][3]))
    assert added
    low, high = (page.height - page.margin_top, page.height) if place == HEADER else (0, page.margin_bottom)
    assert all(low < bottom and top < high for bottom, top in added)
    assert not [box for box in own if low < box[2][1] < high]


@pytest.mark.parametrize("place", PLACES)
def test_image_keeps_clear_of_the_stamp(place: str) -> None:
    _, result = _stamped("png", GEOMETRIES["no margins"], place)
    with pypdfium2.PdfDocument(result.pdf) as document:
        pictures = [pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]
        [(_, bottom, _, top)] = [found.get_bounds() for found in document[0].get_objects(filter=pictures)]
    assert top <= 500 - ROOM + 0.01 if place == HEADER else bottom >= ROOM - 0.01


def test_pages_are_numbered() -> None:
    _, result = _stamped("html", PageGeometry(400, 300), FOOTER)
    with pikepdf.open(io.BytesIO(result.pdf)) as pdf:
        count = len(pdf.pages)
    assert count > 3
    lines = [line for line in text(result).splitlines() if URL in line]
    assert [line.split()[-3:] for line in lines] == [[str(number), "/", str(count)] for number in range(1, count + 1)]
    assert {line.partition(URL)[0].strip() for line in lines} == {"The title"}
    assert all("2026-03-01 12:05 UTC" in line for line in lines)


TITLES = [
    "Ελληνικά και русский",
    "łódź – Kraków",
    "שלום עולם",
    "مرحبا بالعالم",
    "A title\twith\x07 control\u200b signs",
]


@pytest.mark.parametrize("title", TITLES)
def test_titles_in_any_script(title: str) -> None:
    task = RenderTask(URL, f"<title>{title}</title><p>page".encode(), geometry=PageGeometry())
    result = stamped(render("xhtml2pdf", task), Stamp(HEADER, URL, MOMENT), task)
    # PDFium gives the words of a line from left to right, each in its own direction.
    assert sorted(folded(title).split()) == sorted(text(result).split(URL)[0].split("\n")[-1].split())


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_any_title_can_be_drawn(title: str) -> None:
    sheets = draw_stamps(Stamp(HEADER, URL, None), PageGeometry(), pages=1, title=title, language="", system_fonts=True)
    assert URL in text(Rendering(sheets))


def test_long_url_is_shortened_in_the_middle() -> None:
    url = f"https://example.com/{'long/' * 60}page.html"
    _, result = _stamped("html", PageGeometry(), HEADER, url)
    [shown, *_] = [line for line in text(result).splitlines() if "example.com" in line]
    assert "https://example.com/" in shown
    assert "page.html" in shown
    assert ELLIPSIS in shown
    assert max(right for _, _, (_, _, right, _) in boxes(result)) <= 595.276 - 42.52 + 1


def test_a_stamp_is_an_artifact() -> None:
    _, result = _stamped("html", PageGeometry(), FOOTER)
    with pikepdf.open(io.BytesIO(result.pdf)) as pdf:
        for page in pdf.pages:
            marks = [
                operands for operands, operator in pikepdf.parse_content_stream(page) if str(operator) in ("BDC", "EMC")
            ]
            [(tag, properties), end] = marks
            assert (tag, properties.Type, properties.Subtype) == ("/Artifact", "/Pagination", "/Footer")
            assert list(end) == []


def test_widgets_are_kept() -> None:
    body = b"<form action=/go><input name=a value=x><input type=submit value=Send></form>"
    task = RenderTask(URL, body, geometry=PageGeometry())
    plain = render("xhtml2pdf", task)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = stamped(plain, Stamp(FOOTER, URL, MOMENT), task)
    assert result.fields == plain.fields
    assert len(result.fields) == 2
    with pikepdf.open(io.BytesIO(plain.pdf)) as before, pikepdf.open(io.BytesIO(result.pdf)) as after:
        widgets = [
            [(widget.WCSP_Field, list(widget.Rect), widget.AP.N.read_bytes()) for widget in pdf.pages[0].Annots]
            for pdf in (before, after)
        ]
        assert widgets[0] == widgets[1]


def test_a_stamp_is_the_same_bytes_each_time() -> None:
    assert _stamped("html", PageGeometry(), HEADER)[1] == _stamped("html", PageGeometry(), HEADER)[1]


def test_margins_grow_only_if_too_small() -> None:
    small, large = PageGeometry(margin_top=5, margin_bottom=5), PageGeometry()
    assert with_room(small, HEADER) == replace(small, margin_top=ROOM)
    assert with_room(small, FOOTER) == replace(small, margin_bottom=ROOM)
    assert with_room(small, "none") == small
    assert [with_room(large, place) for place in PLACES] == [large, large]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf")), max_size=60), st.floats(0, 300))
def test_shortened_lines_fit_and_are_part_of_the_text(line: str, room: float) -> None:
    load()
    setter = LineSetter(Runs(system=False), 7)
    for in_the_middle in (False, True):
        found = setter.fitted(line, room, in_the_middle=in_the_middle)
        assert setter.width(found) <= room
        if found != line:
            head, _, tail = found.rpartition(ELLIPSIS)
            assert line.startswith(head.rstrip() if in_the_middle else head)
            assert line.endswith(tail)
