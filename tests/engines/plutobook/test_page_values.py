"""Values that PlutoBook cannot compute: they are computed for each element."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw
import pytest
import tinycss2

from tests.support.rendered_pages import Asset, task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.fonts import font_setup
from wcspider.engines.plutobook.sheets import author_sheets, page_values
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.engines.plutobook.sheets.page_values import needs_page, of_elements
from wcspider.web.styles.responsive import Viewport

IMAGE = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'><rect width='90' height='30' fill='red'/></svg>"
)
BLACK, RED, GREEN, BLUE = (0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("color", "oklch(var(--l) 0 0)", True),
        ("background", "url(a) no-repeat, linear-gradient(var(--a), red)", True),
        ("--x", "hsl(10 calc(var(--s) / 2) 50%)", True),
        ("box-shadow", "0 0 1px rgb(calc(1 * var(--r)) 0 0)", True),
        ("width", "calc(50% - var(--gap))", True),
        ("padding", "0 calc(50% - var(--gap))", True),
        ("flex", "0 0 calc(50% - 4px)", True),
        # PlutoBook can compute these.
        ("color", "hsl(var(--h) var(--s) var(--l) / 0.5)", False),
        ("width", "calc(50px - var(--gap))", False),
        ("width", "50%", False),
        ("left", "calc(50% - 4px)", False),
        ("color", "var(--x, red)", False),
        ("color", "oklch(0.5 0 0)", False),
    ],
)
def test_which_values_need_the_page(name: str, value: str, expected: bool) -> None:
    assert needs_page(name, tinycss2.parse_component_value_list(value)) is expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("a::before, .b:after", "a, .b"),
        ("::before, p > ::after", "*, p > *"),
        ("p:not(.a)::marker", "p:not(.a)"),
        (r".x\:before:hover", r".x\:before:hover"),
    ],
)
def test_elements_of_pseudo_elements(selector: str, expected: str) -> None:
    assert of_elements(selector) == expected


def seen(source: str, **options: object) -> Iterator[tuple[str, tuple[int, ...], float]]:
    """Each text of a page, with its color and its left edge in points."""
    assets = {"https://example.com/dir/i.svg": Asset(IMAGE, "image/svg+xml")}
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(source, assets, **options)).pdf) as document:
        text = document[0].get_textpage()
        for item in document[0].get_objects():
            if item.type == pypdfium2.raw.FPDF_PAGEOBJ_TEXT:
                channels = [ctypes.c_uint() for _ in range(4)]
                assert pypdfium2.raw.FPDFPageObj_GetFillColor(item, *channels)
                box = item.get_bounds()
                yield text.get_text_bounded(*box).strip(), tuple(c.value for c in channels[:3]), box[0]


@pytest.mark.parametrize(
    ("css", "color"),
    [
        (":root { --h: 120; --l: 100% } p { color: hsl(var(--h) 100% calc(var(--l) / 2)) }", GREEN),
        (":root { --h: 60; --d: hsl(calc(60 + var(--h)) 100% 50%) } p { color: var(--d) }", GREEN),
        (":root { --H: 120; --L: oklch(from red l c h) } p { color: hsl(calc(1 * var(--H)), 100%, 50%) }", GREEN),
        ("body { --c: lime } p { color: rgb(from var(--c) r g b) }", GREEN),
        ("body { --c: lime } p { color: color-mix(in oklab, var(--c), lime) }", GREEN),
        ("p { --h: 60; color: hsl(calc(2 * var(--h)) 100% 50%) } div p { --h: 120 }", BLUE),
        ("p { color: color-mix(in srgb, var(--none, blue), blue) }", BLUE),
        (
            "p::before { content: 'b'; color: hsl(calc(1 * var(--h)) 100% 50%); font-size: 16px } "
            "div { --h: 240 } p { font-size: 0 }",
            BLUE,
        ),
        ("p { color: hsl(calc(1 * var(--none)) 100% 50%) } div { color: blue }", BLUE),
        ("p { color: hsl(calc(1 * var(--a)) 100% 50%); --a: var(--a) } div { color: red }", RED),
        ("p { color: red } @layer x { p { color: color-mix(in srgb, var(--c), blue) } }", RED),
        # Text that is painted with its background, in one rule and in several.
        ("p { background: linear-gradient(var(--c), red); background-clip: text; --c: blue; color: #0000 }", BLUE),
        ("p { background: red; -webkit-background-clip: text; -webkit-text-fill-color: var(--c); --c: blue }", BLUE),
        ("p { background: red; background-clip: text; -webkit-text-fill-color: var(--c); --c: transparent }", RED),
        (
            "p { background-clip: text; background-image: linear-gradient(var(--stops)) } "
            "div p { color: transparent; --from: lime; --stops: to right, var(--from) 10%, red }",
            GREEN,
        ),
        (
            ".g { background-image: linear-gradient(to right, var(--from), red) } .c { background-clip: text } "
            ".t { color: transparent } .f { --from: blue }",
            BLUE,
        ),
        (".g { background: linear-gradient(#00f, red) } .c { background-clip: text; color: transparent }", BLUE),
        (".g { background: linear-gradient(red, red) } .c { background-clip: text } .t.g { background: blue }", RED),
        (".c { background-clip: text } .t { color: transparent }", BLACK),
        # Text with a filling of another color.
        ("p { color: red; -webkit-text-fill-color: blue }", BLUE),
        ("p { -webkit-text-fill-color: var(--c); --c: blue } div p { color: red }", BLUE),
        ("p { color: red; -webkit-text-fill-color: var(--c); --c: transparent }", RED),
        ("p { color: red; -webkit-text-fill-color: transparent }", RED),
        ("p { color: red; -webkit-text-fill-color: currentColor }", RED),
        # Variables without a value, and those of the parent.
        ("p { color: color-mix(in srgb, var(--c, blue), blue); --c: initial } div { --c: red }", BLUE),
        ("p { color: color-mix(in srgb, var(--c, red), blue); --c: Inherit } div { --c: blue }", BLUE),
        ("p { color: color-mix(in srgb, var(--c, blue), blue) } div { --c: unset }", BLUE),
        # A value that follows at once is not a part of the variable.
        ("p { background: linear-gradient(var(--c)30%, red); background-clip: text; --c: #00f; color: #0000 }", BLUE),
        # Text with an outline and without a filling.
        ("p { color: transparent; -webkit-text-stroke: 1px blue }", BLUE),
        ("p { color: red; -webkit-text-fill-color: #0000; -webkit-text-stroke: 1px var(--c); --c: blue }", BLUE),
        ("p { color: rgb(0 0 0 / 0); -webkit-text-stroke-width: 1px; -webkit-text-stroke-color: blue }", BLUE),
        ("p { color: red; -webkit-text-stroke: 1px blue }", RED),
    ],
)
def test_colors(css: str, color: tuple[int, int, int]) -> None:
    (found,) = seen(f"<style>{css}</style><div><p class='g c t f'>M</p></div>")
    assert found[1] == color


@pytest.mark.parametrize(
    "style", ["--h: 120; color: hsl(calc(1 * var(--h)) 100% 50%)", "color: transparent; -webkit-text-stroke: 1px lime"]
)
def test_a_style_attribute_can_have_such_values(style: str) -> None:
    assert [color for _, color, _ in seen(f'<!-- c --><p style="{style}">M</p>')] == [GREEN]


def test_a_width_with_a_variable_is_a_share_of_the_row() -> None:
    css = ".r { --gap: 10px; display: flex; flex-wrap: wrap } b { width: calc(50% - var(--gap)) }"
    first, second = (left for _, _, left in seen(f"<style>{css}</style><div class=r><b>A</b><b>B</b></div>"))
    assert 150 < second - first < 300


BESIDE = "i, b { display: inline-block } i { width: 40px } b { width: calc(100% - 50px) }"
"""The style of a box that takes the rest of the width beside another one."""


@pytest.mark.parametrize(
    "css",
    [
        "section { width: 120px }",
        "section { width: 20% }",
        "div { display: flex } section { flex: 1 }",
        "div { display: flex; --items: 3 } section { flex: 0 0 calc(100% / var(--items) - 10px) }",
        "div { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px }",
        "div { display: table; width: 100% } section { display: table-cell }",
        "section { float: left; width: calc(33% - 20px); padding: 0 10px }",
        "section { position: relative; width: 120px; height: 20px } p { position: absolute; width: calc(100% - 10px) }",
        "section { width: 120px } b { padding: 0 10px; box-sizing: border-box }",
        "section { padding: 0 calc(50% - 60px) }",
    ],
)
def test_a_calculated_width_leaves_room_for_the_box_beside_it(css: str) -> None:
    boxes = "<section><p><i>A</i><b>B</b></p></section>" * 3
    found = list(seen(f"<style>p {{ margin: 0 }} {BESIDE} {css}</style><div>{boxes}</div>"))
    assert len(found) == 6
    for (_, _, first), (_, _, second) in zip(found[::2], found[1::2], strict=True):
        assert 30 <= second - first < 50  # in points


def test_a_box_of_the_whole_window_begins_at_its_left() -> None:
    css = "body { margin: 0 } main { width: 400px; margin: auto } p { width: 100vw; margin-left: calc(50% - 50vw) }"
    outside, inside = (left for _, _, left in seen(f"<style>{css}</style><div>A</div><main><p>B</p></main>"))
    assert inside == pytest.approx(outside, abs=1)


def test_the_values_of_a_page_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_values, "MAX_VALUES", 2)
    css = "p { --h: 120; color: hsl(calc(1 * var(--h)) 100% 50%) }"
    source = f"<style>{css}</style><p>A<p>B<p>C<p>D"
    # The fonts that this process uses: for others, the page would be laid out in another process, without the patch.
    of_this_process = {"system_fonts": font_setup.can_use(system_fonts=True)}
    assert [color for _, color, _ in seen(source, **of_this_process)] == [GREEN, GREEN, BLACK, BLACK]
    assert PlutoBookEngine().render(task(source, **of_this_process)).warnings == (page_values.TOO_MANY,)


@pytest.mark.parametrize(
    "box",
    [
        "<style>div { aspect-ratio: 3; position: relative }</style><div>",
        "<div style='position: relative; aspect-ratio: 3'>",
    ],
)
def test_an_image_that_fills_a_box_with_a_ratio_is_seen(box: str) -> None:
    assets = {"https://example.com/dir/i.svg": Asset(IMAGE, "image/svg+xml")}
    image = "<img src=i.svg style='position: absolute; inset: 0; width: 100%; height: 100%'>"
    page = task(f"{box}{image}</div>", assets)
    with pypdfium2.PdfDocument(PlutoBookEngine().render(page).pdf) as document:
        colors = dict(map(reversed, document[0].render().to_pil().convert("RGB").getcolors(100_000)))
    assert colors.get(RED, 0) > 10_000


def test_images_do_not_shrink_beside_text() -> None:
    source = "<div style='display: flex'><img src=i.svg width=90 height=30><p>" + "word " * 100 + "</div>"
    assert min(left for _, _, left in seen(source)) > 90 * 0.75


def test_templates_are_on_lines_of_their_own() -> None:
    text = "p,\nb::after { color: color-mix(in srgb,\n var(--a), red) }\ni { color: red }"
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(text, "http://h/")
    (sheet,) = sheets.texts
    left = page_values.without_templates(sheet)
    assert page_values.TEMPLATE in sheet
    assert page_values.TEMPLATE not in left
    assert left.endswith("i{color:red}")
    assert left.count("{") == 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("oklch(0.628 0.2577 29.23)", "--c:#ff0000"),
        ("20dvh", "--c:20dvh"),
        ("solid", "--c:solid"),
    ],
)
def test_initial_values_are_written_like_others(value: str, expected: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(f"@property --c {{ syntax: '*'; inherits: true; initial-value: {value} }}", "http://h/")
    assert sheets.texts == [f":where(:root){{{expected}}}"]


def test_initial_values_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(author_sheets, "MAX_INITIAL", 3)
    sheets = Sheets({}, Viewport(), author_fonts=True)
    for number in range(5):
        sheets.add_text(
            f"@property --p{number} {{ inherits: false; initial-value: 1 }} p {{ color: red }}", "http://h/"
        )
    assert sum(text.count("--p") for text in sheets.texts) == 3
    assert len([text for text in sheets.texts if "color:red" in text]) == 5
