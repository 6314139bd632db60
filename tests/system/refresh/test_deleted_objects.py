"""A file from which a refresh has deleted objects can be read, checked and rewritten by other programs."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pypdfium2

from tests.support.crawls import captured, tool
from tests.support.http_server import Reply, SiteServer, page
from tests.system.refresh.crawling import refreshed

LINKS = "<a href=/form>form</a> <a href=/stays>stays</a> <a href=/goes>goes</a>"
BEFORE = {
    "/": page(LINKS + "<p>many words " * 1000),
    "/form": page("<title>form</title><form><input name=q value=before></form>"),
    "/stays": page("<title>stays</title><p>stays"),
    "/goes": page("<title>goes</title><p>goes"),
}
AFTER = {
    "/": page(LINKS),
    "/form": page("<title>form</title><form><input name=q value=after></form>"),
    "/goes": Reply(b"", 410),
}
EACH_PAGE = {"WEBCAPTURE_BATCH_PAGES": 1}
"""A revision for each page: the form of an early one is changed by those that follow."""


def test_all_programs_see_the_pages_that_are_left(tmp_path: Path) -> None:
    path, clean = tmp_path / "site.pdf", tmp_path / "clean.pdf"
    with SiteServer(BEFORE) as site:
        captured(site.url(), path, EACH_PAGE, levels=2)
        assert tool("mutool", "clean", "-gggg", path, clean) == ""
        site.update(AFTER)
        refreshed(path, gone="drop")
    tool("mutool", "clean", "-gggg", path, clean)
    for file in (path, clean):
        tool("qpdf", "--check", file)
        words = tool("pdftotext", file, "-").split()
        assert {"after", "stays"} <= set(words)
        assert not {"before", "goes."} & set(words)
        with pikepdf.open(file) as pdf:
            assert len(pdf.pages) == 3
        document = pypdfium2.PdfDocument(file)
        assert len(document) == 3
        document.close()
