"""The controls of forms with their initial values. A mark in each tells its position on the page after the layout."""

from __future__ import annotations

from typing import Any

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document import controls as texts
from wcspider.engines.document.forms import Control, Forms
from wcspider.engines.document.html_trees import empty
from wcspider.engines.document.media import Media
from wcspider.engines.fields import Field, FieldKind

CONTROL = "data-wcspider-control"
"""The attribute of an element that shows a field: the number of its `Control`."""

MARK = "wcspider-control:"
"""The beginning of the URL of the mark in a control; the number of the control follows."""

CONTROLS = frozenset({"input", "select", "textarea", "button"})
"""The elements that are form controls."""

_PLACEHOLDER = "color:#757575"
_KEPT = ("id", "class")
"""The attributes of a control that its text gets."""


class Controls:
    """Reads the controls of a page, one after the other."""

    def __init__(self, root: Any, task: RenderTask, base: str, media: Media) -> None:
        self.shown: list[Control] = []
        self._are_fields = task.forms and task.step < Step.TEXT_ONLY
        self._media = media
        self._forms = Forms(root, task.url, base, task.encoding)

    @property
    def fields(self) -> list[Field]:
        """The fields that the controls show."""
        return self._forms.fields

    def read(self, element: Any) -> bool:
        """Prepare a control to be shown as a field or as text; return False for any other element."""
        if element.tag not in CONTROLS:
            return False
        control = self._forms.read(element) if self._are_fields else None
        if control is not None:
            self._show(element, control)
        elif element.tag == "button":
            pass  # its contents are a part of the page
        elif texts.is_picture(element):
            element.tag = "img"
            self._media.image(element)
        else:
            element.set("class", f"{element.get('class', '')} wcspider-control")
            texts.write_text(element, _KEPT)
        return True

    def _show(self, element: Any, control: Control) -> None:
        field = self.fields[control.field]
        fill(element, field)
        element.set(CONTROL, str(len(self.shown)))
        mark = f"background-image:url({MARK}{len(self.shown)})!important"
        element.set("style", f"{element.get('style', '')};{mark}")
        self.shown.append(control)
        if control.kind is FieldKind.BUTTON and texts.is_picture(element):
            key = self._media.key(element, "src")
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
    for option in texts.shown_options(field):
        shown = element.makeelement("option", {"selected": ""} if option.is_chosen else {})
        shown.text = option.label or "\N{NO-BREAK SPACE}"
        element.append(shown)


def _fill_text(element: Any, field: Field) -> None:
    text = field.value
    if not text and element.get("placeholder"):
        text = element.get("placeholder")
        element.set("style", f"{element.get('style', '')};{_PLACEHOLDER}")
    if "placeholder" in element.attrib:
        del element.attrib["placeholder"]
    text = text[: texts.SHOWN_TEXT]
    if element.tag == "textarea":
        empty(element)
        element.text = "\n" + text
    else:
        element.set("value", text)
        element.set("type", "text")
