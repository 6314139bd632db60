"""Grids, laid out by PlutoBook as flex containers: where the words stand on the page."""

from __future__ import annotations

import pytest
from lxml import etree, html

from tests.support.grid_places import WIDTH, Places, assert_places, heights, items, places, rewritten
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.grid_rewriting import MAX_ITEMS, measured_widths, rewrite_grids

pytestmark = pytest.mark.slow

FRAME = "".join(f"{tag} {{ grid-area: {tag[0]} }}" for tag in ("header", "nav", "main", "aside", "footer"))


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        pytest.param(
            "div.g { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px }",
            f"<div class=g>{items('ABCDE')}</div>",
            {"A": (0, 0), "B": (233, 0), "C": (467, 0), "D": (0, 1), "E": (233, 1)},
            id="equal columns, and a last line that is not full",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(12, minmax(0, 1fr)); column-gap: 16px }"
            ".A { grid-column: span 8 } .B, .C, .D, .E { grid-column: span 4 }",
            f"<div class=g>{items('ABCDE')}</div>",
            {"A": (0, 0), "B": (464, 0), "C": (0, 1), "D": (232, 1), "E": (464, 1)},
            id="twelve columns",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 1rem;"
            " max-width: 600px }",
            f"<div class=g>{items('ABCDE')}</div>",
            {"A": (0, 0), "B": (205, 0), "C": (411, 0), "D": (0, 1), "E": (205, 1)},
            id="as many columns as fit",
        ),
        pytest.param(
            ".g { display: inline-grid; grid-template-columns: 80px 120px; gap: 10px; padding: 5px;"
            " box-sizing: border-box }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (5, 0), "B": (95, 0), "C": (5, 1), "D": (95, 1)},
            id="an inline grid is as wide as its columns",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 100px 1fr 2fr; column-gap: 20px }"
            ".r { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid }",
            f"<div class=g><div class=r>{items('ABC')}</div><div class=r>{items('DEF')}</div></div>",
            {"A": (0, 0), "B": (120, 0), "C": (320, 0), "D": (0, 1), "E": (120, 1), "F": (320, 1)},
            id="rows with the columns of the grid around them",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(5, 120px) }"
            ".r { display: grid; grid-column: 2 / 5; grid-template-columns: subgrid [x] [y] } .D { grid-column: y }",
            f"<div class=g><div class=r>{items('ABCD')}</div></div>",
            {"A": (120, 0), "B": (240, 0), "C": (360, 0), "D": (240, 1)},
            id="some of the columns of the grid around, with names of lines",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: auto 1fr }"
            ".r { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; column-gap: 0 }"
            ".A { width: 250px }",
            f"<div class=g><div class=r>{items('AB')}</div><div class=r>{items('CD')}</div></div>",
            {"A": (0, 0), "B": (250, 0), "C": (0, 1), "D": (250, 1)},
            id="columns as wide as the widest item of all rows",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(3, 1fr); justify-items: center } .g > * { width: 50px }",
            f"<div class=g>{items('ABCDE')}</div>",
            {"A": (88, 0), "B": (315, 0), "C": (542, 0), "D": (88, 1), "E": (315, 1)},
            id="items of a certain width in the middle of their columns",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr; gap: 20px } .g > * { width: 50px }"
            " .B { justify-self: end } .C { margin: 0 auto } .D { margin-left: auto }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (0, 0), "B": (610, 0), "C": (135, 1), "D": (610, 1)},
            id="items of a certain width at the sides of their columns",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr } .g > * { width: 50px; text-align: left }"
            " .D { justify-self: end }",
            f"<div class=g dir=rtl>{items('ABCD')}</div>",
            {"A": (630, 0), "B": (290, 0), "C": (630, 1), "D": (20, 1)},
            id="items of a certain width from right to left",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr } .A, .D { width: 50px }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (0, 0), "B": (289, 0), "C": (0, 1), "D": (391, 1)},
            id="items of a certain width beside others",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr } .A { width: -50px } .B { width: 0 }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (0, 0), "B": (340, 0)},
            id="items of impossible widths",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr } .A { width: 50px; justify-self: center }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (145, 0), "B": (340, 0)},
            id="an item of a certain width in a single line",
        ),
        pytest.param(
            "html { font-size: 62.5% }"
            ".g { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)) }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (0, 0), "B": (227, 0), "C": (453, 0), "D": (0, 1)},
            id="as many columns as fit, for a root with a smaller font",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 200px 1fr; grid-gap: 1rem }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (0, 0), "B": (216, 0)},
            id="a fixed column and the rest, by the old name of gap",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 200px 1fr; gap: 1rem }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (0, 0), "B": (216, 0), "C": (0, 1), "D": (216, 1)},
            id="the same on two lines",
        ),
        pytest.param(
            ".g { display: grid; grid-template: 'h h' auto 'n m' 1fr 'f f' auto / 200px 1fr }" + FRAME,
            "<div class=g><header>H</header><nav>N</nav><main>M</main><footer>F</footer></div>",
            {"H": (0, 0), "N": (0, 1), "M": (200, 1), "F": (0, 2)},
            id="the frame of a page",
        ),
        pytest.param(
            ".g { display: grid; grid-template-areas: 'h h h' 'n m a' 'f f f';"
            " grid-template-columns: 120px 1fr 120px }" + FRAME,
            "<div class=g><header>H</header><main>M</main><nav>N</nav><aside>A</aside><footer>F</footer></div>",
            {"H": (0, 0), "N": (0, 1), "M": (120, 1), "A": (560, 1), "F": (0, 2)},
            id="a frame whose parts have another order in the source",
        ),
        pytest.param(
            ".g { display: grid; grid-template-areas: 'n h' 'n m' 'n f'; grid-template-columns: 150px 1fr }" + FRAME,
            "<div class=g><nav>N</nav><header>H</header><main>M</main><footer>F</footer></div>",
            {"N": (0, 0), "H": (150, 0), "M": (150, 1), "F": (150, 2)},
            id="a column beside three rows",
        ),
        pytest.param(
            ".g { display: grid; grid-template-areas: 'n h' 'n m' 'n f'; grid-template-columns: 150px 1fr }" + FRAME,
            "<div class=g><header>H</header><nav>N</nav><main>M</main><footer>F</footer></div>",
            {"N": (0, 0), "H": (150, 0), "M": (150, 1), "F": (150, 2)},
            id="the same column, second in the source",
        ),
        pytest.param(
            ".g { display: grid; grid-template-areas: 'h' 'm' 'n' 'f' }" + FRAME,
            "<div class=g><header>H</header><nav>N</nav><main>M</main><footer>F</footer></div>",
            {"H": (0, 0), "M": (0, 1), "N": (0, 2), "F": (0, 3)},
            id="one column in another order",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(4, 1fr); gap: 10px }"
            ".A { grid-column: span 2; grid-row: span 2 }",
            f"<div class=g>{items('ABCDEF')}</div>",
            {"A": (0, 0), "B": (345, 0), "C": (517, 0), "D": (345, 1), "E": (517, 1), "F": (0, 2)},
            id="a large card",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(3, 1fr) } .A { grid-column: 2 } .B { grid-column: 3 }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (227, 0), "B": (453, 0)},
            id="an empty column",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 2fr } .B { grid-area: 1 / 1 } .A { grid-area: 1 / 2 }",
            f"<div class=g>{items('AB')}</div>",
            {"B": (0, 0), "A": (227, 0)},
            id="two columns in reverse order",
        ),
        pytest.param(
            "dl { display: grid; grid-template-columns: max-content 1fr } dd { margin: 0 }",
            "<dl><dt>A</dt><dd>B</dd><dt>C</dt><dd>D</dd></dl>",
            {"A": (0, 0), "B": (12, 0), "C": (0, 1), "D": (11, 1)},
            id="a column as wide as its text",
        ),
        pytest.param(
            ".g { display: grid; grid-auto-flow: column }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (0, 0), "B": (340, 0)},
            id="columns that are not declared",
        ),
        pytest.param(
            ":root { --n: 2; --gap: 30px } .g { display: grid; grid-template-columns: repeat(var(--n), 1fr);"
            " gap: var(--gap) }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (0, 0), "B": (355, 0)},
            id="custom properties",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr } .g > * { padding: 0 10px; border-left: 1px solid }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (11, 0), "B": (351, 0), "C": (11, 1), "D": (351, 1)},
            id="items with borders and paddings",
        ),
        pytest.param(
            "", f"<div style='display: grid; grid-template-columns: 1fr 1fr'>{items('AB')}</div>",
            {"A": (0, 0), "B": (340, 0)},
            id="a style attribute",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr }",
            f"<div class=g><div class=g>{items('AB')}</div><div class=g>{items('CD')}</div></div>",
            {"A": (0, 0), "B": (170, 0), "C": (340, 0), "D": (510, 0)},
            id="a grid in a grid",
        ),
        pytest.param(
            ":root { --side: 200px } .g { display: grid; grid-template-columns: var(--side) 1fr }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (0, 0), "B": (200, 0)},
            id="a custom property beside another track",
        ),
        pytest.param(
            ".g { display: grid; grid: auto auto auto / auto-flow 1fr }",
            f"<div class=g>{items('ABCDE')}</div>",
            {"A": (0, 0), "D": (340, 0), "B": (0, 1), "E": (340, 1), "C": (0, 2)},
            id="columns that are filled one after the other, the last one not",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(3, 1fr) } .A { grid-column: 1; grid-row: span 2 }"
            ".B { grid-column: 2 / -1 } ",
            f"<div class=g>{items('ABC')}</div>",
            {"A": (0, 0), "B": (227, 0), "C": (227, 1)},
            id="a group whose last line is not full",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr } .C { order: -1 } .A { order: 2 }",
            f"<div class=g>{items('ABC')}</div>",
            {"C": (0, 0), "B": (340, 0), "A": (0, 1)},
            id="items with an order of their own",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: auto 1fr } .A, .C { width: 150px }",
            f"<div class=g>{items('ABCD')}</div>",
            {"A": (0, 0), "B": (150, 0), "C": (0, 1), "D": (150, 1)},
            id="a column as wide as the width of its items",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr 1fr } .B { justify-self: center }"
            ".C { display: flex; justify-self: end }",
            f"<div class=g>{items('ABC')}</div>",
            {"A": (0, 0), "B": (335, 0), "C": (668, 0)},
            id="items that are not stretched",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: repeat(2, 100px 1fr) } .B { grid-column: 2; margin: 0 30px }"
            ".C { grid-column: 4; margin-inline: 10px }",
            f"<div class=g>{items('BC')}</div>",
            {"B": (130, 0), "C": (450, 0)},
            id="margins behind empty columns",
        ),
        pytest.param(
            ".g { display: grid; direction: rtl; grid-template-columns: 100px 200px 1fr } .B { grid-column: 3 }",
            f"<div class=g>{items('ABC')}</div>",
            {"A": (669, 0), "B": (370, 0), "C": (669, 1)},
            id="columns from right to left",
        ),
        pytest.param(
            ".g { display: grid; grid: auto-flow dense / 1fr 2fr } .A { grid-column: 2 }",
            f"<div class=g>{items('ABC')}</div>",
            {"B": (0, 0), "A": (227, 0), "C": (0, 1)},
            id="a grid that is filled densely",
        ),
        pytest.param(
            "label { display: grid; grid-template-columns: 30px 1fr }",
            "<label><b>A</b>B<b>C</b>D</label>",
            {"A": (0, 0), "B": (30, 0), "C": (0, 1), "D": (30, 1)},
            id="text between items",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr; border: none; padding: 0; margin: 0 }",
            f"<fieldset class=g><legend>A</legend>{items('BC')}</fieldset>",
            {"A": (0, 0), "B": (0, 1), "C": (340, 1)},
            id="a legend",
        ),
        pytest.param(
            ".g { display: grid } .B { justify-self: end }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (0, 0), "B": (669, 1)},
            id="an item of a single column at its end",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr 1fr } .A { grid-column: 2; text-align: right }"
            ".B { grid-column: 1 }",
            f"<div class=g>{items('AB')}</div>",
            {"A": (442, 0), "B": (0, 1)},
            id="an empty column at the end of a line",
        ),
    ],
)  # fmt: skip
def test_what_is_side_by_side_stays_side_by_side(css: str, body: str, expected: Places) -> None:
    assert_places(css, body, expected)


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".g { display: grid; grid-template-columns: subgrid }", f"<div class=g>{items('AB')}</div>"),
        (".g { display: grid; grid-template-columns: masonry }", f"<div class=g>{items('AB', 'span')}</div>"),
        (".g { display: grid; grid-template-columns: 1fr 1fr } div div { grid-area: 1 / 1 }",
         f"<div class=g>{items('AB')}</div>"),
        (".g { display: grid }", "<div class=g>A<b>B</b></div>"),
        (".g { display: grid }", f"<div class=g>{items('AB')}</div>"),
        (".g { display: grid; place-items: center }", f"<div class=g>{items('AB')}</div>"),
    ],
)  # fmt: skip
def test_everything_else_becomes_blocks(css: str, body: str) -> None:
    assert {letter: line for letter, (_, line) in places(css, body).items()} == {"A": 0, "B": 1}


