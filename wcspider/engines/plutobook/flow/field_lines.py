"""The lines of text fields, in the middle of the room between their paddings (HTML, 15.5.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wcspider.engines.document.controls import BUTTONS
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import FONT_SIZE, PAGE, pixels

_OTHERS: Final = frozenset({"checkbox", "radio", "image", "hidden", "range", "color", "file", *BUTTONS})
"""The types of INPUT elements without a line of text."""

_HEIGHT: Final = re.compile(r"height:[\d.].*", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d*\.?\d+")
_USUAL: Final = 1.2
"""The height of a line as a share of the font size."""


def center(styles: PageStyles) -> None:
    """Make lines that are higher than the room in their field as high as this room.

    PlutoBook begins such a line at the upper padding, so the text would be at the lower edge of the field.
    """
    for wrapper in styles.wrappers_with(_HEIGHT, where=_is_field):
        values = styles.values(wrapper)
        height = pixels(values.get("height", ""), PAGE)
        if height is None or "%" in values["height"]:
            continue
        if values.get("box-sizing") == "border-box":
            height -= sum(pixels(values.get(f"padding-{side}", ""), PAGE) or 0.0 for side in ("top", "bottom"))
        if _line_height(values) > height:
            styles.add(wrapper, f"line-height: {max(height, 1):g}px")


def _is_field(element: Any) -> bool:
    return element.tag == "input" and element.get("type", "").lower() not in _OTHERS


def _line_height(values: Mapping[str, str]) -> float:
    """Return the height of a line in pixels, as far as the values of the field tell."""
    size = pixels(values.get("font-size", ""), PAGE) or FONT_SIZE
    height = values.get("line-height", "normal")
    if _NUMBER.fullmatch(height):
        return size * float(height)
    if height.endswith(("%", "em")) and not height.endswith("rem"):
        return size * float(height.rstrip("%em")) / (100 if height.endswith("%") else 1)
    return pixels(height, PAGE) or size * _USUAL
