"""store/fragments.py: Link annotations taken out of a PDF file."""

from __future__ import annotations

import io
from decimal import Decimal

import pikepdf
import pytest

from tests.pdf_samples import handmade_pdf
from wcspider.engines.base import Rendering
from wcspider.pdf.objects import Name, Ref, Stream, read
from wcspider.store.fragments import LinkAnnotation, take_apart

URI = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String("http://h/(a"))


def annotations_of(**entries):
    """Return the annotations of the one page of a document that has a Link annotation with these entries."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page()
    link = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[1, 2, 3, 4], **entries)
    page.obj.Annots = pikepdf.Array([pdf.make_indirect(link), link])
    if "P" in entries:
        page.obj.Annots[0].P = page.obj
    data = io.BytesIO()
    pdf.save(data)
    fragment = take_apart(Rendering(data.getvalue()))
    return fragment.objects[0]["Annots"]


def test_a_link_to_a_uri_is_written_but_for_its_action():
    for link in annotations_of(A=URI, Contents=pikepdf.String("1 0 (x")):
        assert isinstance(link, LinkAnnotation)
        assert link.uri == b"http://h/(a"
        expected = {"Type": "Annot", "Subtype": "Link", "Rect": [1, 2, 3, 4], "Contents": b"1 0 (x"}
        assert read(link.leading_to(Ref(7))) == {**expected, "A": Ref(7)}
        assert read(link.leading_to(None)) == {**expected, "A": {"S": "URI", "URI": b"http://h/(a"}}


@pytest.mark.parametrize(
    "entries",
    [
        {"A": pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String("http://h/"), Next=URI)},  # it does more
        {"A": URI, "StructParent": 3},  # a number that means something in its document only
        {"A": URI, "P": 0},  # it refers to its page
        {"A": pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=pikepdf.Array([0]))},
        {"Dest": pikepdf.Array([0])},
    ],
)
def test_any_other_link_is_a_dictionary(entries):
    for link in annotations_of(**entries):
        assert link["Subtype"] == Name("Link")
        assert "P" not in link
        assert "StructParent" not in link


def test_indirect_numbers_and_deleted_annotations_are_read(tmp_path):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 7 0 R/Rotate 9 0 R/Resources<</XObject 99 0 R>>>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 8 0 R]/Contents 4 0 R/Annots[99 0 R null 5 0 R]>>",
        4: b"<</Length 6 0 R>>\nstream\n0 0 9 9 re\nendstream",
        5: b"<</Subtype/Text/Rect[0 0 9 9]/Open 10 0 R/P 3 0 R>>",
        6: b"10",
        7: b"1",
        8: b"200.5",
        9: b"90",
        10: b"true",
    }
    made = take_apart(Rendering(handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()))
    [page] = [made.objects[index] for index in made.pages]
    [note] = page["Annots"]
    assert made.objects[page["Contents"].number] == Stream({}, b"0 0 9 9 re")
    assert made.objects[page["MediaBox"][3].number] == Decimal("200.5")
    assert made.objects[page["Rotate"].number] == 90
    assert read(made.objects[note.number].filled())["Subtype"] == "Text"
