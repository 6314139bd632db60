"""Heights in percent, inside boxes of text whose declared height is a least height on paper.

Such a box is as high as its text, so that a percentage in it refers to nothing (CSS 2.2, 10.5). A picture would have
its own height, and text that is placed in the middle of a banner would be at its top.
"""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.document.html_trees import HAS_TEXT
from wcspider.engines.plutobook.css.element_styles import PageStyles, is_in_flow
from wcspider.engines.plutobook.css.lengths import PAGE, Basis, pixels
from wcspider.engines.plutobook.sheets.declarations import LEAST_HEIGHT

_LEAST: Final = re.compile(f"{LEAST_HEIGHT}:1")
_SHARE: Final = re.compile(r"height:[\d.]+%")
_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
"""The elements that keep their own height: PlutoBook would place their text at the top."""


def keep(styles: PageStyles) -> None:
    """Give the elements with a height in percent their share of the declared height around them."""
    boxes = styles.elements_with(_LEAST, with_generated=False)
    shares = styles.elements_with(_SHARE, with_generated=False) if boxes else set()
    known: dict[Any, float] = {}
    inside = (e for e in shares if e.getparent() in boxes or e.getparent() in shares)
    for wrapper in styles.wrappers_of(inside):  # a box comes before those in it
        values, parent = styles.values(wrapper), wrapper.parent
        share = values.get("height", "")
        if wrapper.local_name in _CONTROLS or parent is None or not share.endswith("%") or not is_in_flow(values):
            continue
        around = known.get(parent.etree_element) or _declared_height(styles, parent)
        height = pixels(share, Basis(around, around))
        if height:
            known[wrapper.etree_element] = height
            name = "min-height" if HAS_TEXT(wrapper.etree_element) else "height"
            styles.add(wrapper, f"{name}:{height:.2f}px")


def _declared_height(styles: PageStyles, box: Any) -> float:
    """Return the declared height of a box of text in CSS pixels; 0 if it has none."""
    values = styles.values(box)
    return pixels(values.get("min-height", ""), PAGE) or 0.0 if LEAST_HEIGHT in values else 0.0
