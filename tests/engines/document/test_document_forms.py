"""The fields of form elements, and annotations of a suitable size that show them."""

from __future__ import annotations

import io
from typing import Any

import pikepdf
import pypdfium2
import pytest

from tests.support.pictures import grey_png
from tests.support.rendered_pages import Asset, PageGeometry, Step, boxes, links, render, text
from wcspider.engines.document.forms import MAX_BUTTONS, MAX_CAPTION, MAX_FIELDS
from wcspider.engines.fields import FIELD, Field, FieldKind, Option, Submission

HOST = "https://example.com"
W = "caption words " * 14


def fields(body: str, **options: Any) -> tuple[Field, ...]:
    """The fields of a page with one form, whose action is /to."""
    return render(f"<form action=/to>{body}</form>", **options).fields


def rectangles(body: str) -> dict[int, tuple[float, float]]:
    """The width and the height of the annotation of each field."""
    found = {}
    with pikepdf.open(io.BytesIO(render(body).pdf)) as pdf:
        for annotation in (a for page in pdf.pages for a in page.get("/Annots", [])):
            left, bottom, right, top = map(float, annotation.Rect)
            assert annotation.Subtype == "/Widget"
            assert annotation.AP.N is not None
            found[int(annotation[f"/{FIELD}"])] = (round(right - left, 2), round(top - bottom, 2))
    return found


def choice(*options: Option, **more: Any) -> Field:
    return Field(FieldKind.CHOICE, "s", 0, options=options, **more)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<input name=a value=b>", Field(FieldKind.TEXT, "a", 0, "b")),
        ("<input type=email name=a>", Field(FieldKind.TEXT, "a", 0)),
        ("<input type=no-such-type name=a>", Field(FieldKind.TEXT, "a", 0)),
        ("<input name=a maxlength=7 required>", Field(FieldKind.TEXT, "a", 0, max_length=7, is_required=True)),
        ("<input name=a maxlength=7px>", Field(FieldKind.TEXT, "a", 0, max_length=7)),
        ("<input name=a maxlength=-7>", Field(FieldKind.TEXT, "a", 0)),
        ("<input name=a readonly>", Field(FieldKind.TEXT, "a", 0, is_read_only=True)),
        ("<input name=a disabled>", Field(FieldKind.TEXT, "a", 0, is_disabled=True)),
        ("<fieldset disabled><input name=a></fieldset>", Field(FieldKind.TEXT, "a", 0, is_disabled=True)),
        (
            "<fieldset disabled><legend><input name=a></legend></fieldset>",
            Field(FieldKind.TEXT, "a", 0, is_disabled=False),
        ),
        ("<label>Your <b>name</b> <input name=a></label>", Field(FieldKind.TEXT, "a", 0, title="Your name")),
        (
            "<select name=s><optgroup disabled><option>A</optgroup><option label=B>b</select>",
            Field(FieldKind.CHOICE, "s", 0, options=(Option("b", "B", True),)),
        ),
        ("<input placeholder='your name'>", Field(FieldKind.TEXT, "", 0, title="your name")),
        ("<label for=i>Your <b>name</b></label><input id=i>", Field(FieldKind.TEXT, "", 0, title="Your name")),
        # What somebody left in a password field is nobody's business.
        ("<input type=password name=a value=secret>", Field(FieldKind.TEXT, "a", 0, is_password=True)),
        ("<input type=hidden name=a value=b>", Field(FieldKind.TEXT, "a", 0, "b", is_hidden=True)),
        ("<textarea name=a>\n1\n 2</textarea>", Field(FieldKind.TEXT, "a", 0, "1\n 2", is_multiline=True)),
        ("<input type=checkbox name=a>", Field(FieldKind.CHECKBOX, "a", 0, options=(Option("on"),))),
        (
            "<input type=CheckBox name=a value=b checked>",
            Field(FieldKind.CHECKBOX, "a", 0, options=(Option("b", "", True),)),
        ),
        # Of several that are checked, the last one is.
        (
            "<input type=radio name=a value=1 checked><input type=radio name=a value=2 checked>",
            Field(FieldKind.RADIO, "a", 0, options=(Option("1"), Option("2", "", True))),
        ),
        ("<select name=s><option>A<option value=b> B  b ", choice(Option("A", "A", True), Option("b", "B b"))),
        (
            "<select name=s><option selected>A<option selected>B",
            choice(Option("A", "A"), Option("B", "B", True)),
        ),
        (
            "<select name=s size=1 multiple><option>A<option selected>B",
            choice(Option("A", "A"), Option("B", "B", True), is_list=True, takes_several=True, first_shown=1),
        ),
        ("<select name=s size=2><option>A", choice(Option("A", "A"), is_list=True)),
        (
            "<select name=s multiple><option selected>A<optgroup><option selected>B",
            choice(Option("A", "A", True), Option("B", "B", True), is_list=True, takes_several=True),
        ),
        ("<select name=s><option disabled>A<option>B", choice(Option("B", "B", True))),
        ("<input type=submit>", Field(FieldKind.BUTTON, "", 0, "Submit", submission=Submission(f"{HOST}/to"))),
        ("<button>Go <b>on</b></button>", Field(FieldKind.BUTTON, "", 0, "Go on", submission=Submission(f"{HOST}/to"))),
        (
            "<button formmethod=post formaction='x?y#z'>",
            Field(FieldKind.BUTTON, "", 0, "", submission=Submission(f"{HOST}/dir/x?y", is_get=False)),
        ),
        ("<button formaction='javascript:x()'>Go</button>", Field(FieldKind.BUTTON, "", 0, "Go")),
        ("<button formaction='mailto:x@example.com'>Go</button>", Field(FieldKind.BUTTON, "", 0, "Go")),
        ("<input type=reset value=Again>", Field(FieldKind.BUTTON, "", 0, "Again", resets=True)),
        ("<button type=button>Go</button>", Field(FieldKind.BUTTON, "", 0, "Go")),
    ],
)
def test_an_element_becomes_a_field(body: str, expected: Field) -> None:
    assert fields(body) == (expected,)


