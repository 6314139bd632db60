"""Destinations and outline items that lead to removed pages."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pikepdf

from tests.support import pdf_samples
from wcspider.archive.database.catalog import Catalog
from wcspider.archive.refresh.retargeting import Retargeting
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref


def test_destinations_of_each_form_lead_to_the_substitute(tmp_path: Path) -> None:
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R/Names<</Dests 8 0 R>>>>",
        2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R>>",
        4: b"<</Type/Page/Parent 2 0 R>>",
        5: b"<</First 6 0 R/Last 7 0 R/Count 2>>",
        6: b"<</Title(a)/Parent 5 0 R/Next 7 0 R/Dest[4 0 R/Fit]>>",
        7: b"<</Title(b)/Parent 5 0 R/Prev 6 0 R/A<</S/GoTo/D 9 0 R>>>>",
        8: b"<</Names[(a)[4 0 R/Fit](b)9 0 R(c)<</D[4 0 R/Fit]>>(d)10 0 R(e)[3 0 R/Fit](f)11 0 R]>>",
        9: b"[4 0 R/Fit]",
        10: b"<</D 9 0 R>>",
        11: b"<</D 11 0 R>>",  # leads to itself
    }
    path = pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf")
    with closing(RevisionFile.open(path)) as file:
        catalog = Catalog(file)
        Retargeting(file, catalog, {Ref(4): Ref(3)}).run()
        catalog.flush()
        file.commit()
    with pikepdf.open(path) as pdf:
        first = pdf.pages[0].objgen
        [*names] = pdf.Root.Names.Dests.Names
        places = [target.get("/D") if isinstance(target, pikepdf.Dictionary) else target for target in names[1::2]]
        items = [pdf.Root.Outlines.First.Dest, pdf.Root.Outlines.Last.A.D]
        assert [place[0].objgen for place in [*places[:-1], *items]] == [first] * 7
        assert [str(place[1]) for place in places[:-1]] == ["/XYZ"] * 4 + ["/Fit"]
