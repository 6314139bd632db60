"""Lines of text that the edge of a page cuts at their end, because a box around the text hides its overflow."""

from __future__ import annotations

from itertools import accumulate, islice
from typing import Final

import pypdfium2

from wcspider.engines.base import PageGeometry

MOST_PAGES: Final = 3
"""The number of pages that are looked at."""

LEAST: Final = 5
"""The number of lines that are a part of a text, and not only a label or a slide beside the page."""

_CUT: Final = 1.0
"""By how many points a line has to extend beyond the edge. PDFium ignores clipping."""


def has_cut_lines(pdf: bytes, geometry: PageGeometry, *, at_left: bool = False) -> bool:
    """Tell whether lines extend beyond the area between the margins on the first pages that cairo wrote.

    Only its right edge counts, unless `at_left` is true. False if the file cannot be read, because cairo has failed;
    see `output.opened`.
    """
    try:
        with pypdfium2.PdfDocument(pdf) as document:
            numbers = (_cut_lines(page, geometry, at_left) for page in islice(document, MOST_PAGES))
            return any(total >= LEAST for total in accumulate(numbers))
    except pypdfium2.PdfiumError:
        return False


def _cut_lines(page: pypdfium2.PdfPage, geometry: PageGeometry, at_left: bool) -> int:
    text, first, last = page.get_textpage(), geometry.margin_left, geometry.width - geometry.margin_right
    lines = [text.get_rect(number) for number in range(text.count_rects())]
    cut = [line for line in lines if line[0] < last and line[2] > last + _CUT]
    cut += [line for line in lines if at_left and line[0] < first - _CUT and line[2] > first]
    return len(cut)
