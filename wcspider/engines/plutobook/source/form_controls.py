"""The controls of forms with their initial values. A mark in each tells its position on the page after the layout."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from wcspider.engines.document import controls
from wcspider.engines.document.html_trees import empty
from wcspider.engines.document.media import Media
from wcspider.engines.fields import Field, FieldKind

MARK = "wcspider-control:"
"""The beginning of the URL of the mark in a control; the number of the control follows."""

ABOVE = "data-wcspider-above"
"""The attribute of elements before a control. Those that are placed over it, such as icons, are drawn above it."""


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
    empty(element)
    for option in controls.shown_options(field):
        shown = element.makeelement("option", {"selected": ""} if option.is_chosen else {})
        shown.text = option.label or "\N{NO-BREAK SPACE}"
        element.append(shown)


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
    else:
        element.set("value", text)
        element.set("type", "text")
