"""Pictures of PDF pages."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from wcspider.report.page_drawing import draw_page, open_for_drawing


def test_form_fields_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "form.pdf"
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(100, 100))
        box = pdf.make_stream(b"0 g 0 0 50 50 re f", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 50, 50]))
        field = Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("day"), F=4, Rect=Array([0, 0, 50, 50]),
            AP=Dictionary(N=box),
        )  # fmt: skip
        page.Annots = Array([pdf.make_indirect(field)])
        pdf.Root.AcroForm = Dictionary(Fields=page.Annots)
        pdf.save(path)
    with closing(open_for_drawing(path)) as document:
        picture = draw_page(document, 1, 100)
    assert picture is not None
    assert (picture.getpixel((10, 90)), picture.getpixel((90, 10))) == ((0, 0, 0), (255, 255, 255))
