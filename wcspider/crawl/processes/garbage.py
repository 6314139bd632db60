"""Python's garbage collector in the main process of a crawl."""

from __future__ import annotations

import gc

ALLOCATIONS = 10_000
"""The growth in the number of objects after which Python looks for cycles among the newest objects.

With Python's default of 700, the collector took a fifth of the main process's time. Almost all objects of a page are
freed without it.
"""


def collect_rarely() -> None:
    """Let the garbage collector pass over the modules that are loaded, and run less often.

    A second crawl of the process changes nothing, and neither does a crawl of a program that has set another threshold
    or switched the collector off.
    """
    first, *others = gc.get_threshold()
    if not 0 < first < ALLOCATIONS or gc.get_freeze_count():  # in this order, since it counts all frozen objects
        return
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, *others)