@pytest.mark.parametrize(
    "body",
    [
        "<input type=hidden value='without a name'>",
        "<input type=file name=a>",
        f"<button>{'long ' * MAX_CAPTION}</button>",
        "<template><input name=a></template>",
    ],
)
def test_an_element_becomes_no_field(body: str) -> None:
    assert fields(body) == ()


@pytest.mark.parametrize("forms", [True, False])
def test_a_control_for_files_is_an_empty_box(forms: bool) -> None:
    def room(control: str) -> float:
        """The distance between the words around a control."""
        before, behind = (box for _, letter, box in boxes(render(f"a{control}b", forms=forms)) if letter in "ab")
        return behind[0] - before[2]

    assert room("<input type=hidden>") < 1
    assert room("<input type=file>") > 40
    assert room("<input type=file hidden>") < 1
    assert room("<input type=file style='display: none'>") < 1


def test_a_button_outside_of_forms_is_none_but_a_text_is() -> None:
    rendering = render("<button>Menu</button><input type=submit value=Go><input name=q>")
    assert [field.kind for field in rendering.fields] == [FieldKind.TEXT]
    assert "Menu" in text(rendering)
    assert "Go" in text(rendering)


def test_a_button_with_a_name_sends_its_value() -> None:
    hidden, button = fields("<button name=go value=2>Send</button>")
    assert (hidden.name, hidden.value, hidden.is_hidden) == ("go", "2", True)
    assert button.sends == 0


def test_fields_belong_to_the_form_that_they_name() -> None:
    body = "<form id=f></form><form><input name=a form=f><input name=b form=none><input name=c></form><input name=d>"
    assert [(field.name, field.form) for field in render(body).fields] == [("a", 0), ("b", None), ("c", 1), ("d", None)]


def test_radio_buttons_of_two_forms_are_two_groups() -> None:
    body = "<form><input type=radio name=a value=1></form><form><input type=radio name=a value=2></form>"
    assert [len(field.options) for field in render(body).fields] == [1, 1]


