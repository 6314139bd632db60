"""The PDF file that PlutoBook has written: opened, checked and reduced to its pages."""

from __future__ import annotations

import io
import re

import pikepdf

from wcspider.exceptions import EngineError

_XOBJECTS = re.compile(rb"/XObject << ((?:/x\d+ \d+ 0 R )+)>>")
_ENTRY = re.compile(rb"(/x\d+) \d+ 0 R ")
_UNREAD = re.compile(rb"endobj\n(\d+) 0 obj\n<< /Type /(?:Annot|StructElem)\n")
"""The number of an annotation or a structure element, which are removed from the document in any case."""

_CROSS_REFERENCES = re.compile(rb"\nxref\n0 (\d+)\n(?=(?:\d{10} \d{5} [nf] \n)+trailer\n)")
_ENTRY_LENGTH, _IN_USE = 20, 17
"""The length of a cross-reference entry (7.5.4), and the place of the keyword in it."""

_LEFT_OUT = ("/StructTreeRoot", "/Names", "/Dests", "/Outlines", "/MarkInfo", "/PageLabels", "/OpenAction")


def opened(pdf: bytes, pages: int) -> pikepdf.Pdf:
    """Open the PDF file of a layout, which has `pages` pages and an empty page behind them.

    Raises `EngineError` without the empty page, because then cairo has failed on an earlier page.
    """
    document = pikepdf.open(io.BytesIO(without_repeats(_without_links(pdf))))
    if len(document.pages) != pages + 1:
        place = f"page {len(document.pages)} of {pages}"
        raise EngineError(
            f"the layout has a value that cannot be drawn, so {place} and all that follows would be empty"
        )
    del document.pages[-1]
    return document


def _without_links(pdf: bytes) -> bytes:
    """Mark the objects of links as free (7.5.4), because qpdf reads all other objects as soon as one is added."""
    section = _CROSS_REFERENCES.search(pdf, max(pdf.rfind(b"\nxref\n"), 0))
    if section is None:
        return pdf
    written = bytearray(pdf)
    for number in filter(range(int(section[1])).__contains__, map(int, _UNREAD.findall(pdf))):
        written[section.end() + number * _ENTRY_LENGTH + _IN_USE] = ord("f")
    return bytes(written)


def without_repeats(pdf: bytes) -> bytes:
    """Blank repeated keys in the dictionaries of XObjects; qpdf gives up on a file with many of them."""
    return _XOBJECTS.sub(_each_once, pdf)


def _each_once(match: re.Match[bytes]) -> bytes:
    seen: set[bytes] = set()

    def blank(entry: re.Match[bytes]) -> bytes:
        if entry[1] in seen:
            return b" " * len(entry[0])
        seen.add(entry[1])
        return entry[0]

    return b"/XObject << " + _ENTRY.sub(blank, match[1]) + b">>"


def remove_other_entries(pdf: pikepdf.Pdf) -> None:
    """Remove the entries of a document that are valid only in this document."""
    for key in _LEFT_OUT:
        if key in pdf.Root:
            del pdf.Root[key]
    for page in pdf.pages:
        if "/StructParents" in page.obj:
            del page.obj["/StructParents"]
    if "/Info" in pdf.trailer:
        del pdf.trailer["/Info"]
