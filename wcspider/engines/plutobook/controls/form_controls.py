"""The controls of forms with their initial values. A mark in each tells its position on the page after the layout."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from wcspider.engines.document import controls
from wcspider.engines.document.html_trees import empty
from wcspider.engines.document.media import Media
from wcspider.engines.fields import Field, FieldKind
from wcspider.web.numbers import integer

MARK = "wcspider-control:"
"""The beginning of the URL of the mark in a control; the number of the control follows."""

ABOVE = "data-wcspider-above"
"""The attribute of elements before a control. Those that are placed over it, such as icons, are drawn above it."""

_WIDER, _MORE = 1.1, 2
"""How many more characters a field has room for in browsers, which use another width of a character."""

USUAL = 20
"""The width of a text field in characters (HTML, 15.5.4)."""

_BLANK = "\N{NO-BREAK SPACE}"
_LONGEST = 60
"""The width of a selection box in characters; a longer option would make the page too wide."""


def show(element: Any, field: Field, media: Media) -> None:
    """Let a control show its field, with a mark."""
    fill(element, field)
    mark = f"background-image:url({MARK}{element.get(controls.CONTROL)})!important"
    element.set("style", f"{element.get('style', '')};{mark}")
    for before in takewhile(lambda sibling: ABOVE not in sibling.attrib, element.itersiblings(preceding=True)):
        before.set(ABOVE, "")
    if field.kind is FieldKind.BUTTON and controls.is_picture(element):
        key = media.key(element, "src")
        if key is not None:
            element.tag = "img"
            element.set("src", key)
        else:
            element.set("type", "submit")


def fill(element: Any, field: Field) -> None:
    """Let an element show the initial value of its field. The contents of a BUTTON are not changed."""
    if field.kind is FieldKind.BUTTON:
        if element.tag == "input":
            element.set("value", field.value)
    elif field.kind is FieldKind.CHOICE:
        _fill_choice(element, field)
    elif field.kind is FieldKind.TEXT:
        _fill_text(element, field)


def _fill_choice(element: Any, field: Field) -> None:
    """Let a SELECT element show its options. One of a single line is as wide as its longest option.

    Without options, which a script would add, it is as high as with an empty one.
    """
    empty(element)
    shown = controls.shown_options(field)
    for option in shown:
        _add_option(element, option.label or _BLANK, {"selected": ""} if option.is_chosen else {})
    if not shown:
        _add_option(element, _BLANK, {})
    if shown and not field.is_list:  # it takes room, and is not drawn
        longest = max((option.label for option in field.options), key=len)
        _add_option(element, longest[:_LONGEST], {"style": "visibility:hidden!important"})


def _add_option(element: Any, label: str, attributes: dict[str, str]) -> None:
    option = element.makeelement("option", attributes)
    option.text = label
    element.append(option)


def _fill_text(element: Any, field: Field) -> None:
    text = field.value
    if not text and element.get("placeholder"):
        text = element.get("placeholder")
        element.set(controls.PLACEHOLDER, "")
    if "placeholder" in element.attrib:
        del element.attrib["placeholder"]
    text = text[: controls.SHOWN_TEXT]
    if element.tag == "textarea":
        empty(element)
        element.text = "\n" + text
        element.set("cols", f"{_characters(element, 'cols') + _MORE}")
    else:
        element.set("size", f"{_WIDER * _characters(element, 'size') + _MORE:.0f}")
        element.set("value", text)
        element.set("type", "text")


def _characters(element: Any, attribute: str) -> int:
    """Return the width of a text field in characters."""
    found = integer(element.get(attribute, ""), USUAL)
    return found if 0 < found <= controls.SHOWN_TEXT else USUAL
