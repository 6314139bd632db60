"""What form controls show at first: as the contents of a field, or as the text that stands for them on paper."""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Element

from wcspider.engines.document.limits import document_of
from wcspider.engines.fields import Field, FieldKind

SHOWN_TEXT = 4_000
"""How many characters of a text are drawn; no field is so large that more of it would be in sight."""

SHOWN_OPTIONS = 100
SHOWN_LABEL = 200
_UNSHOWN = frozenset({"hidden", "image", "file"})
_BUTTONS = {"submit": "Submit", "reset": "Reset", "button": ""}
_SPACE = "\N{NO-BREAK SPACE}"
_BLANK = _SPACE * 24
_PLACEHOLDER = "color: #757575"
_CHOSEN = "background-color: #b9d1ea"


def fill(element: Element, field: Field) -> None:
    """Let an element hold what its field shows at first. The contents of a BUTTON stay as they are."""
    if field.kind is FieldKind.BUTTON and element.tagName == "button":
        return
    while element.firstChild is not None:
        element.removeChild(element.firstChild)
    if field.is_list:
        for option in field.options[field.first_shown :][:SHOWN_OPTIONS]:
            _append(element, option.label[:SHOWN_LABEL], _CHOSEN if option.is_chosen else "")
            element.appendChild(document_of(element).createElement("br"))
    elif field.kind is FieldKind.CHOICE:
        _append(element, next((option.label[:SHOWN_LABEL] for option in field.options if option.is_chosen), ""))
    elif field.kind is FieldKind.TEXT and not field.value:
        _append(element, element.getAttribute("placeholder")[:SHOWN_TEXT], _PLACEHOLDER)
    elif field.kind in (FieldKind.TEXT, FieldKind.BUTTON):
        _append(element, field.value[:SHOWN_TEXT])


def _append(element: Element, text: str, style: str = "") -> None:
    """Append a text; a blank in the place of none, so that there is a line."""
    document = document_of(element)
    node: Any = document.createTextNode(text if text.strip() else _SPACE)
    if style and text.strip():
        span = document.createElement("span")
        span.setAttribute("style", style)
        span.appendChild(node)
        node = span
    element.appendChild(node)


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
