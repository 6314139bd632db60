"""The widths of form controls that are blocks, and of those in rows and grids."""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import PageStyles

_CONTROLS: Final = frozenset({"input", "select", "textarea", "button"})
_OF_OWN_SIZE: Final = frozenset({"checkbox", "radio", "image"})
"""The types of INPUT elements whose default width is a length."""

_BLOCK: Final = re.compile(r"display:(?!inline|none|contents).*", re.IGNORECASE)
_PERCENTAGE: Final = re.compile(r"(max-)?width:[\d.]+%", re.IGNORECASE)


def fit(styles: PageStyles) -> None:
    """Give form controls the widths that they have in browsers.

    A control that is a block is no wider than one in a line (HTML, 15.5.1). A control in a row or a grid has no least
    width if its width is a percentage (CSS Sizing 3, 5.2.2). Otherwise a search field of 100% would push the button
    beside it out of the row.
    """
    for wrapper in styles.wrappers_with(_BLOCK, where=_is_box_of_text):
        values = styles.values(wrapper)
        is_block = _BLOCK.fullmatch(f"display:{values.get('display', 'inline')}") is not None
        if is_block and values.get("width", "auto") == "auto" and not _container(styles, wrapper):
            styles.add(wrapper, "width: fit-content")
    for wrapper in styles.wrappers_with(_PERCENTAGE, where=lambda element: element.tag in _CONTROLS):
        if "min-width" not in styles.values(wrapper) and _container(styles, wrapper) in ("row", "grid"):
            styles.add(wrapper, "min-width: 0")


def _is_box_of_text(element: Any) -> bool:
    return element.tag in _CONTROLS and element.get("type", "").lower() not in _OF_OWN_SIZE


def _container(styles: PageStyles, item: Any) -> str:
    """Return "row", "column" or "grid" for an element in such a container, and "" for others."""
    values = styles.values(item.parent) if item.parent is not None else {}
    if "flex" in values.get("display", ""):
        return "column" if values.get("flex-direction", "").startswith("column") else "row"
    return "grid" if "grid" in values.get("display", "") else ""
