"""Opening a PDF file to read it, with what can go wrong turned into errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pikepdf

from wcspider.exceptions import TargetDamagedError, TargetEncryptedError, TargetError, TargetNotPdfError
from wcspider.pdf.file.part import missing

_HEADER_WITHIN = 1024
"""How far into a file readers look for its header (PDF Reference 1.7, implementation note 13)."""


@contextmanager
def opened(path: Path) -> Iterator[pikepdf.Pdf]:
    """The file at ``path``, closed at the end.

    Raises a `TargetError`: `TargetMissingError`, `TargetNotPdfError`, `TargetEncryptedError`, or
    `TargetDamagedError`, also when the damage shows only while the file is read. Nothing is repaired: what a
    repair would guess is not what the file says.
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
    """The file with nothing repaired and nothing moved, neither its page tree nor what pages inherit."""
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
    """What qpdf says of a file, in one line and without the file's name."""
    return " ".join(str(problem).replace(str(path), "").strip(": ").split())