def test_an_action_is_relative_to_the_base_and_none_means_the_page() -> None:
    body = "<base href=/other/><form action=to><button>1</button></form><form><button>2</button></form>"
    urls = [field.submission.url for field in render(body).fields if field.submission]
    assert urls == [f"{HOST}/other/to", f"{HOST}/dir/page.html"]


def test_a_page_has_so_many_fields_and_the_rest_is_text() -> None:
    rendering = render("".join(f"<input value=v{number}> " for number in range(MAX_FIELDS + 1)))
    assert len(rendering.fields) == MAX_FIELDS
    assert text(rendering).split() == [f"v{MAX_FIELDS}"]


@pytest.mark.parametrize(
    ("body", "width", "height"),
    [
        ("<input>", (110, 120), (15, 20)),
        (f"<input value={'x' * 40}>", (200, 220), (15, 20)),
        ("<input type=checkbox style='position: absolute; opacity: 0'>", (8, 12), (8, 12)),
        ("<input type=radio>", (8, 12), (8, 12)),
        ("<textarea></textarea>", (110, 120), (40, 50)),
        (f"<textarea>{'1&#10;' * 5}</textarea>", (110, 120), (65, 75)),
        ("<select><option>1<option selected>a rather long option</select>", (85, 100), (15, 20)),
        (f"<select multiple>{'<option>1' * 6}</select>", (15, 50), (75, 85)),
    ],
)
def test_a_field_has_a_fitting_size(body: str, width: tuple[float, float], height: tuple[float, float]) -> None:
    (found,) = rectangles(body).values()
    assert width[0] <= found[0] <= width[1]
    assert height[0] <= found[1] <= height[1]


def drawn(body: str) -> str:
    """The content of the appearances of a page's fields, without their boxes."""
    with pikepdf.open(io.BytesIO(render(body).pdf)) as pdf, pikepdf.new() as alone:
        for annotation in (a for page in pdf.pages for a in page.get("/Annots", [])):
            look = alone.copy_foreign(annotation.AP.N)
            page = alone.add_blank_page(page_size=look.BBox[2:])
            page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Look=look))
            page.Contents = alone.make_stream(b"/Look Do")
        alone.save(out := io.BytesIO())
    with pypdfium2.PdfDocument(out.getvalue()) as document:
        return " ".join(page.get_textpage().get_text_bounded().strip() for page in document)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<input size=5 value=12345>", "12345"),
        ("<input size=22 value=DE89370400440532013000>", "DE89370400440532013000"),
        ("<input size=3 value=WWWWWWW>", "WWWWWWW"),
        ("<table width=100><tr><td><input style='width: 30%' value=123456><td>x</table>", "123456"),
        ("<select style='width: 40px'><option>one hundred and one</select>", "one hundred and one"),
        ("<select size=2 style='width: 40px'><option selected>one hundred<option>two</select>", "one hundred two"),
        ("<select size=2><option>1<option>2<option>3<option selected>4<option>5</select>", "4 5"),
        ("<select multiple size=2><option>1<option>2<option selected>3</select>", "2 3"),
        ("<select multiple size=2><option>1<option selected>2<option>3<option>4<option selected>5</select>", "2 3 4 5"),
    ],
)
def test_what_a_field_holds_is_in_sight(body: str, shown: str) -> None:
    assert drawn(body).split() == shown.split()


@pytest.mark.parametrize(
    "body",
    [
        "<input size=500>",
        f"<form><input type=submit value='{W}'></form>",
        f"<form><button>{'W' * 150}</button></form>",
        f"<form><button>{W}</button></form>",
        f"<select><option>{W * 9}</select>",
        "<ul><li>" * 30 + "<input size=90>",
        "<textarea rows=500 cols=500></textarea>",
        "<select multiple size=60><option>a</select>",
        "<input>" * 100,
    ],
)
@pytest.mark.parametrize("paper", [PageGeometry(), PageGeometry(width=300, height=200)])
def test_a_field_is_on_the_page_with_its_text(body: str, paper: PageGeometry) -> None:
    rendering = render(f"{body}<p>behind", geometry=paper)
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        for annotation in (a for page in pdf.pages for a in page.get("/Annots", [])):
            left, bottom, right, top = map(float, annotation.Rect)
            assert 0 < left < right < paper.width
            assert 0 < bottom < top < paper.height
    assert all(0 < left < right < paper.width for _, _, (left, _, right, _) in boxes(rendering))
    shown = "".join(text(rendering).split())
    assert "behind" in shown
    assert shown.count("W") == (150 if "W" * 150 in body else 0)
    assert shown.count("words") == (W.count("words") if "<form>" in body and W in body else 0)


