"""Large pages: each is read beside the reactor, in memory that is a small multiple of it, or kept as text."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.call_counts import crawl_calls
from tests.support.crawls import Archive, capture, tool
from tests.support.http_server import Reply, SiteServer, page
from tests.system.hostile.measuring import MEGABYTE, measured

EXTENSIONS = {"wcspider.crawl.session.CaptureSession": 100, "tests.support.call_counts.CrawlCalls": 200}
MOST_CALLS = 1_000_000
"""Python calls in the main process. Measured: 15,000 for most pages, 400,000 if 5,000 images are skipped."""

MOST_READING_CALLS = 2_000
"""Of them, those of `wcspider.web`. Measured: 400. Reading one of the pages takes hundreds of thousands."""

ALONE = 130
"""What a process takes that captures nothing, in megabytes."""

SIZE = 8 * MEGABYTE


def repeated(unit: bytes, begin: bytes = b"") -> bytes:
    """A page of `SIZE` bytes."""
    return begin + unit * (SIZE // len(unit))


PAGES = {
    "paragraphs": repeated(b"<p>hello <a href='/x'>world</a> and some more text</p>\n"),
    "attributes": repeated(b"<p a=1 b=2 c=3>"),
    "nested": repeated(b"<b>"),
    "closed": repeated(b"<b></i>"),
    "less-than": repeated(b"<"),
    "comments": repeated(b"<!--"),
    "controls": repeated(b"\x81"),
    "tag": repeated(b"x", b"<p "),
    "styles": repeated(b"p.a { color: red; background: url(/x.png) }\n", b"<style>")[: SIZE // 4],
    "links": b"".join(b"<a href=/%d>link</a>" % number for number in range(60_000)),
    "images": b"".join(b"<img src=/%d.png>" % number for number in range(60_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_large_page_costs_little_and_blocks_nothing(
    name: str, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    """Compressed and without a charset, so that the page is decompressed and searched for one."""
    packed = gzip.compress(PAGES[name], compresslevel=1)
    large = Reply(packed, content_type="text/html", headers={"Content-Encoding": "gzip"})
    site = server({"/": page("<p>text<a href='/large'>large</a>"), "/large": large})
    settings = {
        "WEBCAPTURE_MAX_PAGES": 20,
        "WEBCAPTURE_MAX_RESOURCES": 20,
        "EXTENSIONS": json.dumps(EXTENSIONS),
        "CALL_COUNTS_FILE": tmp_path / "calls",
        "DOWNLOAD_TIMEOUT": 300,
    }
    done, peak = measured(site.url(), tmp_path / "site.pdf", settings, levels=2, engine="null")
    assert done.status == 0, done.log
    total, reading = crawl_calls(tmp_path / "calls")
    assert total < MOST_CALLS
    assert reading < MOST_READING_CALLS
    assert peak < ALONE + 8 * SIZE / MEGABYTE


def test_a_page_that_is_too_large_for_a_layout_is_kept_as_text(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    large = "<title>large</title>" + "<p>some words of the page</p>" * 1000 + "<p>last <a href='/next'>next</a></p>"
    site = server({"/": page(large), "/next": page("<title>next</title><p>small")})
    pdf = tmp_path / "site.pdf"
    done = capture(site.url(), pdf, {"WEBCAPTURE_MAX_LAYOUT_BYTES": 20_000}, levels=2)
    assert done.status == 0, done.log
    assert "  kept as text only: 1" in done.summary
    assert "last next" in tool("pdftotext", pdf, "-")
    with Archive(pdf) as archive:
        assert [found.title for found in archive.page_sets] == ["large", "next"]
