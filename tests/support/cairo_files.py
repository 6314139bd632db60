"""PDF files that cairo has written, before anything in them is changed."""

from __future__ import annotations

import plutoprint

from wcspider.engines.plutobook.pages import memory_file

SIZE = plutoprint.PageSize(400, 400)


def drawn(html: str, *, empty_pages: int = 0) -> bytes:
    """A file with the pages of a document, and empty pages behind them; it has the same bytes each time."""
    book = plutoprint.Book(SIZE)
    book.load_html(html)

    def draw(canvas: plutoprint.PDFCanvas) -> None:
        canvas.set_metadata(plutoprint.PDF_METADATA_CREATION_DATE, "2000-01-01T00:00:00Z")
        for number in range(book.get_page_count()):
            book.render_page(canvas, number)
            canvas.show_page()
        for _ in range(empty_pages):
            canvas.show_page()

    return memory_file.drawn(SIZE, draw)