@pytest.mark.parametrize(
    ("css", "distance"),
    [
        ("grid-template-rows: 90px", 90),
        ("grid-template-rows: minmax(90px, auto); row-gap: 10px", 100),
        ("grid-auto-rows: 90px", 90),
        ("grid-auto-rows: 90px; grid-template-rows: 50px", 50),
        ("grid-template-rows: 90px; align-items: start", 20),
        ("grid-template-rows: auto", 20),
    ],
)
@pytest.mark.parametrize(("columns", "letter"), [("none", "B"), ("1fr 1fr", "C")])
def test_rows_have_their_heights(css: str, distance: int, columns: str, letter: str) -> None:
    style = f".g {{ display: grid; line-height: 20px; grid-template-columns: {columns}; {css} }}"
    found = heights(style, f"<div class=g>{items('ABC')}</div>")
    assert found[letter] - found["A"] == pytest.approx(distance, abs=2)


@pytest.mark.parametrize(
    ("css", "height"),
    [
        ("grid-template-rows: 20px 60px 20px", 60),
        ("grid-template-rows: 20px 120px 20px; --height: 50%", 60),
        ("grid-template: 20px 60px / 1fr 1fr; --rows: 2", 60),
        ("grid-template: 20px 25px 25px / 1fr 1fr; gap: 10px; --rows: 2 / span 2", 60),
    ],
)
def test_a_picture_fills_its_share_of_fixed_rows(css: str, height: int) -> None:
    style = f".g {{ display: grid; {css} }} b {{ height: var(--height, 100%); grid-row: var(--rows, auto); }}"
    root = html.document_fromstring("<div class=g><p>A</p><b></b><p>B</p></div>")
    rewrite_grids(PageStyles(root, [style]), 700)
    assert f"height: {height}.00px" in root.find(".//b").get("style")


