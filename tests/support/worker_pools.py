"""Pools of worker processes for a test, and functions that tests of processes need."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.worker_kills import fork_servers, state, worker_processes
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.fork_server import ForkServer
from wcspider.engines.workers.process import WorkerLimits

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
"""The environment of scripts that import the project and its tests."""


def with_worker_pool(
    use: Callable[[WorkerPool], Awaitable[object]],
    *,
    workers: int = 1,
    seconds: float = 60.0,
    memory: int | None = None,
    warm_up: Callable[[], object] = os.getpid,
    shared_server: ForkServer | None = None,
) -> object:
    """Return the result of a coroutine that gets a pool; then no process must be left."""

    async def run() -> object:
        pool = WorkerPool(workers, WorkerLimits(seconds, memory), warm_up, shared_server)
        try:
            return await use(pool)
        finally:
            await pool.stop()
            assert worker_processes(os.getpid()) == []
            if shared_server is not None:
                shared_server.close()
            assert fork_servers(os.getpid()) == []

    return asyncio.run(run())


async def read_pid(path: Path) -> int:
    async with asyncio.timeout(60):
        while not path.exists() or not path.read_text():
            await asyncio.sleep(0.02)
    return int(path.read_text())


async def is_gone(process: int) -> bool:
    async with asyncio.timeout(60):
        while state(process) not in ("Z", ""):
            await asyncio.sleep(0.02)
    return True
