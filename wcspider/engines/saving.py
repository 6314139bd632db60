"""Opening and saving documents of pikepdf whose widgets belong to no field yet."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import SupportsBytes

import pikepdf


class OpenDocument:
    """A document that an engine has made, in place of the bytes of a file.

    It is saved only if it is compared, pickled or asked for its bytes.
    """

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.pdf = pdf

    def __bytes__(self) -> bytes:
        return saved_bytes(self.pdf, uses_object_streams=False)

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, OpenDocument | bytes) else NotImplemented

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        return bytes, (bytes(self),)


@contextmanager
def opened(file: SupportsBytes) -> Iterator[pikepdf.Pdf]:
    """Open a PDF file. Raise what `pikepdf.open` raises if it cannot be read."""
    if isinstance(file, OpenDocument):
        yield file.pdf
    else:
        with pikepdf.open(io.BytesIO(bytes(file))) as pdf:
            yield pdf


def saved_bytes(pdf: pikepdf.Pdf, *, uses_object_streams: bool = True) -> bytes:
    """Return a document as the bytes of a file; equal documents give equal bytes.

    Its widgets may belong to no field: they become fields when the pages are put into another file.
    """
    mode = pikepdf.ObjectStreamMode.preserve if uses_object_streams else pikepdf.ObjectStreamMode.disable
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)  # pikepdf warns of such widgets
        pdf.save(out, static_id=True, object_stream_mode=mode)
    return out.getvalue()
