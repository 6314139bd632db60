"""Values that PlutoBook cannot compute: colors and gradients with variables, and widths with percentages.

In a rule, a variable takes the place of the value (CSS Variables 1, 3). The value itself is declared as a template, in
another variable. For each element with templates, the variables in them are replaced, the calculations are done, and
the result is declared in its STYLE attribute.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final

import tinycss2

from wcspider.engines.plutobook.css.calculations import calculated, is_share
from wcspider.engines.plutobook.css.css_colors import COLORS, OLD_COLORS, is_gradient, needs_result
from wcspider.engines.plutobook.css.element_styles import TEMPLATE, VALUE, PageStyles
from wcspider.engines.plutobook.css.lengths import PAGE, Basis
from wcspider.engines.plutobook.sheets.icon_masks import (
    TINTED,
    depends_on_element,
    is_text_color,
    untinted,
    with_text_color,
)
from wcspider.engines.plutobook.sheets.image_shapes import PAINT
from wcspider.engines.plutobook.sheets.shadows import SHADOWS
from wcspider.web.styles.tokens import serialized

MAX_VALUES: Final = 10_000
"""The largest number of values that are filled in on a page."""

TOO_MANY: Final = f"only the first {MAX_VALUES:,} colors and widths that are calculated for each element are exact"

_CHECKED: Final = frozenset({"stroke-dasharray"})
"""The properties of which cairo cannot draw all values, such as dashes without a length."""

_OF_TEMPLATES: Final = (TEMPLATE, f"{PAINT}:")
"""The lines with one of these texts declare templates."""

_TEMPLATE: Final = re.compile(f"{TEMPLATE}.*", re.DOTALL)
_INHERITED: Final = frozenset({"inherit", "unset", "currentcolor", "revert"})
_VAR: Final = re.compile(r"\bvar\(", re.IGNORECASE)
_PSEUDO_ELEMENT: Final = re.compile(
    r"([\w\])*-]?)(?<!\\)::?(?:before|after|marker|first-letter|first-line)\b", re.IGNORECASE
)


def needs_page(name: str, tokens: Sequence[Any]) -> bool:
    """Tell whether a value depends on variables, or on the box around, in a way that PlutoBook cannot compute."""
    functions = [token for token in tokens if token.type == "function"]
    if is_share(name, tokens):
        return True
    if any(function.lower_name == TINTED and depends_on_element(function) for function in functions):
        return True
    if not any(map(_has_variable, functions)):
        return False
    return name in _CHECKED or any(map(_needs_page, functions))


def _needs_page(function: Any) -> bool:
    name = function.lower_name
    if not _has_variable(function):
        return False
    if name in (*COLORS, SHADOWS) or is_gradient(function):
        return True
    inner = [token for token in function.arguments if token.type == "function"]
    return (name in OLD_COLORS and needs_result(function.arguments)) or any(map(_needs_page, inner))


def _has_variable(function: Any) -> bool:
    return _VAR.search(serialized([function])) is not None


def stand_in(name: str, tokens: Sequence[Any]) -> tuple[str, str]:
    """Return the value that takes the place of tokens, and the declarations of the template."""
    value = " ".join(serialized(tokens).split())
    key = f"{zlib.crc32(f'{name}:{value}'.encode()):08x}-{name}"
    other = "" if _VAR.search(value) or not is_share(name, tokens) else calculated(name, tokens, PAGE)
    names = [f"{VALUE}{key}", *filter(None, [other, untinted(tokens)])]
    return f"var({','.join(names)})", ";".join(filter(None, [f"{TEMPLATE}{key}:{value}", _paint(tokens)]))


def paint_of(declarations: Sequence[Any]) -> str:
    """Return the declaration of the variable with the gradient of a rule; "" if it has none, or one with variables.

    Another rule may paint the text with it.
    """
    painted = [d.value for d in declarations if d.lower_name in ("background", "background-image")]
    return "".join(_paint(value) for value in painted[-1:] if not _VAR.search(serialized(value)))


def _paint(tokens: Sequence[Any]) -> str:
    """Return the declaration of the variable with a gradient; "" for other values."""
    return f"{PAINT}:{' '.join(serialized(tokens).split())}" if any(map(is_gradient, tokens)) else ""


def of_elements(selector: str) -> str:
    """Return a selector list of the elements to which the pseudo-elements of another belong."""
    return " ".join(_PSEUDO_ELEMENT.sub(lambda match: match[1] or "*", selector).split())


@lru_cache(maxsize=32)
def without_templates(sheet: str) -> str:
    """Return a style sheet without templates, each of which is on a line of its own."""
    lines = sheet.split("\n") if any(mark in sheet for mark in _OF_TEMPLATES) else []
    return "\n".join(line for line in lines if not any(mark in line for mark in _OF_TEMPLATES)) if lines else sheet


def fill_in(styles: PageStyles, value_of: Callable[[str, str], str], around: Callable[[Any], Basis]) -> Iterator[str]:
    """Declare the values of the templates of a page in STYLE attributes; yield a warning if there are too many.

    `value_of` returns the value of a property in words that PlutoBook knows, or "". `around` returns the estimated
    width of the box around an element. Icons also get the color of the text.
    """
    left = MAX_VALUES
    for wrapper in styles.wrappers_with(_TEMPLATE):
        if not left:
            yield TOO_MANY
            break
        values = styles.values(wrapper)
        filled = []
        for name in islice((name for name in values if name.startswith(TEMPLATE)), left):
            key = name.removeprefix(TEMPLATE)
            text = styles.substituted(values[name], wrapper, values)
            if TINTED in text and is_text_color(text):
                text = with_text_color(text, _text_color(styles, wrapper))
            value = "" if _VAR.search(text) else _value(key.partition("-")[2], text, value_of, partial(around, wrapper))
            filled += [f"{VALUE}{key}:{value}"] if value else []
            left -= 1
        if filled:
            styles.append(wrapper.etree_element, ";".join(filled))


def _value(name: str, text: str, value_of: Callable[[str, str], str], around: Callable[[], Basis]) -> str:
    """Return the value of a property on an element; "" if it is unknown."""
    tokens = tinycss2.parse_component_value_list(text)
    return calculated(name, tokens, around()) if is_share(name, tokens) else value_of(name, text)


def _text_color(styles: PageStyles, wrapper: Any) -> str:
    """Return the color of the text of an element, which it inherits unless it declares one."""
    declared = (styles.values(box).get("color", "inherit") for box in (wrapper, *reversed(wrapper.ancestors)))
    return next((color for color in declared if color.lower() not in _INHERITED), "black")
