"""A PDF file of any program, read through pikepdf one object at a time and in a bounded amount of memory.

pikepdf keeps every object that was read until the file is closed, and with an object it reads all other objects of
its object stream (7.5.7). So the file is opened again after a number of objects.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import pikepdf

from wcspider.exceptions import (
    TargetDamagedError,
    TargetEncryptedError,
    TargetError,
    TargetNotPdfError,
)
from wcspider.pdf.file.part import missing
from wcspider.pdf.file.prefix import FilePrefix, openable
from wcspider.pdf.object_syntax import from_pikepdf, read
from wcspider.pdf.objects import Ref, Value

NUMBERS_IN_BLOCK = 64
"""The number of objects that are assumed to be read together. Most programs put 50 to 200 into an object stream."""

BLOCKS_BEFORE_REOPENING = 96
"""The number of blocks that are read before the file is opened again. They take about 25 MB in memory."""

HARMLESS = "xref entry for the xref stream itself is missing"
"""A warning of qpdf that concerns no content. Acrobat writes cross-reference streams (7.5.8) without an entry for
themselves. Some versions of qpdf warn of a Size (Table 15) that is too large instead."""

_WRONG_SIZE = re.compile(r"reported number of objects \((-?\d+)\) is not one plus the highest object number \((\d+)\)")

GENERAL = "file is damaged"
"""The first warning of qpdf about a file that it has to reconstruct."""

HEADER_WITHIN = 1024
"""The number of bytes in which readers look for the header, and at the other end for ``startxref`` (PDF Reference 1.7,
implementation notes 13 and 18)."""


class BaseFile:
    """A PDF file, or its first `length` bytes, opened for reading.

    Raises a `TargetError` if the file is missing, encrypted or not a PDF file, and `TargetDamagedError` if it is
    damaged and `repair` is not set. With `repair`, objects are read as qpdf repairs them, and those that it cannot
    repair are null.
    """

    def __init__(self, path: Path, length: int | None = None, *, repair: bool = False) -> None:
        self.path = path
        self._status = require_file(path)
        self.length = self._status.st_size if length is None else length
        """The number of bytes that are read."""

        self._repair = repair
        self._damage = ""
        self._blocks: set[int] = set()
        self._pdf = self._opened()

    def _opened(self) -> pikepdf.Pdf:
        status = require_file(self.path)
        if status.st_ino != self._status.st_ino or status.st_size < self.length:
            raise TargetError(f"{self.path}: was changed while it was read", "try again")
        pdf = open_pdf(self.path, None if status.st_size == self.length else self.length)
        problem = "" if head(self.path).startswith(b"%PDF-") else "there are bytes before the PDF header"
        problem = problem or damage_of(pdf, self.path)
        if problem and not self._repair:
            pdf.close()
            raise TargetDamagedError.of(self.path, f"is damaged ({problem})")
        self._damage = self._damage or problem
        return pdf

    def close(self) -> None:
        """Close the file."""
        self._pdf.close()

    @property
    def damage(self) -> str:
        """The first problem of the objects that were read so far; empty if there was none."""
        self._damage = self._damage or damage_of(self._pdf, self.path)
        return self._damage

    @property
    def version(self) -> str:
        """The PDF version in the header of the file, such as ``1.7``."""
        return self._pdf.pdf_version

    @property
    def trailer(self) -> dict[str, Value]:
        """The entries of the trailer dictionary (7.5.5)."""
        trailer: dict[str, Value] = read(self._pdf.trailer.unparse(resolved=True))
        return trailer

    def value(self, reference: Ref) -> Value:
        """Return the value of an object; None if there is none."""
        return self._converted(self.object(reference), whole=True)

    def outline(self, reference: Ref) -> Value:
        """Return the value of an object, or the dictionary of a stream without its Length."""
        return self._converted(self.object(reference), whole=False)

    def object(self, reference: Ref) -> Any:
        """Return an object as pikepdf returns it; it is valid until the next object is read."""
        block = reference.number // NUMBERS_IN_BLOCK
        if block not in self._blocks and len(self._blocks) >= BLOCKS_BEFORE_REOPENING:
            self._reopen()
        self._blocks.add(block)
        try:
            return self._pdf.get_object(*reference)
        except (pikepdf.PikepdfError, TypeError, ValueError) as error:  # a number that no object can have
            return self._unreadable(error)

    def _reopen(self) -> None:
        self._damage = self.damage
        self._pdf.close()
        self._blocks.clear()
        self._pdf = self._opened()

    def _converted(self, found: Any, *, whole: bool) -> Value:
        try:
            if whole or not isinstance(found, pikepdf.Stream):
                return from_pikepdf(found)
            outline: dict[str, Value] = read(found.stream_dict.unparse(resolved=True))
            outline.pop("Length", None)
            return outline
        except (pikepdf.PikepdfError, TargetDamagedError) as error:
            return self._unreadable(error)

    def _unreadable(self, error: Exception) -> None:
        if not self._repair:
            raise TargetDamagedError.of(self.path, f"is damaged ({reason(error, self.path)})") from error
        self._damage = self._damage or reason(error, self.path)


def require_file(path: Path) -> Any:
    """Return the status of a regular file.

    Raises a `TargetError` if there is no such file, or if it is a folder, a FIFO, a socket or a device, which cannot be
    read from any position.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise missing(path) from error
    except (OSError, ValueError) as error:  # ValueError: the name has a NUL byte
        problem = getattr(error, "strerror", None) or error
        raise TargetError(f"{path}: cannot be read: {problem}", "check the path and the permissions") from error
    require_regular(path, status.st_mode)
    return status


