"""The differences between two states of a file, as values for JSON or as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from wcspider.archive.query.diff import Change, ChangeKind
from wcspider.archive.query.history import Revision
from wcspider.archive.query.listing import iso
from wcspider.archive.query.page_changes import ContentChanges, FieldChange, PageChange
from wcspider.archive.query.plain_text import visible
from wcspider.archive.query.text_changes import Piece, PieceKind, TextChange
from wcspider.units import format_count

CONTEXT_WORDS = 8
"""The number of equal words that are shown before and after a difference."""

MAX_SHOWN_WORDS = 120
"""The number of added or removed words that are shown at one place. JSON has all of them."""

MAX_SHOWN_URLS = 20
"""The number of URLs of one kind that are shown for a page. JSON has all of them."""

MAX_SHOWN_CHANGES = 40
"""The number of places with different text that are shown for a page. JSON has all of them."""

NOTHING_VISIBLE = {
    ("source",): "only the source changed (markup or encoding): its text, images, links and form values are the same",
    ("source", "text"): "the source changed, but not the text, images, links and form values that a reader sees",
    ("text",): "the source is the same, and is read with another character encoding",
    ("type",): "the source is the same, and is read as another media type",
    ("text", "type"): "the source is the same, and is read as another media type, with another text",
    ("auxiliary",): "a resource changed that the file does not record",
    (): "its contents changed, but the file does not record how",
}
"""The explanations of pages whose contents look the same, by the parts that differ."""

OTHER_READINGS = (("text",), ("type",), ("text", "type"))
"""The parts that differ in pages with the same source."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The strings around removed and added words."""

    removed: tuple[str, str]
    added: tuple[str, str]


PLAIN = Marks(("[-", "-]"), ("{+", "+}"))
COLOURED = Marks(("\x1b[31;9m", "\x1b[0m"), ("\x1b[32m", "\x1b[0m"))
"""Red and struck through, and green."""


# JSON


def describe(before: int, after: int, changes: Iterable[PageChange]) -> dict[str, Any]:
    """Return the differences between two revisions as one JSON object. The changes are an iterator."""
    return {"from": before, "to": after, "changes": (_row(change) for change in changes)}


def _row(found: PageChange) -> dict[str, Any]:
    change = found.change
    return {
        "change": str(change.kind),
        "url": change.url,
        "to": change.to,
        "by": list(change.by),
        "page_before": change.pages[0],
        "page_after": change.pages[1],
        "title_before": found.titles[0],
        "title_after": found.titles[1],
        "contents": None if found.contents is None else _contents(found.contents),
    }


def _contents(contents: ContentChanges) -> dict[str, Any]:
    return {
        "text": [
            {
                "page_before": change.pages[0],
                "page_after": change.pages[1],
                "pieces": [[str(piece.kind), piece.text] for piece in change.pieces],
            }
            for change in contents.text.changes
        ],
        "text_is_cut": contents.text.is_cut,
        "resources": [{"kind": str(kind), "change": str(state), "url": url} for kind, state, url in contents.parts],
        "added_links": list(contents.added_links),
        "removed_links": list(contents.removed_links),
        "fields": [change._asdict() for change in contents.fields],
    }


# Text


def heading(before: Revision, after: Revision, changes: Sequence[Change]) -> str:
    """Return the line above the differences: the states, and the number of changes of each kind."""
    counts = Counter(change.kind for change in changes)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in ChangeKind if counts[kind])
    return f"{_named(before)} -> {_named(after)}: {kinds}"


def _named(revision: Revision) -> str:
    return f"revision {revision.number}" + (f" ({iso(revision.moment)})" if revision.moment else "")


def lines(before: int, after: int, changes: Iterable[PageChange], marks: Marks) -> Iterator[str]:
    """Yield the differences between two revisions as lines of text."""
    count = beyond = 0
    for found in changes:
        count += 1
        yield _heading(found)
        beyond += found.is_beyond_limit
        if found.contents is not None:
            yield from (f"    {line}" for line in _content_lines(found, found.contents, marks))
    if not count:
        yield f"no page differs between revisions {before} and {after}"
    if beyond:
        yield f"{format_count(beyond, 'changed page')} without details; to see one: --url URL"


def _heading(found: PageChange) -> str:
    change = found.change
    to = "" if change.to is None else f" -> {visible(change.to)}"
    place = _place(change.pages[1]) or _place(change.pages[0], "was page")
    if change.kind is ChangeKind.MOVED and not to:
        place = f"from page {change.pages[0]} to page {change.pages[1]}"
    title = found.titles[1] if found.titles[1] is not None else found.titles[0]
    shown = "  ".join(filter(None, [f"({place})" if place else "", visible(" ".join((title or "").split()))]))
    return f"{change.kind:<8}  {visible(change.url)}{to}" + (f"  {shown}" if shown else "")


