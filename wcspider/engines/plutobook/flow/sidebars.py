"""Sidebars: long boxes with a width of their own that the page places beside its text.

They have become floats that take no room (`large_boxes`). But a box that clears floats, such as the end of a note,
begins below all floats before it. So where a sidebar and the text are the only boxes in a box, both become flex items.

On a screen, most sidebars scroll. On paper, their long words are broken, because they would cover the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import has_own_text
from wcspider.engines.plutobook.css.element_styles import PageStyles, is_in_flow
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.flow.floats import CLEARING
from wcspider.engines.plutobook.grid.boxes import LETTER
from wcspider.engines.plutobook.grid.flex_lines import CELL

_LENGTH: Final = re.compile(r"(?:\d+\.?\d*|\.\d+)[a-z%]+", re.IGNORECASE)
_INDENTED: Final = 0.5
"""The share of its width that a sidebar has for the words of its innermost lists."""


def separate(styles: PageStyles, sidebars: Iterable[Any]) -> None:
    """Keep sidebars apart from the text. `sidebars` are floats for cssselect2."""
    pairs = []
    for sidebar in sidebars:
        width = styles.values(sidebar).get("width", "")
        known = pixels(width, PAGE)
        if known:
            sidebar.etree_element.set(CELL, str(int(known * _INDENTED / LETTER)))
        text = _only_box_behind(styles, sidebar) if _LENGTH.fullmatch(width) else None
        if text is not None:
            pairs.append((sidebar, text, width))
    clearing = styles.elements_with(CLEARING) if pairs else set()
    for sidebar, text, width in pairs:
        if not clearing.isdisjoint(text.etree_element.iter(etree.Element)):
            _make_items(styles, sidebar, text, width)


def _only_box_behind(styles: PageStyles, sidebar: Any) -> Any:
    """Return the box behind a sidebar if their parent is a block that contains nothing else; None otherwise."""
    parent = sidebar.parent
    if parent is None or styles.values(parent).get("display", "block") != "block" or has_own_text(parent.etree_element):
        return None
    boxes = [box for box in parent.iter_children() if is_in_flow(styles.values(box))]
    return boxes[1] if len(boxes) == 2 and boxes[0] == sidebar and _is_block(styles.values(boxes[1])) else None


def _is_block(values: Mapping[str, str]) -> bool:
    return values.get("float", "none") == "none" and values.get("display", "block") == "block"


def _make_items(styles: PageStyles, sidebar: Any, text: Any, width: str) -> None:
    """Make flex items of a sidebar and of the text, whose margin leaves room for the sidebar."""
    order, inner = (0, "right") if styles.values(sidebar).get("float") == "left" else (1, "left")
    styles.add(sidebar.parent, "display:flex;flex-direction:row;flex-wrap:nowrap;align-items:flex-start")
    styles.add(sidebar, f"float:none;flex:none;order:{order};margin-{inner}:-{width}")
    has_width = styles.values(text).get("width", "auto") != "auto"
    styles.add(text, "min-width:0" if has_width else "flex:1 1 0;min-width:0")
