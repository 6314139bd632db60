"""The text of PDF pages (ISO 32000-1, 9.10), by PDFium.

A page that PDFium would misread is made anew first, so that it does not (`wcspider.pdf.text.rewriting`).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pypdfium2.raw

from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.objects import Ref
from wcspider.pdf.text.marking import NUMBER
from wcspider.pdf.text.rewriting import Pages, Renewed
from wcspider.pdf.text.structure import Replacement

LINE_END = "\r\n"
"""What PDFium puts between lines."""


class PdfText:
    """The text of a PDF file, page by page; nothing of a page is kept when the next is asked for."""

    def __init__(self, source: bytes | Path) -> None:
        """Open a file. Raises `SourceUnreadableError` if PDFium cannot read it."""
        try:
            self._document = pypdfium2.PdfDocument(source)
        except pypdfium2.PdfiumError as error:
            raise SourceUnreadableError(f"the text of the PDF file cannot be read ({error})") from error
        self._pdf, self._pages = _opened(source)
        self._said: set[tuple[int, int]] = set()

    def __len__(self) -> int:
        return len(self._document)

    def __enter__(self) -> PdfText:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._document.close()
        if self._pdf is not None:
            self._pdf.close()

    def page(self, index: int) -> str:
        """Return the text of a page, from 0. Raises `SourceUnreadableError` if PDFium cannot read the page.

        The ActualText of a structure element with content on several pages belongs to the first that is asked for.
        """
        renewed = self._renewed(index)
        try:
            if renewed is None:
                return _text_of(self._document, index)
            with closing(pypdfium2.PdfDocument(renewed.pdf)) as document:
                return _text_of(document, 0, renewed.replacements, self._said)
        except pypdfium2.PdfiumError as error:
            raise SourceUnreadableError(f"the text of page {index + 1} cannot be read ({error})") from error

    def identity(self, index: int) -> tuple[Ref, bytes]:
        """Return what object a page is, and its ID (14.10.6), which is empty if it has none."""
        if self._pages is None:
            return Ref(0), b""
        page = self._pages.page(index)
        identifier = page.get("/ID")
        return Ref(*page.objgen), bytes(identifier) if isinstance(identifier, pikepdf.String) else b""

    def _renewed(self, index: int) -> Renewed | None:
        if self._pages is None:
            return None
        try:
            return self._pages.renewed(index)
        except Exception:  # whatever is wrong with a page that anybody wrote, PDFium's text of it is better than none
            return None


def page_texts(pdf: bytes) -> Iterator[str]:
    """Yield the text of each page of a PDF file.

    Raises `SourceUnreadableError` if PDFium cannot read the file, or a page of it.
    """
    with PdfText(pdf) as text:
        for index in range(len(text)):
            yield text.page(index)


def _opened(source: bytes | Path) -> tuple[pikepdf.Pdf | None, Pages | None]:
    """Open a file with pikepdf; what only PDFium can open has its text from PDFium alone."""
    try:
        pdf = pikepdf.open(BytesIO(source) if isinstance(source, bytes) else source, inherit_page_attributes=False)
        return pdf, Pages(pdf)
    except Exception:  # as above: a structure tree may be damaged in any way
        return None, None


def _text_of(
    document: Any, index: int, replacements: Sequence[Replacement] = (), said: set[tuple[int, int]] | None = None
) -> str:
    page = document[index]
    text_page = page.get_textpage()
    try:
        if not replacements:
            return _with_hyphens(text_page.get_text_range())
        units = "".join(_pieces(text_page, replacements, set() if said is None else said))
        return _with_hyphens(units.encode("utf-16", "surrogatepass").decode("utf-16", "ignore"))
    finally:
        text_page.close()
        page.close()


def _with_hyphens(text: str) -> str:
    """Return a text with the hyphens at line ends and the breaks behind them, for which PDFium has codes of its own."""
    return text.replace("\x02", f"-{LINE_END}").replace("\ufffe", f"-{LINE_END}")


def _pieces(text_page: Any, replacements: Sequence[Replacement], said: set[tuple[int, int]]) -> Iterator[str]:
    """Yield the text of a page in pieces: what a mark is around gives way to its replacement, once."""
    between: list[str] = []  # spaces and line breaks that PDFium puts between what is shown
    last, met = 0, set[int]()
    for at in range(text_page.count_chars()):
        if pypdfium2.raw.FPDFText_GetTextIndexFromCharIndex(text_page, at) < 0:
            continue
        character = _character(text_page, at)
        if pypdfium2.raw.FPDFText_IsGenerated(text_page, at) == 1:
            between.append(character)
            continue
        mark, number = _mark(text_page, at)
        if mark and mark == last:
            between.clear()
            continue
        yield "".join(between)
        between.clear()
        last = mark
        if not mark:
            yield character
        elif mark not in met:
            met.add(mark)
            yield _replacement(replacements[number], said)
    yield "".join(between)


def _character(text_page: Any, at: int) -> str:
    """Return a character, or half of one: PDFium has them in UTF-16."""
    unit = pypdfium2.raw.FPDFText_GetUnicode(text_page, at)
    return chr(unit) if unit <= sys.maxunicode else ""


def _mark(text_page: Any, at: int) -> tuple[int, int]:
    """Return the mark around a character, by its address, and its number; 0 for none."""
    shown = pypdfium2.raw.FPDFText_GetTextObject(text_page, at)
    if not shown or pypdfium2.raw.FPDFPageObj_CountMarks(shown) < 1:
        return 0, 0
    mark = pypdfium2.raw.FPDFPageObj_GetMark(shown, 0)
    number = ctypes.c_int()
    if not pypdfium2.raw.FPDFPageObjMark_GetParamIntValue(mark, NUMBER.encode(), number):
        return 0, 0
    return ctypes.cast(mark, ctypes.c_void_p).value or 0, number.value


def _replacement(replacement: Replacement, said: set[tuple[int, int]]) -> str:
    if replacement.element is None:
        return replacement.text
    if replacement.element in said:
        return ""
    said.add(replacement.element)
    return replacement.text