def require_regular(path: Path, mode: int) -> None:
    """Raise `TargetNotPdfError` if a mode is not that of a regular file."""
    if not stat.S_ISREG(mode):
        raise TargetNotPdfError(f"{path}: is {_KINDS.get(stat.S_IFMT(mode), 'not a regular file')}", "name a file")


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_pdf(path: Path, length: int | None = None) -> pikepdf.Pdf:
    """Open a PDF file, or its first `length` bytes, with pikepdf, which repairs a damaged file.

    Raises a `TargetError` if it is encrypted, not a PDF file or too damaged.
    """
    try:
        if b"%PDF-" not in head(path) and b"startxref" not in _end(path):  # qpdf would search the whole file
            raise TargetNotPdfError(f"{path}: is not a PDF file")
        source: Any = openable(path) if length is None else FilePrefix(path, length)
        pdf = pikepdf.open(source, suppress_warnings=True, inherit_page_attributes=False)
    except pikepdf.PasswordError as error:
        raise TargetEncryptedError(f"{path}: is encrypted") from error
    except OSError as error:
        raise TargetError(
            f"{path}: cannot be read: {error.strerror or error}", "check the path and the permissions"
        ) from error
    except pikepdf.PikepdfError as error:
        problem = f"{path}: is damaged beyond repair ({reason(error, path)})"
        raise TargetDamagedError(problem, "use an older copy of the file") from error
    if pdf.is_encrypted:
        pdf.close()
        raise TargetEncryptedError(f"{path}: is encrypted")
    return pdf


def head(path: Path) -> bytes:
    """Return the bytes in which readers look for the header."""
    with path.open("rb") as file:
        return file.read(HEADER_WITHIN)


def _end(path: Path) -> bytes:
    """Return the bytes in which readers look for the end of the file."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - HEADER_WITHIN))
        return file.read()


def damage_of(pdf: pikepdf.Pdf, path: Path) -> str:
    """Return the first problem that pikepdf has found in a file so far; empty if there was none.

    Harmless warnings are ignored. After `GENERAL`, the next warning names the problem.
    """
    problems = [warning for found in pdf.get_warnings() if not _is_harmless(warning := reason(found, path))]
    return next((problem for problem in problems if problem != GENERAL), problems[0] if problems else "")


def _is_harmless(warning: str) -> bool:
    """Tell whether a warning concerns no content. With a Size that is too small, new objects would replace old ones."""
    size = _WRONG_SIZE.search(warning)
    return HARMLESS in warning or (size is not None and int(size[1]) > int(size[2]))


def reason(problem: object, path: Path | None = None) -> str:
    """Return a message of qpdf as one line, without the name of the file or the address of the object that was read."""
    text = _STREAM.sub("", str(problem))
    return " ".join((text if path is None else text.replace(str(path), "")).strip(": ").split())


_STREAM = re.compile(r"stream <[^<>]*>:?")
"""The name that pikepdf gives to a file object."""
