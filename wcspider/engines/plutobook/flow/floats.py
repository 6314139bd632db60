"""Floats that end at a line break (HTML Standard 15.3.9), and floats in boxes that contain them (CSS Display 3, 2.1).

PlutoBook breaks the line at a BR element and ignores its styles, so the text behind it would stand beside the floats.
It does not know ``display: flow-root``, so the floats would stick out of the box.
"""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.document.html_trees import insert_behind
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.boxes import box_of
from wcspider.engines.plutobook.sheets.declarations import FLOW_ROOT

_TAG: Final = "wcspider-clear"
"""The element behind a BR element. `default.css` makes it an empty block."""

_FLOW_ROOT: Final = "data-wcspider-flow-root"
"""The attribute of boxes that contain floats. `default.css` gives them an end that clears the floats."""

CLEARING: Final = re.compile(r"clear:(?!none$).*", re.IGNORECASE | re.DOTALL)
_CONTAINING: Final = re.compile(f"{FLOW_ROOT}:1")
FLOATING: Final = re.compile("float:(left|right|inline-start|inline-end)", re.IGNORECASE)
_SIDES: Final = {"left": "left", "right": "right", "all": "both", "both": "both"}


def clear_at_breaks(styles: PageStyles) -> None:
    """Insert empty blocks that clear floats behind the BR elements that do so."""
    breaks = list(styles.root.iter("br"))
    clearing = styles.elements_with(CLEARING) if breaks else set()
    for element in breaks:
        side = _SIDES.get(element.get("clear", "").lower(), "both" if element in clearing else "")
        if side:
            insert_behind(element, [element.makeelement(_TAG, {"style": f"clear:{side}"})])


def contain_in_boxes(styles: PageStyles) -> None:
    """Mark the boxes that contain their floats. A FIELDSET is one of them (HTML Standard 15.3.13)."""
    containing = styles.elements_with(_CONTAINING, with_generated=False).union(styles.root.iter("fieldset"))
    if not containing:
        return
    floats = styles.elements_with(FLOATING, with_generated=False)
    around = {ancestor for element in floats for ancestor in element.iterancestors()}
    for wrapper in styles.wrappers_of(containing & around):
        if box_of(wrapper, styles).display == "block":
            contain(wrapper.etree_element)


def contain(box: Any) -> None:
    """Let a block contain its floats."""
    box.set(_FLOW_ROOT, "")
