"""The merge of files of Acrobat and of files with every structure of 14.10; other content is reported."""

from __future__ import annotations

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from tests.support import pdf_samples
from tests.support.archive_samples import rendered
from tests.support.crawls import Archive, tool
from tests.support.merging import captured_file, jumps, merged
from tests.support.pdf_samples import SITE, md5
from wcspider.archive.check.checker import check_file
from wcspider.webcapture.names import encode_identifier, field_name

ACROBAT_HOME = md5("acrobat home.\\\0")


def checked(path):
    """Assert that no rule of the clause is violated and that qpdf finds nothing."""
    assert list(check_file(path)) == []
    tool("qpdf", "--check", path)
    tool("mutool", "info", path)
    return path


@pytest.fixture
def acrobat(tmp_path):
    return pdf_samples.acrobat_pdf(tmp_path / "acrobat.pdf")


@pytest.fixture
def conforming(tmp_path):
    return pdf_samples.conforming_pdf(tmp_path / "conforming.pdf")


@pytest.mark.parametrize("order", [("acrobat", "conforming"), ("conforming", "acrobat")])
def test_files_of_other_programs_are_merged(order, acrobat, conforming, tmp_path):
    files = {"acrobat": acrobat, "conforming": conforming}
    out = tmp_path / "out.pdf"
    report = merged(out, *(files[name] for name in order))
    with Archive(checked(out)) as archive:
        assert len(archive.urls[f"{SITE}/"]) == 2
        assert archive.image_set(f"{SITE}/logo.gif").counts == (3,)
        assert archive.image_set(f"{SITE}/animation.gif").counts == (1, 1)
        assert archive.image_set(f"{SITE}/photo.jpg").counts == (1,)
        assert archive.page_set("http://example.com/").sources[0].chains == (
            ("http://example.com/",),
            (f"{SITE}/old", f"{SITE}/older"),
        )
        assert [str(command.URL) for command in archive.commands].count(f"{SITE}/") == 2
        [command] = [command for command in archive.commands if "/L" not in command and "/F" not in command]
        assert command.S.G.PgSz == [595, 842]
        assert [float(page.get("/PZ", 0)) for page in archive.pdf.pages].count(1.34) == 1
    assert (report.added, report.pages) == (6, 9)
    assert {reason: count for reason, (count, _) in report.left.items()} == {
        "pages that belong to no page set": 2,
        "image sets that no page shows": 1,
    }


def test_a_pdf_without_web_capture_can_be_the_output(acrobat, tmp_path):
    out = pdf_samples.plain_pdf(3, tmp_path / "out.pdf")
    merged(out, acrobat)
    with Archive(checked(out)) as archive:
        assert archive.page_set(f"{SITE}/").pages == (3,)


def test_links_lead_to_the_anchors_of_acrobat(acrobat, tmp_path):
    linking = captured_file(tmp_path / "a.pdf", [rendered("/", links=(f"{SITE}/#top", f"{SITE}/#nothing"))])
    merged(tmp_path / "out.pdf", linking, acrobat)
    assert jumps(checked(tmp_path / "out.pdf"))[0] == [(1, "/XYZ", 0, 200), (1, "/XYZ", None, None)]


