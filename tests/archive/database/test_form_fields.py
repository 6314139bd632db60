"""The fields of a file: their names, and that they come and go with their pages (14.10.3.4, 12.7)."""

from __future__ import annotations

import dataclasses
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf.form import Form
from PIL import Image

from tests.support.archive_samples import SITE, clock, new_database
from tests.support.crawls import tool
from tests.support.pdf_samples import plain_pdf
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.archive.pages.field_objects import _unique_names
from wcspider.archive.pages.fragments import Fragment
from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.fields import Field, FieldKind
from wcspider.pdf.webcapture.content_sets import ImageSet, PageSet
from wcspider.steps import completed
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Resource
from wcspider.webcapture.names import field_name
from wcspider.webcapture.records import Capture

Fields = Callable[[Path], Mapping[bytes, pikepdf.Object]]

FORM = "<form action=/to><input name=q value=1><input type=radio name=r value=1><input type=radio name=r value=2>"


@cache
def fragment(body: str) -> Fragment:
    """A page, rendered and taken apart."""
    return convert(Conversion(RenderTask(f"{SITE}/", body.encode()), "xhtml2pdf")).unpacked()


def capture(path: str, body: str) -> Capture:
    digest = hashlib.md5(body.encode()).digest()
    return Capture(Resource(SITE + path, body.encode(), "text/html", fetched=clock()), "utf-8", digest, digest, "title")


def add(database: ContentDatabase, path: str, body: str) -> Stored:
    return completed(database.add_page_set(capture(path, body), fragment(body), (), None, None))


def replace(database: ContentDatabase, stored: Stored, path: str, body: str) -> Stored:
    return completed(database.replace_page_set(stored, capture(path, body), fragment(body), (), None, None))


@contextmanager
def database_at(path: Path) -> Iterator[ContentDatabase]:
    database = new_database(path) if not path.exists() else ContentDatabase.open(path, clock)
    try:
        yield database
        database.finish()
    finally:
        database.close()


@pytest.fixture
def fields() -> Iterator[Fields]:
    """The fields of a file by their names, by the library of qpdf; neither qpdf nor our own check finds anything."""
    with ExitStack() as stack:

        def read(path: Path) -> Mapping[bytes, pikepdf.Object]:
            tool("qpdf", "--check", path)
            assert list(check_file(path)) == []
            form = stack.enter_context(pikepdf.open(path)).Root.get("/AcroForm")
            roots = [] if form is None else list(form.Fields)
            names = [bytes(field.T) for field in roots]
            assert len(set(names)) == len(names)
            return dict(zip(names, roots, strict=True))

        yield read


def unique(original: str, body: str) -> bytes:
    return field_name(original.encode(), hashlib.md5(body.encode()).digest())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "site.pdf"