def _place(page: int | None, word: str = "page") -> str:
    return "" if page is None else f"{word} {page}"


def _content_lines(found: PageChange, contents: ContentChanges, marks: Marks) -> Iterator[str]:
    if not contents.are_visible:
        if found.change.kind is ChangeKind.CHANGED or found.change.by:
            yield NOTHING_VISIBLE[found.change.by]
        return
    if found.change.by in OTHER_READINGS:
        yield NOTHING_VISIBLE[found.change.by]
    if contents.title:
        yield f"title: {_marked(contents.title, marks)}"
    for change in islice(contents.text.changes, MAX_SHOWN_CHANGES):
        yield from _text_lines(change, contents, marks)
    if len(contents.text.changes) > MAX_SHOWN_CHANGES:
        yield f"text at {len(contents.text.changes) - MAX_SHOWN_CHANGES} more places"
    if contents.text.is_cut:
        yield "the text is too long to be compared completely"
    for (kind, state), parts in groupby(contents.parts, key=lambda part: (part.kind, part.state)):
        yield from _url_lines(f"{_PART_NAMES.get(kind, kind)} {state}", [part.url for part in parts])
    yield from _url_lines("link added", contents.added_links)
    yield from _url_lines("link removed", contents.removed_links)
    yield from (_field_line(change, marks) for change in contents.fields[:MAX_SHOWN_URLS])
    if len(contents.fields) > MAX_SHOWN_URLS:
        yield f"form field: {len(contents.fields) - MAX_SHOWN_URLS} more"


def _field_line(change: FieldChange, marks: Marks) -> str:
    values = ((change.before, marks.removed), (change.after, marks.added))
    shown = [f"{opening}{visible(_shortened(value))}{closing}" for value, (opening, closing) in values if value]
    name = visible(change.name)
    if change.before is None:
        return " ".join([f"form field added: {name}", *shown])
    if change.after is None:
        return " ".join([f"form field removed: {name}", *shown])
    return f"form field {name}: {' '.join(shown)}"


_PART_NAMES = {"stylesheet": "style sheet"}


def _url_lines(label: str, urls: Sequence[str]) -> Iterator[str]:
    yield from (f"{label}: {visible(url)}" for url in urls[:MAX_SHOWN_URLS])
    if len(urls) > MAX_SHOWN_URLS:
        yield f"{label}: {len(urls) - MAX_SHOWN_URLS} more"


def _text_lines(change: TextChange, contents: ContentChanges, marks: Marks) -> Iterator[str]:
    """Yield words that differ within lines as one line, and whole lines that were removed or added as they stand."""
    if any(piece.kind is PieceKind.EQUAL for piece in change.pieces):
        yield f"text{_on_page(change.pages[1], contents.pages[1])}: {_marked(change.pieces, marks)}"
        return
    for piece in change.pieces:
        side = piece.kind is PieceKind.ADDED
        place = _on_page(change.pages[side], contents.pages[side])
        opening, closing = marks.added if side else marks.removed
        shown = _shortened(piece.text).split("\n")
        yield f"text {piece.kind}{place}: {opening}{visible(shown[0])}{closing}"
        yield from (f"    {opening}{visible(line)}{closing}" for line in shown[1:])


def _on_page(page: int | None, pages: Sequence[int]) -> str:
    """Return the place of a text, if its page set has several PDF pages."""
    return f" on page {page}" if page is not None and len(pages) > 1 else ""


def _marked(pieces: Sequence[Piece], marks: Marks) -> str:
    return " ".join(filter(None, (_marked_piece(pieces, at, marks) for at in range(len(pieces)))))


def _marked_piece(pieces: Sequence[Piece], at: int, marks: Marks) -> str:
    piece = pieces[at]
    if piece.kind is PieceKind.EQUAL:
        return visible(_context(piece.text, is_first=at == 0, is_last=at == len(pieces) - 1))
    opening, closing = marks.added if piece.kind is PieceKind.ADDED else marks.removed
    return f"{opening}{visible(' '.join(_shortened(piece.text).split()))}{closing}"


def _context(text: str, *, is_first: bool, is_last: bool) -> str:
    """Return equal words as far as they are next to a difference."""
    words = text.split()
    before = [] if is_first else words[:CONTEXT_WORDS]
    after = [] if is_last else words[-CONTEXT_WORDS:]
    if len(before) + len(after) >= len(words):
        return text
    return " ".join([*before, "…", *after])


def _shortened(text: str) -> str:
    """Return the first words of a text, with the number of the others."""
    found = text.split(" ")
    if len(found) <= MAX_SHOWN_WORDS:
        return text
    return f"{' '.join(found[:MAX_SHOWN_WORDS])} … ({len(found) - MAX_SHOWN_WORDS} more words)"
