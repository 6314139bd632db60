"""Heights in percent, inside boxes of text whose declared height is a least height on paper.

Such a box is as high as its text, so that a percentage in it refers to nothing (CSS 2.2, 10.5). A picture would have
its own height, and text that is placed in the middle of a banner would be at its top.

The box loses its largest height as well, so its least height may not be above it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.controls import CONTROLS
from wcspider.engines.document.html_trees import HAS_TEXT
from wcspider.engines.plutobook.css.element_styles import PageStyles, content_height, is_in_flow
from wcspider.engines.plutobook.css.lengths import PAGE, Basis, pixels
from wcspider.engines.plutobook.grid.boxes import box_around
from wcspider.engines.plutobook.sheets.declarations import MOST_HEIGHT
from wcspider.engines.plutobook.sheets.least_heights import HAS_LEAST_HEIGHT, least_height

_SHARE: Final = re.compile(r"height:[\d.]+%")
_HAS_MOST_HEIGHT: Final = re.compile(f"{MOST_HEIGHT}:.*")
_OF_WINDOW: Final = re.compile(r"\dv(h|max|min)\b", re.IGNORECASE)
_INLINE: Final = frozenset({"a", "span", "picture"})
"""Elements that are usually no boxes of their own."""


def keep(styles: PageStyles) -> None:
    """Give the elements with a height in percent their share of the declared height around them."""
    boxes = styles.elements_with(HAS_LEAST_HEIGHT, with_generated=False)
    if not boxes or styles.is_too_large:
        return
    limited = styles.elements_with(_HAS_MOST_HEIGHT, with_generated=False)
    for wrapper in styles.wrappers_of(boxes & limited):
        values = styles.values(wrapper)
        least, most = least_height(values) or 0.0, most_height(values)
        # The height of the window depends on the scale of the page, and may be the author's least height as well.
        if most is not None and least > most and not _OF_WINDOW.search(values.get("min-height", "")):
            styles.add(wrapper, f"min-height:{most:.2f}px")
    shares = styles.elements_with(_SHARE, with_generated=False)
    known: dict[Any, float] = {}
    for element in styles.root.iter(etree.Element) if shares else ():  # a box comes before those in it
        if element not in shares or not any(around in boxes or around in known for around in _around(element)):
            continue
        wrapper = styles.wrapper_of(element)
        values, box = styles.values(wrapper), _containing_box(styles, wrapper)
        share = values.get("height", "")
        # A control keeps its own height: PlutoBook would place its text at the top.
        if wrapper.local_name in CONTROLS or box is None or not share.endswith("%") or not is_in_flow(values):
            continue
        around = known.get(box.etree_element) or least_height(styles.values(box)) or 0.0
        room = content_height(around, styles.values(box))
        height = pixels(share, Basis(room, room))
        if height:
            known[element] = height
            if HAS_TEXT(element) and _is_next_slide(styles, wrapper, known):
                continue  # it is as high as its text
            name = "min-height" if HAS_TEXT(element) else "height"
            styles.add(wrapper, f"{name}:{height:.2f}px")


def _is_next_slide(styles: PageStyles, wrapper: Any, known: Collection[Any]) -> bool:
    """Tell whether a box and the one before it both have the whole width and, being in `known`, share the height.

    They have room beside each other, behind the edge of the box around them, but not below each other.
    """
    before = wrapper.previous
    if before is None or before.etree_element not in known or box_around(wrapper, styles).is_container:
        return False
    slides = [styles.values(box) for box in (before, wrapper)]
    return all(values.get("width") == values.get("height") == "100%" for values in slides)


def most_height(values: Mapping[str, str]) -> float | None:
    """Return the largest height that an element with these declared values has in browsers; None if it has none."""
    declared = values.get(MOST_HEIGHT, values.get("max-height", "none"))
    return None if "%" in declared else pixels(declared, PAGE)


def _around(element: Any) -> Iterator[Any]:
    """Yield the parent of an element, and the elements to which percentages refer if the parent is inline."""
    for around in element.iterancestors():
        yield around
        if around.tag not in _INLINE:
            return


def _containing_box(styles: PageStyles, wrapper: Any) -> Any:
    """Return the element around another one to whose height percentages refer; None for the root."""
    parent = wrapper.parent
    if parent is None or parent.local_name not in _INLINE:
        return parent
    values = styles.values(parent)
    is_inline = values.get("display", "inline") == "inline" and values.get("float", "none") == "none"
    around = parent.parent
    is_item = around is not None and "flex" in styles.values(around).get("display", "")
    if not is_inline or is_item or not is_in_flow(values):
        return parent
    return _containing_box(styles, parent)
