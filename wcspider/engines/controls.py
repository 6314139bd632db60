"""Form controls as the text that stands for them on paper."""

from __future__ import annotations

from xml.dom.minidom import Element

_UNSHOWN = frozenset({"hidden", "image", "file"})
_BUTTONS = {"submit": "Submit", "reset": "Reset", "button": ""}
_BLANK = "\N{NO-BREAK SPACE}" * 24


def input_text(element: Element) -> str:
    """What an INPUT shows: its value, its placeholder, its mark."""
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
    """The option of a SELECT that is chosen at first."""
    options = element.getElementsByTagName("option")
    chosen = [o for o in options if o.hasAttribute("selected")] or options[:1]
    text = " ".join("".join(_texts(option)) for option in chosen)
    return f"{' '.join(text.split())} \N{BLACK DOWN-POINTING SMALL TRIANGLE}"


def textarea_text(element: Element) -> str:
    """The text that a TEXTAREA holds at first."""
    return "".join(_texts(element)) or _BLANK


def _texts(element: Element) -> list[str]:
    return [child.data for child in element.childNodes if child.nodeType == child.TEXT_NODE]
