"""Forms of a real site, captured, filled in and sent by programs that are not ours."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from pikepdf.form import Form
from PIL import Image, ImageChops
from pypdf import PdfReader, PdfWriter

from tests.support.crawls import FIXED_TIME, captured, crawl_arguments, dying, run, tool, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page

ORDER = """<title>Order</title><h1>Order</h1><form method=post action=/order>
<p>Name <input name=name value="Ελλάδα 日本語 Grüße" size=40> <input name=word value="سلام">
<p><input type=password name=password value=hunter2>
<p><input type=checkbox name=day value=mo checked> Monday <input type=checkbox name=day value=tu> Tuesday
<p><input type=radio name=size value=s> small <input type=radio name=size value=m checked> medium
<p><select name=colour><option value=r>Red<option value=g selected>Green</select>
<select name=extras multiple><option>Cheese<option selected>Ham<option>Nuts</select>
<p><textarea name=remarks rows=3>As it was</textarea><input type=hidden name=token value=t1>
<p><input type=submit value="Send it"> <button type=reset>Start again</button></form>"""
SEARCH = "<title>{0}</title><p>{0}<form action=/search><input name=q><button>Search</button></form>"
SITE: Site = {
    "/": page(f"{ORDER}<p><a href=/a>a</a> <a href=/b>b</a>"),
    "/a": page(SEARCH.format("first")),
    "/b": page(SEARCH.format("second")),
}
FIXED = {"WEBCAPTURE_FIXED_TIME": FIXED_TIME}


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    with SiteServer(SITE) as server:
        yield server


@pytest.fixture(scope="module")
def pdf(site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site in a file. Not to be written to."""
    path = tmp_path_factory.mktemp("forms") / "site.pdf"
    captured(site.url(), path, FIXED, levels=2)
    return path


def is_right(path: Path) -> bool:
    """Whether qpdf and the check find no fault in a file."""
    tool("qpdf", "--check", path)
    return webcapture("check", path).status == 0


def names(path: Path) -> list[str]:
    """The fully qualified names of the fields of a file: none has another above it."""
    with pikepdf.open(path) as pdf:
        fields = list(pdf.Root.AcroForm.Fields) if "/AcroForm" in pdf.Root else []
        assert {field.fully_qualified_name for field in pdf.acroform.fields} == {str(field.T) for field in fields}
        return [str(field.T) for field in fields]


def originals(path: Path) -> list[str]:
    """The names that the fields are sent by."""
    with pikepdf.open(path) as pdf:
        fields = pdf.Root.AcroForm.Fields if "/AcroForm" in pdf.Root else []
        return [str(field.TM) for field in fields if "/TM" in field]


def named(path: Path) -> dict[str, str]:
    """The fully qualified names of the fields of the order, by their own."""
    with pikepdf.open(path) as pdf:
        return {bytes(field["/WCSP_Name"]).decode(): str(field["/T"]) for field in pdf.Root.AcroForm.Fields}


