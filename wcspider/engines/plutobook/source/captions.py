"""The captions of tables, which stay on the page of the first header row.

PlutoBook repeats the header of a table on each page after the one on which the table begins. If only the caption is
at the end of a page, the next page shows the header twice, one text above the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any, Final

from wcspider.engines.document.html_trees import text_of
from wcspider.engines.plutobook.grid.flex_lines import GROUP

_ROW: Final = 20
"""The height of the paddings and borders of a header row, in CSS pixels, and that of each of its lines."""

_LETTERS: Final = 15
"""The number of characters of a line in a header cell, if the columns are narrow."""

_MOST_LINES: Final = 5

_STYLE: Final = "display:block;break-inside:avoid;padding-bottom:{room}px;margin-bottom:-{room}px"
"""A box with more room below its contents, which takes no more room than they do."""


def keep_with_headers(root: Any, sheets: Iterable[str]) -> None:
    """Put the contents of captions above table headers into boxes that need more room, in place."""
    headers = [(caption, header) for caption in root.iter("caption") if (header := _header_below(caption)) is not None]
    if not headers or any("caption-side" in sheet for sheet in sheets):
        return
    for caption, header in headers:
        box = caption.makeelement(GROUP, {"style": _STYLE.format(room=_height(header))})
        box.text, caption.text = caption.text, None
        box.extend(list(caption))
        caption.append(box)


def _header_below(caption: Any) -> Any | None:
    """Return the header of the table of a caption; None if the caption is below the table."""
    if caption.get("align", "").lower() == "bottom":
        return None
    return next(caption.itersiblings("thead"), None)


def _height(header: Any) -> int:
    """Return the estimated height of the first row of a header, in CSS pixels."""
    row = next(header.iter("tr"), header)
    longest = max((len(text_of(cell)) for cell in row), default=0)
    return _ROW + _ROW * min(max(ceil(longest / _LETTERS), 1), _MOST_LINES)
