"""The values of the form fields that pages show (ISO 32000-1, 12.7), by the names that they have in the web page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcspider.archive.database.form_fields import ORIGINAL
from wcspider.pdf.file.parents import with_parents
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import read_text


def field_values(file: RevisionFile, pages: Sequence[Ref]) -> dict[str, str]:
    """Return the values of the fields that wcspider has made for pages; an empty one for a field without a value.

    Several fields of a page can have one name, and their values are joined then.
    """
    found: dict[str, list[str]] = {}
    seen: set[Ref] = set()
    for page in pages:
        for widget in file.array(file.dictionary(page).get("Annots")):
            at, name, value = _field(file, widget)
            if name is not None and at not in seen:
                seen.add(at)
                found.setdefault(name, []).append(", ".join(_texts(file, value)))
    return {name: ", ".join(filter(None, values)) for name, values in found.items()}


def _field(file: RevisionFile, widget: Value) -> tuple[Ref, str | None, Value]:
    """Return the field to which a widget belongs, its original name and its value; no name for other annotations."""
    value = None
    for at, content in with_parents(file, widget):
        value = content.get("V") if value is None else value
        original = file.resolve(content.get(ORIGINAL))
        if isinstance(original, bytes) and isinstance(at, Ref):
            return at, original.decode("utf-8", "replace"), value
    return Ref(0), None, None


def _texts(file: RevisionFile, value: Value) -> Iterator[str]:
    """Yield a value as text; a list box has several. A check box that is not set has none."""
    content = file.resolve(value)
    for entry in content if isinstance(content, list) else [content]:
        chosen = file.resolve(entry)
        if isinstance(chosen, Name) and chosen != "Off":
            yield str(chosen)
        elif isinstance(chosen, bytes):
            yield read_text(chosen)
