"""The form fields of a rendering as PDF objects (ISO 32000-1, 12.7); created in the worker process."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wcspider.engines.fields import FIELD, OPTION, Field, FieldKind
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import ascii_string, text_string

READ_ONLY, REQUIRED, NO_EXPORT = 1 << 0, 1 << 1, 1 << 2
MULTILINE, PASSWORD = 1 << 12, 1 << 13
NO_TOGGLE_TO_OFF, RADIO, PUSH_BUTTON = 1 << 14, 1 << 15, 1 << 16
COMBO, MULTI_SELECT = 1 << 17, 1 << 21
"""Field flags (Tables 221, 226, 228 and 230)."""

HTML_FORMAT, GET_METHOD = 1 << 2, 1 << 3
"""Flags of a submit-form action (Table 237)."""

HIDDEN = 1 << 1
"""A flag of annotations (Table 165)."""

OFF = Name("Off")
_STATE = re.compile(r"[!-~]{1,100}")


@dataclass(frozen=True, slots=True)
class FormField:
    """A form field of a fragment."""

    name: str
    """Its original name (14.10.3.4), which is unique in the page set."""

    entries: Mapping[str, Value]
    widgets: tuple[tuple[int, int], ...]
    """Its widget annotations, as indices of the fragment's objects, each with the index of its page."""

    action: Mapping[str, Value] | None = None
    """The action of a button, without its Fields entry."""

    concerned: tuple[int, ...] = ()
    """The fields of the action's Fields entry, as indices of the fragment's fields."""


def form_fields(fields: Sequence[Field], objects: list[Value], pages: int) -> tuple[FormField, ...]:
    """Return the fields of a rendering whose objects begin with `pages` pages, and complete their widget annotations.

    A field without a visible widget gets a hidden one on the first page.
    """
    if not fields:
        return ()
    shown = _widgets(objects, pages, len(fields))
    fields = [field if number in shown else _unseen(field) for number, field in enumerate(fields)]
    kept = [number for number, field in enumerate(fields) if number in shown or (field.is_hidden and field.name)]
    places = {number: place for place, number in enumerate(kept)}
    names = _unique_names([fields[number] for number in kept])
    found = []
    for number, name in zip(kept, names, strict=True):
        field = fields[number]
        widgets = shown.get(number) or [_hidden_widget(objects)]
        states = _states(field)
        for index, _ in widgets:
            _complete(objects[index], field, states)
        action, concerned = _action(field, fields)
        found.append(
            FormField(
                name,
                _entries(field, states),
                tuple(widgets),
                action,
                tuple(places[other] for other in concerned if other in places),
            )
        )
    return tuple(found)