def test_the_bullet_of_a_list_item_stands_before_its_field() -> None:
    rendering = render("<form><ul><li><button>Go</button><li><input></ul>")
    places = [(character, left, bottom) for _, character, (left, bottom, _, _) in boxes(rendering)]
    (bullet, go, second), (_, o, _) = (places[0], places[1], places[3]), places[2]
    assert (bullet[0], go[0], second[0]) == ("•", "G", "•")
    assert bullet[1] == pytest.approx(second[1], abs=0.1)
    assert bullet[1] < go[1] < o
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert all(float(annotation.Rect[0]) > bullet[1] for annotation in pdf.pages[0].Annots)


@pytest.mark.parametrize(
    ("number", "expected"), [("0" * 19 + "1" + "0" * 5000, None), ("9" * 5000, None), ("0" * 5000 + "7", 7)]
)
def test_numbers_of_any_length_are_read(number: str, expected: int | None) -> None:
    (found,) = render(f"<input maxlength={number} size={number}>").fields
    assert found.max_length == expected


@pytest.mark.parametrize("options", [{}, {"forms": False}])
@pytest.mark.parametrize("form", ["<form>", ""])
def test_a_button_that_is_a_picture_is_drawn(form: str, options: dict[str, Any]) -> None:
    assets = {f"{HOST}/i.png": Asset(grey_png(40, 20, 99), "image/png")}
    rendering = render(f"{form}<input type=image src=/i.png alt=Search width=80>", assets, **options)
    assert [image.url for image in rendering.images] == [f"{HOST}/i.png"]
    assert len(rendering.fields) == (1 if form and not options else 0)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        (picture,) = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        left, _, right, _ = picture.get_bounds()
    assert right - left == pytest.approx(60, abs=0.5)
    assert text(render(f"{form}<input type=image src=/none.png alt=Search>", **options)).split() == ["Search"]


def test_what_is_not_displayed_has_no_annotation() -> None:
    rendering = render("<form><input name=a style='display: none'><p style='display: none'><input name=b></p></form>")
    assert [field.name for field in rendering.fields] == ["a", "b"]
    assert rectangles("<input style='display: none'>") == {}


def test_a_button_is_drawn_on_the_page() -> None:
    body = "<form><button>Go <img src=x alt=there></button> <input type=submit value=Send></form>"
    assert text(render(body)).split() == ["Go", "there", "Send"]


def test_a_radio_group_has_so_many_buttons() -> None:
    body = "<input type=radio name=r>" * (MAX_BUTTONS + 1)
    (field,) = render(body).fields
    assert len(field.options) == MAX_BUTTONS


@pytest.mark.parametrize("options", [{"step": Step.TEXT_ONLY}, {"forms": False}])
def test_the_last_step_has_no_fields_and_nobody_else_need(options: dict[str, Any]) -> None:
    rendering = render("<form><input name=a value=shown></form>", **options)
    assert rendering.fields == ()
    assert "shown" in text(rendering)


@pytest.mark.parametrize(
    "control", ["<input name=q value=Search>", "<button>Search</button>", "<textarea>Search</textarea>"]
)
@pytest.mark.parametrize("step", [Step.FULL, Step.NO_AUTHOR_STYLES])
def test_a_field_in_a_link_is_a_field(control: str, step: Step) -> None:
    rendering = render(f"<a href=y>Home<form>{control}</form> or away</a>", step=step)
    assert len(rendering.fields) == 1
    assert set(links(rendering)) == {f"{HOST}/dir/y"}
