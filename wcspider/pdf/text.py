"""The text of PDF pages (ISO 32000-1, 9.10), by PDFium."""

from __future__ import annotations

from collections.abc import Iterator

import pypdfium2

from wcspider.exceptions import SourceUnreadableError


def page_texts(pdf: bytes) -> Iterator[str]:
    """Yield the text of each page of a PDF file.

    Raises `SourceUnreadableError` if PDFium cannot read the file.
    """
    try:
        document = pypdfium2.PdfDocument(pdf)
    except pypdfium2.PdfiumError as error:
        raise SourceUnreadableError(f"the text of the PDF file cannot be read ({error})") from error
    try:
        for page in document:
            text_page = page.get_textpage()
            yield text_page.get_text_range()
            text_page.close()
            page.close()
    finally:
        document.close()
