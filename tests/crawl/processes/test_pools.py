"""The worker pools of a crawl."""

from __future__ import annotations

import asyncio
import os

import pytest

from tests.support.worker_kills import fork_servers
from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.processes.fork_servers import start_early
from wcspider.crawl.processes.pools import Pools
from wcspider.engines.plutobook.fonts.font_setup import can_use

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("system_fonts", [True, False])
def test_workers_start_with_the_fonts_of_the_crawl(system_fonts: bool) -> None:
    config = CaptureConfig.from_settings(
        {**defaults(), "WEBCAPTURE_ENGINE": "plutobook", "WEBCAPTURE_SYSTEM_FONTS": system_fonts}
    )

    async def usable() -> list[bool]:
        pools = Pools(config)
        try:
            return [await pools.layout.run(can_use, system_fonts=value) for value in (system_fonts, not system_fonts)]
        finally:
            await pools.close(at_once=False)

    assert asyncio.run(usable()) == [True, False]


def test_both_pools_have_one_fork_server() -> None:
    async def servers() -> tuple[list[int], list[int]]:
        pools = Pools(CaptureConfig.from_settings(defaults()))
        await pools.layout.run(os.getpid)
        await pools.reading.run(os.getpid)
        during = fork_servers(os.getpid())
        await pools.reading.stop()
        await pools.close(at_once=False)
        return during, fork_servers(os.getpid())

    during, after = asyncio.run(servers())
    assert (len(during), after) == (1, [])


def test_pools_that_were_not_used_start_no_process() -> None:
    async def servers() -> list[int]:
        pools = Pools(CaptureConfig.from_settings(defaults()))
        assert pools.layout.busy == pools.reading.busy == 0
        found = fork_servers(os.getpid())
        await pools.close(at_once=False)
        return found

    assert asyncio.run(servers()) == []


class TestEarlyServers:
    @pytest.mark.parametrize("changed", [{}, {"WEBCAPTURE_SYSTEM_FONTS": False}, {"WEBCAPTURE_RENDER_MEMORY": 1000}])
    def test_crawl_with_the_same_settings_uses_it(self, changed: dict[str, object]) -> None:
        async def servers() -> tuple[list[int], list[int], list[int]]:
            start_early(CaptureConfig.from_settings(defaults()))
            while not (early := fork_servers(os.getpid())):  # the system lists it a little later
                await asyncio.sleep(0.01)
            pools = Pools(CaptureConfig.from_settings({**defaults(), **changed}))
            await pools.layout.run(os.getpid)
            during = fork_servers(os.getpid())
            await pools.close(at_once=False)
            return early, during, fork_servers(os.getpid())

        early, during, after = asyncio.run(servers())
        assert len(early) == len(during) == 1
        assert (early == during) == (not changed)
        assert after == []

    def test_crawl_on_a_cluster_starts_none(self) -> None:
        start_early(CaptureConfig.from_settings({**defaults(), "WEBCAPTURE_CLUSTER": "tcp://127.0.0.1:1"}))
        assert fork_servers(os.getpid()) == []
