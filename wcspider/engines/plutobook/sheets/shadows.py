"""Shadows of boxes (CSS Backgrounds 3, 6.1) as outlines or colors, because PlutoBook draws no shadows.

- A shadow that is a ring around a box or inside of it becomes an outline of the same width. Many buttons and check
  boxes have no other border.
- A blurred shadow becomes a thin outline in a lighter color. Otherwise a white card on a white page would have no edge.
- A shadow that fills the box changes the color of its background. Bootstrap paints the rows of tables with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wcspider.engines.plutobook.css.css_colors import CLEAR, LAYERED, hexadecimal, rgba_of
from wcspider.engines.plutobook.css.lengths import PAGE, is_math, pixels
from wcspider.web.styles.tokens import declarations_of, declared, serialized, significant, single, split_commas

SHADOWS: Final = "-wcspider-shadows"
"""A function that returns an outline that looks like its arguments, the shadows of a box."""

_WIDEST_RING: Final = 8.0
"""The width in CSS pixels up to which a shadow is a ring. Wider ones paint the whole box, or the page around it."""

_FILLING: Final = 100.0
"""The least width in CSS pixels of a ring inside of a box that fills it."""

_LIGHTER: Final = 0.75
"""The opacity of an outline, as a share of the opacity of a blurred shadow."""

_INSIDE: Final = "outline-offset:-1px"
"""The place of a thin outline. Outside of a box as wide as the page, it would make the page too wide for the paper."""

_BLACK: Final = (0.0, 0.0, 0.0, 1.0)


class _Shadow(NamedTuple):
    """The tokens of one shadow."""

    lengths: Sequence[Any]
    """The offsets, the blur radius and the spread distance, as far as they are given."""

    color: Sequence[Any]
    is_inset: bool


def with_filling(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with a shadow that fills the box as a part of the color of the background.

    Only the color of the same rule is known. A rule without one is returned unchanged.
    """
    shadow, ground = (_last(declarations, name) for name in ("box-shadow", "background-color"))
    if shadow is None or ground is None:
        return declarations
    parts = split_commas(shadow.value)
    filling = next((part for part in parts if _fills(_read(part))), None)
    if filling is None:
        return declarations
    others = ", ".join(serialized(part) for part in parts if part is not filling)
    color = f"{LAYERED}({serialized(_read(filling).color)} {serialized(ground.value)})"
    changed = {shadow: others or "none", ground: color}
    return [declared(d, d.name, changed[d]) if d in changed else d for d in declarations]


def _last(declarations: Sequence[Any], name: str) -> Any | None:
    return next((d for d in reversed(declarations) if d.lower_name == name), None)


def _fills(shadow: _Shadow) -> bool:
    """Tell whether a shadow is a ring that leaves no room inside of a box."""
    return shadow.is_inset and _ring_width(shadow) >= _FILLING


def _ring_width(shadow: _Shadow) -> float:
    """Return the spread distance of a shadow without offset and blur, in CSS pixels; 0 for other shadows."""
    lengths = [pixels([token], PAGE) or 0.0 for token in shadow.lengths]
    return lengths[3] if len(lengths) == 4 and not any(lengths[:3]) else 0.0


def with_outline(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with an outline in the place of a shadow.

    If the shadow depends on variables, the value of the outline is a call of `SHADOWS`. On each element, it is filled
    in (see `page_values`), and becomes a plain value when it is written again.
    """
    shadow = _last(declarations, "box-shadow")
    if shadow is None:
        return [_without_call(d) if d.lower_name == "outline" else d for d in declarations]
    outline = _outline(shadow.value)
    others = [d for d in declarations if d is not shadow and not (outline and d.lower_name.startswith("outline"))]
    return [declared(shadow, d.name, d.value) for d in declarations_of(outline or "outline:none")] + others


def _without_call(outline: Any) -> Any:
    """Return the declaration of an outline with a plain value in the place of a call of `SHADOWS`."""
    token = single(outline.value)
    if token is None or token.type != "function" or token.lower_name != SHADOWS:
        return outline
    found = declarations_of(_outline(token.arguments) or "outline:none")
    return declared(outline, "outline", found[0].value)


def _outline(value: Sequence[Any]) -> str:
    """Return the declarations of an outline that looks like the shadows of a box; "" if none of them can be seen."""
    shadows = list(map(_read, split_commas(value)))
    ring = next(filter(None, map(_ring, shadows)), "")
    if ring:
        return ring
    if "var(" in serialized(value):
        return f"outline:{SHADOWS}({serialized(value)});{_INSIDE}"
    color = max(map(_outline_color, shadows), key=lambda rgba: rgba[3], default=CLEAR)
    return f"outline:1px solid {hexadecimal(color)};{_INSIDE}" if color[3] else ""


def _ring(shadow: _Shadow) -> str:
    """Return the declarations of an outline in the place of a ring; "" for other shadows."""
    spread = _ring_width(shadow)
    if not 0 < spread <= _WIDEST_RING:
        return ""
    width = f"{spread:g}px" if is_math(shadow.lengths[3]) else serialized(shadow.lengths[3:])
    return f"outline:{width} solid {serialized(shadow.color)};outline-offset:{f'-{width}' if shadow.is_inset else 0}"


def _outline_color(shadow: _Shadow) -> tuple[float, ...]:
    """Return the color of the outline for a blurred shadow; a transparent one for other shadows."""
    is_blurred = (pixels(shadow.lengths[2:3], PAGE) or 0.0) > 0
    red, green, blue, opacity = next(filter(None, map(rgba_of, shadow.color)), _BLACK)
    return red, green, blue, opacity * _LIGHTER if is_blurred and not shadow.is_inset else 0.0


def _read(shadow: Sequence[Any]) -> _Shadow:
    parts = significant(shadow)
    lengths = [token for token in parts if token.type in ("number", "dimension") or is_math(token)]
    color = [token for token in parts if token not in lengths and serialized([token]).lower() != "inset"]
    return _Shadow(lengths, color, len(lengths) + len(color) < len(parts))
