"""The declared heights of boxes of text: they are least heights on paper, where lines are shorter than on a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import PAGE, declared_length, pixels

LEAST_HEIGHT: Final = "--wcspider-least-height"
"""The variable of boxes with a declared `height`: 1 for a length, which becomes a least height, and 0 for others.

Zero counts as one of the others.
"""

HAS_LEAST_HEIGHT: Final = re.compile(f"{LEAST_HEIGHT}:1")
"""The declaration of boxes of text that may have a least height, for `PageStyles.elements_with`."""

AUTHORS_LEAST_HEIGHT: Final = "--wcspider-authors-least-height"
"""The variable with the declared `min-height`, which the least height replaces."""

UNKNOWN: Final = "unknown"
"""The value of this variable if the `min-height` depends on other values."""

_HAS_OTHER_HEIGHT: Final = re.compile(f"{LEAST_HEIGHT}:0")
_OF_VARIABLE: Final = re.compile(r"(max-)?height:\s*var\(.*", re.IGNORECASE | re.DOTALL)

THINNEST: Final = 4
"""The least height of a box of text, in CSS pixels. Lower boxes are lines."""


def withdraw(styles: PageStyles) -> None:
    """Remove the least height of an element if the rule that wins declares ``auto``, a percentage or zero."""
    boxes = styles.elements_with(HAS_LEAST_HEIGHT, with_generated=False)
    others = styles.elements_with(_HAS_OTHER_HEIGHT, with_generated=False) if boxes else boxes
    for wrapper in styles.wrappers_of(boxes & others):
        values = styles.values(wrapper)
        least = values.get(AUTHORS_LEAST_HEIGHT, "0")
        if not has_least_height(values) and least != UNKNOWN:
            styles.add(wrapper, f"min-height:{least}")


def resolve_variables(styles: PageStyles, is_box_of_text: Callable[[Any], bool]) -> None:
    """Let heights of boxes of text be least heights if they are variables with lengths (``height: var(--bar)``)."""
    for wrapper in styles.wrappers_with(_OF_VARIABLE, where=is_box_of_text):
        values = styles.values(wrapper)
        height, least, most = (declared_length(values, name) or 0.0 for name in ("height", "min-height", "max-height"))
        if height > THINNEST:
            own = values["height" if height > least else "min-height"]
            styles.add(wrapper, f"height:auto;min-height:{own};{LEAST_HEIGHT}:1")
        if most > THINNEST:
            styles.add(wrapper, "max-height:none")


def has_least_height(values: Mapping[str, str]) -> bool:
    """Tell whether the height that an element with these declared values has in browsers is a least height here."""
    return values.get(LEAST_HEIGHT) == "1"


def least_height(values: Mapping[str, str]) -> float | None:
    """Return the least height of an element with these declared values, in CSS pixels; None if it has none."""
    return pixels(values.get("min-height", ""), PAGE) if has_least_height(values) else None
