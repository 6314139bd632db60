"""The values that a user has filled into form fields (ISO 32000-1, 12.7.3), moved to the fields of a changed page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wcspider.archive.pages.field_objects import COMBO, OFF, PUSH_BUTTON, RADIO
from wcspider.pdf.objects import Name, Value
from wcspider.pdf.values import read_integer, read_number, read_text

KINDS = RADIO | PUSH_BUTTON | COMBO
"""The flags that distinguish fields of one type."""


@dataclass(frozen=True, slots=True)
class OldField:
    """A field of the page before the change, without references in its values."""

    entries: Mapping[str, Value]
    widgets: Sequence[Mapping[str, Value]]

    @property
    def is_filled_in(self) -> bool:
        """Whether the value is not the default value, which comes from the page."""
        return "V" in self.entries and _plain(self.entries["V"]) != _plain(self.entries.get("DV"))


@dataclass(frozen=True, slots=True)
class MovedValue:
    """The entries by which a new field and its widgets hold the value of an old one."""

    field: Mapping[str, Value]
    widgets: Sequence[Mapping[str, Value]]
    """If AP is None, the entry is removed, and a viewer has to draw the value."""

    @property
    def needs_appearances(self) -> bool:
        """Whether a viewer has to draw the value."""
        return any("AP" in widget and widget["AP"] is None for widget in self.widgets)


def moved_value(old: OldField, field: Mapping[str, Value], widgets: Sequence[Mapping[str, Value]]) -> MovedValue | None:
    """Return the value that a user filled into an old field, for a new field and its widgets.

    None if the user filled in nothing, or the new field cannot hold it: it has another type, or other options.
    """
    kind = field.get("FT")
    flags = read_integer(old.entries.get("Ff")) ^ read_integer(field.get("Ff"))
    if not old.is_filled_in or old.entries.get("FT") != kind or flags & KINDS:
        return None
    if kind == "Btn":
        return _moved_state(old, field, widgets)
    if kind == "Ch":
        return _moved_choice(old, field, widgets)
    value = old.entries["V"]
    if kind != "Tx" or not isinstance(value, bytes) or len(read_text(value)) > field.get("MaxLen", len(value)):
        return None
    return MovedValue({"V": value}, _drawn_as(old, widgets))


def _moved_state(
    old: OldField, field: Mapping[str, Value], widgets: Sequence[Mapping[str, Value]]
) -> MovedValue | None:
    """Return the state of a check box or of radio buttons, by the value that a form sends for it."""
    states = [next((state for state in _normal(widget) if state != OFF), OFF) for widget in widgets]
    wanted = old.entries["V"]
    sent = _sent(old.entries, wanted)
    chosen = OFF if wanted == OFF else next((state for state in states if _sent(field, state) == sent), None)
    if chosen is None:
        return None
    return MovedValue({"V": chosen}, [{"AS": state if state == chosen else OFF} for state in states])


def _normal(widget: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the normal appearances of a widget, by state (12.5.5)."""
    appearances = widget.get("AP")
    normal = appearances.get("N") if isinstance(appearances, dict) else None
    return normal if isinstance(normal, dict) else {}


def _sent(field: Mapping[str, Value], state: Value) -> str:
    """Return the value that a form sends for a state (Table 227): Opt has it if it cannot be a name."""
    options = field.get("Opt")
    if isinstance(options, list) and str(state).isdecimal() and int(state) < len(options):
        return read_text(options[int(state)])
    return str(state)


def _moved_choice(
    old: OldField, field: Mapping[str, Value], widgets: Sequence[Mapping[str, Value]]
) -> MovedValue | None:
    """Return the chosen options of a list or combo box that the new one has as well."""
    options = [read_text(entry[0] if isinstance(entry, list) and entry else entry) for entry in field.get("Opt") or ()]
    value = old.entries["V"]
    wanted = [read_text(entry) for entry in (value if isinstance(value, list) else [value])]
    if not set(wanted) <= set(options):
        return None
    moved: dict[str, Value] = {"V": value}
    if not read_integer(field.get("Ff")) & COMBO:
        moved["I"] = sorted(options.index(text) for text in wanted)
    return MovedValue(moved, _drawn_as(old, widgets))


def _drawn_as(old: OldField, widgets: Sequence[Mapping[str, Value]]) -> list[Mapping[str, Value]]:
    """Return the appearances of the old widgets for new ones of the same size; None if a viewer has to draw them."""
    found: list[Mapping[str, Value]] = []
    for number, widget in enumerate(widgets):
        before = old.widgets[number] if number < len(old.widgets) else {}
        is_alike = "AP" in before and _size(before) == _size(widget)
        found.append({"AP": before["AP"] if is_alike else None})
    return found


def _size(widget: Mapping[str, Value]) -> tuple[int, int] | None:
    """Return the width and height of a widget in hundredths of a point."""
    rect = widget.get("Rect")
    if not isinstance(rect, list) or len(rect) != 4:
        return None
    left, bottom, right, top = map(read_number, rect)
    return round(abs(right - left) * 100), round(abs(top - bottom) * 100)


def _plain(value: Value) -> object:
    """Return a value of a field so that equal texts are equal, whatever their encodings."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, Name) or not isinstance(value, bytes):
        return None if value == OFF else value
    return read_text(value) or None
