"""The shape of images whose width and height are in style sheets (CSS Images 3, 5.5).

Browsers stretch such images, and so does PlutoBook. But paper is narrower than a screen, and an image that becomes
narrower than its style says should keep its shape. So an image is stretched only if there is room for its width on
paper. Its width and height may come from different rules: each rule states its part in a variable. `default.css` gives
the variables their initial values on each image, so that no image inherits them.
"""

from __future__ import annotations

from typing import Any, Final

from wcspider.engines.plutobook.css.lengths import PAGE, pixels

VARIABLES: Final = "--wcspider-"
"""The beginning of the names of the variables."""

NARROW: Final = 160.0
"""The largest width in CSS pixels for which nearly every box on paper has room."""

_WIDTHS: Final = frozenset({"width", "inline-size"})
_HEIGHTS: Final = frozenset({"height", "block-size"})


def shape(declaration: Any) -> str:
    """Return the declaration of a variable that belongs to a declaration of a width or a height; "" for others."""
    name = declaration.lower_name
    if name not in _WIDTHS and name not in _HEIGHTS:
        return ""
    tokens = [token for token in declaration.value if token.type != "whitespace"]
    token = tokens[0] if len(tokens) == 1 else None
    part, value = ("width", _of_width(token)) if name in _WIDTHS else ("height", _of_height(token))
    return f"{VARIABLES}{part}:{value}{'!important' if declaration.important else ''}"


def _of_width(token: Any) -> str:
    if token is not None and token.type == "percentage":
        has_room = token.value <= 100
    else:
        length = None if token is None else pixels([token], PAGE)
        has_room = length is not None and length <= NARROW
    return f"var({VARIABLES}height)" if has_room else "contain"


def _of_height(token: Any) -> str:
    if token is not None and token.type == "percentage":
        return f"var({VARIABLES}share)"
    return "contain" if token is None or pixels([token], PAGE) is None else "fill"
