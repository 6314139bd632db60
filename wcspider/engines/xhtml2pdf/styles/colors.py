"""Colors as all of CSS Color writes them, in the notation that xhtml2pdf reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import tinycss2
from xhtml2pdf.util import COLOR_BY_NAME

from wcspider.engines.document.css_colors import SYSTEM, hexadecimal, rgba_of, without_gradients

_BORDERS = ("border", "border-top", "border-right", "border-bottom", "border-left")
COLORED = frozenset({"color", "background", "background-color", *_BORDERS, *(f"{border}-color" for border in _BORDERS)})
"""The properties that have a color."""

_READ = frozenset({"rgb", "rgba", "cmyk", "device-cmyk"})
"""What xhtml2pdf reads by itself."""

_WORDS = frozenset({"transparent", "currentcolor", "inherit", "initial", "unset", "revert", "revert-layer", "none"})
_HEX = re.compile(r"[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}", re.IGNORECASE | re.ASCII)
_LENGTHS = frozenset({"calc", "min", "max", "clamp"})
_LAYER = frozenset(
    {"repeat", "repeat-x", "repeat-y", "no-repeat", "space", "round", "scroll", "fixed", "local", "left", "center",
     "right", "top", "bottom", "border-box", "padding-box", "content-box", "text", "cover", "contain", "auto"}
)  # fmt: skip


def read(name: str, value: Sequence[Any]) -> Sequence[Any] | None:
    """The value of a property with its colors as xhtml2pdf reads them; None if there is one that nobody can read."""
    if _has_variable(value):
        return value
    if name == "background":
        value = list(without_gradients(value))
    read_so_far = []
    for token in value:
        words = _color(token)
        is_unknown = words is None and token.type in ("ident", "hash", "function")
        if is_unknown and (name.endswith("color") or (name == "background" and not _is_of_layer(token))):
            return None
        read_so_far.append(tinycss2.parse_one_component_value(words) if words else token)
    return read_so_far if any(token.type != "whitespace" for token in read_so_far) else None


def _is_of_layer(token: Any) -> bool:
    """Whether a token of a background is an image, or says where it goes."""
    if token.type == "function":
        return token.lower_name in _LENGTHS or token.lower_name == "url"
    return token.type == "ident" and token.lower_value in _LAYER


def _color(token: Any) -> str | None:
    """A color as xhtml2pdf reads it; the empty string if it does so as it stands, None if it is none."""
    if token.type == "hash":
        return "" if _HEX.fullmatch(token.value) else None
    if token.type == "ident":
        if token.lower_value in _WORDS or token.lower_value in COLOR_BY_NAME:
            return ""
        return SYSTEM.get(token.lower_value) or hexadecimal(rgba_of(token))
    if token.type != "function":
        return None
    return "" if token.lower_name in _READ else hexadecimal(rgba_of(token))


def _has_variable(tokens: Sequence[Any]) -> bool:
    return any(
        token.type == "function" and (token.lower_name == "var" or _has_variable(token.arguments)) for token in tokens
    )
