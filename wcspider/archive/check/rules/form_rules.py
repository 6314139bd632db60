"""The rules for form fields: their names (14.10.3.4, 12.7.3.2), and the pages that list them (12.5.6.19)."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.entries import (
    TRAILER,
    Handle,
    describe,
    entry,
    is_dictionary,
    is_string,
    items,
    list_references,
    ref,
    text,
    traverse,
)
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.pdf.objects import Ref


def check_forms(document: Document) -> Iterator[Finding]:
    """Check the fields of the interactive form (12.7.2)."""
    file = document.file
    form = entry(file.get(document.root), "/AcroForm")
    roots = list_references(entry(form, "/Fields"))
    if not roots:
        return
    fields = list(_fields(file, roots))
    shown = _shown(document, {reference for handle, _ in fields if (reference := handle.own_reference)})
    names: set[str] = set()
    for handle, name in fields:
        file.step()
        field = file.get(handle)
        if not is_dictionary(field):
            continue
        if "/T" in field:
            where = describe(f"field {name}", field)
            if "." in text(field.T):
                yield Rule.FIELD_PERIOD.broken(where, "T has a period, which separates names")
            if name in names:
                yield Rule.FIELD_NAME.broken(where, "another field has the same name")
            names.add(name)
            yield from _check_name(field, shown, document, where)
        if field.get("/Subtype") == pikepdf.Name.Widget:
            yield from _check_widget(field, shown, describe(f"widget annotation of field {name}", field))


def _check_name(
    field: pikepdf.Dictionary, shown: dict[Ref, list[Ref | None]], document: Document, where: str
) -> Iterator[Finding]:
    """Yield a finding if a field of a page set, which has its original name, has another unique name."""
    original = field.get("/WCSP_Name")
    widgets = items(field.get("/Kids")) or [field]
    pages = [page for page in shown.get(ref(widgets[0]) or TRAILER, []) if page in document.pages]
    identifier = entry(document.file.get(Handle(pages[0])), "/ID") if pages and pages[0] is not None else None
    if not is_string(original) or not is_string(identifier):
        return
    if bytes(field.T) != unique_name(bytes(original), bytes(identifier)):
        yield Rule.FIELD_IDENTIFIER.broken(where, f"the ID of its page set is {bytes(identifier).hex()}")


def unique_name(original: bytes, identifier: bytes) -> bytes:
    """Return the unique name of a field: the nibble coding of its name and the escaped identifier (14.10.3.4)."""
    escaped = identifier.replace(b"\\", b"\\\\").replace(b"\0", b"\\0").replace(b".", b"\\p")
    return b"".join(bytes((65 + (byte >> 4), 65 + (byte & 15))) for byte in original + escaped)


def _check_widget(widget: pikepdf.Dictionary, shown: dict[Ref, list[Ref | None]], where: str) -> Iterator[Finding]:
    pages = shown.get(ref(widget) or TRAILER, [])
    if len(pages) != 1:
        yield Rule.WIDGET_PAGE.broken(where, f"{len(pages)} pages list it")
    elif "/P" in widget and ref(widget.P) != pages[0]:
        yield Rule.WIDGET_PAGE.broken(where, "P is not the page that lists it")


def _shown(document: Document, fields: set[Ref]) -> dict[Ref, list[Ref | None]]:
    """Return the pages that list each annotation of a field. Most annotations are links: a page has dozens."""
    found: dict[Ref, list[Ref | None]] = {}
    for page in document.page_tree.pages:
        document.file.step()
        for annotation in items(entry(document.file.get(page.handle), "/Annots")):
            if (reference := ref(annotation)) is not None and reference in fields:
                found.setdefault(reference, []).append(page.handle.own_reference)
    return found


def _fields(file: CheckedFile, roots: list[Ref]) -> Iterator[tuple[Handle, str]]:
    """Yield each field and widget annotation below the roots, with its fully qualified name (12.7.3.2)."""
    seen: set[Ref] = set(roots)
    names: list[str] = []

    def new(candidates: list[Ref]) -> list[Handle]:
        found = [Handle(reference) for reference in dict.fromkeys(candidates) if reference not in seen]
        seen.update(candidates)
        return [handle for handle in found if is_dictionary(file.get(handle))]

    def kids(node: Handle) -> list[Handle]:
        return new([reference for kid in items(entry(file.get(node), "/Kids")) if (reference := ref(kid))])

    for root in map(Handle, dict.fromkeys(roots)):
        file.step()
        for field, done in traverse(root, kids) if is_dictionary(file.get(root)) else ():
            if done:
                names.pop()
                continue
            own = entry(file.get(field), "/T")
            names.append(text(own) if is_string(own) else "")
            yield field, ".".join(filter(None, names))
