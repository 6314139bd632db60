"""Text strings and dates (ISO 32000-1, 7.9.2 and 7.9.4)."""

from __future__ import annotations

from datetime import UTC, datetime

import pikepdf
from pikepdf.models.metadata import decode_pdf_date

from wcspider.pdf.objects import Value


def text_string(text: str) -> bytes:
    """Encode a text string (7.9.2.2): PDFDocEncoding where that suffices, else UTF-16BE."""
    return bytes(pikepdf.String(text.encode("utf-8", "replace").decode("utf-8")))


def read_text(value: Value) -> str:
    """Decode a text string; what is no string is empty."""
    if not isinstance(value, bytes):
        return ""
    try:
        return str(pikepdf.String(value))
    except UnicodeDecodeError:  # it begins as UTF-8 does, and is none
        return value.decode("utf-8", "replace")


def ascii_string(text: str) -> bytes:
    """Encode an ASCII string (7.9.2): URLs and content types. What is not ASCII becomes ``?``."""
    return text.encode("ascii", "replace")


def read_ascii(value: Value) -> str:
    """Decode an ASCII string, or what somebody wrote for one; what is no string is empty."""
    return value.decode("latin-1") if isinstance(value, bytes) else ""


def date_string(moment: datetime) -> bytes:
    """Encode a date (7.9.4), in UTC.

    >>> date_string(datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC))
    b'D:20260301123005Z'
    """
    return moment.astimezone(UTC).strftime("D:%Y%m%d%H%M%SZ").encode()


def read_date(value: Value) -> datetime | None:
    """Decode a date; None for what is none. One without a time zone is taken as UTC, as Acrobat means it."""
    if not isinstance(value, bytes):
        return None
    try:
        moment = decode_pdf_date(value.decode("latin-1"))
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
