"""How large text and the lines that it stands in may be on a page."""

from __future__ import annotations

from typing import Any

from xhtml2pdf import parser
from xhtml2pdf.util import getSize

LARGEST_TEXT = 1 / 3
"""The size of the largest text, as a share of the width or the height of a page: a letter then has room on a line,
however deep its place in the tree is."""

HIGHEST_LINE = 0.4
"""The height of the highest line, as a share of that of a page: xhtml2pdf keeps two lines of a paragraph together."""

_style = parser.CSS2Frag


def style(context: Any, margins: dict[str, float], isBlock: bool) -> None:  # noqa: N803
    """Convert the styles of an element; text and lines stay smaller than a page."""
    _style(context, margins, isBlock)
    frag, largest = context.frag, min(context.room, context.height) * LARGEST_TEXT
    if not frag.fontSize <= largest:
        frag.fontSize = largest
        frag.leading = getSize(frag.leadingSource, largest)
    highest = context.height * HIGHEST_LINE
    if not frag.leading <= highest:
        frag.leading, frag.leadingSource = highest, f"{highest:.2f}pt"
