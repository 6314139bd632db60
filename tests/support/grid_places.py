"""Where the words of a page with grids stand, laid out by PlutoBook."""

from __future__ import annotations

import io

import plutoprint
import pypdfium2
from lxml import etree, html

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.fonts import font_setup
from wcspider.engines.plutobook.grid.boxless import replace_boxes
from wcspider.engines.plutobook.grid.grid_rewriting import rewrite_grids
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.exceptions import EngineError
from wcspider.web.styles.responsive import Viewport

WIDTH = 680

Places = dict[str, tuple[int, int]]


def rewritten(css: str, body: str) -> str:
    """The HTML page with its grids rewritten."""
    root = html.document_fromstring(f"<html><head></head><body style='margin:0'>{body}</body></html>")
    sheets = Sheets({}, Viewport("print", WIDTH), author_fonts=False)
    sheets.add_text(css, "https://example.org/")
    styles = PageStyles(root, sheets.texts)
    replace_boxes(styles)
    rewrite_grids(styles, WIDTH)
    etree.SubElement(root.find("head"), "style").text = "".join(sheets.texts)
    return str(etree.tostring(root, encoding="unicode", method="html"))


def use_bundled_fonts() -> None:
    """Use the fonts of the package, so that widths do not depend on the machine or on other tests of the process."""
    try:
        font_setup.use(system_fonts=False)
    except EngineError:  # another test has chosen the system's fonts, which only fill gaps of the bundled ones
        font_setup.use(system_fonts=True)


def places(css: str, body: str) -> Places:
    """Where each letter stands: its left edge in pixels, and the number of its line."""
    found = _boxes(css, body)
    tops = sorted({round(box[3]) for box in found.values()}, reverse=True)
    return {c: (round(box[0] / 0.75), tops.index(round(box[3]))) for c, box in found.items()}


def heights(css: str, body: str) -> dict[str, float]:
    """How far below the top of the page each letter stands, in pixels."""
    return {c: (600 - box[3]) / 0.75 for c, box in _boxes(css, body).items()}


def _boxes(css: str, body: str) -> dict[str, tuple[float, float, float, float]]:
    """The box of each letter in points, from the lower left corner of the page."""
    use_bundled_fonts()
    size = plutoprint.PageSize(WIDTH * 0.75, 600)
    book = plutoprint.Book(size, plutoprint.PAGE_MARGINS_NONE, plutoprint.MEDIA_TYPE_PRINT)
    book.load_html(rewritten(css, body))
    stream = io.BytesIO()
    book.write_to_pdf_stream(stream)
    with pypdfium2.PdfDocument(stream.getvalue()) as document:
        text = document[0].get_textpage()
        boxes = {text.get_text_range(i, 1): text.get_charbox(i, loose=True) for i in range(text.count_chars())}
    return {character: box for character, box in boxes.items() if character.isalnum()}


def items(letters: str, element: str = "div") -> str:
    return "".join(f"<{element} class={letter}>{letter}</{element}>" for letter in letters)


def assert_places(css: str, body: str, expected: Places) -> None:
    """Check that each letter stands on its line, and at its left edge up to two pixels."""
    found = places(css, body)
    assert {letter: line for letter, (_, line) in found.items()} == {
        letter: line for letter, (_, line) in expected.items()
    }
    for letter, (left, _) in expected.items():
        assert abs(found[letter][0] - left) <= 2, (letter, found)
