"""Text strings, dates (ISO 32000-1, 7.9.2 and 7.9.4), and readers that check the type of a value."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pikepdf
from pikepdf.models.metadata import decode_pdf_date

from wcspider.pdf.objects import Name, Ref, Stream, Value

UNDATED = datetime.min.replace(tzinfo=UTC)
"""The moment that stands for a missing date; it sorts before all others."""


def text_string(text: str) -> bytes:
    """Encode a text string (7.9.2.2): in PDFDocEncoding if possible, else in UTF-16BE."""
    return bytes(pikepdf.String(text.encode("utf-8", "replace").decode("utf-8")))


def read_array(value: Value) -> list[Value]:
    """Return an array; an empty one for a value of another type."""
    return value if isinstance(value, list) else []


def read_dictionary(value: Value) -> dict[str, Any]:
    """Return a dictionary; an empty one for a value of another type."""
    return value if isinstance(value, dict) else {}


def read_integer(value: Value, default: int = 0) -> int:
    """Return an integer; `default` for a value of another type."""
    return value if type(value) is int else default


def read_number(value: Value) -> float:
    """Return an integer or a real; 0 for a value of another type."""
    return float(value) if type(value) in (int, Decimal) else 0.0


def read_bytes(value: Value) -> bytes | None:
    """Return the bytes of a string; None for a value of another type."""
    return value if isinstance(value, bytes) else None


def read_reference(value: Value) -> Ref | None:
    """Return an indirect reference; None for a value of another type."""
    return value if isinstance(value, Ref) else None


def type_of(value: Value) -> str:
    """Return the Type of a dictionary or a stream; empty if it has none."""
    content = value.dictionary if isinstance(value, Stream) else value
    kind = content.get("Type") if isinstance(content, dict) else None
    return kind if isinstance(kind, Name) else ""


def read_text(value: Value) -> str:
    """Decode a text string; an empty string if the value is not a string."""
    if not isinstance(value, bytes):
        return ""
    try:
        return str(pikepdf.String(value))
    except UnicodeDecodeError:  # it begins with a UTF-8 byte order mark, and is not valid UTF-8
        return value.decode("utf-8", "replace")


def ascii_string(text: str) -> bytes:
    """Encode an ASCII string (7.9.2), such as a URL or a content type. Other characters become ``?``."""
    return text.encode("ascii", "replace")


def read_ascii(value: Value) -> str:
    """Decode an ASCII string, also an invalid one of another program; an empty string if the value is not a string."""
    return value.decode("latin-1") if isinstance(value, bytes) else ""


@lru_cache(maxsize=1024)
def date_string(moment: datetime) -> bytes:
    """Encode a date (7.9.4), in UTC.

    >>> date_string(datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC))
    b'D:20260301123005Z'
    """
    moment = moment.astimezone(UTC)
    return f"D:{moment.year:04}{moment:%m%d%H%M%S}Z".encode()  # %Y gives the year 500 three digits


def read_date(value: Value) -> datetime | None:
    """Decode a date; None if it is invalid. A date without a time zone is in UTC, as Acrobat writes it."""
    return _decoded_date(value) if isinstance(value, bytes) else None


@lru_cache(maxsize=1024)
def _decoded_date(value: bytes) -> datetime | None:
    try:
        moment = decode_pdf_date(value.decode("latin-1"))
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # OverflowError: its UTC is before the year 1 or after 9999
        return None
