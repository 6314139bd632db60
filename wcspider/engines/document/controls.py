"""The controls of forms, each shown as a field, as an image or as text, and limits for the text drawn in a field."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document.forms import Control, Forms
from wcspider.engines.document.html_trees import drop, replace, text_of
from wcspider.engines.document.media import Media
from wcspider.engines.fields import Field, Option
from wcspider.web.numbers import NUMBER

CONTROLS = ("input", "select", "textarea", "button")
"""The elements that are form controls."""

CONTROL = "data-wcspider-control"
"""The attribute of an element that shows a field: the number of its `Control`."""

PLACEHOLDER = "data-wcspider-placeholder"
"""The attribute of a control that shows its placeholder."""

SHOWN_TEXT = 4_000
"""The largest number of characters drawn in a text field. No field has room for more."""

SHOWN_OPTIONS = 100
"""The largest number of options drawn in a list."""

SHOWN_LABEL = 200
"""The largest number of characters drawn for an option."""

BUTTONS = {"submit": "Submit", "reset": "Reset", "button": ""}
"""The types of INPUT elements that are buttons with a text, and their texts if they have no value."""

_UNSHOWN = frozenset({"hidden", "image"})
_BLANK = "\N{NO-BREAK SPACE}" * 24


class Controls:
    """Reads the controls of a page, one after the other."""

    def __init__(
        self,
        root: Any,
        task: RenderTask,
        base: str,
        media: Media,
        kept: Collection[str],
        *,
        draws_inputs: bool = False,
    ) -> None:
        """`kept` are the attributes of a control that its text gets.

        `draws_inputs` says whether the engine draws INPUT elements for buttons and files.
        """
        self.shown: list[Control] = []
        self._draws_inputs = draws_inputs
        self._are_fields = task.forms and task.step < Step.TEXT_ONLY
        self._media, self._kept = media, kept
        self._forms = Forms(root, task.url, base, task.encoding)

    @property
    def fields(self) -> list[Field]:
        """The fields that the controls show."""
        return self._forms.fields

    def read(self, element: Any) -> Field | None:
        """Return the field that a control shows, and number the control.

        Replace a control without a field by its image or its text. The contents of a BUTTON are a part of the page.
        """
        control = self._forms.read(element) if self._are_fields else None
        if control is not None:
            element.set(CONTROL, str(len(self.shown)))
            self.shown.append(control)
            return self.fields[control.field]
        kind = element.get("type", "").lower()
        if is_picture(element):
            element.tag = "img"
            self._media.image(element)
        elif self._draws_inputs and kind == "file":
            element.attrib.pop("value", None)  # a page cannot choose a file
        elif element.tag != "button" and not (self._draws_inputs and kind in BUTTONS):
            element.set("class", f"{element.get('class', '')} wcspider-control")
            write_text(element, self._kept)
        return None


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
    if kind in BUTTONS:
        return value or BUTTONS[kind]
    if kind in ("password", "file"):
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
    number, most = NUMBER.match(value), NUMBER.match(maximum)
    if number is None:
        return ""
    if most is not None:
        return f"{_with_zero(number[1])}/{_with_zero(most[1])}"
    return f"{float(number[1]) * 100:g} %" if tag == "progress" else _with_zero(number[1])


def _with_zero(number: str) -> str:
    """Return a number with a digit before its decimal point."""
    return number.replace(".", "0.", 1) if number.lstrip("+-").startswith(".") else number
