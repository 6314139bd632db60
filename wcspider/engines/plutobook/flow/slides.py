"""Slides, panels of tabs and both sides of cards: boxes at one place (CSS Positioned Layout 3, 3).

A script shows one at a time. On paper, each has a place of its own, so that no text covers another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wcspider.engines.document.html_trees import HAS_TEXT, TEXT_LENGTH, has_own_text
from wcspider.engines.plutobook.css.element_styles import PageStyles, boxes_in
from wcspider.engines.plutobook.flow.overlays import covers, put_into_flow
from wcspider.engines.plutobook.sheets.large_boxes import is_hidden

_PLACED: Final = re.compile("position:absolute", re.IGNORECASE)

_DOWN, _ACROSS = ("top", "bottom"), ("left", "right")
_PLACING: Final = (*_DOWN, *_ACROSS, *(f"margin-{side}" for side in (*_DOWN, *_ACROSS)))

_LEAST: Final = 20
"""The number of characters of a panel. A shorter text may be a mark in the corner of a picture."""

_WHOLE: Final = ("whole",)
"""The place of a box that covers the box around it."""


def unstack(styles: PageStyles) -> None:
    """Put the boxes with text that are at one place below each other."""
    slides: dict[Any, list[Any]] = {}
    for wrapper in styles.wrappers_with(_PLACED, where=HAS_TEXT):
        values = styles.values(wrapper)
        place = _place(values, wrapper.etree_element) if values.get("position") == "absolute" else None
        if place is not None and _shows_text(styles, wrapper):
            slides.setdefault((wrapper.parent, place), []).append(wrapper)
    for stack in slides.values():
        if len(stack) > 1:
            for wrapper in stack:
                put_into_flow(styles, wrapper)


def _place(values: Mapping[str, str], element: Any) -> tuple[str, ...] | None:
    """Return the place of an absolute box in the box around it; None if its offsets do not tell, or are outside."""
    if covers(values):
        return _WHOLE
    place = tuple(values.get(name, "auto") for name in _PLACING)
    is_placed = all(any(values.get(side, "auto") != "auto" for side in sides) for sides in (_DOWN, _ACROSS))
    is_moved = "transform" in values or any(length.startswith("-") for length in place)
    return place if is_placed and not is_moved and TEXT_LENGTH(element) >= _LEAST else None


def _shows_text(styles: PageStyles, slide: Any) -> bool:
    """Tell whether a text of a slide can be seen; a script may show all of them later."""
    visible = boxes_in(slide, lambda box: not is_hidden(styles.values(box)))
    return any(has_own_text(box.etree_element) for box in visible)
