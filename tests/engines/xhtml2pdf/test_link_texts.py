"""What links say for those who cannot see them (14.9.3)."""

from __future__ import annotations

import io

import pikepdf
import pytest

from tests.support.rendered_pages import render
from wcspider.engines.document.link_descriptions import LONGEST

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="

# the link, what it says
LINKS = [
    ("<a href=/a>text</a>", "text"),
    ("<a href=/a> two\n <b>words</b>\t</a>", "two words"),
    ("<a href=/a>line<br>break</a>", "line break"),
    ("<a href=/a title='the title'>text</a>", "the title"),
    ("<a href=/a title=' '>text</a>", "text"),
    ("<a href=/a aria-label='the label' title='the title'>text</a>", "the label"),
    (f"<a href=/a><img src='{PIXEL}' alt='a picture'></a>", "a picture"),
    (f"<a href=/a>see<img src='{PIXEL}' alt='this'>too</a>", "see this too"),
    (f"<a href=/a><img src='{PIXEL}'></a>", "https://example.com/a"),
    ("<iframe src=/a title='a frame'></iframe>", "a frame"),
    ("<a href=/a>Ω שלום</a>", "Ω שלום"),
    ("<a href=/a>(a \\ b)</a>", "(a \\ b)"),
    ("<a href=/a>5 0 R /StructParent</a>", "5 0 R /StructParent"),
    (f"<a href=/a>{'word ' * 30}</a>", ("word " * 30)[: LONGEST - 1] + "…"),
]


@pytest.mark.parametrize(("link", "expected"), LINKS)
def test_what_a_link_says(link: str, expected: str) -> None:
    with pikepdf.open(io.BytesIO(render(f"<p>before {link} behind").pdf)) as pdf:
        found = {(str(annotation.A.URI), str(annotation.Contents)) for annotation in pdf.pages[0].Annots}
    assert found == {("https://example.com/a", expected)}
