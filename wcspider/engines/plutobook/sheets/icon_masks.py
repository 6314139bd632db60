"""Icons that are boxes of one color with a mask (CSS Masking 1, 7).

PlutoBook has no masks, so such an icon would be a square. The image of the mask is drawn instead of the color. An SVG
image gets this color if the rule of the mask names it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any, Final

import tinycss2
from tinycss2.ast import URLToken

from wcspider.engines.plutobook.css.css_colors import hexadecimal, is_gradient, rgba_of
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.svg.tints import tinted_url
from wcspider.web.styles.tokens import declared, serialized, significant, url_of

TINTED: Final = "-wcspider-tinted"
"""A function that returns its first argument, an image, in its second argument, a color."""

_PREFIX: Final = "-webkit-"
_MASKS: Final = {
    "mask": "background", "mask-image": "background-image", "mask-size": "background-size",
    "mask-position": "background-position", "mask-repeat": "background-repeat",
}  # fmt: skip
_IMAGES: Final = frozenset({"background", "background-image"})
_COLORS: Final = frozenset({"background", "background-color"})
_TEXT_COLOR: Final = re.compile(r"(?<![\w-])currentcolor(?![\w-])", re.IGNORECASE)
_LARGEST_ICON: Final = 64.0
"""The width and height in CSS pixels up to which a box with a mask is an icon."""


def with_icons(declarations: Sequence[Any], *, is_generated: bool = False) -> Sequence[Any]:
    """Return the declarations of a rule with the images of masks as backgrounds.

    The images, sizes and colors of generated boxes (``::before`` and ``::after``) are often in several rules.

    If the image or the color depends on variables or on the color of the text, the background has a call of `TINTED`.
    On each element, these are filled in (see `page_values`), and the call is replaced when the value is written again.
    """
    names = {d.lower_name.removeprefix(_PREFIX) for d in declarations}
    if not names & _MASKS.keys() or not _is_icon(declarations, is_generated=is_generated):
        return [_without_calls(d) if d.lower_name in _IMAGES else d for d in declarations]
    color = _color_in(declarations, _COLORS)
    if is_text_color(color):
        color = _color_in(declarations, {"color"}) or color
    icon = [_as_background(d, color) for d in declarations if d.lower_name not in _COLORS]
    # The color may be in another rule.
    return [*icon, *tinycss2.parse_blocks_contents("background-color:transparent!important")] if is_generated else icon


def untinted(value: Sequence[Any]) -> str:
    """Return a value with images in the place of calls of `TINTED`; "" if it has none."""
    if not any(map(_is_call, value)):
        return ""
    return " ".join(serialized(t.arguments[:1] if _is_call(t) else [t]) for t in significant(value))


def _is_icon(declarations: Sequence[Any], *, is_generated: bool) -> bool:
    """Tell whether a rule paints a small box, or one without text, in one color through an image as a mask."""
    values = {d.lower_name.removeprefix(_PREFIX): d.value for d in declarations}
    masks = [*values.get("mask", ()), *values.get("mask-image", ())]
    if is_generated:
        return not any(map(is_gradient, masks))
    painted = [token for name in _COLORS for token in values.get(name, ())]
    if not any(map(_is_image, masks)) or not painted or any(url_of(token) is not None for token in painted):
        return False
    return (
        is_text_color(serialized(painted))
        or "content" in values
        or all(_is_small(values.get(name, ())) for name in ("width", "height"))
    )


def _is_image(token: Any) -> bool:
    return _is_variable(token) or (token.type in ("url", "function") and url_of(token) is not None)


def _is_variable(token: Any) -> bool:
    return bool(token.type == "function" and token.lower_name == "var")


def is_text_color(value: str) -> bool:
    """Tell whether a value contains the keyword for the color of the text (CSS Color 4, 9.2)."""
    return _TEXT_COLOR.search(value) is not None


def with_text_color(value: str, color: str) -> str:
    """Return a value with a color in the place of the keyword for the color of the text."""
    return _TEXT_COLOR.sub(lambda match: color, value)


def _color_in(declarations: Sequence[Any], names: Container[str]) -> str:
    """Return the first color of declarations with certain names; "" if they have none."""
    tokens = [token for d in declarations if d.lower_name in names for token in d.value]
    return next((serialized([token]) for token in tokens if _is_color(token)), "")


def _is_color(token: Any) -> bool:
    return _is_variable(token) or rgba_of(token) is not None or is_text_color(serialized([token]))


def _is_small(value: Sequence[Any]) -> bool:
    tokens = [token for token in value if token.type not in ("whitespace", "percentage")]
    length = pixels(tokens, PAGE) if tokens else None
    return length is not None and length <= _LARGEST_ICON


def _as_background(declaration: Any, color: str) -> Any:
    name = _MASKS.get(declaration.lower_name.removeprefix(_PREFIX))
    if name is None:
        return declaration
    parts = [
        f"{TINTED}({serialized([token])} {color})" if color and _is_image(token) else serialized([token])
        for token in significant(declaration.value)
    ]
    return _without_calls(declared(declaration, name, " ".join(parts)))


def depends_on_element(call: Any) -> bool:
    """Tell whether a call of `TINTED` depends on variables or on the color of the text."""
    text = serialized([call])
    return "var(" in text or is_text_color(text)


def _is_call(token: Any) -> bool:
    return bool(token.type == "function" and token.lower_name == TINTED)


def _without_calls(background: Any) -> Any:
    """Return the declaration of a background with images in the place of calls of `TINTED` that can be replaced."""
    calls = [token for token in background.value if _is_call(token) and not depends_on_element(token)]
    if not calls:
        return background
    return declared(background, background.lower_name, [_image(t) if t in calls else t for t in background.value])


def _image(call: Any) -> Any:
    """Return the image of a call of `TINTED` in its color, or as it is if it cannot get the color."""
    image, *rest = significant(call.arguments)
    color = next(filter(None, map(rgba_of, rest)), None)
    url = url_of(image)
    if url is None or color is None or not color[3]:
        return image
    tinted = tinted_url(url, str(hexadecimal((*color[:3], 1.0))))
    return image if tinted is None else URLToken(call.source_line, call.source_column, tinted, f'url("{tinted}")')
