"""The interactive form of a file (ISO 32000-1, 12.7): fields are added and removed with the pages that show them.

A field has a unique name (14.10.3.4): its original name, which is its name in the page, with the identifier of its page
set. When a page set is replaced, the values that a user has filled in move to the new fields with the same original
names.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.graft import Graft
from wcspider.archive.pages.field_objects import FormField
from wcspider.archive.pages.filled_values import OldField, moved_value
from wcspider.pdf.file.parents import with_parents
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.steps import Steps
from wcspider.webcapture.names import field_name

ORIGINAL = "WCSP_Name"
"""The second-class entry of a field for its original name."""

KEPT_NAMES = "WCSP_FieldNames"
"""The name tree in which earlier versions noted fields that kept their names when their pages changed."""

ADDED, REMOVED = "WCSP_Added", "WCSP_Removed"
"""The second-class entries of the interactive form dictionary for the changes of each revision, until a run ends."""

APPEARANCE = b"/Helv 10 Tf 0 g"
FONTS: dict[str, dict[str, Value]] = {
    "Helv": {
        "Type": Name("Font"),
        "Subtype": Name("Type1"),
        "BaseFont": Name("Helvetica"),
        "Encoding": Name("WinAnsiEncoding"),
    },
    "ZaDb": {"Type": Name("Font"), "Subtype": Name("Type1"), "BaseFont": Name("ZapfDingbats")},
}
"""The fonts of values and of check marks, by the names that programs expect."""

RELATIVES = frozenset({"Parent", "Kids", "P", "AP", "A", "AA"})
"""The entries of fields and widgets that refer to other objects, and do not have to be read."""


class Forms:
    """The fields of a file."""

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._added: list[Ref] = []
        self._removed: set[Ref] = set()
        self._needs_appearances = False
        self._fonts: dict[str, Ref] = {}

    # Adding fields

    def place(self, graft: Graft, identifier: bytes, before: Mapping[str, OldField] | None = None) -> Steps[None]:
        """Put the fields of a fragment into the file in steps, before its pages.

        `before` has the fields of the replaced pages by original name, whose filled-in values move to the new fields.
        """
        fields = graft.fragment.fields
        widgets = [[graft.reserve(index) for index, _ in field.widgets] for field in fields]
        roots = [own[0] if len(own) == 1 else self.file.allocate() for own in widgets]
        pages = graft.pages
        for number, field in enumerate(fields):
            original = field.name.encode("utf-8", "replace")
            contents = [graft.local(graft.fragment.objects[index]) for index, _ in field.widgets]
            filled, contents = self._filled(field, contents, (before or {}).get(field.name))
            entries = {**graft.local(dict(filled.entries)), "T": field_name(original, identifier), ORIGINAL: original}
            self._put(pages, filled, entries, roots, number, widgets[number], contents)
            yield
        self._added += roots

    def add_font(self, name: str, font: Ref) -> None:
        """Add a font for the values of fields, unless the form has one with this name."""
        self._fonts.setdefault(name, font)

    def require_appearances(self) -> None:
        """Tell viewers to draw the values of fields that have no appearances."""
        self._needs_appearances = True

    def _filled(
        self, field: FormField, widgets: list[dict[str, Value]], before: OldField | None
    ) -> tuple[FormField, list[dict[str, Value]]]:
        """Return a field and its widgets with the value that a user has filled into the field before."""
        moved = None if before is None else moved_value(before, field.entries, widgets)
        if moved is None:
            return field, widgets
        self._needs_appearances = self._needs_appearances or moved.needs_appearances
        changed = [
            {key: entry for key, entry in {**widget, **changes}.items() if entry is not None}
            for widget, changes in zip(widgets, moved.widgets, strict=True)
        ]
        return replace(field, entries={**field.entries, **moved.field}), changed

    def _put(
        self, pages: Sequence[Ref], field: FormField, entries: dict[str, Value], roots: Sequence[Ref], number: int,
        widgets: Sequence[Ref], contents: Sequence[dict[str, Value]],
    ) -> None:  # fmt: skip
        """Write a field and its widgets, which have these contents; a field with one widget is one object with it."""
        root = roots[number]
        action: dict[str, Value] = {}
        if field.action is not None:
            action["A"] = {**field.action, "Fields": [roots[other] for other in field.concerned]}
        if len(widgets) > 1:
            self.file.put(root, {**entries, "Kids": list(widgets)})
            entries = {"Parent": root}
        for widget, content, (_, page) in zip(widgets, contents, field.widgets, strict=True):
            self.file.put(widget, {**content, "P": pages[page], **entries, **action})

    # Removing fields

    def remove(self, pages: Sequence[Ref]) -> dict[str, OldField]:
        """Remove the fields on pages that are about to be removed; return them by original name.

        Signatures stay in the form: without their field, no program would find the proof for the earlier state.
        """
        widgets = list(chain.from_iterable(self._widgets(page) for page in pages))
        fields: dict[str, OldField] = {}
        for widget in widgets:
            content = self._resolved(widget)
            parents = with_parents(self.file, widget)
            root = self._resolved(next((at for at, field in parents if ORIGINAL in field), widget))
            original = root.get(ORIGINAL)
            if isinstance(original, bytes):
                name = original.decode("utf-8", "replace")
                shown = fields[name].widgets if name in fields else ()
                fields[name] = OldField(root, (*shown, content))
        for widget in widgets:
            self._remove(widget)
        return fields

    def _resolved(self, reference: Ref) -> dict[str, Value]:
        """Return a field or widget with direct values, except for its relatives and its appearances."""
        content = self.file.dictionary(reference)
        return {key: self._direct(entry) if key not in RELATIVES else entry for key, entry in content.items()}

    def _direct(self, value: Value) -> Value:
        """Return a value without references in it."""
        content = self.file.resolve(value)
        return [self.file.resolve(entry) for entry in content] if isinstance(content, list) else content

    def _widgets(self, page: Ref) -> Iterator[Ref]:
        for entry in self.file.array(self.file.dictionary(page).get("Annots")):
            is_widget = self.file.dictionary(entry).get("Subtype") == "Widget"
            if isinstance(entry, Ref) and is_widget and self.is_listed(entry) and not self._is_signature(entry):
                yield entry

    def _is_signature(self, widget: Ref) -> bool:
        entries = ChainMap(*(content for _, content in with_parents(self.file, widget)))  # inherited (12.7.3.1)
        return self.file.resolve(entries.get("FT")) == "Sig" and entries.get("V") is not None

    def is_listed(self, field: Ref) -> bool:
        """Tell whether a field or widget is in the form. Widgets of a PDF source are not, and may be shared."""
        return any(
            ORIGINAL in content or (at in self._listed and "Parent" not in content)
            for at, content in with_parents(self.file, field)
        )

    @cached_property
    def _listed(self) -> frozenset[Ref]:
        """The root fields of the form before the first change."""
        form = self.file.dictionary(self.catalog.form)
        return frozenset(field for field in self.file.array(form.get("Fields")) if isinstance(field, Ref))

    def _remove(self, widget: Ref) -> None:
        """Remove a widget, and the fields above it that have no other kid."""
        removed: Ref | None = None
        for at, content in with_parents(self.file, widget):
            kids = [kid for kid in self.file.array(content.get("Kids")) if kid != removed]
            if removed is not None and kids:
                self.file.put(at, {**content, "Kids": kids})
                return
            self.file.put(at, None)
            removed = at
        if removed is not None:
            self._removed.add(removed)

    # The form of the document

    def flush(self) -> None:
        """Put notes of the added and removed fields into the next revision, without the long array of all fields."""
        notes = {ADDED: self._added, REMOVED: sorted(self._removed)}
        self._added, self._removed = [], set()
        if any(notes.values()):
            form = {"Fields": [], **self._content}
            for key, fields in notes.items():
                if fields:
                    form[key] = [*form.get(key, ()), self.file.add(fields)]
            if self._needs_appearances:
                form["NeedAppearances"] = True
            self.catalog.form = self._as_object(self.catalog.form, form)

    def finish(self) -> None:
        """Update the interactive form dictionary (12.7.2) with the fields that the run added and removed."""
        form = self._content
        added = [*self._pop_notes(form.pop(ADDED, ())), *self._added]
        removed = [*self._pop_notes(form.pop(REMOVED, ())), *self._removed]
        self._added, self._removed = [], set()
        if not added and not removed:
            return
        before, no_longer = self.file.array(form.get("Fields")), set(removed)
        fields = [field for field in chain(before, added) if not isinstance(field, Ref) or field not in no_longer]
        if not fields and form.keys() <= {"Fields", "DR", "DA", "NeedAppearances"}:
            self.catalog.form = None
            return
        form["Fields"] = self._as_object(form.get("Fields"), fields)
        form["DR"] = self._resources(self.file.dictionary(form.get("DR")))
        if self._needs_appearances:
            form["NeedAppearances"] = True
        form.setdefault("DA", APPEARANCE)
        self.catalog.form = self._as_object(self.catalog.form, form)

    @property
    def _content(self) -> dict[str, Value]:
        return dict(self.file.dictionary(self.catalog.form))

    def _pop_notes(self, notes: Sequence[Ref]) -> Iterator[Ref]:
        """Yield the fields of notes, and remove the notes."""
        for note in notes:
            yield from self.file.get(note) or ()
            self.file.put(note, None)

    def _as_object(self, before: Value, value: Value) -> Ref:
        if isinstance(before, Ref):
            if self.file.get(before) != value:
                self.file.put(before, value)
            return before
        return self.file.add(value)

    def _resources(self, have: dict[str, Value]) -> dict[str, Value]:
        """Return the resources with which viewers draw filled-in values (12.7.3.3): two standard fonts, and others."""
        fonts = self.file.dictionary(have.get("Font"))
        missing = {name: self.file.add(font) for name, font in FONTS.items() if name not in fonts}
        missing |= {name: font for name, font in self._fonts.items() if name not in {**fonts, **missing}}
        return {**have, "Font": {**fonts, **missing}} if missing else have
