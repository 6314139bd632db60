"""The end of a command's process."""

from __future__ import annotations

import atexit
import gc
from functools import cache


@cache
def end_at_once() -> None:
    """Let Python end this process without a search for cycles among all objects, which takes up to 0.1 seconds.

    Call this function in processes that close their files themselves; the system frees the memory.
    """
    atexit.register(gc.freeze)
