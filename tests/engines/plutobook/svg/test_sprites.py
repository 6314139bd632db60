"""Symbols of other files in the drawings of a page."""

from __future__ import annotations

import pytest
from lxml import etree, html

from tests.support.rendered_pages import task
from wcspider.engines.base import Asset
from wcspider.engines.plutobook.source.preparation import prepare
from wcspider.engines.plutobook.svg import sprites
from wcspider.engines.plutobook.svg.copies import TOO_MANY_COPIES
from wcspider.engines.plutobook.svg.sprites import Sprites
from wcspider.web.styles.responsive import Viewport

FILE = (
    b"<svg xmlns='http://www.w3.org/2000/svg'>"
    b"<symbol id='a' viewBox='0 0 8 8'><!-- c --><path id='p' d='M0 0h8'/></symbol>"
    b"<g id='b' fill='red'><path d='M1 1'/></g></svg>"
)


def copied(drawing: str, body: bytes = FILE) -> str:
    """A drawing of a page beside the file, after the symbols are copied."""
    root = html.document_fromstring(f"<svg>{drawing}</svg>").find(".//svg")
    Sprites({"http://h/i.svg": Asset(body, "image/svg+xml")}, "http://h/page", "utf-8").copy_into(root)
    return etree.tostring(root).decode().removeprefix("<svg>").removesuffix("</svg>").replace('"', "'")


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        (
            "<use href='i.svg#a' x='2' class='c'></use>t",
            "<svg viewBox='0 0 8 8' width='100%' height='100%' x='2' class='c'><path d='M0 0h8'/></svg>t",
        ),
        (
            "<use xlink:href='/i.svg#b' y='3'></use>",
            "<g transform='translate(0 3)'><g fill='red'><path d='M1 1'/></g></g>",
        ),
        ("<use href='#a'></use>", None),
        ("<use href='i.svg'></use>", None),
        ("<use href='i.svg#none'></use>", None),
        ("<use href='other.svg#a'></use>", None),
        ("<use></use>", None),
    ],
)
def test_a_copy_takes_the_place(drawing: str, expected: str | None) -> None:
    unchanged = drawing.replace("></use>", "/>")
    assert copied(drawing) == (unchanged if expected is None else expected)


@pytest.mark.parametrize("body", [b"", b"no", b"<svg", b"<svg><symbol id='a'></svg>"])
def test_files_that_cannot_be_read(body: bytes) -> None:
    assert copied("<use href='i.svg#a'></use>", body) == "<use href='i.svg#a'/>"


@pytest.mark.parametrize(("most", "is_warned"), [(5, True), (8, False)])
def test_the_elements_of_a_page_are_limited(monkeypatch: pytest.MonkeyPatch, most: int, is_warned: bool) -> None:
    monkeypatch.setattr(sprites, "MAX_ELEMENTS", most)
    body = "<svg><use href='i.svg#a'></use></svg>" * 4
    page = prepare(task(body, {"https://example.com/dir/i.svg": Asset(FILE, "image/svg+xml")}), Viewport())
    assert etree.tostring(page.root).count(b"<path") == (2 if is_warned else 4)
    assert (TOO_MANY_COPIES in page.warnings) is is_warned
