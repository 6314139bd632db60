"""The HTML document that shows two states of a file side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wcspider.archive.query.diff import ChangeKind
from wcspider.archive.query.diff_listing import NOTHING_VISIBLE, OTHER_READINGS
from wcspider.archive.query.history import Revision
from wcspider.archive.query.page_changes import PageChange
from wcspider.archive.query.text_changes import TextChange
from wcspider.report.page_pictures import Pair, PairDrawer
from wcspider.report.writing import check_output, read_resource, render, write_file

MAX_CHANGES = 2_000
"""The number of pages in the document. The others are counted."""

MAX_TEXTS = 100
"""The number of places with different text that are shown for a page."""

MAX_LETTERS = 2_000
"""The number of characters of a piece of text that are shown."""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A page that differs, with its pictures."""

    found: PageChange
    texts: tuple[TextChange, ...]
    more_texts: int
    explanation: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that the document shows."""

    file_name: str
    before: Revision
    after: Revision
    changes: tuple[ShownChange, ...]
    total: int
    has_all_pictures: bool


def write_comparison(
    output: Path,
    path: Path,
    revisions: tuple[Revision, Revision],
    found: Iterable[PageChange],
    *,
    force: bool = False,
) -> None:
    """Write the differences between two revisions of the file at `path` as an HTML document.

    With `force`, a file that wcspider did not write is replaced as well.
    Raises a `TargetError` if the document cannot be written.
    """
    check_output(output, path, force=force)
    changes: list[ShownChange] = []
    total = 0
    with PairDrawer(path, revisions) as drawer:
        for total, change in enumerate(found, 1):
            if total <= MAX_CHANGES:
                changes.append(_shown(change, drawer))
        comparison = Comparison(path.name, *revisions, tuple(changes), total, not drawer.is_exhausted)
    style = read_resource("report.css") + read_resource("comparison.css")
    write_file(output, render("comparison.html", style, comparison=comparison, max_letters=MAX_LETTERS))


def _shown(found: PageChange, drawer: PairDrawer) -> ShownChange:
    texts = () if found.contents is None else found.contents.text.changes
    return ShownChange(
        found,
        texts[:MAX_TEXTS],
        max(0, len(texts) - MAX_TEXTS),
        " ".join(_explanations(found)),
        tuple(drawer.pairs(found)),
    )


def _explanations(found: PageChange) -> Iterator[str]:
    """Yield sentences about a change that lists cannot show."""
    change = found.change
    if found.is_beyond_limit:
        yield "Too many pages differ: the contents of this page were not compared."
    if change.kind is ChangeKind.MOVED and change.to is None:
        yield f"The page moved from page {change.pages[0]} to page {change.pages[1]} of the file."
    looks_equal = found.contents is not None and (change.by in OTHER_READINGS or not found.contents.are_visible)
    if looks_equal and (change.kind is ChangeKind.CHANGED or change.by):
        yield f"{NOTHING_VISIBLE[change.by].capitalize()}."
    if found.contents is not None and found.contents.text.is_cut:
        yield "The text is too long to be compared completely."