@contextmanager
def filled(path: Path) -> Iterator[Form]:
    """A file that is filled in by pikepdf; the file itself is written when the context ends."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        yield Form(pdf)
        pdf.save(path)


def values(path: Path) -> dict[str, object]:
    """The values of the fields, read by pypdf, without the fields of pages that only have a search."""
    fields = PdfReader(path).trailer["/Root"]["/AcroForm"]["/Fields"]
    found = (field.get_object() for field in fields)
    return {str(field.get("/WCSP_Name")): field.get("/V") for field in found if field.get("/FT")}


def test_every_element_of_the_forms_is_a_field(pdf: Path) -> None:
    assert sorted(originals(pdf)) == sorted(
        ["name", "word", "password", "day", "day", "size", "colour", "extras", "remarks", "token", "q", "q"]
    )
    assert len(set(names(pdf))) == len(names(pdf)) == 12 + 4
    assert not any("." in name for name in names(pdf))
    assert is_right(pdf)


def test_what_a_reader_saw_is_in_the_text(pdf: Path) -> None:
    shown = tool("pdftotext", pdf, "-")
    for word in ("Ελλάδα", "日本語", "Grüße", "سلام", "Green", "Cheese", "Ham", "Send", "Start", "Search"):
        assert word in shown
    assert "hunter2" not in shown
    assert b"hunter2" not in unpacked(pdf)


def unpacked(path: Path) -> bytes:
    with pikepdf.open(path) as pdf:
        kept = (obj for obj in pdf.objects if isinstance(obj, pikepdf.Array | pikepdf.Dictionary))
        return b"".join(obj.unparse(resolved=True) for obj in kept)


def test_fields_are_seen_in_each_reader(pdf: Path, tmp_path: Path) -> None:
    """The rectangle of each field that is shown has ink in it, in poppler, MuPDF and PDFium."""
    tool("pdftoppm", "-r", 72, "-f", 1, "-l", 1, "-png", "-singlefile", pdf, tmp_path / "poppler")
    tool("mutool", "draw", "-q", "-r", 72, "-o", tmp_path / "mupdf.png", pdf, 1)
    document = pypdfium2.PdfDocument(pdf)
    document.init_forms()
    document[0].render(scale=1, may_draw_forms=True).to_pil().save(tmp_path / "pdfium.png")
    document.close()
    with pikepdf.open(pdf) as file:
        widgets = [a for a in file.pages[0].Annots if a.Subtype == "/Widget" and not int(a.F) & 2]
        boxes = [[float(edge) for edge in widget.Rect] for widget in widgets]
        height = float(file.pages[0].MediaBox[3])
    assert len(boxes) == 12
    for name in ("poppler", "mupdf", "pdfium"):
        seen = Image.open(tmp_path / f"{name}.png").convert("L")
        for left, bottom, right, top in boxes:
            part = seen.crop((int(left), int(height - top), int(right) + 1, int(height - bottom) + 1))
            assert ImageChops.invert(part).getbbox() is not None, name


@pytest.mark.odd_pdfs
def test_what_is_filled_in_is_read_back(pdf: Path, tmp_path: Path) -> None:
    copy = tmp_path / "filled.pdf"
    copy.write_bytes(pdf.read_bytes())
    field = named(copy)
    with filled(copy) as form:
        form[field["name"]].value = "Renée"
        form[field["password"]].value = "new"
        form[field["remarks"]].value = "one\ntwo"
        form[field["day"]].checked = False
        form[field["day#2"]].checked = True
        form[field["size"]].options[0].select()
        form[field["colour"]].value = "r"
    found = values(copy)
    assert [found[name] for name in ("name", "password", "remarks", "word")] == ["Renée", "new", "one\ntwo", "سلام"]
    assert [found[name] for name in ("day", "day#2", "size", "colour")] == ["/Off", "/tu", "/s", "r"]
    assert is_right(copy)


def test_what_pypdf_fills_in_is_shown_by_others(pdf: Path, tmp_path: Path) -> None:
    copy = tmp_path / "filled.pdf"
    field = named(pdf)
    writer = PdfWriter(clone_from=pdf)
    filling = {field["name"]: "Filled", field["day"]: "/Off", field["size"]: "/s", field["remarks"]: "Remarkable"}
    writer.update_page_form_field_values(writer.pages[0], filling, auto_regenerate=False)
    writer.write(copy)
    shown = tool("pdftotext", "-raw", copy, "-")
    assert "Filled" in shown
    assert "Remarkable" in shown
    assert "Ελλάδα" not in shown
    with pikepdf.open(copy) as file:
        found = {bytes(entry["/WCSP_Name"]).decode(): entry for entry in file.Root.AcroForm.Fields}
        assert found["day"].AS == "/Off"
        assert [str(kid.AS) for kid in found["size"].Kids] == ["/s", "/Off"]


def test_buttons_send_and_reset_their_form(pdf: Path, site: SiteServer) -> None:
    with pikepdf.open(pdf) as file:
        actions = [field.A for field in file.Root.AcroForm.Fields if "/A" in field]
        of_order = ["name", "word", "password", "day", "day", "size", "colour", "extras", "remarks"]
        sent, reset, *searches = (
            (str(a.S), str(a.F.F) if "/F" in a else "", [str(f.TM) for f in a.Fields], int(a.get("/Flags", 0)))
            for a in actions
        )
    assert sent == ("/SubmitForm", site.url("/order"), [*of_order, "token"], 4)
    assert reset == ("/ResetForm", "", of_order, 0)
    assert searches == [("/SubmitForm", site.url("/search"), ["q"], 12)] * 2


def test_two_captures_are_the_same_bytes(pdf: Path, site: SiteServer, tmp_path: Path) -> None:
    again = tmp_path / pdf.name
    captured(site.url(), again, FIXED, levels=2)
    assert again.read_bytes() == pdf.read_bytes()


def test_a_capture_that_was_killed_has_all_fields(pdf: Path, site: SiteServer, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    settings = {**FIXED, "WEBCAPTURE_BATCH_PAGES": 1}
    command = crawl_arguments(site.url(), path, settings, levels=2)
    assert dying("half a revision", 2, *command).status == -signal.SIGKILL
    assert not path.exists()
    captured(site.url(), path, settings, levels=2)
    assert names(path) == names(pdf)
    assert is_right(path)


def test_names_are_unique_and_follow_a_refresh(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with_more = page(SEARCH.format("first") + "<form><input name=more></form>")
    site = server({"/a": page(SEARCH.format("first")), "/b": page(SEARCH.format("second"))})
    captured(site.url("/a"), path)
    captured(site.url("/b"), path)
    before = names(path)
    assert len(set(before)) == 4
    site.update({"/a": with_more, "/b": Reply(b"", 410)})
    assert run("crawl", "refresh", "-a", f"pdf={path}", "-a", "gone=drop").status == 0
    assert sorted(originals(path)) == ["more", "q"]
    assert not set(names(path)) & set(before)
    captured(site.url("/a"), path)
    assert len(set(names(path))) == len(names(path)) == 3
    assert webcapture("optimize", path).status == 0
    assert sorted(originals(path)) == ["more", "q"]
    assert is_right(path)
    site.update({"/a": page("<p>no form any more")})
    assert run("crawl", "refresh", "-a", f"pdf={path}").status == 0
    assert originals(path) == []
    assert is_right(path)


def test_a_page_of_two_urls_has_its_fields_once(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    same = page(SEARCH.format("same"))
    site = server({"/": page("<a href=/a>a</a> <a href=/b>b</a>"), "/a": same, "/b": same})
    captured(site.url(), path, levels=2)
    assert originals(path) == ["q"]
