"""TIFF files with several pages: behind links, in HTML pages, and when they change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image

from tests.support.crawls import Archive, Run, captured, webcapture
from tests.support.http_server import Reply, SiteServer, page
from tests.support.pictures import tiff_of
from tests.system.refresh.crawling import refreshed
from wcspider.archive.check.checker import check_file

pytestmark = pytest.mark.slow

WIDTHS = (60, 80, 60)
FIRST_PAGE_ONLY = "only the first page of a TIFF file is shown"


def scan(*widths: int) -> Reply:
    """A TIFF file with a page of each width. Equal pages differ from each other in their pixels."""
    pages = []
    for number, width in enumerate(widths):
        image = Image.new("1", (width, 40), 1)
        image.paste(0, (0, 0, 10 + number, 10))
        pages.append((image, {"compression": "raw", "dpi": (100 + number, 100 + number)}))
    return Reply(tiff_of(pages), content_type="image/tiff", etag=f'"{widths}"')


SCAN = scan(*WIDTHS)
LINK = page("<title>Linked</title><p>A scan<a href=/scan.tif>of 1889</a>")
SHOWN = page("<title>Shown</title><p>A scan<img src=/scan.tif>of 1889<a href=/scan.tif>all</a>")
BEHIND = page("<title>First</title><p>A scan<a href=/scan.tif>of 1889</a><a href=/shown>shown</a>")


def found(path: Path, url: str) -> dict[str, Any]:
    """The pages, and the widths and counts of the images, that a file without findings has of the TIFF file."""
    assert [str(finding) for finding in check_file(path)] == []
    with Archive(path) as archive:
        images = archive.image_set(url)
        widths = [int(archive.pdf.get_object(image).Width) for image in images.images]
        pages = archive.page_set(url).pages if any(entry.kind == "/SPS" for entry in archive.urls[url]) else ()
        shown = [_images(archive.pdf.pages[number]) for number in pages]
        assert shown == [[image] for image in images.images[: len(pages)]]  # each page shows its own, in order
        _no_copies(archive.pdf)
    return {"pages": len(pages), "widths": widths, "counts": list(images.counts)}


def _images(found: pikepdf.Page) -> list[tuple[int, int]]:
    return [image.objgen for image in found.Resources.XObject.values()]


def _no_copies(pdf: pikepdf.Pdf) -> None:
    """Check that no two image XObjects that pages show have the same pixels."""
    shown = {image.objgen: image for shown in pdf.pages for image in shown.Resources.get("/XObject", {}).values()}
    data = [image.read_bytes() for image in shown.values() if image.get("/Subtype") == "/Image"]
    assert len(set(data)) == len(data)


def messages(done: Run) -> list[str]:
    """The kinds of messages of the layout in the summary."""
    return list(done.section("Messages of the layout"))


@pytest.mark.parametrize(
    ("site", "counts", "told"),
    [
        ({"/": LINK}, [1, 1, 1], []),
        ({"/": SHOWN}, [2, 1, 1], [FIRST_PAGE_ONLY]),
        ({"/": BEHIND, "/shown": SHOWN}, [2, 1, 1], [FIRST_PAGE_ONLY]),
    ],
    ids=["linked", "shown and linked", "linked and shown"],
)
@pytest.mark.parametrize("engine", ["plutobook", "xhtml2pdf"])
def test_each_page_becomes_a_pdf_page(
    engine: str, site: dict[str, Reply], counts: list[int], told: list[str],
    server: Callable[..., SiteServer], tmp_path: Path,
) -> None:  # fmt: skip
    running, path = server({"/scan.tif": SCAN, **site}), tmp_path / "site.pdf"
    done = captured(running.url(), path, {"WEBCAPTURE_ENGINE": engine}, levels=3)
    url = running.url("/scan.tif")
    assert found(path, url) == {"pages": 3, "widths": list(WIDTHS), "counts": counts}
    assert messages(done) == told
    listed = webcapture("list", path).output.splitlines()
    first = "60 x 40, on 2 pages, 80 x 40, on 1 page, 60 x 40, on 1 page"
    assert f"image  {first if counts[0] == 2 else '2 of 60 x 40, each on 1 page, 80 x 40, on 1 page'}" in listed
    again = refreshed(path)
    assert found(path, url) == {"pages": 3, "widths": list(WIDTHS), "counts": counts}
    assert messages(again) == []


def test_an_html_page_shows_the_first_page(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    running, path = server({"/scan.tif": SCAN, "/": SHOWN}), tmp_path / "site.pdf"
    done = captured(running.url(), path, levels=1)
    assert found(path, running.url("/scan.tif")) == {"pages": 0, "widths": list(WIDTHS), "counts": [1, 0, 0]}
    assert messages(done) == [FIRST_PAGE_ONLY]


@pytest.mark.parametrize("widths", [(60, 80, 60, 90, 100), (60, 80), (60,), (70, 80, 60)])
@pytest.mark.parametrize("shown", [False, True])
def test_a_changed_file_has_its_new_pages(
    shown: bool, widths: tuple[int, ...], server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    running, path = server({"/scan.tif": SCAN, "/": SHOWN if shown else LINK}), tmp_path / "site.pdf"
    captured(running.url(), path, levels=2)
    running.update({"/scan.tif": scan(*widths)})
    refreshed(path)
    counts = [1 + shown, *(1 for _ in widths[1:])]
    assert found(path, running.url("/scan.tif")) == {"pages": len(widths), "widths": list(widths), "counts": counts}


def test_pages_that_only_the_file_itself_has_go_with_it(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    running, path = server({"/scan.tif": SCAN, "/": BEHIND, "/shown": SHOWN}), tmp_path / "site.pdf"
    captured(running.url(), path, levels=2)
    html = page("<title>First</title><p>A scan<img src=/scan.tif><a href=/shown>shown</a>")
    running.update({"/": html, "/shown": page("<p>Another page")})
    refreshed(path, gone="drop")
    first = found(path, running.url("/scan.tif"))
    assert (first["pages"], first["widths"][0], first["counts"][0]) == (0, 60, 1)
    running.update({"/": BEHIND, "/shown": SHOWN})
    refreshed(path, gone="drop")
    assert found(path, running.url("/scan.tif")) == {"pages": 3, "widths": list(WIDTHS), "counts": [2, 1, 1]}


def test_merged_files_have_one_copy_of_each_page(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    running = server({"/scan.tif": SCAN, "/": SHOWN, "/link": LINK})
    shown, linked, merged = (tmp_path / f"{name}.pdf" for name in ("shown", "linked", "merged"))
    captured(running.url(), shown, levels=1)
    captured(running.url("/link"), linked, levels=2)
    for files in ((shown, linked), (linked, shown)):
        merged.unlink(missing_ok=True)
        assert webcapture("merge", merged, *files).status == 0
        assert found(merged, running.url("/scan.tif"))["counts"] == [2, 1, 1]


def test_the_summary_tells_of_a_limit(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    large = Image.new("1", (10_000, 8_001), 1)
    body = tiff_of([(Image.new("1", (60, 40)), {}), (large, {"compression": "group4"}), (Image.new("1", (60, 40)), {})])
    running, path = server({"/": Reply(body, content_type="image/tiff")}), tmp_path / "site.pdf"
    done = captured(running.url(), path)
    assert json.loads(webcapture("list", path, "--json").output)["content_sets"][0]["pages"] == [1, 2]
    [told] = messages(done)
    assert told.startswith("a TIFF file is kept with ")
    assert any("the limit is 80000000 pixels for a page" in line for line in done.log.splitlines())