@pytest.mark.parametrize("css", ["place-items: center", "align-items: end", "align-content: center"])
def test_a_single_item_is_aligned_in_the_height_of_the_grid(css: str) -> None:
    found = heights(f".g {{ display: grid; height: 300px; {css} }}", f"<b>X</b><div class=g>{items('A')}</div>")
    assert found["A"] - found["X"] > 100


@pytest.mark.parametrize(
    ("css", "left", "right"),
    [
        ("grid-template-columns: 300px", 0, 300),
        ("grid-template-columns: 300px; justify-content: center", 190, 490),
        ("grid-template-columns: 300px; justify-content: end; padding-right: 80px", 300, 600),
        ("grid-template-columns: minmax(0, 400px); justify-content: center; gap: 4px", 140, 540),
        ("grid-template-columns: min(100%, 300px); justify-content: center", 190, 490),
    ],
)
def test_a_single_column_has_its_width_and_place(css: str, left: int, right: int) -> None:
    style = f".g {{ display: grid; {css} }} div {{ position: relative }} b {{ position: absolute; left: 100% }}"
    body = "<div class=g><div>A<b>B</b></div><div>C</div></div>"
    assert_places(style, body, {"A": (left, 0), "B": (right, 0), "C": (left, 1)})


@pytest.mark.parametrize("css", ["grid: none / 1fr; justify-content: center", "grid-template-columns: 9999px"])
def test_a_single_column_is_as_wide_as_the_grid(css: str) -> None:
    assert_places(f".g {{ display: grid; {css} }}", f"<div class=g>{items('AB')}</div>", {"A": (0, 0), "B": (0, 1)})


