"""Calls of a real scheduler and real Dask workers on loopback, by one crawl and by several."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import cluster_faults, engine_faults
from tests.support.cluster_pools import call_double, members_of, new_pool, with_pool
from tests.support.dask_cluster import DaskCluster, certificates, page_processes
from tests.support.worker_pools import is_gone, read_pid
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.engines.base import Asset, PageGeometry, RenderTask
from wcspider.engines.cluster import member
from wcspider.engines.cluster.cluster_pool import ClusterPool
from wcspider.engines.cluster.cluster_settings import LOCAL
from wcspider.exceptions import (
    EngineCrashedError,
    EngineError,
    EngineTimeoutError,
    SourceUnreadableError,
    WorkersFailedError,
    WorkersStoppedError,
)

pytestmark = [pytest.mark.crash, pytest.mark.slow]


class TestCalls:
    def test_results_come_from_both_workers(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            calls = [asyncio.ensure_future(pool.run(engine_faults.nap, 0.05)) for _ in range(30)]
            most = 0
            while not all(call.done() for call in calls):
                if pool._membership is not None:
                    most = max(most, pool._membership.in_flight)
                await asyncio.sleep(0)
            hosts = await asyncio.gather(*(pool.run(cluster_faults.dask_worker) for _ in range(6)))
            return most, set(hosts), pool.busy

        most, hosts, busy = with_pool(cluster.address, use)  # type: ignore[misc]
        assert 1 <= most <= 4, "a worker gets one call more than it has processes"
        assert hosts == {worker.pid for worker in cluster.workers}
        assert busy == 0

    @pytest.mark.parametrize(
        ("function", "error", "message"),
        [
            (engine_faults.hang, EngineTimeoutError, "longer than 1 seconds"),
            (engine_faults.crash, EngineCrashedError, r"the worker process died twice \(exit status 7\)"),
            (engine_faults.refuse, SourceUnreadableError, "broken; nothing can be done"),
            (engine_faults.fail, EngineError, r"ZeroDivisionError: one line$"),
            (engine_faults.fail_to_pickle, EngineError, "the conversion failed: .*pickle"),
            (lambda: None, EngineError, "cannot be sent to the cluster: .*pickle"),
        ],
    )
    def test_faults_affect_one_call(
        self, cluster: DaskCluster, function: Callable[[], object], error: type[EngineError], message: str
    ) -> None:
        async def use(pool: ClusterPool) -> object:
            with pytest.raises(error, match=message) as caught:
                await pool.run(function)
            assert type(caught.value) is error
            return await pool.run(engine_faults.double, 2), pool._counts.lost

        assert with_pool(cluster.address, use, seconds=1.0) == (4, 0)
        assert all(worker.poll() is None for worker in cluster.workers)

    def test_attachments_travel_once_to_each_worker(self, cluster: DaskCluster) -> None:
        shared = os.urandom(300_000)

        async def use(pool: ClusterPool) -> object:
            own = [os.urandom(5_000) for _ in range(20)]
            sizes = await asyncio.gather(*(pool.run(cluster_faults.size, shared, part) for part in own))
            return sizes, pool._counts.bytes_sent

        sizes, sent = with_pool(cluster.address, use)  # type: ignore[misc]
        assert sizes == [305_000] * 20
        assert sent == 2 * 300_000 + 20 * 5_000

    def test_attachments_that_a_worker_has_dropped_are_sent_again(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            part = os.urandom(100_000)
            before = await pool.run(cluster_faults.size, part)
            await members_of(pool)._client.run(cluster_faults.drop_attachments)
            return before, await pool.run(cluster_faults.size, part), await pool.run(cluster_faults.size, part)

        assert with_pool(cluster.address, use) == (100_000, 100_000, 100_000)

    def test_large_calls(self, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(member, "CACHE_BYTES", 4_000_000)
        body = os.urandom(5_000_000)
        assert with_pool(cluster.address, lambda pool: pool.run(bytes.swapcase, body)) == body.swapcase()

    def test_worker_that_has_forgotten_the_crawl_is_greeted_again(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            await pool.run(engine_faults.double, 1)
            await members_of(pool)._client.run(cluster_faults.forget_crawls)
            return await asyncio.gather(*(pool.run(engine_faults.double, number) for number in range(4)))

        assert with_pool(cluster.address, use) == [0, 2, 4, 6]

    def test_end_of_a_crawl_ends_its_processes(self, cluster: DaskCluster, tmp_path: Path) -> None:
        async def use(pool: ClusterPool) -> object:
            hanging = asyncio.ensure_future(pool.run(engine_faults.hang, str(tmp_path / "pid")))
            process = await read_pid(tmp_path / "pid")
            await pool.stop()
            with pytest.raises(WorkersStoppedError):
                await hanging
            with pytest.raises(WorkersStoppedError):
                await pool.run(engine_faults.double, 1)
            return await is_gone(process)

        assert with_pool(cluster.address, use, seconds=3600)
        assert not any(page_processes(worker.pid) for worker in cluster.workers)

    @pytest.mark.parametrize("turns", [1, 2, 5, 1000])
    def test_stop_while_the_pool_connects(self, cluster: DaskCluster, turns: int) -> None:
        async def use(pool: ClusterPool) -> object:
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang))
            for _ in range(turns):
                await asyncio.sleep(0)
            await pool.stop()
            with pytest.raises(WorkersStoppedError):
                await waiting

        with_pool(cluster.address, use)

    def test_close_waits_for_accepted_calls(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            running = [asyncio.ensure_future(pool.run(engine_faults.nap, 0.1)) for _ in range(3)]
            await asyncio.sleep(0)
            await pool.close()
            assert pool.busy == 0
            return [call.result() for call in running]

        assert with_pool(cluster.address, use) == [0.1] * 3


class TestSeveralCrawls:
    def test_pages_of_two_crawls_do_not_mix(self, cluster: DaskCluster) -> None:
        """The style sheet has another version in each crawl, at the same URL, and the paper another size."""
        crawls = [
            [_conversion(number, style, geometry) for number in range(6)]
            for style, geometry in (
                (b"p { color: red }", PageGeometry()),
                (b"p { color: blue; margin-left: 3em }", PageGeometry(300.0, 400.0)),
            )
        ]
        expected = [[convert(conversion) for conversion in conversions] for conversions in crawls]

        async def use(first: ClusterPool) -> object:
            second = new_pool(cluster.address)
            try:
                calls = [pool.run(convert, page) for pages in zip(*crawls, strict=True)
                         for pool, page in zip((first, second), pages, strict=True)]  # fmt: skip
                made = await asyncio.gather(*calls)
            finally:
                await second.stop()
            return [made[::2], made[1::2]]

        assert with_pool(cluster.address, use) == expected
        assert expected[0] != expected[1]

    def test_end_of_one_crawl_leaves_the_other_unharmed(self, cluster: DaskCluster, tmp_path: Path) -> None:
        async def use(pool: ClusterPool) -> object:
            other = new_pool(cluster.address)
            hanging = [asyncio.ensure_future(other.run(engine_faults.hang, str(tmp_path / "pid"))) for _ in range(4)]
            process = await read_pid(tmp_path / "pid")
            waiting = [asyncio.ensure_future(pool.run(engine_faults.nap, 0.1)) for _ in range(8)]
            while pool._membership is None or len(pool._membership.members) < 2:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0)
            most = members_of(pool).in_flight
            await other.stop()
            results = await asyncio.gather(*hanging, return_exceptions=True)
            assert await is_gone(process)
            return most, [type(error) for error in results], await asyncio.gather(*waiting), pool.phrases()

        most, errors, naps, phrases = with_pool(cluster.address, use)  # type: ignore[misc]
        assert most <= 4, "each crawl has its own number of calls in flight"
        assert errors == [WorkersStoppedError] * 4
        assert naps == [0.1] * 8
        assert phrases == ["2 cluster workers", "0 in flight", "0 repeated", "0 lost"]


class TestTls:
    def test_certificates_of_the_authority(self, tmp_path: Path) -> None:
        ca, certificate, key = files = certificates(tmp_path)
        other = tmp_path / "other"
        other.mkdir()
        others = certificates(other)
        double = call_double
        with DaskCluster(tmp_path, "--tls-ca-file", ca, "--tls-cert", certificate, "--tls-key", key) as started:
            assert started.address.startswith("tls://")
            started.join(1)
            assert with_pool(started.address, double, files=tuple(files)) == 42  # type: ignore[arg-type]
            plain = started.address.replace("tls://", "tcp://")
            for address, wrong in (
                (started.address, others),
                (started.address, (others[0], certificate, key)),
                (started.address, (ca, *others[1:])),
                (plain, ("", "", "")),
            ):
                with pytest.raises(WorkersFailedError, match="no connection to the scheduler"):
                    with_pool(address, double, files=tuple(wrong), wait=2.0)  # type: ignore[arg-type]

    def test_local_cluster_leaves_nothing_behind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

        async def use(pool: ClusterPool) -> object:
            result = await pool.run(engine_faults.double, 21)
            await pool.stop()  # a second call, after this one, changes nothing
            return result

        assert with_pool(LOCAL, use) == 42
        assert list(tmp_path.iterdir()) == []


def _conversion(number: int, style: bytes, geometry: PageGeometry) -> Conversion:
    """A page with a style sheet that travels apart from it."""
    body = b"<link rel=stylesheet href=/style.css><h1>Page %d</h1><p>word" % number
    sheet = Asset(style + b"/* filler */" * 300, "text/css")
    task = RenderTask(
        f"http://a.example/{number}", body, assets={"http://a.example/style.css": sheet}, geometry=geometry,
        system_fonts=False,
    )  # fmt: skip
    return Conversion(task, "plutobook")
