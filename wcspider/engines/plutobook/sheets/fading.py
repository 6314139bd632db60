"""Partial opacity (CSS Color 4, 3.2).

PlutoBook draws a half transparent element as a group, and loses the links and anchors in it. So only elements without
links and anchors are drawn like this: generated boxes without text, and empty elements, such as overlays, images and
shapes, and form controls. All others are opaque, so that their text is readable. But a background becomes half
transparent if its color is in the same rule, because it may cover other text. So does a text that is so clear that
nobody should read it, such as a watermark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import tinycss2
from lxml import etree

from wcspider.engines.document.controls import CONTROLS
from wcspider.engines.plutobook.css.css_colors import hexadecimal, is_gradient, rgba_of
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.sheets.image_shapes import VARIABLES
from wcspider.web.styles.tokens import declared, serialized, url_of

_TEXT: Final = frozenset({"color"})
_BACKGROUNDS: Final = frozenset({"background", "background-color"})
_OPACITY: Final = f"{VARIABLES}opacity"
_FADED: Final = f"{VARIABLES}faded"
_CONTROL: Final = f"{VARIABLES}control"
"""The opacity of a form control. `user.css` draws the controls that are not hidden as groups, which become fields."""

_FAINTEST: Final = 0.25
"""The least opacity of a form control that is not hidden: its text could not be read with less."""

_WATERMARK: Final = 0.2
"""The opacity below which a text is an ornament."""

_HAS_ANCHOR: Final = etree.XPath("boolean(descendant-or-self::*[@id])")

_FAR: Final = re.compile(r"translate(x|3d)?\(\s*-?(\d{3,}(\.\d+)?(%|px)|\d{2,}(\.\d+)?(r?em|vw))", re.IGNORECASE)
"""A transformation that moves an element to a place beside its own, usually out of the window."""

OF_EMPTY: Final = f"var({_FADED},1)"
"""The opacity of an element: `default.css` gives the variable a value only for empty elements, and rules with empty
contents for generated boxes."""


def faded(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with its opacity in a form that keeps links, anchors and text."""
    found = [d for d in declarations if d.lower_name == "opacity"]
    empty = [d for d in declarations if d.lower_name == "content" and _is_empty(d.value)]
    if not found:  # another rule may make the generated box transparent
        return [*declarations, *(declared(content, _FADED, f"var({_OPACITY})") for content in empty)]
    last = found[-1]
    opacity, value = _value(last.value), serialized(last.value)
    others = [d for d in declarations if d.lower_name != "opacity"]
    others.append(declared(last, _OPACITY, value))
    if "var(" in value:
        return [*others, declared(last, "opacity", OF_EMPTY)]
    others.append(declared(last, _CONTROL, "0" if opacity <= 0 else "0.999"))
    if opacity <= 0:
        return [*map(_in_place, others), declared(last, "opacity", "0")]
    if opacity >= 1:
        return [*others, declared(last, "opacity", "1")]
    if empty:
        return [*others, declared(last, "opacity", f"{opacity:g}")]
    if opacity < _WATERMARK:
        others = [_with_clear_color(d, opacity, _TEXT) for d in others]
    if not any(d.lower_name == "color" for d in others):
        clear = [_with_clear_color(d, opacity, _BACKGROUNDS) for d in others]
        if clear != others:
            return [*clear, declared(last, "opacity", "1")]
    return [*others, declared(last, "opacity", OF_EMPTY)]


def fade_controls(styles: PageStyles) -> None:
    """Give form controls without anchors their own opacity, such as that of disabled buttons."""
    for wrapper in styles.wrappers_of(e for e in styles.root.iter(*CONTROLS) if not _HAS_ANCHOR(e)):
        values = styles.values(wrapper)
        text = styles.substituted(values.get(_OPACITY, "1"), wrapper, values)
        opacity = _value(tinycss2.parse_component_value_list(text))
        if 0 < opacity < 1:
            own = f"{max(opacity, _FAINTEST):g}!important"
            styles.append(wrapper.etree_element, f"{_CONTROL}:{own};opacity:{own}")


def _in_place(declaration: Any) -> Any:
    """Return the transformation of a clear element that waits beside the window as none: the page would be wider."""
    is_moved = declaration.lower_name == "transform" and _FAR.search(serialized(declaration.value))
    return declared(declaration, "transform", "none") if is_moved else declaration


def _value(tokens: Sequence[Any]) -> float:
    """Return an opacity; 1 for a calculation."""
    for token in tokens:
        if token.type in ("number", "percentage"):
            return float(token.value) * (0.01 if token.type == "percentage" else 1.0)
    return 1.0


def _is_empty(content: Sequence[Any]) -> bool:
    """Tell whether generated content has no text and no image."""
    return all(token.type == "whitespace" or (token.type == "string" and not token.value.strip()) for token in content)


def _with_clear_color(declaration: Any, opacity: float, names: frozenset[str]) -> Any:
    """Return a declaration with a half transparent color if it has one of the names; images are returned unchanged."""
    if declaration.lower_name not in names or any(map(url_of, declaration.value)):
        return declaration
    value = _clear(declaration.value, opacity)
    return declaration if value is None else declared(declaration, declaration.name, value)


def _clear(tokens: Sequence[Any], opacity: float) -> str | None:
    """Return tokens as text with half transparent colors, also in gradients; None if they contain no color."""
    written, has_color = [], False
    for token in tokens:
        color = rgba_of(token)
        new = None if color is None else hexadecimal((*color[:3], color[3] * opacity))
        if is_gradient(token):
            arguments = _clear(token.arguments, opacity)
            new = None if arguments is None else f"{token.name}({arguments})"
        has_color = has_color or new is not None
        written.append(tinycss2.serialize([token]) if new is None else new)
    return "".join(written) if has_color else None
