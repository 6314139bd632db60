"""Pages that are wider than the paper: how small they become, and what stays beside what."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.support.letter_places import letters, rendered
from tests.system.conformance import layout
from wcspider.engines.base import PageGeometry
from wcspider.engines.plutobook.pages.cut_lines import has_cut_lines


@pytest.mark.parametrize("scale", [0.7, 1.0])
def test_a_box_that_is_wider_than_the_page_at_any_scale_does_not_lose_its_end(scale: float) -> None:
    css = "body, div { margin: 0 } body { display: flex } div { width: 100%; padding-left: 40px; overflow-x: auto }"
    long = "x" * 300
    geometry = PageGeometry(scale=scale)
    with pypdfium2.PdfDocument(rendered(f"<style>{css}</style><div><p>{long}</div>", geometry)) as document:
        text = document[0].get_textpage()
        boxes = [text.get_charbox(i) for i in range(text.count_chars()) if text.get_text_range(i, 1) == "x"]
    assert len(boxes) == len(long)
    assert max(box[2] for box in boxes) <= geometry.width - geometry.margin_right


def test_a_box_that_grows_into_the_room_of_a_smaller_scale_does_not_lose_its_end() -> None:
    box = f"<div style='margin-left: 220px; padding: 20px; width: 700px'>{'word ' * 200}</div>"
    with pypdfium2.PdfDocument(rendered(box)) as document:
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize(("content", "is_smaller"), [("''", False), ('""', False), ("'end'", True)])
def test_an_ornament_without_text_makes_no_page_smaller(content: str, *, is_smaller: bool) -> None:
    css = f"p::after {{ content: {content}; position: absolute; left: 0; padding-left: 900px; border-top: 1px solid }}"
    sizes = [letters(f"<style>{style}</style><div><p>A B</div>")["B"][0] for style in ("", css)]
    assert (sizes[1] < sizes[0] - 1) is is_smaller


def test_a_page_whose_columns_grow_with_it_is_made_as_small_as_necessary() -> None:
    """The word needs 390 pixels, and its column has 40 % of the page."""
    css = "body { margin: 0 } div { display: flex } p { flex: 0 0 60%; margin: 0 } b { font: 27px/1 monospace }"
    geometry = PageGeometry()
    found = letters(f"<style>{css}</style><div><p>A</p><b>BcdefghijklmnopqrstuvwxY</b></div>", geometry)
    assert found["B"][1] == found["Y"][1]
    assert geometry.inner_width - 12 < found["Y"][0] - geometry.margin_left < geometry.inner_width


def test_a_row_that_is_wider_than_the_page_at_any_scale_keeps_its_columns() -> None:
    css = "body { margin: 0 } div { display: flex; margin-right: -5% } p { min-width: 25% }"
    found = letters(f"<style>{css}</style><div><p>A<p>B<p>C<p>D</div>")
    assert found["D"][0] - found["A"][0] > 300


@pytest.mark.parametrize("css", ["", "flex: 1", "flex: 1; min-width: 9px"])
def test_items_of_a_row_that_is_much_too_wide_do_not_cover_each_other(css: str) -> None:
    items = "<p>abcdefghijkl mnop</p>" * 20
    page = rendered(f"<style>div {{ display: flex }} p {{ margin: 4px; {css} }}</style><div>{items}</div>")
    with pypdfium2.PdfDocument(page) as document:
        assert list(layout.findings(document)) == []


def test_columns_of_wide_pages_stay_wide_enough_to_be_read() -> None:
    names = [f"getFunction{number}/0" for number in range(120)]
    menu = "<ul><li>all<ul><li>" + "<li>".join([*names, "drawElementsInstancedBaseVertexBaseInstance/7"]) + "</ul></ul>"
    css = "#c { display: grid; grid-template-columns: 1fr 5fr } #b { max-width: 52em; margin-left: 30px }"
    css += "#a { overflow: auto; max-width: 250px }"
    body = f"<div id=c><div><div id=a>{menu}</div></div><div id=b><p>Text<p>{'w' * 90}</div></div>"
    with pypdfium2.PdfDocument(rendered(f"<style>{css}</style>{body}")) as document:
        shown = {word for page in document for word in page.get_textpage().get_text_bounded().split()}
    assert shown >= set(names)


WORDS = "".join(f"<p>{'words of a page that are beside each other ' * 12}</p>" for _ in range(6))


@pytest.mark.parametrize(
    "css",
    [
        ".frame { overflow: hidden } .box { width: 1000px }",
        ".frame { overflow-x: clip } .box { min-width: 1000px }",
        "body { overflow-x: hidden } .frame { overflow: hidden } .box { float: left; width: 1000px }",
        ".frame { overflow: hidden; display: flex } .box { flex: none; width: 1000px }",
    ],
)
def test_a_box_around_the_page_cuts_no_lines(css: str) -> None:
    page = f"<style>{css} p {{ margin: 9px 0 }}</style><div class=frame><div class=box>{WORDS}Q</div></div><p>Z"
    with pypdfium2.PdfDocument(rendered(page)) as document:
        assert list(layout.findings(document)) == []
        text = "".join(page.get_textpage().get_text_range() for page in document)
    assert text.count("beside each other") + text.count("beside each\r\nother") == 72
    top = letters(page)
    assert top["Z"][1] > top["Q"][1]  # the frame still contains its floats


def test_a_box_around_the_page_cuts_off_no_column() -> None:
    css = ".frame { overflow: hidden } .box { width: 960px } .l { float: left; width: 600px } .r { float: right }"
    column = f"<div class=r style='width: 250px'>Q{'<p>words of a column</p>' * 6}</div>"
    page = (
        f"<style>body {{ margin: 0 }} {css}</style><div class=frame><div class=box><div class=l>Z{WORDS}</div>{column}"
    )
    found = letters(page)
    assert found["Q"][1] == pytest.approx(found["Z"][1], abs=1)
    assert found["Z"][0] < found["Q"][0] < PageGeometry().width


@pytest.mark.parametrize(
    "body",
    [
        # Slides beside the page are no part of it, and a label is no text.
        f"{WORDS}<div style='width: 5000px; display: flex'>{'<b style=width:640px>slide <br></b>' * 7}</div>",
        f"{WORDS}<div style='width: 900px; text-align: right'>label</div>",
        WORDS,
    ],
)
def test_other_boxes_around_pages_stay_as_they_are(body: str) -> None:
    page = "<p style='margin: 0'>Quiz</p>"
    shown = letters(f"{page}<div style='overflow: hidden'>{body}</div>")
    assert (shown["Q"], shown["z"]) == tuple(letters(page)[letter] for letter in "Qz")


def test_a_file_that_cannot_be_read_has_no_cut_lines() -> None:
    assert not has_cut_lines(b"%PDF-1.5", PageGeometry())


@pytest.mark.parametrize("margin", ["calc((100% - 980px) * 0.5)", "calc(50% - 490px)"])
def test_values_that_depend_on_the_width_suit_the_scale(margin: str) -> None:
    css = f"body {{ margin: 0 }} .box {{ width: 980px; margin-left: {margin} }}"
    with pypdfium2.PdfDocument(rendered(f"<style>{css}</style><div class=box>{WORDS}</div>")) as document:
        assert list(layout.findings(document)) == []
        left = min(letter.box[0] for letter in layout.letters(document[0]))
    assert left == pytest.approx(PageGeometry().margin_left, abs=1)


HEBREW = f"<p>{'מבחן של טקסט ' * 40}</p>" * 6
FROM_RIGHT = "html { direction: rtl } p { margin: 9px 0 }"


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".box { width: 900px }", f"<div class=box>{HEBREW}</div>"),
        (".box { overflow: hidden } .in { width: 900px }", f"<div class=box><div class=in>{HEBREW}</div></div>"),
        (".box { width: 900px } html { direction: ltr } body { direction: rtl }", f"<div class=box>{HEBREW}</div>"),
        ("p { white-space: nowrap }", f"<p>{'word ' * 50}END"),
        ("div { display: flex } p { flex: none; width: 300px }", "<div><p>one<p>two<p>three</div>"),
        ("body { margin: 0 } .box { margin-left: -20px }", f"<div class=box>{HEBREW}</div>"),
        (".box { width: 900px } body { direction: inherit }", f"<div class=box>{HEBREW}</div>"),
    ],
)
def test_a_page_from_right_to_left_does_not_lose_its_left_end(css: str, body: str) -> None:
    with pypdfium2.PdfDocument(rendered(f"<style>{FROM_RIGHT} {css}</style>{body}")) as document:
        text = document[0].get_textpage()
        lines = [text.get_rect(number) for number in range(text.count_rects())]
        assert min(left for left, *_ in lines) >= PageGeometry().margin_left - 1
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize(
    "css",
    [
        ".box { width: 900px; direction: ltr } .around { direction: ltr }",
        ".box { width: 900px; float: left }",
        ".box { width: 900px; position: absolute; left: 0 }",
    ],
)
def test_a_page_from_right_to_left_does_not_lose_its_right_end(css: str) -> None:
    body = f"<div class=around><div class=box>{'word ' * 90}END</div></div>"
    with pypdfium2.PdfDocument(rendered(f"<style>{FROM_RIGHT} {css}</style>{body}")) as document:
        assert list(layout.findings(document)) == []
        assert document[0].get_textpage().get_text_range().split().count("word") == 90


@pytest.mark.parametrize(
    "css",
    [
        ".other { direction: ltr; text-indent: -999px; width: 90px }",
        ".other { position: absolute; right: -400px; width: 300px }",
        ".other { position: absolute; left: -9999px }",
        "body { margin: 0; background: #eee } .other { box-shadow: 0 0 4px #000 }",
    ],
)
def test_boxes_beside_a_page_from_right_to_left_do_not_make_it_smaller(css: str) -> None:
    size = layout_size(f"{HEBREW}<div class=other>x</div>", css)
    assert size == pytest.approx(layout_size(HEBREW, ""), abs=0.01)


def layout_size(body: str, css: str) -> float:
    """The height of the highest letter on the first page, in points."""
    with pypdfium2.PdfDocument(rendered(f"<style>{FROM_RIGHT} {css}</style>{body}")) as document:
        return max(letter.box[3] - letter.box[1] for letter in layout.letters(document[0]))
