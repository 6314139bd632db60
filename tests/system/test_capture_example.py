"""The example site, captured whole, and read back with programs that are not ours."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from examples.make_assets import SITE, SOURCES
from tests.conftest import EXAMPLE_SETTINGS, ExampleCapture
from tests.support.crawls import FIXED_TIME, STAMP, Archive, captured, drawn_images, tool, webcapture

pytestmark = pytest.mark.conformance

CSS = ("css/site.css", "css/colours.css", "css/print.css", "images/waves.png", "images/rings.png")
"""What css/site.css brings along, in order of first reference: what it imports, and then what it refers to."""

TOWER, BEAM, LENS = "images/lighthouse.jpg", "images/beam.gif", "images/lens.png"

PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "/": ("index.html", (*CSS, TOWER, BEAM)),
    "/history.html": ("history.html", (*CSS, TOWER)),
    "/keepers.html": ("keepers.html", (*CSS, TOWER)),
    "/lens.html": ("lens.html", (*CSS, LENS)),
    "/map.html": ("map.html", (*CSS, "images/map.png")),
    # waves.png counts once, and so does lighthouse.jpg, to which images/today.jpg redirects; the data: URL is part of
    # the page.
    "/gallery.html": (
        "gallery.html",
        (*CSS, "css/gallery.css", TOWER, "images/lens-print.png", "images/compass.svg", BEAM),
    ),
    "/visit.html": ("visit.html", CSS),
    **{
        f"/lang/{name}": (f"lang/{name}", CSS)
        for name in (
            "ru.html", "ru-1251.html", "ru-koi8.html", "el.html", "el-utf16.html", "pl.html", "cs.xhtml", "fr.html",
            "bg.html", "uk.html", "ja.html",
        )
    },
    "/bulletin/spring.html": ("bulletin/spring.html", (*CSS, BEAM)),
    "/press/notice.html": ("press/notice.html", CSS),
    # Both stand at a path of one level, so css/site.css is right for them.
    "/log?b=2&a=1": ("log/north-then-east.html", CSS),
    "/log?a=1&b=2": ("log/east-then-north.html", CSS),
    "/files/guide.pdf": ("files/guide.pdf", ()),
    "/files/tides.txt": ("files/tides.txt", ()),
    "/images/chart.png": ("images/chart.png", ()),
    "/tour/index.html": ("tour/index.html", ()),
    "/tour/window.html": ("tour/window.html", CSS),
    "/archive.html": ("archive.html", CSS),
    "/draft.html": ("draft.html", CSS),
    "/parts.html": ("parts.html", (*CSS, LENS)),
    "/cottage.html": ("cottage.html", (*CSS, "images/copy/lighthouse.jpg")),
    "/landing.html": ("landing.html", CSS),  # its picture is lost
    "/tour/steps.html": ("tour/steps.html", CSS),
    "/tour/view.html": ("tour/view.html", (*CSS, LENS)),
    "/thanks.html": ("thanks.html", CSS),
}  # fmt: skip
"""The pages in the order in which links lead to them, breadth first: their files, and what they refer to."""

CHAINS = {
    "/": [["/home"]],  # 308
    "/history.html": [["/about"], ["/old/", "/news/2019"]],  # 301; 301 and 302
    "/keepers.html": [["/moved.html"]],  # META refresh
    "/visit.html": [["/museum"]],  # 307
    "/bulletin/spring.html": [["/bulletin", "/bulletin/current"], ["/latest"]],
    "/thanks.html": [["/sent"]],  # 303
}

IMAGES = {
    # Which pages show it, and how many frames it has.
    TOWER: (["/", "/history.html", "/keepers.html", "/gallery.html", "/cottage.html"], 1),
    BEAM: (["/", "/gallery.html", "/bulletin/spring.html"], 6),
    LENS: (["/lens.html", "/parts.html", "/tour/view.html"], 1),
    "images/lens-print.png": (["/gallery.html"], 1),
    "images/map.png": (["/map.html"], 1),
    "images/chart.png": (["/images/chart.png"], 1),
    "images/rings.png": (["/lens.html"], 1),
}


@pytest.fixture(scope="module")
def archive(example: ExampleCapture) -> Iterator[Archive]:
    """The captured file, open."""
    with Archive(example.pdf) as archive:
        yield archive


def test_every_page_is_there_in_reading_order(example: ExampleCapture, archive: Archive) -> None:
    assert archive.order(example.site) == list(PAGES)
    assert [page for found in archive.page_sets for page in found.pages] == list(range(len(archive.pdf.pages)))


def test_what_was_left_out_is_listed_by_reason(example: ExampleCapture) -> None:
    site = example.site
    assert example.run.left_out == {
        "HTTP 404": [f"{site}/ferry.html"],
        "HTTP 410": [f"{site}/closed.html"],
        "forbidden by robots.txt": [f"{site}/staff/rota.html"],
        "not captured: application/zip": [f"{site}/files/drawings.zip"],
        "redirect loop": [f"{site}/loop/one -> {site}/loop/two -> {site}/loop/one"],
        "too many redirects": [f"{site}/steps/30 -> {site}/steps/10"],
    }
    assert example.run.section("Resources skipped") == {"HTTP 404": [f"{site}/images/lost.jpg"]}


def test_the_summary_counts(example: ExampleCapture, archive: Archive) -> None:
    size = example.pdf.stat().st_size
    assert example.run.summary[:5] == [
        f"Captured {len(PAGES) + 2} pages into {example.pdf} ({size / 1000:.1f} kB)",
        f"  new page sets    {len(PAGES)} ({len(archive.pdf.pages)} PDF pages)",
        "  already there    2",  # index.html and press/notice-copy.html
        f"  new image sets   {len(archive.image_sets)}",
        example.run.summary[4],
    ]


def test_no_page_needed_a_fallback(example: ExampleCapture) -> None:
    assert example.run.section("Pages with a simpler layout") == {
        "characters that no font has (Chinese characters: install fonts-noto-cjk)": [
            f"{example.site}/{path}" for path in ("", "lang/ja.html")
        ],
        "characters that no font has (Japanese: install fonts-noto-cjk)": [f"{example.site}/lang/ja.html"],
    }


def test_no_library_had_anything_to_say(example: ExampleCapture) -> None:
    assert example.run.section("Messages of the layout") == {}


def test_links_that_are_not_to_be_followed_are_not(example: ExampleCapture, archive: Archive) -> None:
    for path in ("/sponsors.html", "/draft-only.html", "/staff/rota.html"):
        assert f"{example.site}{path}" not in archive.urls
    assert "http://skerrypoint.invalid/" not in archive.urls


@pytest.mark.parametrize("path", PAGES)
def test_identifier(example: ExampleCapture, archive: Archive, path: str) -> None:
    """MD5 over the bytes as served, then over the digest of each auxiliary file (14.10.3.3)."""
    name, auxiliaries = PAGES[path]
    state = hashlib.md5((SITE / name).read_bytes(), usedforsecurity=False)
    for auxiliary in auxiliaries:
        state.update(hashlib.md5((SITE / auxiliary).read_bytes(), usedforsecurity=False).digest())
    found = archive.page_set(example.site + path)
    assert found.identifier == state.digest()
    assert found in archive.identifiers[found.identifier]
    assert all(bytes(archive.pdf.pages[page].ID) == found.identifier for page in found.pages)


@pytest.mark.parametrize("path", PAGES)
def test_chains(example: ExampleCapture, archive: Archive, path: str) -> None:
    """Each redirection is a chain to its destination, and each of its URLs a key (14.10.5.2)."""
    source = archive.page_set(example.site + path).sources[0]
    expected = [[example.site + hop for hop in chain] for chain in CHAINS.get(path, [])]
    assert source.url == example.site + path
    assert [list(chain) for chain in source.chains] == expected
    for chain in expected:
        for hop in chain:
            assert archive.page_set(hop) == archive.page_set(example.site + path)


def test_twins_are_one_page_set(example: ExampleCapture, archive: Archive) -> None:
    twins = archive.page_set(f"{example.site}/press/notice-copy.html")
    assert twins == archive.page_set(f"{example.site}/press/notice.html")
    assert twins.urls == [f"{example.site}/press/notice.html", f"{example.site}/press/notice-copy.html"]
    assert len(twins.pages) == 1


def test_sources_name_the_command_and_the_time(archive: Archive) -> None:
    sources = [source for found in archive.page_sets for source in found.sources]
    assert {(source.command, source.form, source.updated) for source in sources} == {(0, 0, STAMP)}
    assert {found.created for found in archive.page_sets + archive.image_sets} == {STAMP}
    assert not any(source.command for found in archive.image_sets for source in found.sources)


def test_expiry_is_what_the_server_said(example: ExampleCapture, archive: Archive) -> None:
    expires = {
        source.url.removeprefix(example.site): source.expires
        for found in archive.page_sets + archive.image_sets
        for source in found.sources
        if source.expires
    }
    assert expires == {
        "/": "D:20260301130000Z",  # max-age=3600
        "/index.html": "D:20260301130000Z",
        "/history.html": "D:20360101000000Z",  # Expires
        "/images/lighthouse.jpg": "D:20260302120000Z",  # max-age=86400
    }


@pytest.mark.parametrize("name", IMAGES)
def test_image_set(example: ExampleCapture, archive: Archive, name: str) -> None:
    """One image set for an image, all of its frames in it, a count of pages for each (14.10.4.3)."""
    pages, frames = IMAGES[name]
    body = (SITE / name).read_bytes()
    found = archive.image_set(f"{example.site}/{name}")
    assert found.identifier == hashlib.md5(body, usedforsecurity=False).digest()
    assert len(found.images) == frames
    assert found.counts == (len(pages), *[0] * (frames - 1))
    shown = {page for path in pages for page in archive.page_set(example.site + path).pages}
    first = found.images[0]
    drawn = {page for page in range(len(archive.pdf.pages)) if first in set(_xobjects(archive.pdf.pages[page].obj))}
    assert len(drawn) == len(pages)
    assert drawn <= shown
    with Image.open(SITE / name) as image:
        for number, frame in enumerate(found.images):
            xobject = archive.pdf.get_object(frame)
            assert bytes(xobject.ID) == found.identifier
            assert (xobject.Width, xobject.Height) == image.size
            assert _middle_pixel(xobject) == _expected_pixel(image, number)


def test_no_other_image_sets(example: ExampleCapture, archive: Archive) -> None:
    first_urls = {found.urls[0].removeprefix(f"{example.site}/") for found in archive.image_sets}
    assert first_urls == {*IMAGES, "images/waves.png"}


def test_image_at_several_urls(example: ExampleCapture, archive: Archive) -> None:
    tower = archive.image_set(f"{example.site}/{TOWER}")
    assert tower.urls == [f"{example.site}/{TOWER}", f"{example.site}/images/copy/lighthouse.jpg"]
    assert tower.sources[0].chains == ((f"{example.site}/images/today.jpg",),)


def test_jpeg_is_kept_byte_for_byte(example: ExampleCapture, archive: Archive) -> None:
    [image] = archive.image_set(f"{example.site}/{TOWER}").images
    xobject = archive.pdf.get_object(image)
    assert xobject.read_raw_bytes() == (SITE / TOWER).read_bytes()
    assert pikepdf.PdfImage(xobject).filters == ["/DCTDecode"]


def test_image_on_its_own_is_shown_at_its_size_or_the_pages(example: ExampleCapture, archive: Archive) -> None:
    """1200 pixels are 900 points, which A4 less its margins has not: it is scaled down, its shape kept."""
    [number] = archive.page_set(f"{example.site}/images/chart.png").pages
    [(left, bottom, right, top)] = drawn_images(example.pdf, number)
    assert right - left == pytest.approx(595.276 - 2 * 42.52, abs=0.1)
    assert (top - bottom) / (right - left) == pytest.approx(800 / 1200, abs=0.001)


def test_pdf_source_keeps_its_pages(example: ExampleCapture, archive: Archive) -> None:
    guide = archive.page_set(f"{example.site}/files/guide.pdf")
    first, last = guide.pages[0] + 1, guide.pages[-1] + 1
    assert (guide.title, guide.content_type, last - first) == ("Skerry Point: a guide", "application/pdf", 2)
    kept = tool("pdftotext", "-layout", "-f", first, "-l", last, example.pdf, "-")
    assert kept == tool("pdftotext", "-layout", SITE / "files" / "guide.pdf", "-")
    with pikepdf.open(SITE / "files" / "guide.pdf") as source:
        for number, page in zip(guide.pages, source.pages, strict=True):
            assert archive.pdf.pages[number].mediabox == page.mediabox
            assert archive.pdf.pages[number].Contents.read_bytes() == page.Contents.read_bytes()
            assert "/PZ" not in archive.pdf.pages[number]
    assert archive.links(f"{example.site}/files/guide.pdf") == {"https://skerrypoint.example/": "URI"}


def test_text_file(example: ExampleCapture, archive: Archive) -> None:
    [page] = archive.page_set(f"{example.site}/files/tides.txt").pages
    assert _squeezed(tool("pdftotext", "-layout", "-f", page + 1, "-l", page + 1, example.pdf, "-")) == _squeezed(
        (SITE / "files" / "tides.txt").read_text(encoding="utf-8")
    )


@pytest.mark.parametrize(
    "name",
    # The fonts that come with the package know no Japanese.
    sorted(path.name for path in (SITE / "lang").iterdir() if path.name != "ja.html"),
)
def test_text_in_every_encoding(example: ExampleCapture, archive: Archive, name: str) -> None:
    source = SOURCES / name
    title, text = _visible((source if source.exists() else SITE / "lang" / name).read_text(encoding="utf-8"))
    found = archive.page_set(f"{example.site}/lang/{name}")
    assert found.title == title
    [page] = found.pages
    assert _squeezed(tool("pdftotext", "-f", page + 1, "-l", page + 1, example.pdf, "-")) == _squeezed(text)


def test_text_identifier_is_that_of_the_text(example: ExampleCapture, archive: Archive) -> None:
    title, text = _visible((SOURCES / "pl.html").read_text(encoding="utf-8"))
    folded = " ".join(f"{title} {text}".split())
    assert archive.page_set(f"{example.site}/lang/pl.html").text_identifier == _md5(folded.encode())


def test_links(example: ExampleCapture, archive: Archive) -> None:
    site = example.site
    links = archive.links(f"{site}/keepers.html")
    assert {target.removeprefix(site) for target, kind in links.items() if kind == "GoTo"} == {
        "/", "/history.html", "/keepers.html", "/lens.html", "/map.html", "/gallery.html", "/visit.html",
        "/log?b=2&a=1", "/draft.html",
    }  # fmt: skip
    assert {target for target, kind in links.items() if kind == "URI"} == {
        "mailto:friends@skerrypoint.example",
        "tel:+15550142",
        f"{site}/sponsors.html",
        f"{site}/staff/rota.html",
    }


def test_links_by_way_of_redirections(example: ExampleCapture, archive: Archive) -> None:
    site = example.site
    assert archive.links(f"{site}/thanks.html")[f"{site}/"] == "GoTo"
    links = archive.links(f"{site}/archive.html")
    for path in ("/history.html", "/thanks.html", "/visit.html", "/keepers.html"):
        assert links[site + path] == "GoTo"
    for uri in (f"{site}/loop/one", f"{site}/steps/30", "http://skerrypoint.invalid/"):
        assert links[uri] == "URI"


def test_document(example: ExampleCapture, archive: Archive) -> None:
    assert archive.pdf.pdf_version == "1.7"
    info = {key: str(value) for key, value in archive.pdf.docinfo.items()}
    assert info.pop("/Producer").startswith("wcspider ")
    assert info == {"/Title": "Skerry Point Lighthouse Museum", "/CreationDate": STAMP, "/ModDate": STAMP}
    moment = datetime.fromisoformat(FIXED_TIME)
    with archive.pdf.open_metadata() as metadata:
        assert metadata["dc:title"] == "Skerry Point Lighthouse Museum"
        assert metadata["pdf:Producer"] == str(archive.pdf.docinfo.Producer)
        for date in ("xmp:CreateDate", "xmp:ModifyDate"):
            assert datetime.fromisoformat(str(metadata[date])) == moment
    assert archive.pdf.Root.SpiderInfo.V == 1
    assert [str(command.URL) for command in archive.commands] == [f"{example.site}/"]
    assert archive.commands[0].L == 2**31 - 1


def test_every_reader_opens_it(example: ExampleCapture, archive: Archive) -> None:
    pages = len(archive.pdf.pages)
    assert "No syntax or stream encoding errors found" in tool("qpdf", "--check", example.pdf)
    assert re.search(rf"^Pages: +{pages}$", tool("pdfinfo", example.pdf), re.MULTILINE)
    tool("mutool", "info", example.pdf)
    tool("pdftoppm", "-r", "10", "-gray", example.pdf)
    document = pypdfium2.PdfDocument(example.pdf)
    by_pdfium = ["".join(document[number].get_textpage().get_text_range().split()) for number in range(pages)]
    document.close()
    by_poppler = [_squeezed(text) for text in tool("pdftotext", "-raw", example.pdf, "-").split("\f")]
    by_mupdf = [_squeezed(text) for text in tool("mutool", "draw", "-q", "-F", "text", example.pdf).split("\f")]
    assert len(by_poppler) == len(by_mupdf) == pages + 1
    textless = set(archive.page_set(f"{example.site}/images/chart.png").pages)
    for found in (by_pdfium, by_poppler, by_mupdf):
        assert {number for number in range(pages) if not found[number]} == textless
    [spring] = archive.page_set(f"{example.site}/bulletin/spring.html").pages
    for found in (by_pdfium, by_poppler, by_mupdf):
        assert "Thekittiwakesarebackonthenorthface,andthecausewayhasanewrail." in found[spring]


def test_a_page_of_frames_is_not_blank(example: ExampleCapture, archive: Archive) -> None:
    [page] = _frameset(example, archive)
    assert tool("pdftotext", "-f", page + 1, "-l", page + 1, example.pdf, "-").split()


def test_every_rule_of_the_clause_is_kept(example: ExampleCapture) -> None:
    done = webcapture("check", example.pdf)
    assert (done.status, done.log) == (0, "")
    assert done.output == f"{example.pdf}: no violation found\n"


def test_the_same_by_two_workers(example: ExampleCapture, tmp_path: Path) -> None:
    again = tmp_path / "again.pdf"
    captured(f"{example.site}/", again, {**EXAMPLE_SETTINGS, "WEBCAPTURE_WORKERS": 2}, levels="all")
    assert again.read_bytes() == example.pdf.read_bytes()


def _frameset(example: ExampleCapture, archive: Archive) -> tuple[int, ...]:
    return archive.page_set(f"{example.site}/tour/index.html").pages


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _squeezed(text: str) -> str:
    """Text without its white space, which layout changes."""
    return "".join(text.split())


class _Text(HTMLParser):
    """The text of a small page, and its title."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.body = ""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._in_title = tag == "title"

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        else:
            self.body += data


def _visible(html: str) -> tuple[str, str]:
    parser = _Text()
    parser.feed(html)
    return parser.title, parser.body


def _xobjects(holder: pikepdf.Object) -> Iterator[tuple[int, int]]:
    """The XObjects of a page, a form or a pattern, those inside of them too."""
    resources = holder.get("/Resources", pikepdf.Dictionary())
    for xobject in resources.get("/XObject", pikepdf.Dictionary()).values():
        yield xobject.objgen
        if xobject.Subtype == "/Form":
            yield from _xobjects(xobject)
    for pattern in resources.get("/Pattern", pikepdf.Dictionary()).values():
        yield from _xobjects(pattern)


def _middle_pixel(xobject: pikepdf.Object) -> tuple[int, ...]:
    return _in_the_middle(pikepdf.PdfImage(xobject).as_pil_image())


def _expected_pixel(image: Image.Image, frame: int) -> tuple[int, ...]:
    image.seek(frame)
    return _in_the_middle(image)


def _in_the_middle(image: Image.Image) -> tuple[int, ...]:
    """The color of the pixel in the middle, which no image of the example has transparent."""
    return image.convert("RGB").getpixel((image.width // 2, image.height // 2))
