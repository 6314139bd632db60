"""The active content of PDF sources (ISO 32000-1, 12.6.4): scripts, launched programs, media, attached files.

A captured page is to be read. By default an archive keeps only the actions that navigate: GoTo, Named and URI.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pikepdf

PASSIVE_ACTIONS = frozenset({"/GoTo", "/Named", "/URI"})
PASSIVE_NAMES = frozenset({"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"})
"""The named actions (12.6.4.11) of the standard; viewers have others, such as Print."""

ACTIVE_SCHEMES = ("javascript", "file", "vbscript", "data")
ACTIVE_ANNOTATIONS = frozenset({"/FileAttachment", "/RichMedia", "/Screen", "/Movie", "/Sound", "/3D"})
"""The annotations that are nothing but attached files and media (Table 169)."""

DEEPEST = 32
"""The maximum depth of field hierarchies and action chains that is read, so that a cycle ends."""


def remove_active_content(pdf: pikepdf.Pdf) -> Counter[str]:
    """Remove the active content of the pages of a document; return the number of removed objects by kind."""
    removed: Counter[str] = Counter()
    for page in pdf.pages:
        _remove_from(page.obj, removed)
        annotations = page.obj.get("/Annots")
        if isinstance(annotations, pikepdf.Array):
            page.obj.Annots = pikepdf.Array([entry for entry in annotations if _is_passive(entry, removed)])
    return removed


def _is_passive(annotation: object, removed: Counter[str]) -> bool:
    """Remove the active content of an annotation; False if the annotation itself is to be removed."""
    if not isinstance(annotation, pikepdf.Dictionary):
        return True
    subtype = annotation.get("/Subtype")
    if isinstance(subtype, pikepdf.Name) and str(subtype) in ACTIVE_ANNOTATIONS:
        removed["file attachment" if subtype == "/FileAttachment" else f"{str(subtype)[1:]} annotation"] += 1
        return False
    holder: object = annotation
    for _ in range(DEEPEST):  # a widget, and the fields above it
        if not isinstance(holder, pikepdf.Dictionary):
            break
        _remove_from(holder, removed)
        holder = holder.get("/Parent") if subtype == "/Widget" else None
    return True


def _remove_from(holder: pikepdf.Object, removed: Counter[str]) -> None:
    """Remove active actions and attached files from a page, an annotation or a field."""
    for key in ("/A", "/PA"):
        action = holder.get(key)
        if action is None:
            continue
        removed.update(_chained(action))
        kind = _active_kind(action)
        if kind is not None:
            removed[kind] += 1
            del holder[key]
        elif "/Next" in action:
            del action["/Next"]
    triggers = holder.get("/AA")
    if triggers is not None:
        actions = triggers.values() if isinstance(triggers, pikepdf.Dictionary) else ()
        removed.update(_active_kind(action) or "action of a trigger" for action in actions)
        del holder["/AA"]
    if "/AF" in holder:
        removed["file attachment"] += 1
        del holder["/AF"]


def _active_kind(action: object) -> str | None:
    """Return the kind of an active action; None for one that only navigates."""
    if not isinstance(action, pikepdf.Dictionary):
        return "invalid action"
    kind = action.get("/S")
    name = str(kind) if isinstance(kind, pikepdf.Name) else ""
    if name not in PASSIVE_ACTIONS:
        return f"{name[1:] or 'unknown'} action"
    if name == "/Named" and str(action.get("/N")) not in PASSIVE_NAMES:
        return "Named action"
    uri = action.get("/URI")
    text = bytes(uri) if isinstance(uri, pikepdf.String) else b""
    scheme = bytes(byte for byte in text.partition(b":")[0] if byte > 0x20).lower().decode("latin-1")
    return f"{scheme}: URI" if name == "/URI" and b":" in text and scheme in ACTIVE_SCHEMES else None


def _chained(action: object) -> Iterator[str]:
    """Yield the kinds of the actions that follow an action (12.6.2), the first of them; all are removed."""
    waiting = [action]
    for number in range(DEEPEST):
        if not waiting:
            return
        at = waiting.pop()
        if number:
            yield _active_kind(at) or "chained action"
        following = at.get("/Next") if isinstance(at, pikepdf.Dictionary) else None
        if following is not None:
            waiting += list(following)[:DEEPEST] if isinstance(following, pikepdf.Array) else [following]
