"""The differences inside pages that differ between two states of a file: text, images, links."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from wcspider.archive.journal.spool import Spool
from wcspider.archive.query.diff import Change, ChangeKind
from wcspider.archive.query.page_contents import ContentsReader, PageContents
from wcspider.archive.query.text_changes import Piece, PieceKind, TextChanges, compare_texts, compare_words
from wcspider.archive.run.memory import release_memory
from wcspider.web.resources import AuxiliaryKind

OpenReader = Callable[[], ContentsReader]
"""A function that opens one state of a file."""

WAITING_BYTES = 16 * 1024 * 1024
"""The size of the texts before that wait in memory; more are in a temporary file."""

MAX_PAGES = 500
"""The number of changed pages whose contents are compared. The others are only listed."""

COMPARED = (ChangeKind.CHANGED, ChangeKind.MOVED)
"""The kinds of changes with two contents to compare."""


class PartState(StrEnum):
    """The change of an image, style sheet or font of a page."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MISSING = "missing"
    """The page still refers to it, but it could not be fetched any more."""

    FOUND = "found"
    """The page referred to it before, but it could not be fetched."""


class PartChange(NamedTuple):
    """An image, style sheet or font that differs."""

    kind: AuxiliaryKind
    state: PartState
    url: str


class FieldChange(NamedTuple):
    """A form field whose value differs."""

    name: str
    before: str | None
    """None if the page did not have the field."""

    after: str | None


@dataclass(frozen=True, slots=True)
class ContentChanges:
    """The differences between two contents of a page."""

    title: tuple[Piece, ...] = ()
    """Empty if the title is the same."""

    text: TextChanges = field(default_factory=TextChanges)
    parts: tuple[PartChange, ...] = ()
    """In order of kind, state and URL."""

    added_links: tuple[str, ...] = ()
    removed_links: tuple[str, ...] = ()
    pages: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The numbers of the PDF pages before and after."""

    fields: tuple[FieldChange, ...] = ()

    @property
    def are_visible(self) -> bool:
        """Whether there is any difference in text, images, style sheets, fonts, links or form fields."""
        has_text = self.title or self.text.changes or self.text.is_cut
        return bool(has_text or self.parts or self.added_links or self.removed_links or self.fields)


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page that differs, with its titles and the differences inside it."""

    change: Change
    titles: tuple[str | None, str | None]
    contents: ContentChanges | None
    """None for a new, removed or merely moved page, and beyond the limit."""

    is_beyond_limit: bool = False
    """Whether its contents were not compared because too many pages differ."""


def page_changes(
    changes: Sequence[Change], before: OpenReader, after: OpenReader, limit: int = MAX_PAGES
) -> Iterator[PageChange]:
    """Yield pages that differ with the differences inside them. The contents of `limit` pages are compared.

    Only one of the two states is open at a time, because an open file takes memory. The contents before wait in a
    temporary file.
    """
    both = [index for index, change in enumerate(changes) if _has_two_contents(change)]
    compared, beyond = set(both[:limit]), set(both[limit:])
    with closing(Spool(WAITING_BYTES)) as waiting:
        titles = _read_before(changes, compared, before, waiting)
        with after() as reader:
            for index, change in enumerate(changes):
                contents = None
                if index in compared:
                    now = reader.read(change.page_sets[1], change.to or change.url)
                    contents = compare_contents(waiting.pop(index), now)
                title = reader.title(change.page_sets[1])
                yield PageChange(change, (titles[index], title), contents, index in beyond)


def _has_two_contents(change: Change) -> bool:
    return change.kind in COMPARED and (change.to is not None or change.kind is ChangeKind.CHANGED)


def _read_before(
    changes: Sequence[Change], compared: Collection[int], before: OpenReader, waiting: Spool
) -> list[str | None]:
    """Read the contents that pages had before, in the order of the file; return the titles of all pages before."""
    with before() as reader:
        for index in sorted(compared, key=lambda index: changes[index].pages[0] or 0):
            contents = reader.read(changes[index].page_sets[0], changes[index].url)
            waiting.put(index, contents, sum(len(line.text) for line in contents.lines))
        titles = [reader.title(change.page_sets[0]) for change in changes]
    release_memory()
    return titles


def compare_contents(old: PageContents, new: PageContents) -> ContentChanges:
    """Return the differences between two contents of a page."""
    title = compare_words(old.title, new.title) if old.title != new.title else ()
    return ContentChanges(
        title if any(piece.kind is not PieceKind.EQUAL for piece in title) else (),
        compare_texts(old.lines, new.lines),
        tuple(sorted(_part_changes(old, new))),
        tuple(sorted(new.links - old.links)),
        tuple(sorted(old.links - new.links)),
        (old.pages, new.pages),
        tuple(_field_changes(old.fields, new.fields)),
    )


def _part_changes(old: PageContents, new: PageContents) -> Iterator[PartChange]:
    for url in old.parts.keys() | new.parts.keys():
        before, after = old.parts.get(url), new.parts.get(url)
        if before is None and after is not None:
            yield PartChange(after.kind, PartState.ADDED if after.digest else PartState.MISSING, url)
        elif after is None and before is not None:
            yield PartChange(before.kind, PartState.REMOVED, url)
        elif before is not None and after is not None and before.digest != after.digest:
            yield PartChange(after.kind, _state(before.digest, after.digest), url)


def _field_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[FieldChange]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield FieldChange(name, old.get(name), new.get(name))


def _state(before: bytes | None, after: bytes | None) -> PartState:
    if after is None:
        return PartState.MISSING
    return PartState.FOUND if before is None else PartState.CHANGED
