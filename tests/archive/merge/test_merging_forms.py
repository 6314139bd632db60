"""The fields of merged files have unique names (14.10.3.4), their values, and the actions that concern them."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Dictionary, Name, String
from pikepdf.form import Form

from tests.archive.database.test_form_fields import add, capture, database_at
from tests.support.crawls import tool
from tests.support.merging import merged
from wcspider.archive.check.checker import check_file
from wcspider.webcapture.names import field_name

FORM = (
    "<form action=/to><input name=q value=1><input type=checkbox name=c value=yes checked>"
    "<input type=radio name=r value=1><input type=radio name=r value=2 checked>"
    "<select name=s><option>one<option selected>two</select>"
    "<textarea name=t>long\ntext</textarea><input type=submit name=go><input type=reset></form>"
)
NORTH, SOUTH = f"<p>north{FORM}", f"<p>south{FORM}"


def form_file(path: Path, page: str, body: str) -> Path:
    """A file with one page, as a capture lays it out."""
    with database_at(path) as database:
        add(database, page, body)
    return path


def fields_of(path: Path) -> dict[bytes, dict[str, object]]:
    """The fields of a file without the entries that depend on object numbers and page names."""
    found = {}
    with pikepdf.open(path) as pdf:
        names = {field.objgen: bytes(field.T) for field in pdf.Root.AcroForm.Fields}
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages)}
        for field in pdf.Root.AcroForm.Fields:
            widgets = list(field.get("/Kids", [field]))
            assert all(widget.P.objgen in numbers for widget in widgets)
            entries = {
                key: field[key].unparse() if isinstance(field[key], pikepdf.Object) else field[key]
                for key in ("/FT", "/Ff", "/V", "/DV", "/Opt", "/TM", "/MaxLen", "/WCSP_Name")
                if key in field
            }
            action = field.get("/A", {})
            concerned = [names[other.objgen] for other in action.get("/Fields", [])]
            shown = [(repr(widget.Rect), str(widget.get("/AS", "")), "/AP" in widget) for widget in widgets]
            found[bytes(field.T)] = {
                "entries": entries,
                "action": (str(action.get("/S", "")), concerned),
                "shown": shown,
            }
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two files with the same form on different pages, and a capture of both."""
    folder = tmp_path_factory.mktemp("forms")
    both = form_file(folder / "both.pdf", "/north", NORTH)
    return {
        "north": form_file(folder / "north.pdf", "/north", NORTH),
        "south": form_file(folder / "south.pdf", "/south", SOUTH),
        "both": form_file(both, "/south", SOUTH),
    }


def test_fields_equal_those_of_one_capture(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    merged(out, files["north"], files["south"])
    assert fields_of(out) == fields_of(files["both"])
    assert len(fields_of(out)) == 2 * len(fields_of(files["north"]))
    assert list(check_file(out)) == []
    tool("qpdf", "--check", out)


def test_values_that_a_user_has_filled_in_are_taken_over(files: dict[str, Path], tmp_path: Path) -> None:
    filled = tmp_path / "filled.pdf"
    name = field_name(b"q", capture("/north", NORTH).identifier)
    with pikepdf.open(files["north"]) as pdf:
        [field] = [field for field in pdf.Root.AcroForm.Fields if bytes(field.T) == name]
        field.V = String("typed")
        pdf.save(filled)
    out = tmp_path / "out.pdf"
    merged(out, filled, files["south"])
    assert fields_of(out)[name]["entries"]["/V"] == b"(typed)"
    with pikepdf.open(out) as pdf:
        assert Form(pdf)[name.decode()].value == "typed"
    report = merged(tmp_path / "again.pdf", files["north"], filled)
    assert report.left == {
        "values filled into fields of pages that the merged file has already": (
            1,
            ["filled.pdf: http://example.com/north"],
        )
    }


def test_comments_on_pages_that_the_merged_file_has_are_reported(files: dict[str, Path], tmp_path: Path) -> None:
    for name, texts in (("one.pdf", ["same"]), ("two.pdf", ["same", "other"])):
        with pikepdf.open(files["north"]) as pdf:
            notes = [
                Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=[1, 2, 3, 4], Contents=String(text))
                for text in texts
            ]
            pdf.pages[0].Annots.extend(map(pdf.make_indirect, notes))
            pdf.save(tmp_path / name)
    out = tmp_path / "out.pdf"
    report = merged(out, tmp_path / "one.pdf", tmp_path / "two.pdf", files["north"])
    comments = "comments on pages that the merged file has already"
    assert report.left == {comments: (1, ["two.pdf: http://example.com/north"])}
    with pikepdf.open(out) as pdf:
        assert [str(note.Contents) for note in pdf.pages[0].Annots if note.Subtype == "/Text"] == ["same"]
