"""The opening of a PDF file for a check, with the errors of qpdf converted to wcspider's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pikepdf

from wcspider.archive.check.reading.entries import TRAILER, Handle, Ref, entry, items
from wcspider.exceptions import TargetDamagedError, TargetEncryptedError, TargetError, TargetNotPdfError
from wcspider.pdf.file.base_file import BLOCKS_BEFORE_REOPENING, NUMBERS_IN_BLOCK, head, reason, require_file

LISTED_OBJECTS = 50_000
"""The number of objects up to which qpdf lists them, which reads all of them."""


class CheckedFile:
    """An open file, which is opened again between two steps if many objects were read, because pikepdf keeps them."""

    def __init__(self, pdf: pikepdf.Pdf, path: Path | None = None) -> None:
        """Read an open file. It is opened again only if there is a ``path``."""
        self.pdf = pdf
        self.path = path
        self._blocks: set[int] = set()

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
        if self.path is not None and len(self._blocks) >= BLOCKS_BEFORE_REOPENING:
            self._blocks.clear()
            self.close()
            self.pdf = _open(self.path)

    def objects(self) -> Iterator[object]:
        """Yield all objects, each in a step; of a large file, only those of generation 0."""
        size = self.pdf.trailer.get("/Size", 0)
        if self.path is None or not isinstance(size, int) or size <= LISTED_OBJECTS:
            yield from self.pdf.objects
            return
        for number in range(1, size):
            self.note((number, 0))
            self.step()
            yield self.pdf.get_object(number, 0)

    def close(self) -> None:
        """Close the file. Raises `TargetDamagedError` if qpdf has found damage in what was read."""
        warnings = self.pdf.get_warnings()
        self.pdf.close()
        if warnings:
            raise TargetDamagedError(f"{self.path}: is damaged ({reason(warnings[0], self.path or Path())})")


@contextmanager
def opened(path: Path) -> Iterator[CheckedFile]:
    """Open the file at ``path``, and close it at the end.

    Raises a `TargetError`: `TargetMissingError`, `TargetNotPdfError`, `TargetEncryptedError`, or
    `TargetDamagedError`, also if the damage is found only while the file is read. Nothing is repaired, because a
    repair is a guess.
    """
    _require_pdf(path)
    try:
        file = CheckedFile(_open(path), path)
        try:
            if file.pdf.is_encrypted:
                raise TargetEncryptedError(f"{path}: is encrypted")
            yield file
        except BaseException:
            file.pdf.close()
            raise
        file.close()
    except pikepdf.PasswordError as error:
        raise TargetEncryptedError(f"{path}: is encrypted") from error
    except pikepdf.PikepdfError as error:
        raise TargetDamagedError(f"{path}: is damaged ({reason(error, path)})") from error


def _open(path: Path) -> pikepdf.Pdf:
    """Open a file without repairs, with the page tree and the inherited attributes as they are."""
    return pikepdf.open(path, attempt_recovery=False, suppress_warnings=True, inherit_page_attributes=False)


def _require_pdf(path: Path) -> None:
    require_file(path)
    try:
        start = head(path)
    except OSError as error:
        raise TargetError(f"{path}: cannot be read: {error.strerror}", "check the permissions") from error
    if b"%PDF-" not in start:
        raise TargetNotPdfError(f"{path}: is not a PDF file")
