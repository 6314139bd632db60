"""Small answers that decompress to 128 MB, as style sheets, fonts, images and sitemaps: left out, without memory."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import brotli
import pytest

from tests.support.crawls import Archive, Run
from tests.system.hostile.hostile_server import HostileServer, body, page
from tests.system.hostile.measuring import MEGABYTE, measured

LIMIT = MEGABYTE
BOMBED = "decompresses to more than DOWNLOAD_MAXSIZE"
ZEROS = bytes(128 * MEGABYTE)
PACKED = brotli.compress(ZEROS, quality=1)
SETTINGS = {"DOWNLOAD_MAXSIZE": LIMIT, "RETRY_TIMES": 0, "WEBCAPTURE_RENDER_MEMORY": 700}
MOST_MEGABYTES = 220
"""A process that captures nothing takes about 120 MB; a bomb that went off would add 128."""


def woff2() -> bytes:
    """A font in the format WOFF 2.0 whose single table is a Brotli bomb."""
    size = len(ZEROS)
    groups = [size >> shift & 0x7F for shift in (28, 21, 14, 7, 0)]
    length = bytes(group | 0x80 for group in groups[:-1]).lstrip(b"\x80") + bytes(groups[-1:])
    table = b"\x3fBOMB" + length
    total = 48 + len(table) + len(PACKED)
    head = struct.pack(
        ">4s4sIHHIIHHIIIII",
        *(b"wOF2", b"\0\1\0\0", total, 1, 0, size + 28, len(PACKED), 1, 0, 0, 0, 0, 0, 0),
    )
    return head + table + PACKED


STYLE = """@font-face { font-family: a; src: url(/packed.woff2) } @font-face { font-family: b; src: url(/font.woff2) }
p { font-family: a } h1 { font-family: b } b { background: url(/image.svg) }"""
SITE = {
    "/": page("<title>start</title><link rel=stylesheet href=/style.css><link rel=stylesheet href=/bomb.css>"
              "<h1>one</h1><p>two <b>three</b>"),
    "/style.css": body(STYLE.encode(), "text/css"),
    "/bomb.css": body(PACKED, "text/css", Content_Encoding="br"),
    "/packed.woff2": body(PACKED, "font/woff2", Content_Encoding="br"),
    "/font.woff2": body(woff2(), "font/woff2"),
    "/image.svg": body(PACKED, "image/svg+xml", Content_Encoding="br"),
    "/bomb.xml": body(PACKED, "text/xml", Content_Encoding="br"),
    "/bomb.xml.gz": body(gzip.compress(ZEROS, 1), "application/gzip"),
    "/alone.xml": body(PACKED, "text/xml", Content_Encoding="br"),
}  # fmt: skip


def run(path: Path, start: str, engine: str, **arguments: object) -> tuple[str, Run, float]:
    """Capture a URL of the site; return the address of the site, the run and its peak in megabytes."""
    with HostileServer(dict(SITE)) as server:
        site = server.url("")
        index = "".join(
            f"<sitemap><loc>{site}/{name}</loc></sitemap>" for name in ("bomb.xml", "bomb.xml.gz", "good.xml")
        )
        server.answers = {
            **SITE,
            "/sitemap.xml": body(f"<sitemapindex>{index}</sitemapindex>".encode(), "text/xml"),
            "/good.xml": body(f"<urlset><url><loc>{site}/</loc></url></urlset>".encode(), "text/xml"),
        }
        given = {name: site + start if value is True else value for name, value in arguments.items()}
        return site, *measured(given.pop("url", None), path, SETTINGS, engine=engine, **given)


@pytest.mark.parametrize("engine", ["plutobook", "xhtml2pdf"])
def test_style_sheets_fonts_and_images(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    site, done, peak = run(path, "/", engine, url=True)
    assert done.status == 0, done.log
    skipped = done.section("Resources skipped")
    assert skipped == {BOMBED: [f"{site}/{name}" for name in ("packed.woff2", "image.svg", "bomb.css")]}
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["start"]
    assert peak < MOST_MEGABYTES


def test_sitemaps_of_an_index(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    site, done, peak = run(path, "/sitemap.xml", "null", sitemap=True)
    assert done.status == 0, done.log
    reasons = {url: reason for reason, urls in done.left_out.items() for url in urls}
    assert reasons.keys() == {f"{site}/bomb.xml", f"{site}/bomb.xml.gz"}
    assert reasons[f"{site}/bomb.xml"] == f"sitemap: {BOMBED}"
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["start"]
    assert peak < MOST_MEGABYTES


def test_a_single_sitemap(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    site, done, peak = run(path, "/alone.xml", "null", sitemap=True)
    assert (done.status, done.left_out) == (1, {f"sitemap: {BOMBED}": [f"{site}/alone.xml"]})
    assert not path.exists()
    assert peak < MOST_MEGABYTES
