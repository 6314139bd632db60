"""Memory that was freed, given back to the system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable


def _found() -> Callable[[int], int] | None:
    """Find glibc's malloc_trim(3), which other C libraries do not have."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
    return trim


_TRIM = _found()


def give_back() -> None:
    """Give what was freed back to the system, where the C library can.

    A page of some megabytes is a tree of a hundred thousand small pieces for a moment. glibc keeps the room that they
    had, between others that are in use, so that a crawl would grow by what its largest pages needed together.
    """
    if _TRIM is not None:
        _TRIM(0)