def with_extras(path):
    """A file of Acrobat with a form, bookmarks, and links between its pages."""
    pdf_samples.acrobat_pdf(path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        home, other = (page.obj for page in pdf.pages)
        prefix = field_name(b"", ACROBAT_HOME)
        parent = pdf.make_indirect(Dictionary(T=String(prefix), DA=String("/Cour 9 Tf 0 g")))
        widget = pdf.make_indirect(
            Dictionary(
                Type=Name.Annot, Subtype=Name.Widget, Rect=[0, 0, 50, 20], FT=Name.Tx, T=String("q"), P=home,
                V=String("typed"), Parent=parent,
            )
        )  # fmt: skip
        send = pdf.make_indirect(
            Dictionary(
                Type=Name.Annot, Subtype=Name.Widget, Rect=[0, 30, 50, 50], FT=Name.Btn, Ff=1 << 16, T=String("go"),
                A=Dictionary(S=Name.SubmitForm, F=Dictionary(FS=Name.URL, F=String(f"{SITE}/ask"))), Parent=parent,
            )
        )  # fmt: skip
        parent.Kids = Array([widget, send])
        courier = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Courier))
        resources = Dictionary(Font=Dictionary(Cour=courier))
        pdf.Root.AcroForm = Dictionary(Fields=Array([parent]), NeedAppearances=True, DR=resources)
        named = Dictionary(S=Name.GoTo, D=String(encode_identifier(ACROBAT_HOME) + b"top"))
        links = [
            Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], A=named),
            Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], Dest=Array([other, Name.Fit])),
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Link,
                Rect=[0, 0, 9, 9],
                A=Dictionary(S=Name.URI, URI=String(f"{SITE}/twin-a")),
            ),
        ]
        home.Annots = Array([widget, send, *links])
        with pdf.open_outline() as outline:
            chapter = pikepdf.OutlineItem("Chapter")
            chapter.children.append(pikepdf.OutlineItem("Home", 0))
            outline.root += [chapter, pikepdf.OutlineItem("Other", 1)]
        pdf.save(path)
    return path


def test_forms_bookmarks_and_links_of_acrobat_are_taken_over(conforming, tmp_path):
    source = with_extras(tmp_path / "acrobat.pdf")
    out = tmp_path / "out.pdf"
    report = merged(out, source, conforming)
    with pikepdf.open(checked(out)) as pdf:
        fields = {bytes(field.T): field for field in pdf.Root.AcroForm.Fields}
        assert fields.keys() == {field_name(b"q", ACROBAT_HOME), field_name(b"go", ACROBAT_HOME)}
        question, go = (fields[field_name(name, ACROBAT_HOME)] for name in (b"q", b"go"))
        assert (str(question.V), str(question.TM), str(question.DA)) == ("typed", "q", "/Cour 9 Tf 0 g")
        assert [field.objgen for field in go.A.Fields] == [question.objgen, go.objgen]
        assert pdf.Root.AcroForm.NeedAppearances
        assert {key: str(font.BaseFont) for key, font in pdf.Root.AcroForm.DR.Font.items()} == {
            "/Cour": "/Courier",
            "/Helv": "/Helvetica",
            "/ZaDb": "/ZapfDingbats",
        }
        with pdf.open_outline() as outline:
            [chapter, *others] = outline.root
            assert [(item.title, len(item.children)) for item in (chapter, *chapter.children)] == [
                ("Chapter", 1),
                ("Home", 0),
            ]
            assert "Other" not in [item.title for item in others]
    assert jumps(out)[0] == [(0, "/XYZ", 0, 200), (3, "/XYZ", None, None)]
    assert report.left["links to pages that were not taken over"][0] == 1
    assert report.jumps == 1
    again = merged(out, source)
    assert (again.added, again.left["values filled into fields of pages that the merged file has already"][0]) == (0, 1)
    with pikepdf.open(checked(out)) as pdf, pdf.open_outline() as outline:
        assert [item.title for item in outline.root].count("Chapter") == 1


def test_parts_of_a_document_that_are_not_taken_over_are_reported(acrobat, tmp_path):
    with pikepdf.open(acrobat, allow_overwriting_input=True) as pdf:
        pdf.attachments["notes.txt"] = b"notes"
        del pdf.Root.AF
        pdf.Root.OCProperties = Dictionary(OCGs=Array(), D=Dictionary())
        pdf.save(acrobat)
    report = merged(tmp_path / "out.pdf", acrobat)
    assert report.left["parts of the document outside its pages"] == (
        2,
        ["acrobat.pdf: layers", "acrobat.pdf: attached files"],
    )
    lines = list(report.lines(tmp_path / "out.pdf"))
    assert "  parts of the document outside its pages: 2" in lines


def test_page_sets_without_pages_are_reported(conforming, tmp_path):
    with pikepdf.open(conforming, allow_overwriting_input=True) as pdf:
        del pdf.pages[-1]
        pdf.save(conforming)
    report = merged(tmp_path / "out.pdf", conforming)
    assert report.left["page sets whose pages were removed from the file"] == (1, [f"conforming.pdf: {SITE}/ask"])
    checked(tmp_path / "out.pdf")
