"""Lines that PlutoBook draws a second time, where nothing of them can be seen."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.support.rendered_pages import task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.text.clipped_lines import without_clipped_lines


def content(top: float, height: float, text: bytes) -> bytes:
    clip = b"80 %g 102 %g re W n\n" % (top, height)
    return b"1 0 0 -1 0 841 cm\nq\n" + clip + b"0 0 1 rg /a0 gs\n" + text + b"Q q\n0 0 1 RG /a0 gs\n"


EDGES = (42.52, 799.37)
LINE = b"BT\n12 0 0 -12 80.02 500 Tm\n/f-1-0 1 Tf\n(line)Tj\nET\n"


@pytest.mark.parametrize(
    ("top", "height", "is_hidden"),
    [
        (480, 40, False),
        (488, 6, False),  # the upper half of the letters
        (498, 9, False),  # the lower part
        (502, 40, True),
        (440, 51, True),
        (502.6, 0.6, True),
    ],
)
def test_lines_outside_of_their_clip_are_left_out(top: float, height: float, is_hidden: bool) -> None:
    before = content(top, height, LINE)
    assert without_clipped_lines(before, [LINE], EDGES) == (content(top, height, b"") if is_hidden else before)
    assert without_clipped_lines(before, [b""], EDGES) == before, "it is the only copy"
    assert without_clipped_lines(before + LINE, [], EDGES) == (
        content(top, height, b"") + LINE if is_hidden else before + LINE
    )


@pytest.mark.parametrize(
    ("top", "edges", "is_hidden"),
    [
        (496, EDGES, False),  # the box around a dash
        (496, (36, 497), True),  # the lower edge of the page
        (496, (496, 800), True),
        (496.5, EDGES, True),  # an edge of a column
    ],
)
def test_boxes_around_low_glyphs_hide_nothing(top: float, edges: tuple[float, float], is_hidden: bool) -> None:
    before = content(top, 1, LINE)
    assert without_clipped_lines(before, [LINE], edges) == (content(top, 1, b"") if is_hidden else before)


@pytest.mark.parametrize("sign", ["\u2014", "_", "-", "."])
def test_low_characters_at_the_edge_of_the_page_are_shown(sign: str) -> None:
    lines = "".join(f"<p><b>{sign}</b> {number}" for number in range(30))
    style = "<style>body { font: 14px sans-serif; margin: 0 } p { margin: 0 0 3.3px } b { margin-left: -1px }</style>"
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(style + lines)).pdf) as document:
        assert document[0].get_textpage().get_text_range().count(sign) == 30


@pytest.mark.parametrize(
    ("other", "is_left_out"),
    [
        (b"<000a000c0003>Tj", True),
        (b"[<000a>-20<0003000a00\n0c0003>]TJ", True),
        (b"[<000a0001>-20<000c>3.5<0003>]TJ", True),
        (b"<000a0003>Tj", False),
        (b"[<000a>20<0003>]TJ\n<0c00>Tj", False),
    ],
)
def test_parts_of_lines_are_left_out_like_whole_ones(other: bytes, is_left_out: bool) -> None:
    before = content(502, 40, LINE.replace(b"(line)Tj", b"[<0001000c>]TJ" if b"0001" in other else b"<000c>Tj"))
    found = without_clipped_lines(before, [LINE.replace(b"(line)Tj", other)], EDGES)
    assert found == (content(502, 40, b"") if is_left_out else before)


@pytest.mark.parametrize(
    "text",
    [
        b"BT\n12 0 0 12 80.02 500 Tm\n/f-1-0 1 Tf\n(line)Tj\nET\n",  # the y axis points up
        b"BT\n0 12 12 0 80.02 500 Tm\n/f-1-0 1 Tf\n(line)Tj\nET\n",  # turned
        b"q 1 0 0 1 0 -90 cm\n" + LINE + b"Q\n",
        b"",
    ],
)
def test_other_contents_are_the_same_object(text: bytes) -> None:
    """A stream that is not changed need not be written again."""
    before = content(510, 40, text)
    assert without_clipped_lines(before, [text], EDGES) is before


@pytest.mark.parametrize("items", [7, 9])
def test_links_in_columns_are_in_the_text_once(items: int) -> None:
    """The underline of the last link in the first column touches the second column."""
    links = "".join(f"<li><a href=x>item_{number}x</a>" for number in range(items))
    style = "<style>body { font: 13px/1.1 sans-serif } ul { padding-top: 0 }</style>"
    page = f"{style}<p>text<div style='columns: 15em auto'><ul>{links}</ul></div>"
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(page)).pdf) as document:
        text = document[0].get_textpage().get_text_range()
    assert [text.count(f"item_{number}x") for number in range(items)] == [1] * items
