"""Pages that are read from right to left (CSS Writing Modes 4, 8)."""

from __future__ import annotations

from typing import Final

from wcspider.engines.plutobook.css.element_styles import PageStyles

FROM_RIGHT: Final = "data-wcspider-from-right"
"""The attribute of the root element of such a page."""

_DIRECTIONS: Final = frozenset({"ltr", "rtl"})


def mark(styles: PageStyles) -> None:
    """Mark the root element if the page is read from right to left. The direction of BODY counts if it has one."""
    direction = "ltr"
    for element in filter(lambda found: found is not None, (styles.root, styles.root.find("body"))):
        declared = styles.values(styles.wrapper_of(element)).get("direction"), element.get("dir", "").lower()
        direction = next((value for value in declared if value in _DIRECTIONS), direction)
    if direction == "rtl":
        styles.root.set(FROM_RIGHT, "")
