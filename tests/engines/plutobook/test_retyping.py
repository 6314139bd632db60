"""The reading and writing of fonts that cairo embeds."""

from __future__ import annotations

import struct
from importlib import resources
from itertools import pairwise

import pikepdf
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rendered_pages import task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.text import content_text, unicode_maps
from wcspider.engines.plutobook.text.known_fonts import outlines

CMAP = (
    b"1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n2 beginbfchar\n<0001> <%b>\n<0002> <0041>\nendbfchar\n"
)


@given(st.binary())
def test_string_round_trip(codes: bytes) -> None:
    assert content_text.string(content_text.token(codes)) == codes


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (rb"(a\(b\)\\c)", rb"a(b)\c"),
        (rb"(\101\7\0)", b"A\x07\x00"),
        (b"(a\\\nb)", b"ab"),  # cairo ends lines in strings
        (b"<0a 0\nb>", b"\x0a\x0b"),
        (b"<>", b""),
    ],
)
def test_string(token: bytes, expected: bytes) -> None:
    assert content_text.string(token) == expected


@given(st.lists(st.one_of(st.binary(min_size=1), st.floats(-2000, 2000).map(lambda x: round(x, 3))), min_size=1))
def test_array_round_trip(shown: list[bytes | float]) -> None:
    written = content_text.array(shown)
    match = content_text.OPERATOR.fullmatch(written)
    assert match is not None
    operand = match["array"] if match["array"] is not None else match["string"]
    found = [content_text.string(t) if t[:1] in b"(<" else float(t) for t in content_text.tokens(operand)]
    assert found == shown


def test_text_object_with_operators_in_a_string() -> None:
    content = b"q\nBT\n/f-0-0 1 Tf\n( ET Q BT )Tj\nET\nQ\n"
    assert [match[1] for match in content_text.TEXT_OBJECT.finditer(content)] == [b"/f-0-0 1 Tf\n( ET Q BT )Tj\n"]


def test_fonts_of_a_text_object() -> None:
    content = b"BT\n/f-0-0 1 Tf\n(a)Tj\n/f-1-0 12.5 Tf\n(b)Tj\n/f-0-0 1 Tf\n(/f-9-9 1 Tf)Tj\nET\n"
    assert list(content_text.selected_fonts(content)) == [b"f-0-0", b"f-1-0"]


@pytest.mark.parametrize(
    ("operators", "place"),
    [
        (b"1 0 0 -1 5.5 7 Tm\n/f-0-0 1 Tf\n(a)Tj\n", b"1 0 0 -1 5.5 7 Tm\n"),
        (b"/f-0-0 1 Tf\n1 0 0 -1 5.5 7 Tm\n(a)Tj\n", b""),
        (b"1 0 0 -1 5.5 7 Tm\n(a)Tj\n1 0 0 -1 5.5 9 Tm\n(b)Tj\n", b""),
        (b"1 0 0 -1 5.5 7 Tm\n(1 2 3 4 5 6 Tm)Tj\n", b"1 0 0 -1 5.5 7 Tm\n"),
        (b"(a)Tj\n", b""),
    ],
)
def test_place_of_a_text_object(operators: bytes, place: bytes) -> None:
    assert content_text.divided(operators) == (place, operators.removeprefix(place))


def test_list_markers_are_set_at_their_places() -> None:
    items = "".join(f"<li style='margin-left: {10 * number}px'>{number}" for number in range(5))
    page = task(f"<ul style='list-style: circle'>{items}</ul>")
    with pypdfium2.PdfDocument(PlutoBookEngine().render(page).pdf) as document:
        text = document[0].get_textpage()
        content = text.get_text_range()
        places = [text.get_charbox(index)[0] for index, character in enumerate(content) if character == "\u25e6"]
    assert [line.split() for line in content.splitlines()] == [["\u25e6", str(number)] for number in range(5)]
    assert [after - before for before, after in pairwise(places)] == pytest.approx([7.5] * 4, abs=0.1)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (rb"(a\(b\))Tj", False),
        (rb"(\101)Tj", True),
        (b"(a\\\nb)Tj", True),  # cairo ends lines in strings
        (b"<41>Tj", True),
        (b"[(a)-5(b)]TJ", False),
        (rb"(caf\351 \225 \2001)Tj", False),
        (rb"(no\240break)Tj", True),
        (rb"(soft\255hyphen)Tj", True),
        (rb"(\245 \250 \340 \355)Tj", False),
        (rb"(\\(\177)Tj", True),
    ],
)
def test_unusual_codes(content: bytes, expected: bool) -> None:
    assert content_text.has_unusual_codes(content) is expected


@pytest.mark.parametrize(
    ("found", "characters", "expected"),
    [
        ("\ufefc", "لا", "لا"),
        ("\ufefc", "\ufefc", "\ufefc"),  # the page has this very character
        ("\u2f00", "一", "一"),
        ("\u2ee2", "马", "马"),
        ("\ufb01", "fi", "fi"),
        ("a", "b", "a"),
        ("\u00b2", "2", "\u00b2"),
    ],
)
def test_spelled(found: str, characters: str, expected: str) -> None:
    assert unicode_maps.spelled(found, characters, {}) == expected


@pytest.mark.parametrize(
    ("characters", "expected"),
    [("", "/"), ("\u2215", "/"), ("\u03a9", "/\u03a9"), ("\u2126", "/\u2126"), ("\u03a9\u2126", "/\u2126")],
)
def test_spelled_with_characters_of_one_glyph(characters: str, expected: str) -> None:
    twins = {"\u2215": ["/", "\u2215"], "\u2126": ["\u03a9", "\u2126"]}
    assert unicode_maps.spelled("\u2215\u2126"[: len(expected)], characters, twins) == expected


def test_correct() -> None:
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(ToUnicode=pdf.make_stream(CMAP % b"fb01"))
    unicode_maps.correct(font, lambda text: unicode_maps.spelled(text, "fiA", {}))
    assert font.ToUnicode.read_bytes() == CMAP % b"00660069"


def test_outlines_tell_glyphs_apart() -> None:
    found = outlines(resources.files("wcspider.fonts").joinpath("WcspiderSans-Regular.ttf").read_bytes())
    assert len(found) > 1000
    assert len(set(found)) > 0.8 * len(found)


@given(st.binary(max_size=300))
def test_outlines_of_anything(program: bytes) -> None:
    assert isinstance(outlines(program), list)


@given(st.integers(0, 60_000), st.binary(min_size=1, max_size=8))
def test_outlines_of_a_damaged_font(place: int, damage: bytes) -> None:
    program = bytearray(resources.files("wcspider.fonts").joinpath("WcspiderScripts-Regular.ttf").read_bytes())
    place %= len(program) - len(damage)
    program[place : place + len(damage)] = damage
    assert isinstance(outlines(bytes(program)), list)


def test_outline_of_a_composite_glyph_that_contains_itself() -> None:
    glyph = struct.pack(">h4hHH2b", -1, 0, 0, 1, 1, 0x0002, 0, 0, 0).ljust(20, b"\0")
    tables = {
        b"glyf": glyph,
        b"head": bytes(50) + struct.pack(">hh", 1, 0),
        b"loca": struct.pack(">2I", 0, len(glyph)),
        b"maxp": struct.pack(">IH26x", 0x10000, 1),
    }
    header, data, offset = struct.pack(">IHHHH", 0x10000, len(tables), 0, 0, 0), b"", 12 + 16 * len(tables)
    for tag, content in tables.items():
        header += struct.pack(">4sIII", tag, 0, offset + len(data), len(content))
        data += content
    assert len(outlines(header + data)) == 1
