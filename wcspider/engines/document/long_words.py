"""Words that are too long for a line (CSS Text 3, 5.5)."""

from __future__ import annotations

import re
from typing import Any, Final

LONG: Final = 48
"""From how many letters on a word may be broken."""

MARK: Final = "data-wcspider-long"
"""The attribute of elements that hold such a word."""

_LONG_WORD: Final = re.compile(rf"[!-~\u00a1-\u024f]{{{LONG}}}")
"""Of scripts that are written with spaces; in others lines end between any two letters."""


def mark_long_words(root: Any) -> None:
    """Mark the elements whose own text has a long word, so that lines may end inside of words only there.

    PlutoBook breaks each word at the start of an inline element that does not fit on the rest of the line, where
    ``overflow-wrap`` allows it, even if the whole word fits on the next line.
    """
    for element in root.iter():
        if _LONG_WORD.search(element.text or ""):
            element.set(MARK, "")
        if _LONG_WORD.search(element.tail or "") and element.getparent() is not None:
            element.getparent().set(MARK, "")
