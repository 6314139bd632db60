"""The active content of PDF sources: removed by default, kept on request; ordinary links stay."""

from __future__ import annotations

import io

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from tests.support.archive_samples import NOW, SITE, new_database
from wcspider.archive.pages.active_content import remove_active_content
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.engines.base import RenderTask
from wcspider.steps import completed
from wcspider.web.resources import Resource
from wcspider.webcapture.records import Capture

SCRIPT = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))
URI = Dictionary(S=Name.URI, URI=String("https://example.com/"))


def uri(target):
    """Make a URI action."""
    return Dictionary(S=Name.URI, URI=String(target))


# an action, the kinds that are removed, whether the action stays
ACTIONS = [
    (URI, [], True),
    (uri("mailto:a@example.com"), [], True),
    (uri("relative/file.html"), [], True),
    (Dictionary(S=Name.GoTo, D=Array([0, Name.Fit])), [], True),
    (Dictionary(S=Name.Named, N=Name.NextPage), [], True),
    (Dictionary(S=Name.Named, N=Name.Print), ["Named action"], False),
    (SCRIPT, ["JavaScript action"], False),
    (Dictionary(S=Name.Launch, F=String("calc.exe")), ["Launch action"], False),
    (Dictionary(S=Name.GoToR, F=String("other.pdf")), ["GoToR action"], False),
    (Dictionary(S=Name.GoToE, F=String("inner.pdf")), ["GoToE action"], False),
    (Dictionary(S=Name.SubmitForm, F=String("http://h/")), ["SubmitForm action"], False),
    (Dictionary(S=Name.ImportData, F=String("data.fdf")), ["ImportData action"], False),
    (Dictionary(S=Name.Rendition, OP=0), ["Rendition action"], False),
    (Dictionary(S=Name.RichMediaExecute), ["RichMediaExecute action"], False),
    (uri("javascript:alert(1)"), ["javascript: URI"], False),
    (uri(" JAVA\tscript:alert(1)"), ["javascript: URI"], False),
    (uri("file:///etc/passwd"), ["file: URI"], False),
    (Dictionary(S=Name.URI, URI=String("https://h/"), Next=SCRIPT), ["JavaScript action"], True),
    (Dictionary(S=Name.URI, URI=String("https://h/"), Next=Array([URI, SCRIPT])),
     ["JavaScript action", "chained action"], True),
    (Dictionary(S=Name.JavaScript, Next=Dictionary(S=Name.Launch)), ["JavaScript action", "Launch action"], False),
    (Dictionary(), ["unknown action"], False),
    (String("no action"), ["invalid action"], False),
]  # fmt: skip


def document(annotation=None, **page):
    """Make a document with one page, and one annotation on it."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(100, 100))
    if annotation is not None:
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(annotation)])
    for key, value in page.items():
        pdf.pages[0].obj[f"/{key}"] = value
    return pdf


def unparsed(pdf):
    """Return the syntax of all dictionaries of a document."""
    return b"".join(obj.unparse(resolved=True) for obj in pdf.objects if isinstance(obj, Dictionary))


@pytest.mark.parametrize(("action", "kinds", "stays"), ACTIONS)
def test_actions(action, kinds, stays):
    with document(Dictionary(Subtype=Name.Link, Rect=[0, 0, 9, 9], A=action)) as pdf:
        removed = remove_active_content(pdf)
        [annotation] = pdf.pages[0].Annots
        assert sorted(removed.elements()) == kinds
        assert ("/A" in annotation) == stays
        assert not stays or "/Next" not in annotation.A
        assert not remove_active_content(pdf)


@pytest.mark.parametrize("subtype", ["FileAttachment", "RichMedia", "Screen", "Movie", "Sound", "3D"])
def test_annotations_that_are_media_or_files_are_removed(subtype):
    with document(Dictionary(Subtype=Name(f"/{subtype}"), Rect=[0, 0, 9, 9])) as pdf:
        assert sum(remove_active_content(pdf).values()) == 1
        assert len(pdf.pages[0].Annots) == 0


def test_triggers_of_pages_widgets_and_fields_are_removed():
    widget = Dictionary(Subtype=Name.Widget, Rect=[0, 0, 9, 9], AA=Dictionary(E=SCRIPT))
    with document(widget, AA=Dictionary(O=SCRIPT, C=Dictionary(S=Name.Launch)), AF=Array([])) as pdf:
        pdf.pages[0].Annots[0].Parent = pdf.make_indirect(Dictionary(T=String("f"), AA=Dictionary(K=SCRIPT)))
        assert remove_active_content(pdf) == {"JavaScript action": 3, "Launch action": 1, "file attachment": 1}
        assert b"JavaScript" not in unparsed(pdf)


def test_chains_and_fields_that_contain_themselves_end():
    with document(Dictionary(Subtype=Name.Widget, Rect=[0, 0, 9, 9])) as pdf:
        [widget] = pdf.pages[0].Annots
        action = pdf.make_indirect(Dictionary(S=Name.JavaScript))
        action.Next = Array([action, action])
        widget.A, widget.Parent = action, widget
        assert remove_active_content(pdf)["JavaScript action"] > 1
        assert "/A" not in widget


@pytest.mark.parametrize("keeps_active", [False, True])
def test_a_captured_document_is_passive_unless_the_user_wants_it(tmp_path, keeps_active):
    out = io.BytesIO()
    with document(Dictionary(Subtype=Name.Link, Rect=[0, 0, 9, 9], A=SCRIPT), AA=Dictionary(O=SCRIPT)) as pdf:
        pdf.pages[0].Annots.append(Dictionary(Subtype=Name.Link, Rect=[0, 0, 9, 9], A=URI))
        pdf.save(out)
    task = RenderTask(f"{SITE}/a.pdf", out.getvalue(), "application/pdf")
    fragment = convert(Conversion(task, "xhtml2pdf", keeps_active=keeps_active)).unpacked()
    assert fragment.notes.removed_active == (() if keeps_active else ("JavaScript action",))
    database = new_database(tmp_path / "site.pdf")
    resource = Resource(task.url, task.body, task.media_type, fetched=NOW)
    completed(database.add_page_set(Capture(resource, "", resource.digest), fragment, (), None, None))
    database.finish()
    database.close()
    with pikepdf.open(tmp_path / "site.pdf") as pdf:
        assert (b"JavaScript" in unparsed(pdf)) == keeps_active
        assert [str(a.A.URI) for a in pdf.pages[0].Annots if a.get("/A", {}).get("/S") == "/URI"] == [str(URI.URI)]