@pytest.mark.parametrize(
    ("css", "body", "left"),
    [
        ("place-content: center", "<div>A</div>", 334),
        ("place-content: center", "<div style='width: 200px'>A</div><div>B</div>", 240),
        ("place-content: center", "<div>A</div><div style='width: 100px; margin: 0 50px'>B</div>", 240),
        ("place-content: center; justify-items: start", "<div style='width: 200px'>A</div>", 240),
        ("place-content: center; place-items: end", "<div style='width: 200px'>A</div><div>B</div>", 480),
        ("justify-content: end", "<div style='width: 200px'>A</div>", 480),
        ("justify-content: stretch", "<div>A</div>", 0),
    ],
)
def test_a_column_with_the_size_of_its_contents_has_its_place(css: str, body: str, left: int) -> None:
    found = places(f".g {{ display: grid; {css} }}", f"<div class=g>{body}</div>")
    assert found["A"][0] == pytest.approx(left, abs=2)


def test_widths_that_were_measured_before_do_not_hide_texts_between_items() -> None:
    root = html.document_fromstring("<div style='display: grid; align-items: center; height: 99px'>A</div>")
    styles = PageStyles(root, [])
    measured_widths(styles, 700)
    rewrite_grids(styles, 700)
    assert "justify-content: center" in root.find(".//div").get("style")


