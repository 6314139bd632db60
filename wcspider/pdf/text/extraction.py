"""The text of PDF pages (ISO 32000-1, 9.10), extracted by PDFium.

A page that PDFium would misread is rewritten first (`wcspider.pdf.text.rewriting`).
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
from wcspider.pdf.file.prefix import FilePrefix, openable
from wcspider.pdf.objects import Ref
from wcspider.pdf.text.marking import NUMBER
from wcspider.pdf.text.rewriting import PageRewriter, RewrittenPage
from wcspider.pdf.text.stretch import stretch
from wcspider.pdf.text.structure import Replacement

LINE_END = "\r\n"
"""The characters that PDFium puts between lines."""


class PdfText:
    """The text of a PDF file, page by page. wcspider keeps nothing of a page, but the libraries do until `close`."""

    def __init__(
        self, source: bytes | Path, first: int = 0, count: int | None = None, length: int | None = None
    ) -> None:
        """Open a file, or the first `length` bytes of the file at a path.

        Raises `SourceUnreadableError` if PDFium cannot read it. With `count`, only so many pages from the index `first`
        on will be read, and the pages before them cost nothing.
        """
        self._pdf, self._rewriter = _opened(_readable(source, length))
        view = None if count is None else _stretch(source, self._pdf, first, count, length)
        self._first = 0 if view is None else first
        """The index of PDFium's first page."""

        try:
            readable = _readable(source, length) if view is None else view
            self._document = pypdfium2.PdfDocument(readable, autoclose=True)
        except pypdfium2.PdfiumError as error:
            raise SourceUnreadableError(f"the text of the PDF file cannot be read ({error})") from error
        self._used_elements: set[tuple[int, int]] = set()
        """The structure elements whose ActualText has been returned."""

    def __len__(self) -> int:
        """Return the number of pages from the first page on that can be read."""
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

        If a structure element has content on several pages, its ActualText is returned with the first page that is
        read.
        """
        rewritten = self._rewritten(index)
        try:
            if rewritten is None:
                return _text_of(self._document, index - self._first)
            with closing(pypdfium2.PdfDocument(rewritten.pdf)) as document:
                return _text_of(document, 0, rewritten.replacements, self._used_elements)
        except pypdfium2.PdfiumError as error:
            raise SourceUnreadableError(f"the text of page {index + 1} cannot be read ({error})") from error

    def identity(self, index: int) -> tuple[Ref, bytes]:
        """Return the reference of a page and its ID (14.10.6), which is empty if the page has none."""
        if self._rewriter is None:
            return Ref(0), b""
        page = self._rewriter.page(index)
        identifier = page.get("/ID")
        return Ref(*page.objgen), bytes(identifier) if isinstance(identifier, pikepdf.String) else b""

    def _rewritten(self, index: int) -> RewrittenPage | None:
        if self._rewriter is None:
            return None
        try:
            return self._rewriter.rewrite(index)
        except Exception:  # a page may be damaged in any way, and PDFium's own text is better than none
            return None


def page_texts(pdf: bytes) -> Iterator[str]:
    """Yield the text of each page of a PDF file.

    Raises `SourceUnreadableError` if PDFium cannot read the file, or a page of it.
    """
    with PdfText(pdf) as text:
        for index in range(len(text)):
            yield text.page(index)


def _readable(source: bytes | Path, length: int | None) -> bytes | Path | FilePrefix:
    """Return a source in the form that the libraries read: a file object for the beginning of a file."""
    if not isinstance(source, Path):
        return source
    if length is None or length >= source.stat().st_size:
        return openable(source)
    return FilePrefix(source, length)


def _opened(source: bytes | Path | FilePrefix) -> tuple[pikepdf.Pdf | None, PageRewriter | None]:
    """Open a file with pikepdf; if only PDFium can open it, return None, and no page is rewritten."""
    try:
        readable: Any = BytesIO(source) if isinstance(source, bytes) else source
        pdf = pikepdf.open(readable, inherit_page_attributes=False)
        return pdf, PageRewriter(pdf)
    except Exception:  # a structure tree may be damaged in any way
        return None, None


def _stretch(
    source: bytes | Path, pdf: pikepdf.Pdf | None, first: int, count: int, length: int | None
) -> FilePrefix | None:
    """Return some pages of a file as a file, or None if PDFium has to find the pages in the whole file."""
    if pdf is None or not isinstance(source, Path):
        return None
    try:
        return stretch(source, pdf, first, count, length)
    except Exception:  # a page tree may be damaged in any way
        return None


def _text_of(
    document: Any,
    index: int,
    replacements: Sequence[Replacement] = (),
    used_elements: set[tuple[int, int]] | None = None,
) -> str:
    page = document[index]
    text_page = page.get_textpage()
    try:
        if not replacements:
            return _with_hyphens(text_page.get_text_range())
        units = "".join(_pieces(text_page, replacements, set() if used_elements is None else used_elements))
        return _with_hyphens(units.encode("utf-16", "surrogatepass").decode("utf-16", "ignore"))
    finally:
        text_page.close()
        page.close()


def _with_hyphens(text: str) -> str:
    """Return a text with PDFium's own codes for a hyphen at a line end replaced by a hyphen and a line end."""
    return text.replace("\x02", f"-{LINE_END}").replace("\ufffe", f"-{LINE_END}")


def _pieces(text_page: Any, replacements: Sequence[Replacement], used_elements: set[tuple[int, int]]) -> Iterator[str]:
    """Yield the text of a page in pieces, with marked content replaced by its ActualText, once for each mark."""
    between: list[str] = []  # spaces and line breaks that PDFium puts between the characters that are shown
    last, seen = 0, set[int]()
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
        elif mark not in seen:
            seen.add(mark)
            yield _replacement(replacements[number], used_elements)
    yield "".join(between)


def _character(text_page: Any, at: int) -> str:
    """Return a UTF-16 code unit of the text: a character, or one of two surrogates."""
    unit = pypdfium2.raw.FPDFText_GetUnicode(text_page, at)
    return chr(unit) if unit <= sys.maxunicode else ""


def _mark(text_page: Any, at: int) -> tuple[int, int]:
    """Return the address of the mark around a character, and its number; 0 and 0 if there is no mark."""
    shown = pypdfium2.raw.FPDFText_GetTextObject(text_page, at)
    if not shown or pypdfium2.raw.FPDFPageObj_CountMarks(shown) < 1:
        return 0, 0
    mark = pypdfium2.raw.FPDFPageObj_GetMark(shown, 0)
    number = ctypes.c_int()
    if not pypdfium2.raw.FPDFPageObjMark_GetParamIntValue(mark, NUMBER.encode(), number):
        return 0, 0
    return ctypes.cast(mark, ctypes.c_void_p).value or 0, number.value


def _replacement(replacement: Replacement, used_elements: set[tuple[int, int]]) -> str:
    if replacement.element is None:
        return replacement.text
    if replacement.element in used_elements:
        return ""
    used_elements.add(replacement.element)
    return replacement.text
