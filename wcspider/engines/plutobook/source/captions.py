"""The captions of tables, which stay on the page of the first header row.

PlutoBook repeats the header of a table on each page after the one on which the table begins. If only the caption is
at the end of a page, the next page shows the header twice, one text above the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_ROOM: Final = 100
"""The room that a caption needs below it, in CSS pixels: that of a header row with up to three lines."""

_STYLE: Final = f"display:block;break-inside:avoid;padding-bottom:{_ROOM}px;margin-bottom:-{_ROOM}px"
"""A box with more room below its contents, which takes no more room than they do."""


def keep_with_headers(root: Any, sheets: Iterable[str]) -> None:
    """Put the contents of captions above table headers into boxes that need more room, in place."""
    captions = [caption for caption in root.iter("caption") if _is_above_header(caption)]
    if not captions or any("caption-side" in sheet for sheet in sheets):
        return
    for caption in captions:
        box = caption.makeelement("wcspider-group", {"style": _STYLE})
        box.text, caption.text = caption.text, None
        box.extend(list(caption))
        caption.append(box)


def _is_above_header(caption: Any) -> bool:
    is_above = caption.get("align", "").lower() != "bottom"
    return is_above and any(sibling.tag == "thead" for sibling in caption.itersiblings())
