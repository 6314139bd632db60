"""The text of form controls that are not shown as fields, and limits for the text drawn in a field."""

from __future__ import annotations

import re
from xml.dom.minidom import Element

from wcspider.engines.document.dom import text_of

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


def input_text(element: Element) -> str:
    """Return the text for an INPUT element: its value, its placeholder or a sign."""
    kind = element.getAttribute("type").lower()
    value = element.getAttribute("value")
    if kind in _UNSHOWN:
        return ""
    if kind == "checkbox":
        return "\N{BALLOT BOX WITH CHECK}" if element.hasAttribute("checked") else "\N{BALLOT BOX}"
    if kind == "radio":
        return "\N{FISHEYE}" if element.hasAttribute("checked") else "\N{WHITE CIRCLE}"
    if kind in _BUTTONS:
        return value or _BUTTONS[kind]
    if kind == "password":
        return _BLANK
    return value or element.getAttribute("placeholder") or _BLANK


def select_text(element: Element) -> str:
    """Return the selected options of a SELECT element."""
    options = element.getElementsByTagName("option")
    chosen = [option for option in options if option.hasAttribute("selected")] or options[:1]
    text = " ".join(" ".join(map(text_of, chosen)).split())
    return f"{text} \N{BLACK DOWN-POINTING SMALL TRIANGLE}"


def textarea_text(element: Element) -> str:
    """Return the initial text of a TEXTAREA element."""
    return text_of(element) or _BLANK


def gauge_text(tag: str, value: str, maximum: str) -> str:
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
