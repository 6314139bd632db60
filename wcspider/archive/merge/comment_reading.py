"""The comments that users have added to pages: markup annotations (ISO 32000-1, 12.5.6.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Value, write

MARKUP = frozenset(
    {
        "Text", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly",
        "StrikeOut", "Stamp", "Caret", "Ink", "FileAttachment", "Sound",
    }
)  # fmt: skip
"""The subtypes of markup annotations (Table 170)."""


def count_other_comments(
    file: RevisionFile, pages: Sequence[Ref], merged: RevisionFile, merged_pages: Sequence[Ref]
) -> int:
    """Return the number of comments on pages of a file that equal pages of the merged file do not have."""
    theirs = Counter(_comments(file, pages))
    return (theirs - Counter(_comments(merged, merged_pages))).total() if theirs else 0


def _comments(file: RevisionFile, pages: Sequence[Ref]) -> Iterator[tuple[int, str, bytes, bytes]]:
    """Yield the page, the subtype, the place and the text of each comment."""
    for number, page in enumerate(pages):
        for entry in file.array(file.dictionary(page).get("Annots")):
            content = file.dictionary(entry)
            subtype = file.resolve(content.get("Subtype"))
            if isinstance(subtype, Name) and subtype in MARKUP:
                place: Value = [file.resolve(edge) for edge in file.array(content.get("Rect"))]
                yield number, subtype, write(place), write(file.resolve(content.get("Contents")))
