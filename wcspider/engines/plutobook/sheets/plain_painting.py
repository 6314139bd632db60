"""Paintings that PlutoBook cannot draw, in plain words.

- Text that is painted with its background (CSS Backgrounds 4, 2.7): it gets the first visible color of its filling and
  the background.
- Text with an outline and without a filling: it gets the color of the outline.
- Text with a filling of another color than its own: it gets the color of the filling.
- Triangles that are corners of a border whose other sides are transparent (CSS Backgrounds 3, 4.1): the transparent
  sides get a color that nobody sees, because PlutoBook draws no corners beside transparent sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import tinycss2

from wcspider.engines.plutobook.css.css_colors import VISIBLE, is_gradient, rgba_of
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.sheets.image_shapes import PAINT
from wcspider.web.styles.tokens import declared, keywords, serialized, significant

_UNSEEN: Final = "rgba(0,0,0,.004)"
"""A color with as little opacity as 8 bits have."""

_THICK: Final = 3.0
"""The width in CSS pixels from which corners of a border can be seen."""

_CLIPPED: Final = frozenset({"background-clip", "-webkit-background-clip"})
_CLIPS: Final = _CLIPPED | {"background"}
_FILL: Final = "-webkit-text-fill-color"
_FILLS: Final = (_FILL, "color")
_OUTLINES: Final = frozenset({"-webkit-text-stroke", "-webkit-text-stroke-color"})
_REPLACED: Final = ("background", "-webkit-background", _FILL, "color")


def with_corners(declarations: Sequence[Any], *, is_generated: bool) -> Sequence[Any]:
    """Return the declarations of a rule with visible corners of a border.

    The widths and colors of generated boxes (``::before`` and ``::after``) are often in several rules.
    """
    clear = [d for d in declarations if d.lower_name.startswith("border") and any(map(_is_transparent, d.value))]
    if not clear or not (is_generated or any(map(_is_corner, declarations))):
        return declarations
    return [declared(d, d.lower_name, _with_unseen(d.value)) if d in clear else d for d in declarations]


def _is_transparent(token: Any) -> bool:
    return bool(token.type == "ident" and token.lower_value == "transparent")


def _is_corner(declaration: Any) -> bool:
    """Tell whether a declaration makes a thick border, or a box without contents."""
    lengths = [pixels([token], PAGE) or 0.0 for token in declaration.value if token.type in ("dimension", "number")]
    if declaration.lower_name in ("width", "height"):
        return lengths == [0.0]
    return bool(declaration.lower_name.startswith("border") and max(lengths, default=0.0) >= _THICK)


def _with_unseen(value: Sequence[Any]) -> str:
    return " ".join(_UNSEEN if _is_transparent(token) else serialized([token]) for token in significant(value))


def with_plain_color(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with a visible color for text that is painted with its background or outline.

    Otherwise the text would be illegible or transparent. If the background is in another rule, its gradient is in
    a variable. Rules without such text are returned unchanged.
    """
    outlines = [d for d in declarations if d.lower_name in _OUTLINES]
    if outlines and any(d.lower_name in _FILLS and _is_clear(d.value) for d in declarations):
        colors = " ".join(tinycss2.serialize(d.value) for d in outlines)
        return [*declarations, declared(outlines[0], "color", f"{VISIBLE}({colors})")]
    clips = [d for d in declarations if d.lower_name in _CLIPS and _is_clipped_to_text(d.value)]
    if not clips:
        return [*declarations, *_fill_as_color(declarations)]
    kept = [d for d in declarations if not d.lower_name.startswith(_REPLACED)]
    fills = {d.lower_name: d.value for d in declarations if d.lower_name in _FILLS}
    painted = [d.value for d in declarations if d.lower_name.startswith("background") and d.lower_name not in _CLIPPED]
    colors = " ".join(map(tinycss2.serialize, [*list(fills.values())[:1], *painted]))
    color = declared(clips[0], "color", f"{VISIBLE}({colors})" if painted else f"{VISIBLE}({colors} var({PAINT}))")
    color.important = True  # another rule may make the text transparent
    return [*kept, color, *([] if painted else [declared(color, "background", "none")])]


def _fill_as_color(declarations: Sequence[Any]) -> Iterator[Any]:
    """Yield the filling of text as its color, over which it has precedence; none if it is clear or a keyword."""
    fills = [d for d in declarations if d.lower_name == _FILL and not _is_clear(d.value)]
    for fill in fills[-1:]:
        if any(token.type == "function" or rgba_of(token) for token in fill.value):
            others = [d for d in declarations if d.lower_name == "color"]  # if a variable is transparent
            colors = " ".join(tinycss2.serialize(d.value) for d in (fill, *others[-1:]))
            color = declared(fill, "color", f"{VISIBLE}({colors})")
            color.important = True
            yield color


def ground_of_controls(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the color of controls to which a rule gives a gradient, whose place their mark takes: see `form_controls`.

    None is needed if the rule has a color as well.
    """
    painted = [d for d in declarations if d.lower_name in ("background", "background-image")]
    has_color = any(d.lower_name == "background-color" for d in declarations)
    tokens = [token for declaration in painted for token in declaration.value]
    if has_color or any(map(rgba_of, tokens)) or not any(map(is_gradient, tokens)):
        return []
    return [declared(painted[-1], "background-color", f"{VISIBLE}({tinycss2.serialize(painted[-1].value)})")]


def _is_clear(value: Sequence[Any]) -> bool:
    color = next(filter(None, map(rgba_of, value)), None)
    return color is not None and not color[3]


def _is_clipped_to_text(value: Sequence[Any]) -> bool:
    return "text" in keywords(value)
