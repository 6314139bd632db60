"""The texts of buttons, in the middle of their heights (HTML, 15.5.2)."""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.document.controls import BUTTONS
from wcspider.engines.document.html_trees import has_own_text
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.boxes import box_around

_OF_TEXT: Final = frozenset({"auto", "0", "0px", "fit-content", "min-content", "max-content"})
"""The heights with which a button is as high as its text."""

_GENERATED: Final = re.compile(r"content:(?!none|normal).*", re.IGNORECASE | re.DOTALL)
_DISPLAYS: Final = {"inline-block": "inline-flex", "inline": "inline-flex", "block": "flex"}


def center(styles: PageStyles) -> None:
    """Move the texts of buttons that are higher than their text into the middle. PlutoBook puts them at the top.

    A button becomes a column with one item. Buttons with several items stay as they are; an icon beside a text may be
    an element or generated content.
    """
    buttons = set(filter(_has_one_item, styles.root.iter("button", "input")))
    for wrapper in styles.wrappers_of(buttons - styles.elements_with(_GENERATED) if buttons else ()):
        values = styles.values(wrapper)
        is_high = any(values.get(name, "auto") not in _OF_TEXT for name in ("height", "min-height"))
        display = _DISPLAYS.get(values.get("display", "inline-block"))
        if display is not None and (is_high or box_around(wrapper, styles).is_container):
            # An item without a width fills the button, and its text has the alignment of the button.
            has_width = any(styles.values(item).get("width", "auto") != "auto" for item in wrapper.iter_children())
            alignment = "; align-items: center" if has_width else ""
            styles.add(wrapper, f"display: {display}; flex-direction: column; justify-content: center{alignment}")


def _has_one_item(element: Any) -> bool:
    """Tell whether an element is a button with a text or one element in it."""
    if element.tag == "input":
        return element.get("type", "").lower() in BUTTONS
    return len(element) == (0 if has_own_text(element) else 1)
