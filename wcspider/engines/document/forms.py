"""The forms of an HTML document, read into fields (HTML, 4.10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from wcspider.engines.document.absolute_urls import absolute
from wcspider.engines.document.html_trees import text_of
from wcspider.engines.fields import Field, FieldKind, Option, Submission
from wcspider.web.numbers import integer
from wcspider.web.urls import split_fragment

MAX_FIELDS = 1_000
"""The largest number of fields of a page. Further form controls are drawn as text."""

MAX_OPTIONS = 2_000
MAX_BUTTONS = 500
"""The largest number of radio buttons in a group."""

MAX_CAPTION = 200
"""The largest number of characters of a caption. A BUTTON element with more text is a part of the page, not a field."""

MAX_NAME = 500
LIST_ROWS, MAX_ROWS = 4, 60
"""The usual and the largest number of rows of a list box."""

_BUTTONS = frozenset({"submit", "reset", "button", "image"})
_CAPTIONS = {"submit": "Submit", "reset": "Reset"}
_KINDS = {"checkbox": FieldKind.CHECKBOX, "radio": FieldKind.RADIO}


@dataclass(frozen=True, slots=True)
class Control:
    """An element that shows a field or one button of a radio group."""

    field: int
    """The index of the field among the fields of the page."""

    kind: FieldKind
    option: int = 0
    """The index of the option that a radio button stands for."""

    has_arrow: bool = False
    """Whether the control is a combo box, which opens a list."""

    is_line: bool = False
    """Whether the control shows one line, in its middle."""


class Forms:
    """A collector of the fields of a page, which reads one element after the other."""

    def __init__(self, root: Any, url: str, base: str, encoding: str) -> None:
        self.fields: list[Field] = []
        self._root, self._url, self._base, self._encoding = root, url, base, encoding
        self._forms = list(root.iter("form"))
        self._numbers = {form: number for number, form in enumerate(self._forms)}
        self._by_id = {form.get("id"): number for number, form in reversed(list(enumerate(self._forms)))}
        self._groups: dict[tuple[int | None, str], int] = {}
        labels = reversed(list(root.iter("label")))
        self._labels = {label.get("for"): label for label in labels if "for" in label.attrib}

    def read(self, element: Any) -> Control | None:
        """Add the field of an INPUT, SELECT, TEXTAREA or BUTTON element, and return its control.

        Return None if the element has no field, or if the field is hidden.
        """
        if len(self.fields) >= MAX_FIELDS or len(element.get("name", "")) > MAX_NAME or not self._has(element):
            return None
        tag, kind = element.tag, element.get("type", "").strip().lower()
        if tag == "select":
            return self._select(element)
        if tag == "textarea":
            return self._textarea(element)
        if tag == "button":
            return self._button(element, kind if kind in ("reset", "button") else "submit")
        if kind in _BUTTONS:
            return self._button(element, kind)
        if kind in _KINDS:
            return self._toggle(element, _KINDS[kind])
        return self._input(element, kind)

    def _has(self, element: Any) -> bool:
        """Tell whether an element is still in the document."""
        return any(around is self._root for around in element.iterancestors())

    def _input(self, element: Any, kind: str) -> Control | None:
        value = element.get("value", "")
        if kind == "file":
            return None
        if kind == "hidden":
            if element.get("name"):
                self._add(element, FieldKind.TEXT, value=value, is_hidden=True)
            return None
        password = kind == "password"
        field = self._add(
            element, FieldKind.TEXT, value="" if password else value, is_password=password, max_length=_length(element)
        )
        return Control(field, FieldKind.TEXT, is_line=True)

    def _textarea(self, element: Any) -> Control:
        # A line break after the start tag is not part of the value.
        text = "".join(element.itertext()).replace("\r\n", "\n").removeprefix("\n")
        field = self._add(element, FieldKind.TEXT, value=text, is_multiline=True, max_length=_length(element))
        return Control(field, FieldKind.TEXT)

    def _toggle(self, element: Any, kind: FieldKind) -> Control | None:
        on = "checked" in element.attrib
        option = Option(element.get("value", "on"), "", on)
        group = (self._owner(element), element.get("name", ""))
        if kind is FieldKind.RADIO and group[1] and group in self._groups:
            field = self._groups[group]
            if len(self.fields[field].options) >= MAX_BUTTONS:
                return None
            self._join(field, option)
        else:
            field = self._add(element, kind, options=(option,))
            if kind is FieldKind.RADIO and group[1]:
                self._groups[group] = field
        return Control(field, kind, len(self.fields[field].options) - 1)

    def _join(self, number: int, option: Option) -> None:
        """Add a button to a radio group. If several buttons are checked, only the last of them stays checked."""
        field = self.fields[number]
        before = tuple(replace(o, is_chosen=o.is_chosen and not option.is_chosen) for o in field.options)
        self.fields[number] = replace(field, options=(*before, option))

    def _select(self, element: Any) -> Control:
        several = "multiple" in element.attrib
        rows = _rows(element, LIST_ROWS if several else 1)
        is_list = several or rows > 1
        options = _options(element)
        if options and not is_list and not any(option.is_chosen for option in options):
            options[0] = replace(options[0], is_chosen=True)
        if not several:
            last = max((number for number, option in enumerate(options) if option.is_chosen), default=-1)
            options = [replace(option, is_chosen=number == last) for number, option in enumerate(options)]
        first = _first_shown(options, rows) if is_list else 0
        field = self._add(
            element, FieldKind.CHOICE, options=tuple(options), is_list=is_list, first_shown=first, takes_several=several
        )
        return Control(field, FieldKind.CHOICE, has_arrow=not is_list, is_line=not is_list)

    def _button(self, element: Any, kind: str) -> Control | None:
        form = self._owner(element)
        caption = element.get("value") or element.get("alt") or _CAPTIONS.get(kind, "")
        if element.tag == "button":
            caption = text_of(element)
        if form is None or len(caption) > MAX_CAPTION:
            return None
        submission = self._submission(element, self._forms[form]) if kind in ("submit", "image") else None
        sends = None
        if submission is not None and element.get("name") and kind == "submit":
            value = element.get("value", "")
            sends = self._add(element, FieldKind.TEXT, value=value, is_hidden=True)
        field = self._add(
            element, FieldKind.BUTTON, name="", value=caption, submission=submission, resets=kind == "reset",
            sends=sends,
        )  # fmt: skip
        return Control(field, FieldKind.BUTTON)

    def _submission(self, button: Any, form: Any) -> Submission | None:
        """Return the target to which a button submits its form; None if it is not an HTTP URL."""
        action = (button.get("formaction") or form.get("action", "")).strip()
        method = (button.get("formmethod") or form.get("method", "")).strip().lower()
        url = split_fragment(absolute(self._base, action, self._encoding) if action else self._url)[0]
        if not url.lower().startswith(("http:", "https:")) or method == "dialog":
            return None
        return Submission(url, method != "post")

    def _add(self, element: Any, kind: FieldKind, name: str | None = None, **more: object) -> int:
        field = Field(
            kind,
            element.get("name", "") if name is None else name,
            self._owner(element),
            is_disabled=_is_disabled(element),
            is_read_only="readonly" in element.attrib,
            is_required="required" in element.attrib,
            title=self._title(element),
        )
        self.fields.append(replace(field, **more))  # type: ignore[arg-type]
        return len(self.fields) - 1

    def _title(self, element: Any) -> str:
        label = self._labels.get(element.get("id")) if element.get("id") else None
        if label is None and element.tag == "input":  # the text of others would be a part of that of the label
            label = next(element.iterancestors("label"), None)
        hints = (element.get(name) for name in ("title", "aria-label", "placeholder"))
        found = next(filter(None, hints), None) or (text_of(label) if label is not None else "")
        return " ".join(found.split())[:MAX_CAPTION]

    def _owner(self, element: Any) -> int | None:
        """Return the index of the form that an element names or, if it names none, of the form around it."""
        if "form" in element.attrib:
            return self._by_id.get(element.get("form"))
        return next((self._numbers[form] for form in element.iterancestors("form")), None)


def _options(element: Any) -> list[Option]:
    found = []
    for option in islice(element.iter("option"), MAX_OPTIONS):
        text = " ".join(text_of(option).split())
        label = " ".join(option.get("label", "").split()) or text
        value = option.get("value", text)
        if not _is_disabled_option(option) or "selected" in option.attrib:
            found.append(Option(value, label, "selected" in option.attrib))
    return found


def _first_shown(options: list[Option], rows: int) -> int:
    """Return the first visible option of a list box, so that the selected options are visible."""
    chosen = [number for number, option in enumerate(options) if option.is_chosen]
    if not chosen or chosen[-1] < rows:
        return 0
    rows = min(max(rows, chosen[-1] - chosen[0] + 1), MAX_ROWS)
    return min(chosen[0], max(len(options) - rows, 0))


def _is_disabled_option(option: Any) -> bool:
    group = option.getparent()
    return "disabled" in option.attrib or (group.tag == "optgroup" and "disabled" in group.attrib)


def _is_disabled(element: Any) -> bool:
    """Tell whether a control is disabled, or a FIELDSET around it, except for its first LEGEND (HTML, 4.10.19.5)."""
    if "disabled" in element.attrib:
        return True
    legends = list(element.iterancestors("legend"))
    groups = (group for group in element.iterancestors("fieldset") if "disabled" in group.attrib)
    return any(next(group.iterchildren("legend"), None) not in legends for group in groups)


def _length(element: Any) -> int | None:
    number = integer(element.get("maxlength", ""), 0)
    return number if 0 < number < 1_000_000 else None


def _rows(element: Any, default: int) -> int:
    rows = integer(element.get("size", ""), default)
    return min(rows, MAX_ROWS) if rows > 0 else default
