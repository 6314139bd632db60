"""Slides and both sides of cards: boxes that cover the box around them, and each other (CSS Positioned Layout 3, 3).

A script shows one at a time. On paper, each has a place of its own, so that no text covers another.
"""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.document.html_trees import HAS_TEXT, has_own_text
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.flow.overlays import covers, put_into_flow
from wcspider.engines.plutobook.sheets.large_boxes import is_hidden

_PLACED: Final = re.compile("position:absolute", re.IGNORECASE)


def unstack(styles: PageStyles) -> None:
    """Put the boxes with text that cover each other below each other."""
    slides: dict[Any, list[Any]] = {}
    for wrapper in styles.wrappers_with(_PLACED, where=HAS_TEXT):
        values = styles.values(wrapper)
        if values.get("position") == "absolute" and covers(values) and _shows_text(styles, wrapper):
            slides.setdefault(wrapper.parent, []).append(wrapper)
    for stack in slides.values():
        if len(stack) > 1:
            for wrapper in stack:
                put_into_flow(styles, wrapper)


def _shows_text(styles: PageStyles, slide: Any) -> bool:
    """Tell whether a text of a slide can be seen; a script may show all of them later."""
    open_boxes = [slide]
    while open_boxes:
        box = open_boxes.pop()
        if not is_hidden(styles.values(box)):
            if has_own_text(box.etree_element):
                return True
            open_boxes += box.iter_children()
    return False
