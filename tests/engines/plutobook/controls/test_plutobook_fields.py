"""Form fields laid out by PlutoBook: their places, their appearances, and pages without fields."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pikepdf
import pypdfium2
import pytest

from tests.support.rendered_pages import PageGeometry, task
from wcspider.archive.pages.page_extraction import extract_pages
from wcspider.engines.base import Rendering
from wcspider.engines.fields import FieldKind
from wcspider.engines.plutobook.engine import PlutoBookEngine

FORM = """<form action=/send>
<p><input name=who value=Amos> <input name=hint placeholder=Hint> <input type=password name=pw value=secret>
<p><input type=checkbox name=a checked> <input type=radio name=r value=1> <input type=radio name=r value=2 checked>
<p><select name=day><option>Saturday<option selected>Sunday</select>
<select name=days multiple size=3><option>Monday<option selected>Tuesday<option>Friday</select>
<p><textarea name=wish>A seat</textarea> <button>Ask <b>now</b></button> <input type=hidden name=h value=1>
</form>"""


def render(body: str, **options: object) -> Rendering:
    return PlutoBookEngine().render(task(body, **options))


@contextmanager
def widgets(rendering: Rendering) -> Iterator[list[pikepdf.Object]]:
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        yield [a for page in pdf.pages for a in page.get("/Annots", []) if a.Subtype == "/Widget"]


@contextmanager
def appearance(widget: pikepdf.Object) -> Iterator[pypdfium2.PdfPage]:
    """The appearance of an annotation as a page of the same size."""
    x0, y0, x1, y1 = map(float, widget.Rect)
    pdf = pikepdf.Pdf.new()
    pdf.add_blank_page(page_size=(x1 - x0, y1 - y0))
    form = pdf.copy_foreign(widget.AP.N)
    left, bottom, right, top = map(float, form.BBox)
    assert right - left == pytest.approx(x1 - x0, abs=1)
    assert top - bottom == pytest.approx(y1 - y0, abs=1)
    pdf.pages[0].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(F=form))
    pdf.pages[0].Contents = pdf.make_stream(b"q 1 0 0 1 %f %f cm /F Do Q" % (-left, top))
    out = io.BytesIO()
    pdf.save(out)
    with pypdfium2.PdfDocument(out.getvalue()) as document:
        yield document[0]


def page_text(rendering: Rendering) -> str:
    """The text of the pages, without that of annotations."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        return "".join(page.get_textpage().get_text_range() for page in document)


@pytest.mark.parametrize("forms", [True, False])
def test_rules_for_buttons_apply_outside_of_forms(forms: bool) -> None:
    buttons = "<input type=reset value=Clear> <input type=button value=Menu> <input type=submit>"
    rendering = render(f"<style>input[type=reset] {{ display: none }}</style>{buttons}", forms=forms)
    assert page_text(rendering).split() == ["Menu", "Submit"]


def test_each_control_has_its_annotation() -> None:
    rendering = render(FORM)
    kinds = [field.kind for field in rendering.fields]
    with widgets(rendering) as found:
        shown = [(kinds[int(w.WCSP_Field)], int(w.WCSP_Option)) for w in found]
    assert sorted(shown) == sorted(
        [
            *[(FieldKind.TEXT, 0)] * 4,
            (FieldKind.CHECKBOX, 0),
            (FieldKind.RADIO, 0),
            (FieldKind.RADIO, 1),
            *[(FieldKind.CHOICE, 0)] * 2,
            (FieldKind.BUTTON, 0),
        ]
    )


def test_what_can_be_filled_in_is_not_on_the_page() -> None:
    assert page_text(render(FORM)).split() == ["Ask", "now"]


@pytest.mark.parametrize(
    ("field", "shown"), [(0, "Amos"), (1, "Hint"), (2, ""), (5, "Sunday"), (6, "Monday Tuesday Friday"), (7, "A seat")]
)
def test_appearances_show_what_fields_hold(field: int, shown: str) -> None:
    with widgets(render(FORM)) as found, appearance(next(w for w in found if w.WCSP_Field == field)) as page:
        assert " ".join(page.get_textpage().get_text_range().split()) == shown


