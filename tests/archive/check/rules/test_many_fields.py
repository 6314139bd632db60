"""A form with many fields: the file can be opened again, and its memory released, between any two of them."""

from __future__ import annotations

import pikepdf
from pikepdf import Array, Dictionary, Name

from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.entries import Handle, list_references
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.archive.check.rules.form_rules import check_forms
from wcspider.pdf.objects import Ref

FIELDS = 50


class Counting(CheckedFile):
    """A file that counts the objects that are read in a step."""

    read = most = 0

    def get(self, handle: Handle) -> object:
        """Return a value, and count it."""
        self.read += 1
        self.most = max(self.most, self.read)
        return super().get(handle)

    def step(self) -> None:
        """Begin to count anew."""
        self.read = 0


def test_fields_are_read_one_after_the_other() -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        fields = [
            pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Widget, T=f"f{number}", FT=Name.Tx))
            for number in range(FIELDS)
        ]
        pdf.Root.AcroForm = Dictionary(Fields=Array(fields))
        pdf.pages[0].Annots = Array(fields[1:])
        file = Counting(pdf)
        [finding] = check_forms(Document(file))
        assert finding.message == "0 pages list it"
        assert 0 < file.most < FIELDS


def test_only_the_references_of_an_array_itself_are_listed() -> None:
    with pikepdf.new() as pdf:
        there = pdf.make_indirect(Dictionary())
        direct = Dictionary(P=there)
        place = Ref(*there.objgen)
        assert list_references(Array([there, 5, direct])) == [place]
        assert list_references(direct) == []
