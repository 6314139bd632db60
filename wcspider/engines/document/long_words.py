"""Words that are too long for a line (CSS Text 3, 5.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

LONG: Final = 48
"""From how many letters on a word may be broken."""

LONG_IN_CELL: Final = 20
"""The same in cells of tables."""

MARK: Final = "data-wcspider-long"
"""The attribute of elements that hold such a word."""

_LETTERS: Final = r"[!-~\u00a1-\u024f]"
"""Letters of scripts that are written with spaces; in others lines end between any two letters."""

_LONG_WORD: Final = re.compile(f"{_LETTERS}{{{LONG}}}")
_LONG_WORD_IN_CELL: Final = re.compile(f"{_LETTERS}{{{LONG_IN_CELL}}}")


def mark_long_words(root: Any) -> None:
    """Mark the elements whose own text has a long word, so that lines may end inside of words only there.

    PlutoBook breaks each word at the start of an inline element that does not fit on the rest of the line, where
    ``overflow-wrap`` allows it, even if the whole word fits on the next line.
    """
    _mark(root.iter(), _LONG_WORD)
    for cell in root.iter("td", "th"):
        _mark(cell.iterchildren(), _LONG_WORD_IN_CELL)
        if _LONG_WORD_IN_CELL.search(cell.text or ""):
            cell.set(MARK, "")


def _mark(elements: Iterable[Any], word: re.Pattern[str]) -> None:
    for element in elements:
        if word.search(element.text or ""):
            element.set(MARK, "")
        parent = element.getparent()
        if parent is not None and word.search(element.tail or ""):
            parent.set(MARK, "")
