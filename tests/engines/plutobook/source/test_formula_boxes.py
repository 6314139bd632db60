"""Formulas in the form of books: their text is extracted in its order, and stands where it should."""

from __future__ import annotations

import pypdfium2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html

from tests.support.letter_places import legible, letters, rendered
from tests.support.rendered_pages import task, text
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.source import formula_boxes

HALF = "<mfrac><mi>a</mi><mi>b</mi></mfrac>"
SUM = "<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
ROWS = "<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr>"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (HALF, "a b"),
        (f"<mn>2</mn>{HALF}", "2 a b"),
        ("<mi>x</mi><mo>=</mo><mo>-</mo><mi>y</mi>", "x = -y"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x2"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mi>y</mi>", "x i 2 y"),
        (f"{SUM}<mi>x</mi>", "∑ k=1 n x"),
        ("<mover><mi>v</mi><mo>→</mo></mover><mi>x</mi>", "v → x"),
        (f"<msqrt>{HALF}<mi>c</mi></msqrt>", "√ a b c"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "3 √ x"),
        (f"<mo>(</mo>{HALF}<mo>)</mo>", "( a b )"),
        (f"<mfenced open='[' close=']'>{HALF}<mi>c</mi></mfenced>", "[ a b , c ]"),
        (f"<mtable>{ROWS}</mtable>", "a b c d"),
        ("<mmultiscripts><mi>C</mi><none/><mo>+</mo><mprescripts/><mn>6</mn><mn>12</mn></mmultiscripts>", "6 12 C+"),
        ("<semantics><mi>x</mi><annotation>no</annotation></semantics>", "x"),
        ("<mtext>if <a href=/y>this</a></mtext>", "if this"),
        (
            "<mtable><mi>x</mi><mtr/></mtable><mfrac><mi>a</mi></mfrac><munder/><mover><mi>y</mi><none/></mover>",
            "x a y",
        ),
    ],
)
def test_the_text_is_in_the_order_of_the_formula(source: str, shown: str) -> None:
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html><p>A <math display=block>{source}</math> B"))
    assert "".join(text(rendering).split()) == f"A{shown}B".replace(" ", "")
    assert legible(rendering)


@pytest.mark.parametrize(
    ("source", "lower"),
    [
        (HALF, "ab"),
        (f"<mfrac>{HALF}<mi>c</mi></mfrac>", "abc"),
        ("<mover><mi>b</mi><mi>a</mi></mover>", "ab"),
        ("<munderover><mi>b</mi><mi>c</mi><mi>a</mi></munderover>", "abc"),
        ("<msubsup><mi>x</mi><mi>b</mi><mi>a</mi></msubsup>", "ab"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr></mtable>", "ab"),
        (f"<msup><mrow><mo>(</mo>{HALF}<mo>)</mo></mrow><mi>c</mi></msup>", "cab"),
        (f"<msub>{HALF}<mi>c</mi></msub>", "ac"),
    ],
)
def test_what_is_above_what(source: str, lower: str) -> None:
    found = letters(f"<p>Q <math>{source}</math></p>")
    tops = [found[letter][1] for letter in lower]
    assert tops == sorted(set(tops))


@pytest.mark.parametrize(
    ("inside", "is_stretched"), [("<mi>a</mi>", False), (HALF, True), (f"<mtable>{ROWS}</mtable>", True)]
)
def test_brackets_and_roots_are_as_high_as_their_contents(inside: str, *, is_stretched: bool) -> None:
    formula = f"<math><mo>(</mo>{inside}<mo stretchy=false>]</mo><mo>)</mo><msqrt>{inside}</msqrt></math>"
    with pypdfium2.PdfDocument(rendered(f"<p>{formula}</p>")) as document:
        page = document[0].get_textpage()
        boxes = {page.get_text_range(i, 1): page.get_charbox(i) for i in range(page.count_chars())}
    heights = {sign: boxes[sign][3] - boxes[sign][1] for sign in "(])√"}
    assert [heights[sign] > 1.3 * heights["]"] for sign in "()√"] == [is_stretched] * 3


def test_scripts_of_scripts_can_be_read() -> None:
    nested = "<mi>x</mi>"
    for letter in "fedcba":
        nested = f"<msup><mi>{letter}</mi>{nested}</msup>"
    assert legible(PlutoBookEngine().render(task(f"<!DOCTYPE html><p><math>{nested}</math>")))


@pytest.mark.parametrize("display", ["inline", "block"])
def test_a_long_formula_is_broken_behind_its_operators(display: str) -> None:
    terms = "".join(f"<msub><mi>a</mi><mn>{number}</mn></msub><mo>+</mo>" for number in range(90))
    page = f"<p>Qx</p><math display={display}>{terms}<mi>z</mi></math>"
    assert letters(page)["Q"] == letters("<p>Qx</p>")["Q"]
    with pypdfium2.PdfDocument(rendered(page)) as document:
        lines = document[0].get_textpage().get_text_range().split("\r\n")
    assert len(lines) > 3
    assert all(line.rstrip().endswith("+") for line in lines[1:-1])


def test_a_very_long_formula_becomes_a_line_of_text() -> None:
    formula = html.fragment_fromstring(f"<math>{'<mi>x</mi>' * formula_boxes.MOST}{HALF}</math>")
    formula_boxes.write(formula)
    assert "".join(formula.itertext()).endswith("x a/b")


leaves = st.tuples(st.sampled_from(["mi", "mn", "mo", "mtext"]), st.sampled_from(["x", "12", "+", "(", "∑", "|", "ab"]))
NAMES = ["mrow", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr",
         "mtd", "mfenced", "mstyle", "mmultiscripts", "semantics"]  # fmt: skip
trees = st.recursive(
    leaves.map(lambda leaf: f"<{leaf[0]}>{leaf[1]}</{leaf[0]}>"),
    lambda children: st.tuples(st.sampled_from(NAMES), st.lists(children, max_size=3)).map(
        lambda tree: f"<{tree[0]}>{''.join(tree[1])}</{tree[0]}>"
    ),
    max_leaves=20,
)


@given(trees)
@example(f"<msub><mrow><mi>x</mi>{HALF}</mrow></msub>")  # without a script
@example(f"<msup><mrow><mi>x</mi>{HALF}</mrow><mi>y</mi><mi>z</mi></msup>")
def test_no_formula_loses_a_number(source: str) -> None:
    """A script or a row that is one too many is not shown, but all parts of a row are."""
    formula = html.fragment_fromstring(f"<math><mrow><mn>7</mn>{source}<mn>8</mn></mrow></math>")
    formula_boxes.write(formula)
    shown = "".join(formula.itertext())
    assert shown.startswith("7")
    assert shown.endswith("8")
    assert formula.tag == "span"
