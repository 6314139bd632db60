"""A real site, captured whole: every page that a link reaches is a page set, every link between them leads to its
place, and no rule of the clause is broken.

The site is a section of Debian's python3.11-doc; ``WCSPIDER_SITE=all`` takes all of its 531 pages, in some minutes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import lxml.html
import pypdfium2
import pytest

from tests.support.crawls import captured, tool, webcapture
from tests.support.http_server import SiteServer
from tests.system.conformance.links import Site

pytestmark = pytest.mark.conformance

FOLDER = Path("/usr/share/doc/python3.11/html")
WHOLE = os.environ.get("WCSPIDER_SITE") == "all"
START, SECTION = ("/index.html", "/") if WHOLE else ("/tutorial/index.html", "/tutorial/")


def reached() -> set[str]:
    """The pages that links lead to from the start, found without any of our code."""
    found, queue = set(), [START]
    while queue:
        path = queue.pop()
        file = FOLDER / path.lstrip("/")
        if path in found or not path.startswith(SECTION) or not (path.endswith(".html") and file.is_file()):
            continue
        found.add(path)
        links = lxml.html.fromstring(file.read_bytes()).xpath("//a/@href | //area/@href")
        targets = (urldefrag(urljoin(f"http://host{path}", link)).url for link in links)
        queue += [target.removeprefix("http://host") for target in targets if target.startswith("http://host/")]
    return found


@pytest.mark.skipif(not FOLDER.is_dir(), reason="python3.11-doc is not installed")
def test_every_page_that_a_link_reaches_is_a_page_set(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with SiteServer(FOLDER) as server:
        done = captured(server.url(START), path, {"WEBCAPTURE_WORKERS": 2}, levels="all", same_path="true")
        described = json.loads(webcapture("list", path, "--json").output)
        sources = {source["url"] for entry in described["content_sets"] for source in entry["sources"]}
        assert {page for page in reached() if server.url(page) not in sources} == set()
        assert all(reason == "HTTP 404" or reason.startswith("not captured: ") for reason in done.left_out)
    assert webcapture("check", path).output == f"{path}: no violation found\n"
    assert "No syntax or stream encoding errors found" in tool("qpdf", "--check", path)
    pages = [page for entry in described["content_sets"] for page in entry["pages"]]
    assert pages == list(range(1, len(pages) + 1))
    report = Site(path, described, FOLDER, server.url("/")).check()
    assert report.problems == []
    assert report.jumps > report.places > len(pages)
    if not WHOLE:  # the others take minutes to read some thousand pages
        assert_readable(path, len(pages))


def assert_readable(path: Path, pages: int) -> None:
    """Assert that three readers open a file and find text on every page."""
    with pypdfium2.PdfDocument(path) as document:
        assert len(document) == pages
        assert all(document[number].get_textpage().get_text_range().strip() for number in range(pages))
    for text in (
        tool("pdftotext", path, "-"),
        tool("mutool", "draw", "-q", "-F", "text", path),
    ):
        assert [number for number, page in enumerate(text.split("\f")[:pages]) if not page.strip()] == []