def _widgets(objects: Sequence[Value], pages: int, fields: int) -> dict[int, list[tuple[int, int]]]:
    """Find the widget annotations of each field, in the order of its options."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for page in range(pages):
        for entry in objects[page].get("Annots") or ():
            widget = objects[entry.number] if isinstance(entry, Ref) else None
            number = widget.get(FIELD) if isinstance(widget, dict) else None
            if isinstance(number, int) and 0 <= number < fields:
                found[number].append((entry.number, page))
    for widgets in found.values():
        widgets.sort(key=lambda widget: objects[widget[0]].get(OPTION, 0))
    return dict(found)


def _unseen(field: Field) -> Field:
    """Return a field without a widget as a hidden field with the value that a form would send."""
    if field.kind is FieldKind.BUTTON or field.form is None:
        return replace(field, is_hidden=False)
    chosen = [option.value for option in field.options if option.is_chosen]
    if field.kind is not FieldKind.TEXT and len(chosen) != 1:
        return replace(field, is_hidden=False)
    return replace(field, kind=FieldKind.TEXT, value=chosen[0] if chosen else field.value, is_hidden=True)


def _hidden_widget(objects: list[Value]) -> tuple[int, int]:
    objects.append({"Type": Name("Annot"), "Subtype": Name("Widget"), "Rect": [0, 0, 0, 0], "F": HIDDEN})
    page = objects[0]
    page["Annots"] = [*(page.get("Annots") or ()), Ref(len(objects) - 1)]
    return len(objects) - 1, 0


def _unique_names(fields: Sequence[Field]) -> list[str]:
    """Return the names of the fields in the page, with a number appended to repeated names."""
    wanted = [field.name or field.kind.value for field in fields]
    taken, counts = set(wanted), Counter[str]()
    names = []
    for name in wanted:
        counts[name] += 1
        own = name
        while counts[name] > 1 and own in taken:
            own = f"{name}#{counts[name]}"
            counts[name] += own in taken
        taken.add(own)
        names.append(own)
    return names


def _states(field: Field) -> list[Name]:
    """Return the appearance state names of the options: the values that a form sends, if these are valid names."""
    values = [option.value for option in field.options]
    if len(set(values)) == len(values) and all(_STATE.fullmatch(value) and value != OFF for value in values):
        return [Name(value) for value in values]
    return [Name(str(number)) for number in range(len(values))]


def _complete(widget: dict[str, Value], field: Field, states: Sequence[Name]) -> None:
    """Complete a widget annotation, except for its references to the field and the page."""
    option = widget.pop(OPTION, 0)
    widget.pop(FIELD, None)
    if field.kind in (FieldKind.CHECKBOX, FieldKind.RADIO):
        normal = widget["AP"]["N"]
        widget["AP"] = {"N": {states[option]: normal["On"], OFF: normal["Off"]}}
        widget["AS"] = states[option] if field.options[option].is_chosen else OFF
    elif field.kind is FieldKind.BUTTON and field.value:
        widget["MK"] = {"CA": text_string(field.value)}


def _entries(field: Field, states: Sequence[Name]) -> dict[str, Value]:
    """Return the entries of a field dictionary (12.7.3, 12.7.4)."""
    match field.kind:
        case FieldKind.TEXT:
            entries = _text(field)
        case FieldKind.CHECKBOX:
            entries = _toggle(field, states, 0)
        case FieldKind.RADIO:
            entries = _toggle(field, states, RADIO | NO_TOGGLE_TO_OFF)
        case FieldKind.CHOICE:
            entries = _choice(field)
        case FieldKind.BUTTON:
            entries = {"FT": Name("Btn"), "Ff": PUSH_BUTTON}
    sent = field.name and not field.is_disabled
    flags = entries.pop("Ff", 0) | (0 if sent else NO_EXPORT) | (REQUIRED if field.is_required else 0)
    entries["Ff"] = flags | (READ_ONLY if field.is_read_only or field.is_disabled else 0)
    if field.name:
        entries["TM"] = text_string(field.name)
    if field.title:
        entries["TU"] = text_string(field.title)
    return entries


def _text(field: Field) -> dict[str, Value]:
    entries: dict[str, Value] = {"FT": Name("Tx")}
    entries["Ff"] = (MULTILINE if field.is_multiline else 0) | (PASSWORD if field.is_password else 0)
    if field.value:
        entries["V"] = entries["DV"] = text_string(field.value)
    if field.max_length is not None and len(field.value) <= field.max_length:
        entries["MaxLen"] = field.max_length
    return entries


def _toggle(field: Field, states: Sequence[Name], flags: int) -> dict[str, Value]:
    chosen = next((state for state, option in zip(states, field.options, strict=True) if option.is_chosen), OFF)
    entries: dict[str, Value] = {"FT": Name("Btn"), "Ff": flags, "V": chosen, "DV": chosen}
    values = [option.value for option in field.options]
    if values != states:
        entries["Opt"] = [text_string(value) for value in values]
    return entries


def _choice(field: Field) -> dict[str, Value]:
    entries: dict[str, Value] = {
        "FT": Name("Ch"),
        "Ff": (0 if field.is_list else COMBO) | (MULTI_SELECT if field.takes_several else 0),
        "Opt": [[text_string(option.value), text_string(option.label)] for option in field.options],
    }
    chosen = [number for number, option in enumerate(field.options) if option.is_chosen]
    values = [text_string(field.options[number].value) for number in chosen]
    if values:
        entries["V"] = entries["DV"] = values[0] if len(values) == 1 else values
        if field.is_list:
            entries["I"] = list(chosen)
    if field.first_shown:
        entries["TI"] = field.first_shown
    return entries


def _action(field: Field, fields: Sequence[Field]) -> tuple[dict[str, Value] | None, list[int]]:
    """Return the action of a button (12.7.5), and the fields to which it applies."""
    others = {other.sends for other in fields if other.sends is not None} - {field.sends}
    of_form = [
        number
        for number, other in enumerate(fields)
        if other.form == field.form and other.kind is not FieldKind.BUTTON and number not in others
    ]
    if field.is_disabled:
        return None, []
    if field.submission is not None:
        flags = HTML_FORMAT | (GET_METHOD if field.submission.is_get else 0)
        target = {"FS": Name("URL"), "F": ascii_string(field.submission.url)}
        sent = [number for number in of_form if fields[number].name and not fields[number].is_disabled]
        return {"S": Name("SubmitForm"), "F": target, "Flags": flags}, sent
    if field.resets:
        return {"S": Name("ResetForm")}, [number for number in of_form if not fields[number].is_hidden]
    return None, []
