"""The text of form controls that are not shown as fields, and limits for the text drawn in a field."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from wcspider.engines.document.html_trees import drop, replace, text_of
from wcspider.engines.fields import Field, Option

SHOWN_TEXT = 4_000
"""The largest number of characters drawn in a text field. No field has room for more."""

SHOWN_OPTIONS = 100
"""The largest number of options drawn in a list."""

SHOWN_LABEL = 200
"""The largest number of characters drawn for an option."""

_UNSHOWN = frozenset({"hidden", "image", "file"})
_BUTTONS = {"submit": "Submit", "reset": "Reset", "button": ""}
_BLANK = "\N{NO-BREAK SPACE}" * 24
_NUMBER = re.compile(r"\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)


def shown_options(field: Field) -> list[Option]:
    """Return the options of a choice field that it shows at first, with shortened labels."""
    shown = field.options[field.first_shown :][:SHOWN_OPTIONS] if field.is_list else field.options
    return [Option(o.value, o.label[:SHOWN_LABEL], o.is_chosen) for o in shown if field.is_list or o.is_chosen]


def write_text(element: Any, kept: Collection[str]) -> None:
    """Replace an INPUT, SELECT, TEXTAREA, PROGRESS or METER element by a SPAN element with its text, if it has any.

    `kept` are the attributes that the SPAN element gets.
    """
    text = _text_of(element)
    if not text:
        drop(element)
        return
    span = element.makeelement("span", {name: value for name, value in element.attrib.items() if name in kept})
    span.text = text
    replace(element, span)


def _text_of(element: Any) -> str:
    if element.tag == "input":
        return element.get("alt", "") if is_picture(element) else _input_text(element)
    if element.tag == "select":
        return _select_text(element)
    if element.tag == "textarea":
        return "".join(element.itertext()) or _BLANK
    return text_of(element) or _gauge_text(element.tag, element.get("value", ""), element.get("max", ""))


def is_picture(element: Any) -> bool:
    """Tell whether an element is a button that is an image."""
    return bool(element.tag == "input" and element.get("type", "").strip().lower() == "image")


def _input_text(element: Any) -> str:
    """Return the text for an INPUT element: its value, its placeholder or a sign."""
    kind = element.get("type", "").lower()
    value = element.get("value", "")
    if kind in _UNSHOWN:
        return ""
    if kind == "checkbox":
        return "\N{BALLOT BOX WITH CHECK}" if "checked" in element.attrib else "\N{BALLOT BOX}"
    if kind == "radio":
        return "\N{FISHEYE}" if "checked" in element.attrib else "\N{WHITE CIRCLE}"
    if kind in _BUTTONS:
        return value or _BUTTONS[kind]
    if kind == "password":
        return _BLANK
    return value or element.get("placeholder") or _BLANK


def _select_text(element: Any) -> str:
    """Return the selected options of a SELECT element."""
    options = list(element.iter("option"))
    chosen = [option for option in options if "selected" in option.attrib] or options[:1]
    return " ".join([*filter(None, map(text_of, chosen)), "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"])


def _gauge_text(tag: str, value: str, maximum: str) -> str:
    """Return a text for a PROGRESS or METER element without contents, such as "30/100"; empty if it has no value.

    `value` and `maximum` are its attributes VALUE and MAX.
    """
    number, most = _NUMBER.match(value), _NUMBER.match(maximum)
    if number is None:
        return ""
    if most is not None:
        return f"{_with_zero(number[1])}/{_with_zero(most[1])}"
    return f"{float(number[1]) * 100:g} %" if tag == "progress" else _with_zero(number[1])


def _with_zero(number: str) -> str:
    """Return a number with a digit before its decimal point."""
    return number.replace(".", "0.", 1) if number.lstrip("+-").startswith(".") else number
