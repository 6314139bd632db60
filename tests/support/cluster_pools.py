"""Pools of a cluster for a test, and functions that tests of them need."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

from tests.support import engine_faults
from tests.support.dask_cluster import page_processes
from wcspider.engines.cluster import membership
from wcspider.engines.cluster.cluster_pool import ClusterPool
from wcspider.engines.cluster.cluster_settings import STOP, ClusterSettings
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.process import WorkerLimits

Use = Callable[[ClusterPool], Awaitable[object]]


def with_pool(
    address: str,
    use: Use,
    *,
    on_loss: str = STOP,
    wait: float = 60.0,
    seconds: float = 60.0,
    files: tuple[str, str, str] = ("", "", ""),
    system_fonts: bool = False,
    workers: int = 1,
) -> object:
    """Return the result of a coroutine that gets a pool. Losses stop the crawl, so that no test passes without one."""

    async def run() -> object:
        limits = WorkerLimits(seconds)
        settings = ClusterSettings(address, *files, on_loss, wait, workers=1)
        pool = ClusterPool(settings, limits, os.getpid, lambda: WorkerPool(workers, limits), system_fonts=system_fonts)
        try:
            async with asyncio.timeout(100):
                return await use(pool)
        finally:
            await pool.stop()
            assert page_processes(os.getpid()) == []

    return asyncio.run(run())


def members_of(pool: ClusterPool) -> membership.Membership:
    assert pool._membership is not None
    return pool._membership


def new_pool(address: str) -> ClusterPool:
    """A pool of a second crawl, to be stopped."""
    limits = WorkerLimits(60.0)
    return ClusterPool(
        ClusterSettings(address, on_loss=STOP), limits, os.getpid, lambda: WorkerPool(1, limits), system_fonts=False
    )


async def call_double(pool: ClusterPool) -> object:
    return await pool.run(engine_faults.double, 21)
