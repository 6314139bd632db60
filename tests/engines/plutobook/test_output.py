"""The file that cairo has written, and the Link annotations in it."""

from __future__ import annotations

import io
import re

import pikepdf
import pytest

from tests.support.cairo_files import drawn
from wcspider.engines.plutobook.pages import output
from wcspider.engines.plutobook.pages.link_annotations import LinkAnnotations
from wcspider.engines.plutobook.source.link_targets import PRIVATE, Link
from wcspider.engines.saving import LinkAnnotation

PAGES = (
    "<a href='{0}0'>one</a> <a href='{0}1'>two</a>",
    "no link",
    "<a href='http://h/'>other</a> <a href='{0}0'>x</a>",
)
LINKS = [Link("http://h/0", "zero"), Link("http://h/1", "one")]


@pytest.fixture(scope="module")
def written() -> bytes:
    """Return a file with links on the first and third of three pages, and the empty page behind them."""
    html = "".join(f"<p style='break-after: page'>{page.format(PRIVATE)}" for page in PAGES)
    return drawn(html, empty_pages=1)


def found_in(pdf: bytes, page: pikepdf.Page) -> list[LinkAnnotation]:
    return LinkAnnotations(LINKS, pdf).take_from(page)


def test_each_page_has_its_links(written: bytes) -> None:
    document = output.opened(written, len(PAGES))
    found = [found_in(written, page) for page in document.pages]
    assert [[link.uri for link in links] for links in found] == [[b"http://h/0", b"http://h/1"], [], [b"http://h/0"]]
    assert all("/Annots" not in page.obj for page in document.pages)


def test_the_objects_of_links_are_not_read(written: bytes) -> None:
    document = output.opened(written, len(PAGES))
    [annotation, *others] = [int(number) for number in re.findall(rb"(\d+) 0 obj\n<< /Type /Annot\n", written)]
    assert len(others) == 3
    with pikepdf.open(io.BytesIO(written)) as unchanged:
        assert unchanged.get_object(annotation, 0).Type == pikepdf.Name.Annot
    assert document.get_object(annotation, 0) is None
    assert document.get_warnings() == []
    assert all(page.obj.Contents.read_bytes() for page in document.pages)


def test_a_stream_may_contain_the_syntax_of_an_annotation(written: bytes) -> None:
    position = written.rindex(b"stream\n", 0, written.rindex(b"endstream")) + len(b"stream\n")
    syntax = b"endobj\n987654 0 obj\n<< /Type /Annot\n"
    assert b"endstream" not in written[position : position + len(syntax)]
    changed = written[:position] + syntax + written[position + len(syntax) :]
    assert len(output.opened(changed, len(PAGES)).pages) == len(PAGES)


def test_cross_references_in_a_stream_stay_as_they_are(written: bytes) -> None:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(written)) as pdf:
        pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    document = output.opened(out.getvalue(), len(PAGES))
    assert len(document.pages[0].obj.Annots) == 2


@pytest.mark.parametrize("points", [[1, 2, 4, 2, 4, 3, 1, 3] * 2, [1, 2, 3, 1, 4, 3, 2, 4]])
def test_the_area_of_a_link_that_is_no_upright_rectangle_stays(written: bytes, points: list[int]) -> None:
    document = output.opened(written, len(PAGES))
    changed = re.sub(rb"/QuadPoints \[ [^]]*\]", b"/QuadPoints [ %b ]" % " ".join(map(str, points)).encode(), written)
    [link, _] = found_in(changed, document.pages[0])
    area = pikepdf.Object.parse(link.leading_to(b"null"))
    [rectangle, *_] = re.findall(rb"/Rect \[ ([^]]*) \]", written)
    assert list(area.QuadPoints) == points
    assert list(area.Rect) == [pikepdf.Object.parse(number) for number in rectangle.split()]
