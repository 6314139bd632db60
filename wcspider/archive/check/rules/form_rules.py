"""The rules for form fields: their names (14.10.3.4, 12.7.3.2), and the pages that list them (12.5.6.19)."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.entries import Ref, describe, entry, is_dictionary, is_string, items, ref, traverse
from wcspider.webcapture.names import field_name


def check_forms(document: Document) -> Iterator[Finding]:
    """Check the fields of the interactive form (12.7.2)."""
    fields = entry(entry(document.pdf.Root, "/AcroForm"), "/Fields")
    if fields is None:
        return
    shown = _shown(document)
    names: dict[str, Ref | None] = {}
    for field, name in _fields(items(fields)):
        if "/T" in field:
            where = describe(f"field {name}", field)
            if "." in str(field.T):
                yield Rule.FIELD_PERIOD.broken(where, "T has a period, which separates names")
            if name in names:
                yield Rule.FIELD_NAME.broken(where, "another field has the same name")
            names[name] = ref(field)
            yield from _check_name(field, shown, document, where)
        if field.get("/Subtype") == pikepdf.Name.Widget:
            yield from _check_widget(field, shown, describe(f"widget annotation of field {name}", field))


def _check_name(
    field: pikepdf.Dictionary, shown: dict[Ref, list[Ref | None]], document: Document, where: str
) -> Iterator[Finding]:
    """Yield a finding if a field of a page set, which has its original name, has another unique name."""
    original = field.get("/WCSP_Name")
    widgets = items(field.get("/Kids")) or [field]
    pages = [page for page in shown.get(ref(widgets[0]) or (0, 0), []) if page is not None]
    identifier = document.pages[pages[0]].obj.get("/ID") if pages and pages[0] in document.pages else None
    if not is_string(original) or not is_string(identifier):
        return
    if bytes(field.T) != field_name(bytes(original), bytes(identifier)):
        yield Rule.FIELD_IDENTIFIER.broken(where, f"the ID of its page set is {bytes(identifier).hex()}")


def _check_widget(widget: pikepdf.Dictionary, shown: dict[Ref, list[Ref | None]], where: str) -> Iterator[Finding]:
    pages = shown.get(ref(widget) or (0, 0), [])
    if len(pages) != 1:
        yield Rule.WIDGET_PAGE.broken(where, f"{len(pages)} pages list it")
    elif "/P" in widget and ref(widget.P) != pages[0]:
        yield Rule.WIDGET_PAGE.broken(where, "P is not the page that lists it")


def _shown(document: Document) -> dict[Ref, list[Ref | None]]:
    """Return the pages that list each annotation."""
    found: dict[Ref, list[Ref | None]] = {}
    for page in document.page_tree.pages:
        for annotation in items(page.obj.get("/Annots")):
            if reference := ref(annotation):
                found.setdefault(reference, []).append(ref(page.obj))
    return found


def _fields(roots: list[object]) -> Iterator[tuple[pikepdf.Dictionary, str]]:
    """Yield each field and widget annotation below the roots, with its fully qualified name (12.7.3.2)."""
    seen: set[Ref] = set()
    names: list[str] = []

    def new(candidates: list[object]) -> list[pikepdf.Dictionary]:
        found = []
        for candidate in candidates:
            reference = ref(candidate)
            if is_dictionary(candidate) and reference is not None and reference not in seen:
                seen.add(reference)
                found.append(candidate)
        return found

    for root in new(roots):
        for field, done in traverse(root, lambda node: new(items(node.get("/Kids")))):
            if done:
                names.pop()
                continue
            own = field.get("/T")
            names.append(str(own) if is_string(own) else "")
            yield field, ".".join(filter(None, names))