@pytest.mark.parametrize(
    ("control", "place"),
    [
        ("<input style='height: 80px' value=A>", 0.5),
        ("<input style='height: 80px; border-radius: 0' value=A>", 0.5),
        ("<input style='height: 80px; padding: 0 20px' placeholder=A>", 0.5),
        ("<select style='height: 80px'><option>A</select>", 0.5),
        ("<input style='padding: 70px 5px 5px' value=A>", 0.85),  # below a label
        ("<textarea style='height: 80px'>A</textarea>", 0.12),
        ("<select size=4 style='height: 80px'><option>A<option>B</select>", 0.12),
    ],
)
def test_a_line_is_in_the_middle_of_a_high_control(control: str, place: float) -> None:
    with widgets(render(control)) as [widget], appearance(widget) as page:
        left, bottom, right, top = page.get_textpage().get_charbox(0)
        assert 1 - (bottom + top) / 2 / page.get_height() == pytest.approx(place, abs=0.05)
        letter = (left, page.get_height() - top, right, page.get_height() - bottom)
        ink = page.render(scale=4).to_pil().convert("L").crop([round(4 * edge) for edge in letter]).histogram()
        assert sum(ink[:128]) > 0.2 * sum(ink)  # it is not clipped


@pytest.mark.parametrize(
    ("css", "side"), [("", 13), ("input { width: 20px; height: 20px }", 20), ("input { margin: 0 }", 13)]
)
@pytest.mark.parametrize("kind", ["checkbox", "RADIO"])
def test_check_boxes_are_as_large_as_in_browsers(css: str, side: int, kind: str) -> None:
    with widgets(render(f"<style>{css}</style><p><input type={kind}> text")) as [widget]:
        left, bottom, right, top = map(float, widget.Rect)
        assert (right - left, top - bottom) == pytest.approx((side * 0.75, side * 0.75), abs=0.1)


@pytest.mark.parametrize(
    ("control", "is_fixed"),
    [
        ("<textarea>{}</textarea>", True),
        ("<textarea style='font: inherit'>{}</textarea>", False),
        ("<input value={}>", False),
    ],
)
def test_text_areas_have_letters_of_one_width(control: str, is_fixed: bool) -> None:
    places = []
    for text in ("iZ", "MZ"):
        with widgets(render(control.format(text))) as [widget], appearance(widget) as page:
            places.append(round(page.get_textpage().get_charbox(1, loose=True)[0]))
    assert (places[0] == places[1]) is is_fixed


def test_appearances_have_the_fonts_that_they_name() -> None:
    with widgets(render(FORM)) as found:
        appearances = [widget.AP.N for widget in found if isinstance(widget.AP.N, pikepdf.Stream)]
        named = [
            (str(operands[0]), appearance.Resources.get("/Font", {}))
            for appearance in appearances
            for operands, operator in pikepdf.parse_content_stream(appearance)
            if str(operator) == "Tf"
        ]
        assert named
        assert all(name in fonts for name, fonts in named)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(
    "around",
    ["{}", "<table><tr><td>x<td>{}</table>", "<div style='opacity: .5'>{}</div>", "<div style='float:right'>{}"],
)
def test_places_and_sizes(scale: float, around: str) -> None:
    box = "<input name=a style='width: 100px; height: 30px; padding: 0; border: 1px solid; box-sizing: border-box'>"
    rendering = render(around.format(f"<form>{box}</form>"), geometry=PageGeometry(scale=scale))
    with widgets(rendering) as [widget]:
        x0, y0, x1, y1 = map(float, widget.Rect)
    assert x1 - x0 == pytest.approx(75 * scale, abs=0.5)
    assert y1 - y0 == pytest.approx(22.5 * scale, abs=0.5)
    assert 42 <= x0 <= x1 <= 595 - 40
    assert 700 <= y0 <= y1 <= 842 - 42


@pytest.mark.parametrize(
    ("control", "is_gray"),
    [
        ("<button disabled>W</button>", True),
        ("<fieldset disabled><input name=a value=W></fieldset>", True),
        ("<button>W</button>", False),
        ("<button disabled class=b>W</button>", False),
    ],
)
def test_disabled_controls_are_gray(control: str, is_gray: bool) -> None:
    with pikepdf.open(io.BytesIO(render(f"<style>.b {{ color: #000 }}</style><form action=/s>{control}").pdf)) as pdf:
        streams = b"\n".join(thing.read_bytes() for thing in pdf.objects if isinstance(thing, pikepdf.Stream))
    assert (b"0.501961 0.501961 0.501961 rg" in streams) is is_gray


LIGHT_PAGE = "<style>body { background: #000; color: #fff }</style><form action=/send><p>"


@pytest.mark.parametrize(
    ("control", "ground"),
    [
        ("<input name=a value=W>", "1 1 1 rg"),
        ("<input name=a placeholder=W>", "1 1 1 rg"),
        ("<textarea name=a>W</textarea>", "1 1 1 rg"),
        ("<select name=a><option>W</select>", "1 1 1 rg"),
        ("<button>W</button>", "0.937"),
        ("<input type=submit value=W>", "0.937"),
    ],
)
def test_controls_of_a_page_with_light_text_have_dark_text(control: str, ground: str) -> None:
    with pikepdf.open(io.BytesIO(render(LIGHT_PAGE + control).pdf)) as pdf:
        streams = b"\n".join(thing.read_bytes() for thing in pdf.objects if isinstance(thing, pikepdf.Stream))
    before, _, _ = streams[streams.index(ground.encode()) :].partition(b"BT")
    colors = re.findall(rb"([\d.]+) [\d.]+ [\d.]+ rg", before)
    assert float(colors[-1]) < 0.5


