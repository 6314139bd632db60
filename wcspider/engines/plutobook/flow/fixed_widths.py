"""Pages that their authors laid out for a certain width, such as 960 pixels (CSS 2.2, 10.2).

Browsers print such a page smaller, so that its columns stay side by side. Where a box around the page hides its
overflow, they cut the lines of the text instead, if the window is narrower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import TEXT_LENGTH
from wcspider.engines.plutobook.css.element_styles import CUTS, CUTTING, PageStyles, add_style, is_in_flow
from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels
from wcspider.engines.plutobook.flow.floats import contain
from wcspider.engines.plutobook.grid.boxes import Box

SMALLEST: Final = 0.55
"""The smallest scale of a page that is laid out for a certain width: text of 11 pixels has 4.5 points.

A page whose text is larger than usual may become smaller.
"""

MOST: Final = 1_000
"""The number of boxes of a page that are examined."""

_WIDE: Final = re.compile(r"(min-)?width:(\d{3,4}(\.\d+)?(px|pt)|\d{2,3}(\.\d+)?r?em)", re.IGNORECASE)


_OF_FONT: Final = re.compile(r"(?:em|ex|ch)\b", re.IGNORECASE)
"""The units that depend on the size of a text, such as that of the root element (rem)."""

_FRAME: Final = "data-wcspider-around"
"""The attribute of boxes around a page that cut off its overflow.

Its value is "container" for flex and grid containers, and "block" for other boxes.
"""

_FRAMES: Final = etree.XPath(f"//*[@{_FRAME}]")


def mark_frames(styles: PageStyles) -> None:
    """Mark the boxes that contain at least half of the text of a page and cut off their overflow."""
    cutting = styles.elements_with(CUTS, with_generated=False)
    least = TEXT_LENGTH(styles.root) / 2 if cutting else 0.0
    for wrapper in styles.wrappers_of(element for element in cutting if TEXT_LENGTH(element) >= least):
        values, element = styles.values(wrapper), wrapper.etree_element
        if values.get("overflow-x") in CUTTING:
            element.set(_FRAME, "container" if Box(element, values).is_container else "block")


def has_frames(root: Any) -> bool:
    """Tell whether boxes of a page are marked."""
    return bool(_FRAMES(root))


def show_whole(root: Any) -> None:
    """Let the marked boxes show their overflow, which makes the page wider. They still contain their floats."""
    for box in _FRAMES(root):
        add_style(box, "overflow:visible;overflow-x:visible;overflow-y:visible")
        if box.get(_FRAME) == "block":
            contain(box)


def page_width(styles: PageStyles, room: float, drawn: float) -> float:
    """Return the width in CSS pixels for which a page is laid out; 0 if it fits into `room`, or can be narrower.

    Boxes of a fixed width that is larger than `room` have to contain at least half of the text. Boxes whose width
    depends on the size of their text are at most `drawn` wide, the width of the page in a layout without a scale.
    """
    wide = dict(_wide_boxes(styles, Basis(room, room), drawn))
    outer = [element for element in wide if not any(around in wide for around in element.iterancestors())]
    if 2 * sum(map(TEXT_LENGTH, outer)) < TEXT_LENGTH(styles.root):
        return 0.0
    return max((wide[element] for element in outer), default=0.0)


def _wide_boxes(styles: PageStyles, basis: Basis, drawn: float) -> Iterator[tuple[Any, float]]:
    """Yield the boxes that are wider than the page, but not too wide to be read on it, with their widths."""
    most = basis.container / SMALLEST * max(_text_size(styles, basis), FONT_SIZE) / FONT_SIZE
    candidates = styles.elements_with(_WIDE, with_generated=False)
    candidates.update(table for table in styles.root.iter("table") if table.get("width", "").isdecimal())
    for wrapper in styles.wrappers_of(candidates)[:MOST]:
        values = styles.values(wrapper)
        if is_in_flow(values):
            width = _width(Box(wrapper.etree_element, values), basis)
            if any(_OF_FONT.search(values.get(name, "")) for name in ("width", "min-width")):
                width = min(width, drawn)
            if basis.container < width <= most:
                yield wrapper.etree_element, width


def _text_size(styles: PageStyles, basis: Basis) -> float:
    """Return the size of the text of a page that its BODY or its root element declares; 0 if they declare none."""
    body = styles.root.find("body")
    sizes = (styles.values(styles.wrapper_of(e)).get("font-size", "") for e in (body, styles.root) if e is not None)
    return next((pixels(size, basis) or 0.0 for size in sizes if size and "%" not in size), 0.0)


def _width(box: Box, basis: Basis) -> float:
    """Return the width of a box with its paddings; 0 if it has no fixed width."""
    width, most, least = (box.given(name, basis) for name in ("width", "max-width", "min-width"))
    if width is None:
        width = float(box.element.get("width")) if box.element.get("width", "").isdecimal() else 0.0
    return max(min(width, width if most is None else most), least or 0.0)
