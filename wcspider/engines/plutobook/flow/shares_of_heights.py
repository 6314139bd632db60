"""Heights in percent, inside boxes of text whose declared height is a least height on paper.

Such a box is as high as its text, so that a percentage in it refers to nothing (CSS 2.2, 10.5). A picture would have
its own height, and text that is placed in the middle of a banner would be at its top.
"""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.document.controls import CONTROLS
from wcspider.engines.document.html_trees import HAS_TEXT
from wcspider.engines.plutobook.css.element_styles import PageStyles, is_in_flow
from wcspider.engines.plutobook.css.lengths import PAGE, Basis, pixels
from wcspider.engines.plutobook.sheets.declarations import HAS_LEAST_HEIGHT, LEAST_HEIGHT

_SHARE: Final = re.compile(r"height:[\d.]+%")


def keep(styles: PageStyles) -> None:
    """Give the elements with a height in percent their share of the declared height around them."""
    boxes = styles.elements_with(HAS_LEAST_HEIGHT, with_generated=False)
    shares = styles.elements_with(_SHARE, with_generated=False) if boxes else set()
    known: dict[Any, float] = {}
    inside = (e for e in shares if e.getparent() in boxes or e.getparent() in shares)
    for wrapper in styles.wrappers_of(inside):  # a box comes before those in it
        values, parent = styles.values(wrapper), wrapper.parent
        share = values.get("height", "")
        # A control keeps its own height: PlutoBook would place its text at the top.
        if wrapper.local_name in CONTROLS or parent is None or not share.endswith("%") or not is_in_flow(values):
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
