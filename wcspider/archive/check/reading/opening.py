"""The opening of a PDF file for a check, with the errors of qpdf converted to wcspider's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pikepdf

from wcspider.exceptions import TargetDamagedError, TargetEncryptedError, TargetError, TargetNotPdfError
from wcspider.pdf.file.part import missing

_HEADER_WITHIN = 1024
"""The number of bytes in which readers look for the header (PDF Reference 1.7, implementation note 13)."""


@contextmanager
def opened(path: Path) -> Iterator[pikepdf.Pdf]:
    """Open the file at ``path``, and close it at the end.

    Raises a `TargetError`: `TargetMissingError`, `TargetNotPdfError`, `TargetEncryptedError`, or
    `TargetDamagedError`, also if the damage is found only while the file is read. Nothing is repaired, because a
    repair is a guess.
    """
    _require_pdf(path)
    try:
        with _open(path) as pdf:
            if pdf.is_encrypted:
                raise TargetEncryptedError(f"{path} is encrypted")
            yield pdf
            if warnings := pdf.get_warnings():
                raise TargetDamagedError(f"{path} is damaged ({_reason(warnings[0], path)})")
    except pikepdf.PasswordError as error:
        raise TargetEncryptedError(f"{path} is encrypted") from error
    except pikepdf.PikepdfError as error:
        raise TargetDamagedError(f"{path} is damaged ({_reason(error, path)})") from error


def _open(path: Path) -> pikepdf.Pdf:
    """Open a file without repairs, with the page tree and the inherited attributes as they are."""
    return pikepdf.open(path, attempt_recovery=False, suppress_warnings=True, inherit_page_attributes=False)


def _require_pdf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(_HEADER_WITHIN)
    except FileNotFoundError as error:
        raise missing(path) from error
    except OSError as error:
        raise TargetError(f"{path} cannot be read: {error.strerror}") from error
    if b"%PDF-" not in start:
        raise TargetNotPdfError(f"{path} is not a PDF file")


def _reason(problem: object, path: Path) -> str:
    """Return qpdf's message as one line without the name of the file."""
    return " ".join(str(problem).replace(str(path), "").strip(": ").split())
