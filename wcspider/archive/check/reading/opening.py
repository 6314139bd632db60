"""The opening of a PDF file for a check, with the errors of qpdf converted to wcspider's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import pikepdf

from wcspider.archive.check.reading.entries import TRAILER, Handle, entry, items
from wcspider.archive.run.memory import release_memory
from wcspider.exceptions import TargetDamagedError, TargetEncryptedError, TargetError, TargetNotPdfError
from wcspider.pdf.file.base_file import NUMBERS_IN_BLOCK, damage_of, head, reason, require_file
from wcspider.pdf.file.prefix import openable
from wcspider.pdf.objects import Ref

BLOCKS_BEFORE_REOPENING = 48
"""The number of blocks of objects that are read from a file of `SMALL` objects before it is opened again.

They take 15 to 50 MB in memory: nodes of name trees are large.
"""

SMALL = 43_000
"""The number of objects up to which a file is small.

To open a larger file takes longer, and more blocks of it are read. The number of blocks that are read in between, and
the memory, grow with the square root of the number of objects. So the time grows more slowly than with a fixed number.
"""

MOST_OBJECTS = 8_388_607
"""The largest number of objects of a file (Table C.1)."""

HIGHEST = 65_535
"""The highest generation number (Table C.1)."""

LISTED_OBJECTS = 10_000
"""The number of objects up to which qpdf lists them, which reads all of them."""


class CheckedFile:
    """An open file, which is opened again between two steps if many objects were read, because pikepdf keeps them."""

    def __init__(self, pdf: pikepdf.Pdf, path: Path | None = None, damage: str = "") -> None:
        """Read an open file. It is opened again only if there is a ``path``."""
        self.pdf = pdf
        self.path = path
        self.damage = damage
        """The first problem that qpdf has repaired; empty if there is none."""

        self._blocks: set[int] = set()
        size = pdf.trailer.get("/Size", 0)
        objects = size if isinstance(size, int) else 0
        self._most_blocks = round(BLOCKS_BEFORE_REOPENING * sqrt(max(1.0, min(objects, MOST_OBJECTS) / SMALL)))

    def get(self, handle: Handle) -> object:
        """Return a value; None if there is none. It is valid until the next step."""
        self.note(handle.reference)
        value: object = self.pdf.trailer if handle.reference == TRAILER else self.pdf.get_object(handle.reference)
        for step in handle.path:
            if isinstance(step, str):
                value = entry(value, step)
            else:
                found = items(value)
                value = found[step] if step < len(found) else None
        return value

    def note(self, reference: Ref) -> None:
        """Note that an object is read, and with it the other objects of its object stream."""
        self._blocks.add(reference[0] // NUMBERS_IN_BLOCK)

    def step(self) -> None:
        """Begin a step. All objects that were read before are invalid then."""
        if self.path is not None and len(self._blocks) >= self._most_blocks:
            self._blocks.clear()
            self.close()
            release_memory()
            self.pdf, _ = _open(self.path)

    def objects(self) -> Iterator[tuple[pikepdf.Object, frozenset[Ref]]]:
        """Yield all objects, each in a step and with the references that its syntax mentions.

        qpdf reads a whole file to list its objects. So those of a large file are read one by one: first those with
        generation 0, then those with other generations that were mentioned. Objects that nothing mentions are unused.
        """
        size = self.pdf.trailer.get("/Size", 0)
        if self.path is None or not isinstance(size, int) or size <= LISTED_OBJECTS:
            listed: Iterable[object] = self.pdf.objects
            yield from ((obj, frozenset(mentioned(obj))) for obj in listed if isinstance(obj, pikepdf.Object))
            return
        waiting: Iterable[Ref] = map(Ref, range(1, size))
        known: set[Ref] = set()
        while waiting:
            others: set[Ref] = set()
            for reference in waiting:
                self.note(reference)
                self.step()
                obj: object = self.pdf.get_object(reference)
                if isinstance(obj, pikepdf.Object):
                    found = frozenset(mentioned(obj))
                    others.update(entry for entry in found if entry.number < size and 0 < entry.generation <= HIGHEST)
                    yield obj, found
            waiting = sorted(others - known)
            known |= others

    def close(self) -> None:
        """Close the file."""
        self.find_damage()
        self.pdf.close()

    def find_damage(self) -> str:
        """Return the first problem that pikepdf has found so far; an empty string if there was none."""
        self.damage = self.damage or damage_of(self.pdf, self.path or Path())
        return self.damage


_REFERENCE = re.compile(rb"\b(\d{1,10}) (\d{1,5}) R\b")


def mentioned(obj: pikepdf.Object) -> Iterator[Ref]:
    """Yield the references in an object's syntax. This is fast, but a string may contain text like a reference."""
    plain = obj.stream_dict if isinstance(obj, pikepdf.Stream) else obj
    text = plain.unparse(resolved=True)
    return (Ref(int(number), int(generation)) for number, generation in _REFERENCE.findall(text))


@contextmanager
def opened(path: Path) -> Iterator[CheckedFile]:
    """Open the file at ``path``, and close it at the end.

    A damaged file is read as qpdf repairs it. Raises a `TargetError`: `TargetMissingError`, `TargetNotPdfError`,
    `TargetEncryptedError`, or `TargetDamagedError` if the file cannot be repaired.
    """
    _require_pdf(path)
    try:
        pdf, damage = _open(path)
        with closing(CheckedFile(pdf, path, damage)) as file:
            if pdf.is_encrypted:
                raise TargetEncryptedError(f"{path}: is encrypted")
            yield file
    except pikepdf.PasswordError as error:
        raise TargetEncryptedError(f"{path}: is encrypted") from error
    except pikepdf.PikepdfError as error:
        problem = f"{path}: is damaged beyond repair ({reason(error, path)})"
        raise TargetDamagedError(problem, "use an older copy of the file") from error


def _open(path: Path) -> tuple[pikepdf.Pdf, str]:
    """Open a file with the page tree and the inherited attributes as they are, and return the damage of the file.

    Only a damaged file is repaired, because a repair is a guess.
    """
    source: Any = openable(path)
    open_file = partial(pikepdf.open, source, suppress_warnings=True, inherit_page_attributes=False)
    try:
        return open_file(attempt_recovery=False), ""
    except pikepdf.PasswordError:
        raise
    except pikepdf.PikepdfError as error:
        return open_file(), reason(error, path)


def _require_pdf(path: Path) -> None:
    require_file(path)
    try:
        start = head(path)
    except OSError as error:
        raise TargetError(f"{path}: cannot be read: {error.strerror}", "check the permissions") from error
    if b"%PDF-" not in start:
        raise TargetNotPdfError(f"{path}: is not a PDF file")
