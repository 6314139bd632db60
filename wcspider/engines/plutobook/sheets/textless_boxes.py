"""Boxes that contain only pictures: they keep their heights, while boxes of text are as high as their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

MARK: Final = "data-wcspider-pictures"
"""The attribute of these boxes."""

MOST_CHILDREN: Final = 20
"""The number of children up to which a box is read."""

PICTURES: Final = ("img", "svg")


def mark(root: Any, tags: Sequence[str] = PICTURES) -> None:
    """Mark the elements that contain pictures with some tags, and nothing else."""
    for picture in root.iter(*tags):
        box = picture.getparent()
        while box is not None and box.tag != "body" and MARK not in box.attrib and _is_without_text(box):
            box.set(MARK, "")
            box = box.getparent()


def _is_without_text(box: Any) -> bool:
    if len(box) > MOST_CHILDREN or (box.text or "").strip():
        return False
    return all((c.tag in PICTURES or MARK in c.attrib) and not (c.tail or "").strip() for c in box)