def test_names_are_those_of_the_page_with_the_identifier(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        add(database, "/", FORM)
    found = fields(path)
    assert set(found) == {unique("q", FORM), unique("r", FORM)}
    assert {str(field.TM) for field in found.values()} == {"q", "r"}


def test_equal_names_of_two_page_sets_are_two(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        add(database, "/a", FORM)
        add(database, "/b", FORM + "b")
    assert len(fields(path)) == 4


def test_equal_names_of_one_page_are_two(path: Path, fields: Fields) -> None:
    body = "<form><input name=q></form><form><input name=q><input type=checkbox name=q>"
    with database_at(path) as database:
        add(database, "/", body)
    assert set(fields(path)) == {unique(name, body) for name in ("q", "q#2", "q#3")}


@given(st.lists(st.sampled_from(["a", "a#2", "a#3", "b", ""])))
def test_fields_of_a_page_have_different_names(names: list[str]) -> None:
    found = _unique_names([Field(FieldKind.TEXT, name) for name in names])
    assert len(set(found)) == len(names)
    firsts = {name: found[names.index(name)] for name in filter(None, names)}
    assert all(name == first for name, first in firsts.items())


FILLED_FORM = (
    "<form><input name=q value=1><input name=empty><textarea name=long>first</textarea><input type=checkbox name=c>"
    "<input type=radio name=r value=1 checked><input type=radio name=r value=2>"
    "<select name=s><option>red<option>green</select><select name=l size=2><option>1<option>2</select>"
)


def test_fields_of_a_changed_page_have_its_identifier_and_what_was_filled_in(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        before = add(database, "/", FILLED_FORM)
    fill(path)
    new = "<p>changed</p>" + FILLED_FORM.replace("value=1><input name=empty", "value=7><input name=empty")
    with database_at(path) as database:
        stored = database.page_set(before.content.identifier)
        assert stored is not None
        replace(database, stored, "/", new)
    found = fields(path)
    assert set(found) == {unique(name, new) for name in ("q", "empty", "long", "c", "r", "s", "l")}
    held = {bytes(field["/WCSP_Name"]).decode(): str(field.V) for field in found.values() if "/V" in field}
    assert held == {"q": "7", "empty": "Renée", "long": "mine", "c": "/on", "r": "/2", "s": "green", "l": "2"}
    assert [str(kid.AS) for kid in found[unique("r", new)].Kids] == ["/Off", "/2"]
    assert str(found[unique("c", new)].AS) == "/on"
    assert list(found[unique("l", new)].I) == [1]
    shown = tool("pdftotext", path, "-")
    assert all(word in shown for word in ("Renée", "mine", "green"))


def fill(path: Path) -> None:
    """Fill in all fields but the first, as a user does."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        form = Form(pdf)
        names = {bytes(field["/WCSP_Name"]).decode(): str(field.T) for field in pdf.Root.AcroForm.Fields}
        form[names["empty"]].value, form[names["long"]].value = "Renée", "mine"
        form[names["c"]].checked = True
        form[names["r"]].options[1].select()
        form[names["s"]].value, form[names["l"]].value = "green", "2"
        pdf.save(path)


def test_a_page_set_that_comes_back_has_its_names(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        replace(database, add(database, "/a", FORM), "/a", FORM + "changed")
        database.commit()
        add(database, "/b", FORM)
    assert set(fields(path)) == {unique(name, body) for name in ("q", "r") for body in (FORM, FORM + "changed")}


def test_fields_go_with_their_pages(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        stored = add(database, "/a", FORM)
        add(database, "/b", FORM + "b")
    with database_at(path) as database:
        database.remove_page_set(stored)
    assert len(fields(path)) == 2
    with database_at(path) as database:
        found = database.page_set(hashlib.md5((FORM + "b").encode()).digest())
        assert found is not None
        database.remove_page_set(found)
    assert fields(path) == {}
    with pikepdf.open(path) as pdf:
        assert "/AcroForm" not in pdf.Root


def test_the_fields_are_listed_when_a_run_ends_however_many_revisions_it_had(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        for place in ("/a", "/b", "/c"):
            add(database, place, FORM + place)
            database.commit()
            assert database.file.resolve(database.catalog.form)["Fields"] == []
    assert len(fields(path)) == 6
    with pikepdf.open(path) as pdf:
        assert set(pdf.Root.AcroForm.keys()) == {"/Fields", "/DR", "/DA"}


def test_fields_of_somebody_else_stay(path: Path, fields: Fields) -> None:
    plain_pdf(1, path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        widget = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, Rect=[0, 0, 9, 9], FT=pikepdf.Name.Tx, T="theirs"
            )
        )
        pdf.pages[0].Annots = pikepdf.Array([widget])
        direct = pikepdf.Dictionary(FT=pikepdf.Name.Tx, T="direct")
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[widget, direct], DA=b"/Other 9 Tf", SigFlags=0)
        pdf.save(path)
    with database_at(path) as database:
        stored = add(database, "/", FORM)
    assert set(fields(path)) == {b"theirs", b"direct", unique("q", FORM), unique("r", FORM)}
    with database_at(path) as database:
        database.remove_page_set(stored)
    assert set(fields(path)) == {b"theirs", b"direct"}
    with pikepdf.open(path) as pdf:
        assert bytes(pdf.Root.AcroForm.DA) == b"/Other 9 Tf"


def test_a_list_begins_where_something_is_chosen(path: Path, fields: Fields) -> None:
    body = "<select name=s size=2><option>1<option>2<option>3<option selected>4<option>5</select>"
    with database_at(path) as database:
        add(database, "/", body)
    [field] = fields(path).values()
    assert (list(field.I), field.TI) == ([3], 3)


BODIES = [
    "<form><input name=q><input name=r></form>",
    "<form><input name=q><input type=checkbox name=q></form>",
    "<form><select name=r><option>1</select><input name=q></form>",
    "<p>none",
]
STEPS = st.tuples(st.sampled_from(["/a", "/b", "/c"]), st.sampled_from([*BODIES, None]))


def names_of(database: ContentDatabase, stored: Stored) -> dict[str, bytes]:
    """The names of the fields of a page set, by their original ones."""
    assert isinstance(stored.content, PageSet)
    widgets = [entry for page in stored.content.objects for entry in database.file.get(page).get("Annots") or ()]
    found = [database.file.get(widget) for widget in widgets]
    return {field["WCSP_Name"].decode(): field["T"] for field in found}


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, max_size=8))
def test_names_are_unique_whatever_comes_and_goes(steps: list[tuple[str, str | None]]) -> None:
    with TemporaryDirectory() as folder, database_at(Path(folder) / "site.pdf") as database:
        held: dict[str, tuple[str, Stored]] = {}
        names: dict[str, dict[str, bytes]] = {}
        for place, body in steps:
            if body in (other for other, _ in held.values()):
                continue  # the page set gets a source, and its fields stay
            names.pop(place, None)
            if body is None:
                if place in held:
                    database.remove_page_set(held.pop(place)[1])
                continue
            stored = replace(database, held[place][1], place, body) if place in held else add(database, place, body)
            held[place], names[place] = (body, stored), names_of(database, stored)
            assert all(name == unique(original, body) for original, name in names[place].items())
            everything = [name for found in names.values() for name in found.values()]
            assert len(set(everything)) == len(everything)
            database.commit()
        database.finish()
        form = database.file.resolve(database.catalog.form) or {"Fields": []}
        listed = [database.file.get(field)["T"] for field in database.file.resolve(form["Fields"])]
        assert sorted(listed) == sorted(name for found in names.values() for name in found.values())


def test_images_of_buttons_are_counted(path: Path, fields: Fields) -> None:
    png = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(png, "PNG")
    image = Resource(f"{SITE}/i.png", png.getvalue(), "image/png", fetched=clock())
    body = "<form><input type=image src=i.png></form>"
    task = RenderTask(f"{SITE}/", body.encode(), assets={image.url: Asset(image.body, image.content_type)})
    with_image = dataclasses.replace(
        capture("/", body), auxiliaries=(Auxiliary(image.url, AuxiliaryKind.IMAGE, image),)
    )
    with database_at(path) as database:
        rendered = convert(Conversion(task, "xhtml2pdf")).unpacked()
        stored = completed(database.add_page_set(with_image, rendered, (), None, None))
    assert len(fields(path)) == 1
    with database_at(path) as database:
        counts = [found.content.counts for found in database.content_sets() if isinstance(found.content, ImageSet)]
        assert counts == [(1,)]
        replace(database, stored, "/", FORM)
        for identifier in database.images.pop_unshown():
            database.images.remove_if_unshown(identifier)
    assert len(fields(path)) == 2


def test_fields_of_pdf_sources_are_left_alone(path: Path, fields: Fields, tmp_path: Path) -> None:
    """Equal annotations of two sources may be one object."""
    with pikepdf.open(plain_pdf(1, tmp_path / "source.pdf"), allow_overwriting_input=True) as pdf:
        widget = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, Rect=[0, 0, 9, 9], T="t")
        pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(widget)])
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pdf.pages[0].Annots)
        pdf.save()
    source = (tmp_path / "source.pdf").read_bytes()
    found = convert(Conversion(RenderTask(f"{SITE}/", source, "application/pdf"), "xhtml2pdf")).unpacked()
    with database_at(path) as database:
        first = completed(database.add_page_set(capture("/a", "a"), found, (), None, None))
        completed(database.add_page_set(capture("/b", "b"), found, (), None, None))
        database.commit()
        database.remove_page_set(first)
    assert fields(path) == {}
    with pikepdf.open(path) as pdf:
        assert [str(widget.T) for widget in pdf.pages[0].Annots] == ["t"]


def test_a_file_written_anew_has_its_fields(path: Path, fields: Fields) -> None:
    with database_at(path) as database:
        replace(database, add(database, "/a", FORM), "/a", FORM + "changed")
    before = {name: str(field.TM) for name, field in fields(path).items()}
    optimize(path)
    assert {name: str(field.TM) for name, field in fields(path).items()} == before
    with database_at(path) as database:
        add(database, "/b", FORM)
    assert len(fields(path)) == 4


def test_what_cannot_be_a_name_is_an_option(path: Path, fields: Fields) -> None:
    body = "<form>" + "".join(f"<input type=radio name=r value='{value}'>" for value in ("größe", "", "a b"))
    with database_at(path) as database:
        add(database, "/", body)
    [field] = fields(path).values()
    assert [str(value) for value in field.Opt] == ["größe", "", "a b"]
    assert [sorted(kid.AP.N.keys()) for kid in field.Kids] == [[f"/{n}", "/Off"] for n in range(3)]


def test_a_form_is_sent_with_what_it_has(path: Path, fields: Fields) -> None:
    body = (
        "<form method=post action=/to?a=b><input name=a><input type=hidden name=h value=1><input name=off disabled>"
        "<input value=nameless><input name=gone style='display: none' value=2><button name=go value=x>Go</button>"
        "<input type=submit><input type=reset></form><form action='javascript:x()'><input name=z><button>Z</button>"
    )
    with database_at(path) as database:
        add(database, "/", body)
    found = {bytes(field["/WCSP_Name"]).decode(): field for field in fields(path).values()}
    go, plain, reset, script = (found[name] for name in ("button", "button#2", "button#3", "button#4"))
    assert [str(field.TM) for field in go.A.Fields] == ["a", "h", "gone", "go"]
    assert [str(field.TM) for field in plain.A.Fields] == ["a", "h", "gone"]
    assert (str(go.A.S), str(go.A.F.F), int(go.A.Flags)) == ("/SubmitForm", f"{SITE}/to?a=b", 4)
    assert str(reset.A.S) == "/ResetForm"
    assert [str(f.get("/TM", "")) for f in reset.A.Fields] == ["a", "off", ""]
    assert "/A" not in script
    assert [int(found[name].F) for name in ("h", "gone", "go")] == [2, 2, 2]
    assert str(found["gone"].V) == "2"
