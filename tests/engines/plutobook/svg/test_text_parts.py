"""The parts of texts in SVG: TSPAN elements and links."""

from __future__ import annotations

import io

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.support.rendered_pages import Asset, task, text
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.svg import text_parts
from wcspider.engines.plutobook.svg.text_parts import MAX_COPIES, make_readable

NAMESPACE = "xmlns='http://www.w3.org/2000/svg'"
SPEEDS = (
    "<text x='9' y='40'><tspan x='9' id='whole'><tspan dy='-9'>N</tspan>vel<tspan>Pa</tspan> = <tspan>N</tspan>"
    "vel<tspan>Pb</tspan></tspan></text>"
)
PARTS = st.recursive(
    st.sampled_from(["a", "b ", ""]),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"<tspan x='1' id='i'>{'c'.join(parts)}</tspan>d"),
    max_leaves=12,
)


def changed(markup: str) -> str:
    drawing = etree.fromstring(f"<svg>{markup}</svg>")
    make_readable(drawing)
    result = etree.tostring(drawing, encoding="unicode").replace('"', "'")
    return result.removeprefix("<svg>").removesuffix("</svg>")


@pytest.mark.parametrize("is_file", [False, True])
def test_indices_of_drawing_programs(is_file: bool) -> None:
    svg = f"<svg {NAMESPACE} width='300' height='80'>{SPEEDS}</svg>"
    assets = {"https://example.com/dir/i": Asset(svg.encode(), "image/svg+xml")}
    page = "<img src='i'>" if is_file else svg
    assert "".join(text(PlutoBookEngine().render(task(page, assets))).split()) == "NvelPa=NvelPb"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<text>a<tspan x='1'>b</tspan>c<tspan>d</tspan></text>",) * 2,
        ("<text><tspan x='1'>a<tspan>b</tspan>c</tspan></text>",) * 2,
        (
            "<text><tspan x='1' dy='2' fill='red' id='i'>a<tspan>b</tspan>c<tspan>d</tspan>e</tspan>f</text>",
            "<text><tspan x='1' dy='2' fill='red' id='i'>a<tspan>b</tspan>c</tspan>"
            "<tspan fill='red'><tspan>d</tspan>e</tspan>f</text>",
        ),
        ("<text x='1'><a href='u'>b</a></text>c", "<a href='u'><text x='1'>b</text></a>c"),
        ("<text> <a>b<tspan>c</tspan>d</a> </text>", "<a><text>b<tspan>c</tspan>d</text></a>"),
        ("<text>a<a href='u'>b</a>c</text>", "<text>a<tspan>b</tspan>c</text>"),
        ("<text><tspan><a href='u'>b</a></tspan></text>", "<text><tspan><tspan>b</tspan></tspan></text>"),
        ("<a href='u'><text>b</text></a>",) * 2,
    ],
)
def test_parts(markup: str, expected: str) -> None:
    assert changed(markup) == expected


@given(PARTS)
def test_any_parts(parts: str) -> None:
    before, after = (etree.fromstring(f"<svg>{svg}</svg>") for svg in (parts, changed(parts)))
    assert "".join(after.itertext()) == "".join(before.itertext())
    assert all(len(part.findall("tspan")) < 2 for part in after.iter("tspan"))


def test_parts_of_parts_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_parts, "MAX_COPIES", 3)
    inner = "<tspan><tspan>a</tspan><tspan>b</tspan></tspan>"
    assert changed(f"<text><tspan>{inner}</tspan></text>") == "<text><tspan>ab</tspan></text>"


def test_many_parts() -> None:
    parts = f"<tspan>{'<tspan>' * 100}{'<tspan>a</tspan>' * MAX_COPIES}{'</tspan>' * 100}</tspan>"
    assert changed(f"<text>{parts}</text>") == f"<text><tspan>{'a' * MAX_COPIES}</tspan></text>"


def test_links_of_whole_texts() -> None:
    svg = f"<svg {NAMESPACE}><text y='20'><a href='b'>place</a></text><text y='50'>in <a href='c'>part</a></text></svg>"
    rendering = PlutoBookEngine().render(task(svg))
    assert text(rendering).split() == ["place", "in", "part"]
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert [annotation.A.URI for annotation in pdf.pages[0].Annots] == ["https://example.com/dir/b"]
