"""``scrapy webcapture merge`` on files of real crawls: contents pages and skipped pages, and a refresh after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from tests.support.crawls import Archive, Run, tool, webcapture
from tests.support.http_server import Reply, SiteServer, page
from tests.support.merging import merged as merge_files
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import Crawls

HEAD = '<link rel=stylesheet href="/style.css">'
SITE = {
    "/north/": page(f"<title>North</title>{HEAD}<h1>North</h1><img src=/dot.png><a href=/north/a>a</a>"),
    "/north/a": page(f"<title>A</title>{HEAD}<a href='/south/b#deep'>b</a><a href=/north/gone>gone</a><p id=deep>a"),
    "/south/": page(f"<title>South</title>{HEAD}<h2>Head</h2><img src=/dot.png><a href=/south/b>b</a>"),
    "/south/b": page(f"<title>B</title>{HEAD}<p style='height: 800px'>b<p id=deep>deep<a href=/north/a#deep>a</a>"),
    "/style.css": Reply(b"p { color: navy }", content_type="text/css", etag='"style"'),
    "/dot.png": Reply(grey_png(4, 4, 128), content_type="image/png", etag='"dot"'),
}
CHANGED = {
    "/north/a": page(f"<title>A</title>{HEAD}<p>changed<a href='/south/b#deep'>b</a><p id=deep>a"),
    "/south/": page(f"<title>South</title>{HEAD}<h2>Head</h2><a href=/south/b>b</a><a href=/south/new>new</a>"),
    "/south/new": page(f"<title>New</title>{HEAD}<a href=/north/>north</a>"),
}


@dataclass(frozen=True)
class Merged:
    """Two captures, merged, and the merged file after a refresh of the changed site."""

    out: Path
    refreshed: Path
    site: str
    done: Run
    refresh: Run
    before: list[bytes]
    """The identifiers of a changed page in a file that was merged from two captures of it."""

    after: list[bytes]
    """The same after a refresh."""


def versions(path: Path, url: str) -> list[bytes]:
    """Return the identifiers of the page sets of a URL."""
    with Archive(path) as archive:
        return [found.identifier for found in archive.urls[url]]


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Merged]:
    """Merge two files that were captured separately, and refresh the merged file."""
    folder = tmp_path_factory.mktemp("merge")
    with SiteServer(SITE) as server, Crawls() as crawls:
        for name in ("north", "south"):
            settings = {"WEBCAPTURE_CONTENTS": name == "north"}
            url, path = server.url(f"/{name}/"), folder / f"{name}.pdf"
            assert crawls.run("capture", settings, url=url, pdf=path, levels="all", same_path="true").status == 0
        out = folder / "out.pdf"
        done = webcapture("merge", out, folder / "north.pdf", folder / "south.pdf")
        refreshed = folder / "refreshed.pdf"
        refreshed.write_bytes(out.read_bytes())
        server.update(CHANGED)
        refresh = crawls.run("refresh", pdf=refreshed)
        later = folder / "later.pdf"
        assert crawls.run("capture", url=server.url("/north/"), pdf=later, levels=2).status == 0
        twice = folder / "twice.pdf"
        merge_files(twice, folder / "north.pdf", later)
        before = versions(twice, server.url("/north/a"))
        assert crawls.run("refresh", pdf=twice).status == 0
        after = versions(twice, server.url("/north/a"))
        yield Merged(out, refreshed, server.url("").removesuffix("/"), done, refresh, before, after)


def checked(path: Path) -> None:
    """Assert that no program finds a fault in a file."""
    assert webcapture("check", path).output == f"{path}: no violation found\n"
    tool("qpdf", "--check", path)
    tool("mutool", "info", path)
    with pypdfium2.PdfDocument(path) as document:
        assert all(page.get_textpage().count_chars() for page in document)


def test_the_summary_counts_what_was_merged(merged: Merged) -> None:
    assert (merged.done.status, merged.done.log) == (0, "")
    lines = merged.done.output.splitlines()
    assert "  new page sets    4 (4 PDF pages)" in lines
    assert "  new image sets   1" in lines
    assert "  new commands     2" in lines
    assert "  links now jumps  2" in lines


def test_other_programs_find_no_fault(merged: Merged) -> None:
    checked(merged.out)


def test_links_lead_from_one_site_to_the_other(merged: Merged) -> None:
    site = merged.site
    with Archive(merged.out) as archive:
        assert archive.links(f"{site}/north/a") == {f"{site}/south/b": "GoTo", f"{site}/north/gone": "URI"}
        assert archive.links(f"{site}/south/b") == {f"{site}/north/a": "GoTo"}
        [image] = archive.image_sets
        assert image.counts == (2,)
        assert [source.command for found in archive.page_sets for source in found.sources] == [0, 0, 1, 1]


def test_the_contents_pages_list_everything(merged: Merged) -> None:
    with pikepdf.open(merged.out) as pdf:
        front, missing = pdf.Root.WCSP_Contents.Kids
        assert len(front.Annots) == 4
        assert [str(annotation.A.URI) for annotation in missing.Annots] == [f"{merged.site}/north/gone"]
        assert [str(label.S) for label in list(pdf.Root.PageLabels.Nums)[1::2]] == ["/r", "/D"]
        with pdf.open_outline() as outline:
            found = [(item.title, item.children[-1].title) for item in outline.root]
    assert found == [("North", "A"), ("South", "B")]


def test_the_skipped_pages_of_the_inputs_are_known(merged: Merged) -> None:
    answer = json.loads(webcapture("why", merged.out, f"{merged.site}/north/gone", "--json").output)
    assert (answer["in_file"], answer["reason"]) == (False, "HTTP 404")
    assert answer["met"]["command"] == 0


def test_the_merged_file_can_be_refreshed(merged: Merged) -> None:
    assert merged.refresh.status == 0, merged.refresh.log
    site = merged.site
    with Archive(merged.refreshed) as archive:
        assert archive.order(site) == ["/north/", "/north/a", "/south/", "/south/b", "/south/new"]
        assert archive.links(f"{site}/south/new") == {f"{site}/north/": "GoTo"}
        assert archive.links(f"{site}/north/a") == {f"{site}/south/b": "GoTo"}
        assert [found.counts for found in archive.image_sets] == [(1,)]
        assert len(archive.commands) == 2
    lines = [line.split() for line in merged.refresh.summary]
    assert ["unchanged", "2"] in lines
    assert ["changed", "2"] in lines
    assert ["new", "1"] in lines
    checked(merged.refreshed)


def test_a_refresh_removes_the_earlier_content_of_a_page(merged: Merged) -> None:
    assert len(set(merged.before)) == 2
    assert merged.after == merged.before[1:]


def test_the_history_names_the_files(merged: Merged) -> None:
    rows = json.loads(webcapture("history", merged.refreshed, "--json").output)["revisions"]
    assert [row["run"] for row in rows] == ["merge", "refresh"]
    assert [(file["file"], [entry["run"] for entry in file["runs"]]) for file in rows[0]["inputs"]] == [
        ("north.pdf", ["capture"]),
        ("south.pdf", ["capture"]),
    ]
