"""The numbers of a listing stand beside their lines, although long lines of code continue on the next line."""

from __future__ import annotations

import ctypes
import io

import pikepdf
import pypdfium2
import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.source.line_numbers import move_into_code

LONG = "call(" + ", ".join(f"argument_{letter}" for letter in "abcdefghijklm") + ")"
LINES = ["Quick", LONG, "", "Brown", "Fox"]
LETTERS = {"1": "k", "4": "B", "5": "F"}  # numbers, each with a letter of its line that is in no other line
TABLE = "<table><tr><td class=gutter><pre>{0}</pre></td><td class=code><pre>{1}</pre></td></tr></table>"
BOXES = "<div style='display: flex'><pre>{0}</pre><div style='overflow: auto'><pre>{1}</pre></div></div>"
NUMBERS = ["1", "2", "3", "4", "5"]
CODE = "\n".join(LINES)


def laid_out(body: str) -> Rendering:
    css = "td { padding: 0 } .code pre { overflow: auto } .hidden { display: block }"
    return PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style>{body}"))


def heights(rendering: Rendering) -> dict[str, float]:
    """The lower edges of the numbers and letters, of each the first from the top."""
    found: dict[str, float] = {}
    for _, letter, (_, bottom, _, _) in boxes(rendering):
        found[letter] = max(found.get(letter, 0.0), bottom)
    return found


@pytest.mark.parametrize("listing", [TABLE, BOXES])
@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ("\n".join(NUMBERS), CODE),
        ("\n".join(NUMBERS) + "\n", CODE + "\n"),
        ("".join(f"<span class=hidden>{n}</span>\n" for n in NUMBERS), CODE),
        ("<code>" + "\n".join(f"<span>{n}</span>" for n in NUMBERS) + "</code>", f"<code>{CODE}</code>"),
        ("<br>".join(NUMBERS), "<br>".join(f"<span>{line}</span>" for line in LINES)),
        ("".join(f"<i>{n}</i><br>" for n in NUMBERS), "".join(f"<i>{line}</i><br>" for line in LINES)),
        ("\n".join(NUMBERS), f"<i style='color: red'>{CODE}</i>"),
        ("\n".join(NUMBERS), f"<b><i>{LINES[0]}\n</i>{LONG}\n</b>\n<i>Brown</i>\n<i>F</i>ox"),
    ],
)
def test_numbers_stand_beside_their_lines(listing: str, numbers: str, code: str) -> None:
    rendering = laid_out(listing.format(numbers, code))
    found = heights(rendering)
    assert all(abs(found[number] - found[letter]) < 2 for number, letter in LETTERS.items())
    assert found["1"] > found["2"] > found["3"] > found["4"] > found["5"]
    assert found["2"] - found["3"] > 1.5 * (found["3"] - found["4"])  # the second line continues
    left = {letter: box[0] for _, letter, box in boxes(rendering) if letter in NUMBERS}
    assert len({round(edge) for edge in left.values()}) == 1
    assert max(left.values()) < next(box[0] for _, letter, box in boxes(rendering) if letter == "Q")


def test_numbers_of_lines_in_a_comment_do_not_have_its_color() -> None:
    rendering = laid_out(TABLE.format("\n".join(NUMBERS), f"<i style='color: red'>{CODE}</i>"))
    with pypdfium2.PdfDocument(io.BytesIO(rendering.pdf)) as document:
        text = document[0].get_textpage()
        letters = text.get_text_range()
        reds = {letters[index]: red(text, index) for index in range(text.count_chars()) if letters[index].isalnum()}
    assert {letter for letter, amount in reds.items() if amount == 0} == set(NUMBERS)
    assert {amount for letter, amount in reds.items() if letter not in NUMBERS} == {255}


def red(text: pypdfium2.PdfTextPage, index: int) -> int:
    """The amount of red in a letter, up to 255."""
    channels = [ctypes.c_uint() for _ in range(4)]
    assert pypdfium2.raw.FPDFText_GetFillColor(text, index, *channels)
    return channels[0].value


def test_links_of_numbers_remain() -> None:
    numbers = "\n".join(f"<a class=hidden id=L{n} href=http://h/{n}>{n}</a>" for n in NUMBERS)
    rendering = laid_out(TABLE.format(numbers, CODE))
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        links = {str(link.A.URI): float(link.Rect[1]) for link in pdf.pages[0].Annots}
    found = heights(rendering)
    assert list(links) == [f"http://h/{n}" for n in NUMBERS]
    assert all(abs(bottom - found[uri[-1]]) < 8 for uri, bottom in links.items())
    assert {f"L{n}" for n in NUMBERS} <= {anchor.name for anchor in rendering.structure.anchors}


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ("1\n2\n3", CODE),
        ("1\n3\n4\n5\n6", CODE),
        ("01\n02\n03\n04\n05", CODE),
        ("1 2\n3", "b\na"),
        ("2024", LONG),
        ("\n".join(NUMBERS), "\n".join(["a"] * 5)),
        ("a\nb", f"{LONG}\nb"),
        ("\u0661\n\u0662", f"{LONG}\nb"),
        ("", ""),
    ],
)
def test_other_listings_stay_as_they_are(numbers: str, code: str) -> None:
    pdf = laid_out(TABLE.format(numbers, code)).pdf
    rendering = laid_out(TABLE.format(f"<!-- -->{numbers}", code))
    assert pdf == rendering.pdf
    letters = [letter for _, letter, _ in boxes(rendering)]
    assert "".join(letters).startswith("".join(numbers.split()))


def test_a_number_of_any_length_is_no_problem() -> None:
    root = html.document_fromstring(TABLE.format("9" * 5000 + "\n2", f"{LONG}\nb"))
    before = html.tostring(root)
    move_into_code(PageStyles(root, []))
    assert html.tostring(root) == before


@pytest.mark.timeout(60)  # in quadratic time, it would take longer
def test_a_listing_with_20_000_lines_is_no_problem() -> None:
    lines = 20_000
    numbers = "\n".join(f"<a id=L{number}>{number}</a>" for number in range(1, lines + 1))
    code = "\n".join(["<b>if</b> <i>x</i>"] * (lines - 1) + [LONG])
    root = html.document_fromstring(TABLE.format(numbers, code))
    move_into_code(PageStyles(root, []))
    assert len(root.findall(".//wcspider-number")) == lines
