"""Text that is painted with its background (CSS Backgrounds 4, 2.7). PlutoBook cannot draw such text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import tinycss2
from tinycss2.ast import Declaration

from wcspider.engines.plutobook.css.css_colors import hexadecimal, rgba_of

_CLIPS: Final = frozenset({"background-clip", "-webkit-background-clip", "background"})
_REPLACED: Final = ("background", "-webkit-background", "-webkit-text-fill-color", "color")


def with_plain_color(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with the first color of its background as the color of the text.

    Otherwise the text would be illegible or transparent. Rules without such text are returned unchanged.
    """
    if not any(d.lower_name in _CLIPS and _is_clipped_to_text(d.value) for d in declarations):
        return declarations
    kept = [d for d in declarations if not d.lower_name.startswith(_REPLACED)]
    painted = [d for d in declarations if d.lower_name.startswith("background")]
    color = next((found for d in painted for found in _colors(d.value)), None)
    if color is None:
        return kept
    source = painted[0]
    return [*kept, Declaration(source.source_line, source.source_column, "color", "color", [color], source.important)]


def _is_clipped_to_text(value: Sequence[Any]) -> bool:
    return any(token.type == "ident" and token.lower_value == "text" for token in value)


def _colors(tokens: Sequence[Any]) -> Iterator[Any]:
    """Yield the opaque colors in a value, and the variables, which may be colors."""
    for token in tokens:
        found = rgba_of(token) if token.type in ("hash", "ident", "function") else None
        if found is not None and found[3] > 0:
            yield tinycss2.parse_one_component_value(hexadecimal(found))
        elif token.type == "function" and token.lower_name == "var":
            yield token
        elif token.type == "function":
            yield from _colors(token.arguments)