def test_a_row_with_a_share_fills_the_height() -> None:
    css = ".g { display: grid; grid-template-rows: auto 1fr auto; height: 400px } .r { display: flex }"
    found = places(css, f"<div class=r><div class=g>{items('ABC')}</div><i style='margin-top: 300px'>D</i></div>")
    assert [letter for letter, _ in sorted(found.items(), key=lambda place: place[1][1])] == ["A", "B", "D", "C"]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".g { display: grid } .g { display: block }", "block"),
        (".g { display: block } #i { display: grid } .g { display: block }", "grid"),
        (".g { display: block !important } .g { display: grid }", "block"),
        ("div:is(.g, .h) { display: inline-grid }", "grid"),
        (".g::before { display: grid }", "block"),
        (".g:unknown(x) { display: grid }", "block"),
        (".g { display: flex }", "block"),
    ],
)
def test_the_cascade_decides(css: str, expected: str) -> None:
    css += ".g { grid-template-columns: 1fr 1fr }"
    page = rewritten(css, f"<div class=g id=i>{items('AB')}</div>")
    assert ("flex: " in page.partition("<body")[2]) is (expected == "grid")


def test_items_that_are_not_in_flow_are_left_alone() -> None:
    css = ".g { display: grid; grid-template-columns: 1fr 1fr } .A { position: absolute } .B { display: none }"
    page = rewritten(css, f"<div class=g>{items('ABCD')}</div>")
    assert '<div class="A">A</div><div class="B">B</div>' in page


@pytest.mark.parametrize(
    ("display", "expected"), [("inline", "block"), ("inline-block", "block"), ("inline-flex", "flex"), ("flex", "")]
)
def test_the_items_of_a_column_are_not_in_one_line(display: str, expected: str) -> None:
    page = rewritten(
        f"code {{ display: grid }} b {{ display: {display} }}", "<pre><code><b>x</b>\n<b>y</b></code></pre>"
    )
    style = f' style="display: {expected} !important"' if expected else ""
    assert f"<b{style}>x</b><b{style}>y</b>" in page


@pytest.mark.parametrize(
    "body",
    ["<textarea>x</textarea>", "<select><option>x</option></select>", "<svg><text>x<tspan>y</tspan></text></svg>"],
)
def test_controls_and_drawings_are_no_grids(body: str) -> None:
    assert body in rewritten("form * { display: grid; grid-template-columns: 1fr 1fr }", f"<form>{body}</form>")


@pytest.mark.parametrize("css", ["p { color: red }", "p { color: red } .b { display: grid }", ".a { grid-column: 1 }"])
def test_a_page_without_grids_is_not_changed(css: str) -> None:
    root = html.document_fromstring("<p class=a>one</p>")
    before = etree.tostring(root)
    rewrite_grids(PageStyles(root, [css]), WIDTH)
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".g { display: grid; grid-template-columns: repeat(1000, 1fr) }", f"<div class=g>{items('A') * 5000}</div>"),
        (".g { display: grid; grid-template-columns: 1fr 1fr }", f"<div class=g>{'<p>x</p>' * (MAX_ITEMS + 1)}</div>"),
        (".g { display: grid; grid-template-columns: 1fr 1fr }", "<div class=g>" * 200 + "x" + "</div>" * 200),
        ("".join(f"p.c{n} p {{ display: grid }}" for n in range(5_000)), "<p class=c1><b>x</b></p>" * 5_000),
        ("p { display: grid } " * 5_000, "<p>x</p>" * 5_000),
        (".g { display: grid; grid-template-columns: auto auto } " + "p { margin: 0 } " * 5_000,
         "<div class=g>" * 100 + "<p>x</p>" * 5_000 + "</div>" * 100),
        (".g { --a: var(--b) var(--b); --b: var(--a) var(--a); display: grid; gap: var(--a) }", "<p class=g>x</p>"),
        (".g { display: grid; grid-template-columns: 1fr 1fr } p { grid-row: 9999 / 1; grid-column: span 999999 }",
         f"<div class=g>{'<p>x</p>' * 900}</div>"),
        # The fixed column leaves no room for the others.
        ("main { max-width: 190px } .g { display: grid; grid-template-columns: 200px 1fr } .a { grid-row: span 2 }",
         "<main><div class=g><p class=a>x</p><p>x</p><p>x</p></div></main>"),
        ("main { width: 0 } .g { display: grid; grid-template-columns: 1fr 1fr } .a { grid-row: span 2 }",
         "<main><div class=g><p class=a>x</p><p>x</p><p>x</p></div></main>"),
    ],
)  # fmt: skip
def test_hostile_pages_keep_their_text(css: str, body: str) -> None:
    page = rewritten(css, body)
    assert page.count("x") >= body.count("x")
