"""The text of form controls that are not shown as fields, and how much of a field's contents is drawn."""

from __future__ import annotations

from xml.dom.minidom import Element

SHOWN_TEXT = 4_000
"""How many characters of a text are drawn; no field is so large that more of it would be in sight."""

SHOWN_OPTIONS = 100
SHOWN_LABEL = 200
_UNSHOWN = frozenset({"hidden", "image", "file"})
_BUTTONS = {"submit": "Submit", "reset": "Reset", "button": ""}
_BLANK = "\N{NO-BREAK SPACE}" * 24


def input_text(element: Element) -> str:
    """Return the text that an INPUT shows: its value, its placeholder, its mark."""
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
    """Return the option of a SELECT that is chosen at first."""
    options = element.getElementsByTagName("option")
    chosen = [o for o in options if o.hasAttribute("selected")] or options[:1]
    text = " ".join("".join(_texts(option)) for option in chosen)
    return f"{' '.join(text.split())} \N{BLACK DOWN-POINTING SMALL TRIANGLE}"


def textarea_text(element: Element) -> str:
    """Return the text that a TEXTAREA holds at first."""
    return "".join(_texts(element)) or _BLANK


def _texts(element: Element) -> list[str]:
    return [child.data for child in element.childNodes if child.nodeType == child.TEXT_NODE]
