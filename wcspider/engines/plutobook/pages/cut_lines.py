"""Lines of text that the right edge of a page cuts, because a box around the text hides its overflow."""

from __future__ import annotations

from itertools import islice
from typing import Final

import pypdfium2

from wcspider.engines.base import PageGeometry

MOST_PAGES: Final = 3
"""The number of pages that are looked at."""

LEAST: Final = 5
"""The number of lines that are a part of a text, and not only a label or a slide beside the page."""

_CUT: Final = 1.0
"""By how many points a line has to extend beyond the edge. PDFium ignores clipping."""


def has_cut_lines(pdf: bytes, geometry: PageGeometry) -> bool:
    """Tell whether lines extend beyond the area between the margins on the first pages that cairo wrote."""
    edge, found = geometry.width - geometry.margin_right, 0
    with pypdfium2.PdfDocument(pdf) as document:
        for page in islice(document, MOST_PAGES):
            text = page.get_textpage()
            lines = (text.get_rect(number) for number in range(text.count_rects()))
            found += sum(1 for left, _, right, _ in lines if left < edge and right > edge + _CUT)
            if found >= LEAST:
                return True
    return False
