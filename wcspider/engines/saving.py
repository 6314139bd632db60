"""Saving documents of pikepdf whose widgets belong to no field yet."""

from __future__ import annotations

import io
import warnings

import pikepdf


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
