"""Boxes without text: they keep their heights, while boxes of text are as high as their text.

Such boxes are empty, such as icons and the bars of charts, or contain only pictures and empty elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

MARK: Final = "data-wcspider-textless"
"""The attribute of these boxes."""

PICTURES: Final = ("img", "svg")
_EMPTY: Final = ("div", "span", "i", "b", "em", "li", "p", "a")
"""The elements that are often empty. Controls and frames, which may show text, are not among them."""


def mark(root: Any, pictures: Sequence[str] = PICTURES) -> None:
    """Mark empty elements, and those that contain such elements and pictures with some tags, and nothing else."""
    counts: Counter[Any] = Counter()
    for leaf in root.iter(*pictures, *_EMPTY):
        if leaf.tag in pictures:
            _mark_around(leaf, counts)
        elif not (len(leaf) or _is_text(leaf.text)):
            leaf.set(MARK, "")
            _mark_around(leaf, counts)


def _mark_around(box: Any, counts: Counter[Any]) -> None:
    """Mark the boxes around a box without text, as far as it is the last child that they were waiting for.

    `counts` are the numbers of the children without text.
    """
    around = box.getparent()
    while around is not None and around.tag != "body" and not _is_text(box.tail):
        counts[around] += 1
        if counts[around] < len(around) or _is_text(around.text):
            return
        around.set(MARK, "")
        box, around = around, around.getparent()


def _is_text(text: str | None) -> bool:
    return bool(text and not text.isspace())
