"""The interactive form of a file (ISO 32000-1, 12.7): fields are added and removed with the pages that show them.

A field has a unique name (14.10.3.4) made of its name in the page and the identifier of its page set. A page set
that takes the place of another keeps the names of the fields that both have, so that what was filled in can be put
in again. Such a name bears the identifier of the older page set; a name tree of our own holds those names, so that
none of them is given away should that page set come back elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.graft import Graft
from wcspider.archive.pages.field_objects import FormField
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.webcapture.names import field_name

ORIGINAL = "WCSP_Name"
"""The second-class entry of a field for its original name."""

KEPT_NAMES = "WCSP_FieldNames"
"""The name tree of the names that were kept from older page sets, each with its field."""

ADDED, REMOVED = "WCSP_Added", "WCSP_Removed"
"""The second-class entries of the interactive form dictionary for the changes of each revision, until a run ends."""

APPEARANCE = b"/Helv 10 Tf 0 g"
DEEPEST = 32
"""The limit of the depth of a field hierarchy; one that contains itself ends here."""


class Forms:
    """The fields of a file."""

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._added: list[Ref] = []
        self._removed: set[Ref] = set()

    # Adding fields
    def place(self, graft: Graft, identifier: bytes, kept: Mapping[str, bytes] | None = None) -> None:
        """Put the fields of a fragment into the file, before its pages; `kept` has names to reuse."""
        fields = graft.fragment.fields
        widgets = [[graft.reserve(index) for index, _ in field.widgets] for field in fields]
        roots = [own[0] if len(own) == 1 else self.file.allocate() for own in widgets]
        names = self._names([field.name for field in fields], identifier, kept or {})
        for number, field in enumerate(fields):
            named = {"T": names[number], ORIGINAL: field.name.encode("utf-8", "replace")}
            if names[number] != field_name(field.name.encode("utf-8", "replace"), identifier):
                self.catalog.tree_to_change(KEPT_NAMES)[names[number]] = roots[number]
            self._put(graft, field, {**field.entries, **named}, roots, number, widgets[number])
        self._added += roots

    def _put(
        self, graft: Graft, field: FormField, entries: dict[str, Value], roots: Sequence[Ref], number: int,
        widgets: Sequence[Ref],
    ) -> None:  # fmt: skip
        """Write a field and its widgets; a field with one widget is one object with it."""
        root = roots[number]
        action: dict[str, Value] = {}
        if field.action is not None:
            action["A"] = {**field.action, "Fields": [roots[other] for other in field.concerned]}
        if len(widgets) > 1:
            self.file.put(root, {**entries, "Kids": list(widgets)})
            entries = {"Parent": root}
        for widget, (index, page) in zip(widgets, field.widgets, strict=True):
            own = {**graft.local(graft.fragment.objects[index]), "P": graft.pages[page]}
            self.file.put(widget, {**own, **entries, **action})

    def _names(self, originals: Sequence[str], identifier: bytes, kept: Mapping[str, bytes]) -> list[bytes]:
        """Return the unique names of fields: their kept names, or else new ones."""
        given = {kept[original] for original in originals if original in kept}
        tree = self.catalog.tree(KEPT_NAMES)
        names = []
        for original in originals:
            name = kept.get(original)
            if name is None:
                own = original.encode("utf-8", "replace")
                numbered = chain((own,), (b"%s#%d" % (own, number) for number in count(2)))
                free = (field_name(candidate, identifier) for candidate in numbered)
                name = next(n for n in free if n not in given and (tree is None or n not in tree))
                given.add(name)
            names.append(name)
        return names

    # Removing fields

    def remove(self, pages: Sequence[Ref]) -> dict[str, bytes]:
        """Remove the fields on pages that are about to be removed; return their unique names by original name."""
        names: dict[str, bytes] = {}
        tree = self.catalog.tree(KEPT_NAMES)
        for widget in list(chain.from_iterable(self._widgets(page) for page in pages)):
            for removed, content in self._remove(widget):
                name, original = content.get("T"), content.get(ORIGINAL)
                if isinstance(name, bytes) and isinstance(original, bytes):
                    names[original.decode("utf-8", "replace")] = name
                if isinstance(name, bytes) and tree is not None and tree.get(name) == removed:
                    del tree[name]
        return names

    def _widgets(self, page: Ref) -> Iterator[Ref]:
        annotations = self.file.resolve((self.file.get(page) or {}).get("Annots"))
        for entry in annotations if isinstance(annotations, list) else ():
            content = self.file.get(entry) if isinstance(entry, Ref) else None
            if isinstance(content, dict) and content.get("Subtype") == "Widget" and self._is_listed(entry):
                yield entry

    def _is_listed(self, at: Ref) -> bool:
        """Tell whether a field or widget is in the form. Widgets of a PDF source are not, and may be shared."""
        for _ in range(DEEPEST):
            content = self.file.get(at)
            if not isinstance(content, dict) or ORIGINAL in content:
                return isinstance(content, dict)
            above = content.get("Parent")
            if not isinstance(above, Ref):
                return at in self._listed
            at = above
        return False

    @cached_property
    def _listed(self) -> frozenset[Ref]:
        """The root fields of the form before the first change."""
        form = self.file.resolve(self.catalog.form) or {}
        return frozenset(field for field in self.file.resolve(form.get("Fields")) or () if isinstance(field, Ref))

    def _remove(self, widget: Ref) -> Iterator[tuple[Ref, dict[str, Value]]]:
        """Remove a widget, and the fields above it that have no other kid; yield what was removed."""
        at = widget
        for _ in range(DEEPEST):
            content = self.file.get(at)
            if not isinstance(content, dict):
                return
            yield at, content
            self.file.put(at, None)
            above = content.get("Parent")
            holder = self.file.get(above) if isinstance(above, Ref) else None
            if not isinstance(above, Ref) or not isinstance(holder, dict):
                self._removed.add(at)
                return
            kids = [kid for kid in self.file.resolve(holder.get("Kids")) or () if kid != at]
            if kids:
                self.file.put(above, {**holder, "Kids": kids})
                return
            at = above

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
            self.catalog.form = self._as_object(self.catalog.form, form)

    def finish(self) -> None:
        """Update the interactive form dictionary (12.7.2) with the fields that the run added and removed."""
        form = self._content
        added = [*self._pop_notes(form.pop(ADDED, ())), *self._added]
        removed = [*self._pop_notes(form.pop(REMOVED, ())), *self._removed]
        self._added, self._removed = [], set()
        if not added and not removed:
            return
        before, no_longer = self.file.resolve(form.get("Fields")), set(removed)
        fields = [field for field in chain(before if isinstance(before, list) else (), added) if field not in no_longer]
        if not fields and form.keys() <= {"Fields", "DR", "DA"}:
            self.catalog.form = None
            return
        form["Fields"] = self._as_object(form.get("Fields"), fields)
        form["DR"] = self._resources(self.file.resolve(form.get("DR")) or {})
        form.setdefault("DA", APPEARANCE)
        self.catalog.form = self._as_object(self.catalog.form, form)

    @property
    def _content(self) -> dict[str, Value]:
        return dict(self.file.resolve(self.catalog.form) or {})

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
        """Return the resources with which viewers draw filled-in values (12.7.3.3): a standard font."""
        fonts = self.file.resolve(have.get("Font")) or {}
        if "Helv" in fonts:
            return have
        helvetica = {
            "Type": Name("Font"),
            "Subtype": Name("Type1"),
            "BaseFont": Name("Helvetica"),
            "Encoding": Name("WinAnsiEncoding"),
        }
        return {**have, "Font": {**fonts, "Helv": self.file.add(helvetica)}}
