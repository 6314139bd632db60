"""Properties and values with the prefix ``-webkit-``, which all browsers know (Compatibility Standard, 3).

The prefixed properties for masks and for the paint of text have no other names here: they are read as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wcspider.web.styles.tokens import declared, keywords, serialized

_CORNERS: Final = (f"border-{vertical}-{side}-radius" for vertical in ("top", "bottom") for side in ("left", "right"))
_SIDES: Final = {"before": "block-start", "after": "block-end", "start": "inline-start", "end": "inline-end"}
_ALIASES: Final = {
    f"-webkit-{name}": name
    for name in (
        "align-content", "align-items", "align-self", "background-origin", "background-size", "border-radius",
        *_CORNERS, "box-shadow", "box-sizing", "clip-path", "column-count", "column-gap", "column-rule",
        "column-rule-color", "column-rule-style", "column-rule-width", "column-span", "column-width", "columns", "flex",
        "flex-basis", "flex-direction", "flex-flow", "flex-grow", "flex-shrink", "flex-wrap", "justify-content",
        "opacity", "order", "transform", "transform-origin",
    )
} | {"-webkit-column-break-inside": "break-inside"} | {
    f"-webkit-{box}-{old}": f"{box}-{side}" for box in ("margin", "padding") for old, side in _SIDES.items()
}  # fmt: skip
"""The properties by their names with a prefix."""

_OLD_DISPLAYS: Final = {"-webkit-flex": "flex", "-webkit-inline-flex": "inline-flex", "-webkit-box": "flex",
                        "-webkit-inline-box": "inline-flex"}  # fmt: skip
"""The standard values of `display`, by those of older drafts. The boxes of the draft of 2009 have a row of items."""

_OLD_BLOCKS: Final = {"-webkit-box": "block", "-webkit-inline-box": "inline-block"}
"""The values for boxes of the draft of 2009 that have a column of items, or lines of text."""

_COLUMNS: Final = frozenset({"vertical", "block-axis"})


def without_prefixes(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with standard names of properties, and standard values of `display`.

    A box with a largest number of lines, or with items below each other, becomes a block. A rule without prefixes is
    returned unchanged.
    """
    if not any(map(_is_prefixed, declarations)):
        return declarations
    values = {d.lower_name: keywords(d.value) for d in declarations}
    is_column = "-webkit-line-clamp" in values or not _COLUMNS.isdisjoint(values.get("-webkit-box-orient", ()))
    displays = _OLD_DISPLAYS | (_OLD_BLOCKS if is_column else {})
    return [
        declared(d, "display", displays.get(serialized(d.value).lower(), d.value))
        if d.lower_name == "display"
        else declared(d, _ALIASES.get(d.lower_name, d.name), d.value)
        for d in declarations
    ]


def _is_prefixed(declaration: Any) -> bool:
    name = declaration.lower_name
    return name in _ALIASES or (name == "display" and not _OLD_DISPLAYS.keys().isdisjoint(keywords(declaration.value)))