@pytest.mark.parametrize(
    ("css", "color"),
    [
        ("background-image: linear-gradient(195deg, #f00, #00f)", (255, 0, 0)),
        ("background: linear-gradient(90deg, var(--a), #00f)", (0, 255, 0)),
        ("background: linear-gradient(to right, transparent, #00f)", (0, 0, 255)),
        ("background: linear-gradient(#fff3, #fff0), #f00", (255, 0, 0)),
        ("background-color: #f00; background-image: linear-gradient(#fff3, #fff0)", (255, 0, 0)),
    ],
)
@pytest.mark.parametrize("control", ["<button>W</button>", "<input type=submit value=W>"])
def test_a_button_with_a_gradient_has_a_color_of_it(css: str, color: tuple[int, int, int], control: str) -> None:
    style = f"form > * {{ background-color: transparent }} form > * {{ {css} }} :root {{ --a: #0f0 }}"
    rendering = render(f"<style>{style}</style><form action=/s>{control}</form>")
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert color in {color for _, color in document[0].render().to_pil().getcolors(99999)}


@pytest.mark.parametrize(
    ("select", "is_marked"),
    [
        ("<select name=a size=3><option>A<option selected>B</select>", True),
        ("<select name=a multiple><option>A<option selected>B</select>", True),
        ("<select name=a size=3><option>A<option>B</select>", False),
        ("<select name=a><option>A<option selected>B</select>", False),
        ("<select name=a size=1><option>A<option selected>B</select>", False),
    ],
)
def test_the_chosen_entries_of_a_list_are_marked(select: str, is_marked: bool) -> None:
    with pypdfium2.PdfDocument(render(f"<form>{select}</form>").pdf) as document:
        colors = {color for _, color in document[0].render().to_pil().convert("RGB").getcolors(99999)}
    assert ((206, 206, 206) in colors) is is_marked


@pytest.mark.parametrize("padding", [0, 9])
def test_the_arrow_of_a_combo_box_has_room_beside_the_text(padding: int) -> None:
    style = f"padding: {padding}px; border: 0"
    select = f"<select name=a style='{style}'><option>Wide text</select>"
    button = f"<button style='{style}; font: 13px WcspiderSans'>Wide text</button>"
    with widgets(render(f"<form action=/s>{select}{button}</form>")) as found:
        of_select, of_button = (float(widget.Rect[2] - widget.Rect[0]) for widget in found)
    assert 10 < of_select - of_button < 14


@pytest.mark.parametrize("order", ["{}<label>Label</label>", "<label>Label</label><i></i>{}"])
@pytest.mark.parametrize("control", ["<input name=a value=W>", "<textarea name=a>W</textarea>"])
def test_a_label_over_a_field_is_not_covered(control: str, order: str) -> None:
    css = "form { position: relative } form > * { background: #00f; height: 40px }"
    label = "label { position: absolute; left: 20px; top: 9px; height: 9px !important; background: #0f0 !important }"
    rendering = render(f"<style>{css} {label}</style><form action=/s>{order.format(control)}</form>")
    with widgets(rendering) as [widget]:
        appearance = pikepdf.parse_content_stream(widget.AP.N)
        operators = {str(instruction.operator) for instruction in appearance}
        assert "Tj" in operators or "TJ" in operators
        assert not operators & {"f", "f*", "B", "S", "Do"}
        assert str(widget.DA).endswith(" 0 0 0 rg")
        x, y = float(widget.Rect[2]) - 3, 842 - float(widget.Rect[3]) + 3
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        picture = document[0].render().to_pil()
        assert picture.getpixel((round(x), round(y))) == (0, 0, 255)
        assert (0, 255, 0) in {color for _, color in picture.getcolors(99999)}
        assert document[0].get_textpage().get_text_range().strip() == "Label"


@pytest.mark.parametrize(
    ("css", "shown"),
    [
        # Pages hide the control of the browser and draw their own.
        ("input { opacity: 0 }", 0),
        ("input { opacity: .5 } input.x { opacity: 0% }", 0),
        ("p { opacity: 0 }", 0),
        ("input { opacity: .5 }", 1),
        ("input { opacity: 0 } input.x { opacity: 1 }", 1),
    ],
)
def test_a_transparent_control_is_not_shown(css: str, shown: int) -> None:
    rendering = render(f"<style>{css}</style><form><p><label><input type=checkbox name=a class=x> Agree</label></form>")
    assert [field.name for field in rendering.fields] == ["a"]
    assert "Agree" in page_text(rendering) or css.startswith("p")
    with widgets(rendering) as found:
        assert len(found) == shown


