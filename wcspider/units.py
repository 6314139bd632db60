"""Numbers in words, for messages."""

from __future__ import annotations


def format_size(size: float) -> str:
    """Return a number of bytes with its unit.

    >>> format_size(999), format_size(12_345), format_size(999_960), format_size(25_900_000)
    ('999 bytes', '12.3 kB', '1.0 MB', '25.9 MB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB"):
        size /= 1000
        if round(size, 1) < 1000:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:.1f} GB"


def format_count(number: int, noun: str) -> str:
    """Return a number of things.

    >>> format_count(1, "page"), format_count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
