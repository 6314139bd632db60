"""Functions that damage a Dask worker from one of its page processes, as no page may."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from wcspider.engines.cluster import node


def end_dask_worker(path: str) -> None:
    """Kill the Dask worker."""
    with Path(path).open("a") as calls:
        calls.write(f"{dask_worker()}\n")
    os.kill(dask_worker(), signal.SIGKILL)
    while True:
        signal.pause()


def size(*parts: bytes) -> int:
    return sum(map(len, parts))


def dask_worker() -> int:
    """Return the Dask worker, which is the parent of the fork server, which is the parent of this process."""
    status = Path(f"/proc/{os.getppid()}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


async def drop_attachments() -> None:
    """Run by the Dask worker itself: as if its cache had been too small."""
    for found in node._nodes.values():
        found.attachments.clear()


async def look_for_silent_workers(dask_scheduler: Any) -> None:
    """Run by the scheduler itself: as if workers had been silent for the five minutes after which it removes them."""
    dask_scheduler.worker_ttl = 1.0  # Dask waits for ten heartbeats at least, which takes longer
    await dask_scheduler.check_worker_ttl()


async def forget_crawls() -> None:
    """Run by the Dask worker itself: as if it had been started again at its address."""
    for token in list(node._nodes):
        await node.dismiss(token)
