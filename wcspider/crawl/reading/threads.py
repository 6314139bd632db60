"""Work for threads: functions whose time grows with their input, so that the reactor never waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="wcspider")
"""Only two threads, because each of them may need memory for a large page."""


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a thread, and return its result. The function must not use Scrapy or the file."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, partial(function, *args, **kwargs))
