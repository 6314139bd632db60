"""Returning freed memory to the operating system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable


def _find_trim() -> Callable[[int], int] | None:
    """Find glibc's malloc_trim(3); other C libraries do not have it."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
    return trim


_TRIM = _find_trim()


def release_memory() -> None:
    """Return freed memory to the operating system, if the C library can.

    A page of some megabytes is, for a moment, a tree of a hundred thousand small pieces. glibc keeps the memory of
    these pieces, between others that are in use. Without this call, a crawl would grow by the sum of its largest
    pages.
    """
    if _TRIM is not None:
        _TRIM(0)