def test_a_field_on_a_later_page_is_there() -> None:
    rendering = render("<form>" + "<p>text" * 100 + "<input name=a value=late></form>")
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert [len(page.get("/Annots", [])) for page in pdf.pages][-1] == 1


def test_without_fields_controls_are_text() -> None:
    rendering = render(FORM, forms=False)
    assert rendering.fields == ()
    with widgets(rendering) as found:
        assert found == []
    assert {"Amos", "Hint", "☑", "◉", "○", "Sunday", "A", "seat", "Ask", "now"} <= set(page_text(rendering).split())


def test_the_store_takes_the_fields() -> None:
    rendering = render(FORM)
    names = [field.name for field in extract_pages(rendering).fields]
    assert names == ["who", "hint", "pw", "a", "r", "day", "days", "wish", "button", "h"]


def areas(body: str) -> list[tuple[float, float]]:
    """The width and the height of each field, in CSS pixels."""
    with widgets(render(f"<form action=/x>{body}")) as found:
        boxes = [list(map(float, widget.Rect)) for widget in found]
    return [((right - left) / 0.75, (top - bottom) / 0.75) for left, bottom, right, top in boxes]


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [("", 177), ("size=5", 57), ("size=10", 97), ("size=40", 337), ("size=0", 177), ("size=x", 177), ("size=1e9", 25)],
)
def test_text_fields_are_as_wide_as_in_browsers(attribute: str, expected: float) -> None:
    ((width, _),) = areas(f"<input name=a {attribute} style='border: 0; padding: 0'>")
    assert width == pytest.approx(expected, rel=0.03, abs=5)


@pytest.mark.parametrize(("attribute", "expected"), [("", 175), ("cols=40", 335), ("cols=-1", 175)])
def test_text_areas_are_as_wide_as_in_browsers(attribute: str, expected: float) -> None:
    ((width, _),) = areas(f"<textarea name=a {attribute} style='border: 0; padding: 0'></textarea>")
    assert width == pytest.approx(expected, rel=0.03)


def test_a_selection_box_is_as_wide_as_its_longest_option() -> None:
    options = ["<option>One", "<option>One<option>A much longer option", f"<option>{'a' * 300}"]
    fields = (f"<select name=s{number}>{inner}</select>" for number, inner in enumerate(options))
    (short, height), (wide, same), (alone, _) = areas(" ".join(fields))
    assert wide > 2 * short
    assert same == height
    assert alone < 60 * 13.4


def test_a_selection_box_without_options_is_as_high_as_others() -> None:
    empty, usual = areas("<select name=a></select> <select name=b><option></select>")
    assert empty == pytest.approx(usual)


def letter(body: str) -> tuple[float, float, float, float]:
    """The place of the first letter of the field of a page: left, bottom, right and top, as shares of the field."""
    with widgets(render(f"<form action=/x>{body}")) as (widget,), appearance(widget) as page:
        width, height = page.get_size()
        left, bottom, right, top = page.get_textpage().get_charbox(0)
    return left / width, bottom / height, right / width, top / height


@pytest.mark.parametrize(
    "control", ["<input value=HH>", "<textarea>HH</textarea>", "<select style='width: 150px'><option>HH</select>"]
)
def test_text_in_controls_does_not_inherit_its_alignment(control: str) -> None:
    assert letter(f"<p style='text-align: right'>{control}")[2] < 0.5


@pytest.mark.parametrize(("style", "is_plain"), [("", True), ("font: inherit", False)])
@pytest.mark.parametrize("around", ["font-style: italic", "font-weight: bold"])
@pytest.mark.parametrize("control", ["<input class=c value=HH>", "<textarea class=c>HH</textarea>"])
def test_text_in_controls_does_not_inherit_its_font(control: str, around: str, style: str, is_plain: bool) -> None:
    css = f"<style>.c {{ {style} }}</style>"
    places = [letter(f"{css}<p style='font: 16px sans-serif; {outer}'>{control}") for outer in ("", around)]
    assert (places[0] == places[1]) is is_plain


@pytest.mark.parametrize("size", ["padding: 20px", "padding: 0; line-height: 90px", "padding: 10px; line-height: 3"])
def test_text_is_in_the_middle_of_its_field(size: str) -> None:
    css = f"height: 50px; box-sizing: border-box; border: 0; {size}"
    _, bottom, _, top = letter(f"<input value=H style='{css}'>")
    assert (bottom + top) / 2 == pytest.approx(0.5, abs=0.05)
