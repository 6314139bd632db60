"""A file in the shape that Acrobat's Web Capture writes is brought up to date."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from tests import pdf_samples
from tests.crawl import Archive, tool
from tests.pdf_samples import md5
from tests.pictures import grey_png
from tests.refresh.crawling import Crawls
from tests.server import Reply, SiteServer, page
from wcspider.store.check import check_file

TITLE = "What Acrobat had for a bookmark"


def acrobat_file(path: Path, site: str) -> Path:
    """A file with a captured page and one that was not captured, with bookmarks, as if captured from a server."""
    pdf_samples.acrobat_pdf(path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.SpiderInfo.C[0].URL = String(f"{site}/")
        for found in list(pdf.Root.Names.IDS.Names)[1::2]:
            found.SI.AU = String(str(found.SI.AU).replace(pdf_samples.SITE, site))
        with pdf.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem(TITLE, 0))
        pdf.pages[1].Annots = Array([link(pdf, site)])
        pdf.save(path, min_version="1.6", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return path


def link(pdf: pikepdf.Pdf, site: str) -> pikepdf.Object:
    """A link annotation that leads to the captured page by its name."""
    name = next(iter(pdf.Root.Names.Dests.Names))
    action = Dictionary(S=Name.GoTo, D=name)
    return pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], A=action))


@pytest.fixture
def site() -> SiteServer:
    """The site as it is now: the captured page has changed, and is longer."""
    words = " ".join(["word"] * 30)
    with SiteServer(
        {"/": page(f"<title>Now</title><p>{words} <img src=/photo.jpg>"), "/photo.jpg": png(), "/other": page("<p>other")}
    ) as running:
        yield running


def png() -> Reply:
    return Reply(grey_png(3, 3, 99), content_type="image/png")


def test_captured_pages_are_replaced_in_place_and_the_others_stay(
    crawls: Crawls, site: SiteServer, tmp_path: Path
) -> None:
    path = acrobat_file(tmp_path / "acrobat.pdf", site.url("").removesuffix("/"))
    with pikepdf.open(path) as pdf:
        captured, other = (page.obj.objgen for page in pdf.pages)
    done = crawls.run("refresh", pdf=path)
    assert done.status == 0, done.log
    with Archive(path) as archive:
        pages = [page.obj.objgen for page in archive.pdf.pages]
        assert (pages[0], pages[-1], len(pages)) == (captured, other, 4)
        found = archive.page_set(site.url())
        assert (found.title, found.pages, found.sources[0].command) == ("Now", (0, 1, 2), 0)
        assert archive.pdf.Root.SpiderInfo.V == pikepdf.Object.parse(b"1.25")
        assert [str(item.title) for item in archive.pdf.open_outline().root][0] == TITLE
    tool("qpdf", "--check", path)
