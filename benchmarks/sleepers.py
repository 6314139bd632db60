"""Simulated workers of a Dask cluster: real ones, many in one process, that sleep instead of laying out pages."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from wcspider.archive.pages.packed import PackedFragment
from wcspider.engines.cluster import node

FRAGMENT_BYTES = 40_000
"""The size of the pages that a simulated worker returns."""


WATCHES = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "60s",
    "distributed.admin.system-monitor.interval": "60s",
}
"""Settings of Dask that keep each worker from watching itself, which only a process with many workers would feel."""


class SleepingPool:
    """A pool of the time of one worker, with random bytes as pages."""

    seconds = 0.5
    busy = 0

    def __init__(self, *_: object) -> None:
        self._pages = PackedFragment((os.urandom(FRAGMENT_BYTES),))

    async def run_sized(self, *_: object) -> PackedFragment:
        """Sleep, and return pages."""
        await asyncio.sleep(self.seconds)
        return self._pages

    async def stop(self) -> None:
        """Do nothing."""


async def work(address: str, count: int, folder: str) -> None:
    """Run workers until the scheduler is gone."""
    worker: Any = import_module("distributed").Worker
    options = {"nthreads": 1, "memory_limit": 0, "dashboard": False, "local_directory": folder}
    workers = [worker(address, name=f"{os.getpid()}-{number}", **options) for number in range(count)]
    await asyncio.gather(*workers)
    await asyncio.gather(*(started.finished() for started in workers))


def main(arguments: Sequence[str]) -> None:
    """Run simulated workers: the address of the scheduler, their number, the seconds for a page, a folder."""
    address, count, seconds, folder = arguments
    SleepingPool.seconds = float(seconds)
    vars(node)["WorkerPool"] = SleepingPool
    import_module("dask").config.set(WATCHES)
    asyncio.run(work(address, int(count), folder))


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
