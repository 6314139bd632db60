"""The fields (12.7.3) on the pages of a page set, read from the file that has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.form_fields import APPEARANCE, FONTS, ORIGINAL
from wcspider.archive.pages.field_objects import FormField
from wcspider.pdf.file.parents import with_parents
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import read_text, text_string
from wcspider.webcapture.names import decode_nibbles, field_name

WIDGET = frozenset(
    {
        "Type", "Subtype", "Rect", "Contents", "NM", "M", "F", "AP", "AS", "Border", "C", "OC", "H", "MK", "A", "AA",
        "BS",
    }
)  # fmt: skip
"""The entries of a widget annotation (Tables 164 and 188) that do not belong to the field, and are copied."""

RELATIONS = frozenset({"T", "Kids", "Parent", "P", "StructParent", ORIGINAL})
"""The entries of a field that are not copied, but made for the merged file."""

INHERITED = ("FT", "Ff", "V", "DV", "DA", "Q", "MaxLen", "Opt")
"""The inheritable entries of a field (Tables 220, 222, 229 and 231)."""

EMPTY: tuple[Value, ...] = (None, b"", Name("Off"), [])
"""The values of a field that nobody has filled in."""

OF_FORM = ("SubmitForm", "ResetForm")
"""The actions (12.7.5) that apply to fields."""


class PlacedWidget(NamedTuple):
    """A widget annotation, and the index of its page in the page set."""

    widget: Ref
    page: int


class FieldReader:
    """The fields of a file."""

    def __init__(self, source: ContentDatabase) -> None:
        self.file = source.file
        self.forms = source.forms
        self._form = self.file.dictionary(source.catalog.form)

    @property
    def needs_appearances(self) -> bool:
        """Whether viewers have to draw the values of the fields."""
        return self.file.resolve(self._form.get("NeedAppearances")) is True

    @property
    def fonts(self) -> dict[str, Ref]:
        """The fonts of the values of the fields, by name, except for those that each form has."""
        resources = self.file.dictionary(self._form.get("DR"))
        found = self.file.dictionary(resources.get("Font"))
        return {name: font for name, font in found.items() if isinstance(font, Ref) and name not in FONTS}

    def widgets(self, pages: Sequence[Ref]) -> dict[Ref, list[PlacedWidget]]:
        """Return the fields on pages, each with its widget annotations there."""
        found: dict[Ref, list[PlacedWidget]] = {}
        for index, page in enumerate(pages):
            for entry in self.file.array(self.file.dictionary(page).get("Annots")):
                content = self.file.resolve(entry)
                is_widget = isinstance(content, dict) and content.get("Subtype") == "Widget"
                if isinstance(entry, Ref) and is_widget and self.forms.is_listed(entry):
                    found.setdefault(self._field_of(entry), []).append(PlacedWidget(entry, index))
        return found

    def _field_of(self, widget: Ref) -> Ref:
        """Return the field of a widget annotation: the nearest dictionary with a name."""
        parents = with_parents(self.file, widget)
        found: Ref = next((at for at, content in parents if "T" in content or "Parent" not in content), widget)
        return found

    def widget_content(self, widget: Ref) -> dict[str, Value]:
        """Return a widget annotation without the entries of its field and without an action that applies to fields."""
        own = self.file.dictionary(widget)
        kept = WIDGET if "T" in own else WIDGET | {"DA", "Q"}
        content = {key: entry for key, entry in own.items() if key in kept}
        if self._form_action(content) is not None:
            del content["A"]
        return content

    def _form_action(self, content: Mapping[str, Value]) -> dict[str, Value] | None:
        action = self.file.dictionary(content.get("A"))
        return action if action.get("S") in OF_FORM else None

    def fields(
        self,
        shown: Mapping[Ref, Sequence[PlacedWidget]],
        identifier: bytes,
        index: Callable[[Ref], int],
        local: Callable[[Value], Value],
    ) -> tuple[FormField, ...]:
        """Return the fields of a page set for a fragment.

        `index` returns the index of a widget annotation in the fragment; `local` replaces references with indices.
        """
        numbers = {field: number for number, field in enumerate(shown)}
        by_widget = {entry.widget: numbers[field] for field, entries in shown.items() for entry in entries}
        found = []
        for field, placed in shown.items():
            action = self._form_action(self.file.dictionary(placed[0].widget))
            concerned = None if action is None else self.file.resolve(action.get("Fields"))
            found.append(
                FormField(
                    name=self._original_name(field, identifier),
                    entries=local(self._entries(field, identifier)),
                    widgets=tuple((index(entry.widget), entry.page) for entry in placed),
                    action=None if action is None else local({k: v for k, v in action.items() if k != "Fields"}),
                    concerned=self._concerned(concerned, {**by_widget, **numbers}) if action is not None else (),
                )
            )
        return tuple(found)

    @staticmethod
    def _concerned(fields: Value, numbers: Mapping[Ref, int]) -> tuple[int, ...]:
        """Return the fields of an action; without an array it applies to all fields, here those of the page set."""
        if not isinstance(fields, list):
            return tuple(sorted(set(numbers.values())))
        return tuple(dict.fromkeys(numbers[field] for field in fields if isinstance(field, Ref) and field in numbers))

    def _entries(self, field: Ref, identifier: bytes) -> dict[str, Value]:
        """Return the entries of a field with those that it inherits, and the name that a form sends."""
        own = self.file.dictionary(field)
        drawn = WIDGET if own.get("Subtype") == "Widget" else frozenset()
        entries = {key: entry for key, entry in own.items() if key not in RELATIONS and key not in drawn}
        for _, above in with_parents(self.file, own.get("Parent")) if ORIGINAL not in own else ():
            entries = {**{key: above[key] for key in INHERITED if key in above}, **entries}
        appearance = self.file.resolve(self._form.get("DA"))
        if "DA" not in entries and isinstance(appearance, bytes) and appearance != APPEARANCE:
            entries["DA"] = appearance
        if ORIGINAL not in own:
            entries.setdefault("TM", text_string(self._original_name(field, identifier)))
        return entries

    def _original_name(self, field: Ref, identifier: bytes) -> str:
        """Return the original name (14.10.3.4) of a field: its full name without the identifier of the page set."""
        known = self.file.dictionary(field).get(ORIGINAL)
        if isinstance(known, bytes):
            return known.decode("utf-8", "replace")
        names = [self.file.resolve(above.get("T")) for _, above in with_parents(self.file, field)]
        suffix = field_name(b"", identifier)
        own = [name for name in reversed(names) if isinstance(name, bytes) and name != suffix]
        return ".".join(_without_identifier(name, suffix) for name in own)


def _without_identifier(name: bytes, suffix: bytes) -> str:
    """Return the original name of a field whose name ends with the identifier of its page set; else the name."""
    if name.endswith(suffix):
        decoded = decode_nibbles(name.removesuffix(suffix))
        if decoded is not None:
            return decoded.decode("utf-8", "replace")
    return read_text(name)


def values_filled_in(fields: FieldReader, pages: Sequence[Ref]) -> int:
    """Return the number of fields on pages whose value is not the value with which they were captured."""
    count = 0
    for field in fields.widgets(pages):
        content = fields.file.dictionary(field)
        value, default = (fields.file.resolve(content.get(key)) for key in ("V", "DV"))
        count += value != default and (value not in EMPTY or default not in EMPTY)
    return count
