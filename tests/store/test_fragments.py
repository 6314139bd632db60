"""store/fragments.py: Link annotations taken out of a PDF file."""

from __future__ import annotations

import io

import pikepdf
import pytest

from wcspider.engines.base import Rendering
from wcspider.pdf.objects import Name, Ref, read
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
