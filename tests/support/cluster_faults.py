"""Functions that damage a Dask worker from one of its page processes, as no page may."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from wcspider.engines.cluster import node


def end_dask_worker(path: str) -> None:
    """Kill the Dask worker, which is the parent of the process."""
    with Path(path).open("a") as calls:
        calls.write(f"{os.getppid()}\n")
    os.kill(os.getppid(), signal.SIGKILL)
    while True:
        signal.pause()


def size(*parts: bytes) -> int:
    return sum(map(len, parts))


def dask_worker() -> int:
    return os.getppid()


async def drop_attachments() -> None:
    """Run by the Dask worker itself: as if its cache had been too small."""
    for found in node._nodes.values():
        found.attachments.clear()


async def forget_crawls() -> None:
    """Run by the Dask worker itself: as if it had been started again at its address."""
    for token in list(node._nodes):
        await node.dismiss(token)
