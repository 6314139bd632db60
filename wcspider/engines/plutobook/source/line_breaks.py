"""Line breaks that clear floats: HTML Standard 15.3.9, CSS 2.1, 9.5.2.

PlutoBook breaks the line at a BR element and ignores its styles, so the text behind it would stand beside the floats.
"""

from __future__ import annotations

import re
from typing import Final

from wcspider.engines.document.html_trees import insert_behind
from wcspider.engines.plutobook.css.element_styles import PageStyles

_TAG: Final = "wcspider-clear"
"""The element behind a BR element. `default.css` makes it an empty block."""

_CLEARING: Final = re.compile(r"clear:(?!none$).*", re.IGNORECASE | re.DOTALL)
_SIDES: Final = {"left": "left", "right": "right", "all": "both", "both": "both"}


def clear_floats(styles: PageStyles) -> None:
    """Insert empty blocks that clear floats behind the BR elements that do so."""
    breaks = list(styles.root.iter("br"))
    clearing = styles.elements_with(_CLEARING) if breaks else set()
    for element in breaks:
        side = _SIDES.get(element.get("clear", "").lower(), "both" if element in clearing else "")
        if side:
            insert_behind(element, [element.makeelement(_TAG, {"style": f"clear:{side}"})])
