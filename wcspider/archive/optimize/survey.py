"""The objects of a file that its trailer leads to, read one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from wcspider.archive.database.catalog import HISTORY
from wcspider.archive.database.content_index import IDS, URLS
from wcspider.archive.database.form_fields import KEPT_NAMES
from wcspider.archive.database.link_actions import DESTINATIONS, LINKS
from wcspider.archive.database.shared_objects import SHARED
from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.file.revision import resolve_identifiers
from wcspider.pdf.objects import Ref, Stream, Value, references
from wcspider.pdf.webcapture.skipped import SKIPPED

NOT_REWRITTEN = frozenset({HISTORY, SHARED})
"""The entries of the catalog that are only valid in the original file."""

TREES = (DESTINATIONS, IDS, URLS, LINKS, SKIPPED, KEPT_NAMES)
"""The name trees that wcspider changes."""

TREE_DEPTH = 32


class Marks:
    """A set of object numbers that needs one byte for each number."""

    def __init__(self) -> None:
        self._marks = bytearray()

    def __contains__(self, number: int) -> bool:
        return number < len(self._marks) and self._marks[number] != 0

    def __iter__(self) -> Iterator[int]:
        return (number for number, mark in enumerate(self._marks) if mark)

    def add(self, number: int) -> None:
        """Mark a number."""
        if number >= len(self._marks):
            self._marks.extend(bytes(number + 1 - len(self._marks)))
        self._marks[number] = 1


class Source:
    """The objects of the original file, read one at a time.

    Raises `TargetDamagedError` if the file is damaged, unless `repair` is set.
    """

    def __init__(self, path: Path, *, repair: bool = False) -> None:
        self.path = path
        self._repair = repair
        self._file = BaseFile(path, repair=repair)
        trailer = self._file.trailer
        self.trailer: dict[str, Value] = {key: trailer[key] for key in ("Root", "Info", "ID") if key in trailer}
        resolve_identifiers(self.trailer, self.resolve)
        self.version = self._file.version
        if not isinstance(self.trailer.get("Root"), Ref) or not isinstance(self.catalog, dict):
            raise TargetDamagedError.of(path, "has no catalog")

    @property
    def catalog(self) -> dict[str, Any]:
        """The document catalog (7.7.2)."""
        content: dict[str, Any] = self.get(self.trailer["Root"])
        return content

    def get(self, reference: Ref) -> Any:
        """Return an object; None if there is none."""
        value = self._file.value(reference)
        if isinstance(value, Stream):
            value.dictionary.pop("Length", None)
        return value

    def outline(self, reference: Ref) -> Any:
        """Return an object, or the dictionary of a stream."""
        return self._file.outline(reference)

    def resolve(self, value: Value) -> Any:
        """Return the outline of the object that a reference leads to; any other value as it is."""
        return self.outline(value) if type(value) is Ref else value

    @property
    def damage(self) -> str:
        """The first problem of what was read so far; empty if there was none."""
        return self._file.damage

    def check(self) -> None:
        """Raise `TargetDamagedError` if qpdf has repaired something that was read, unless `repair` is set."""
        if self.damage and not self._repair:
            raise TargetDamagedError.of(self.path, f"is damaged ({self.damage})")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(slots=True)
class Survey:
    """The objects of a file that its trailer leads to."""

    live: Marks = field(default_factory=Marks)
    generations: dict[int, int] = field(default_factory=dict)
    """The generation of each object that has one other than 0."""

    pages: list[Ref] = field(default_factory=list)
    """The pages and the nodes of the page tree."""

    members: set[Ref] = field(default_factory=set)
    """The members of content sets."""

    trees: set[Ref] = field(default_factory=set)
    """The roots of the name trees that are rebuilt; the other nodes of these trees are not in the survey."""

    def __contains__(self, reference: Ref) -> bool:
        number, generation = reference
        return number in self.live and self.generations.get(number, 0) == generation

    def __iter__(self) -> Iterator[Ref]:
        return (Ref(number, self.generations.get(number, 0)) for number in self.live)

    def add(self, reference: Ref) -> None:
        """Add an object."""
        self.live.add(reference.number)
        if reference.generation:
            self.generations[reference.number] = reference.generation


def survey(source: Source) -> Survey:
    """Find every object that the trailer leads to.

    The new file gets new nodes for the name trees that are rebuilt, and no history. So both are skipped.
    """
    found = Survey(trees={root for root in _tree_roots(source) if _is_tree(source, root)})
    waiting = sorted(references(source.trailer))
    while waiting:
        reference = heappop(waiting)  # in the order of the file, so that each object stream is unpacked once
        if reference in found or (content := source.outline(reference)) is None:
            continue
        found.add(reference)
        if reference in found.trees:
            content = [value for _, value in tree_entries(source, reference)]
        elif reference == source.trailer["Root"]:
            content = {key: entry for key, entry in content.items() if key not in NOT_REWRITTEN}
        elif isinstance(content, dict):
            _note_kind(found, source, reference, content)
        for child in references(content):
            if child not in found:
                heappush(waiting, child)
    return found


def _note_kind(found: Survey, source: Source, reference: Ref, content: dict[str, Value]) -> None:
    if content.get("Type") in ("Page", "Pages"):
        found.pages.append(reference)
    elif "O" in content and source.resolve(content.get("S")) in ("SPS", "SIS"):
        found.members.update(references(source.resolve(content.get("O"))))


def _tree_roots(source: Source) -> Iterator[Ref]:
    names = source.resolve(source.catalog.get("Names"))
    for name in TREES if isinstance(names, dict) else ():
        if isinstance(names.get(name), Ref):
            yield names[name]


def _is_tree(source: Source, root: Ref) -> bool:
    """Return whether a name tree is correct by 7.9.6. An incorrect one is copied, because readers differ in it."""
    last = b""
    at = -1
    for at, (key, _) in enumerate(tree_entries(source, root)):
        if not isinstance(key, bytes) or (at and key <= last):
            return False
        last = key
    return at >= 0


def tree_entries(source: Source, node: Value, depth: int = 0) -> Iterator[tuple[Value, Value]]:
    """Yield the entries of a name tree, and (None, None) for each node that is incorrect."""
    content = source.resolve(node)
    names, kids = (source.resolve(content.get(key, [])) for key in ("Names", "Kids")) if _is_node(content) else (0, 0)
    if not isinstance(names, list) or not isinstance(kids, list) or len(names) % 2 or depth > TREE_DEPTH:
        yield None, None
        return
    yield from zip(names[::2], names[1::2], strict=True)
    for kid in kids:
        yield from tree_entries(source, kid, depth + 1)


def _is_node(content: Value) -> bool:
    return isinstance(content, dict) and content.keys() <= {"Names", "Kids", "Limits"}
