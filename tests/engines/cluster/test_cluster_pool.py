"""A real scheduler and real Dask workers on loopback that die, leave, join, freeze and lie."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support import cluster_faults, engine_faults
from tests.support.dask_cluster import DaskCluster, certificates, page_processes
from tests.support.worker_kills import state
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.engines.base import Asset, PageGeometry, RenderTask
from wcspider.engines.cluster import cluster_pool, member, membership
from wcspider.engines.cluster.cluster_pool import ClusterPool
from wcspider.engines.cluster.cluster_settings import LOCAL, STOP, ClusterSettings
from wcspider.engines.cluster.scheduler_link import SchedulerLink
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import (
    EngineCrashedError,
    EngineError,
    EngineTimeoutError,
    SourceUnreadableError,
    WorkersFailedError,
    WorkersStoppedError,
)

pytestmark = [pytest.mark.crash, pytest.mark.slow]

Use = Callable[[ClusterPool], Awaitable[object]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler with two workers that no test ends."""
    with DaskCluster(tmp_path_factory.mktemp("cluster")) as started:
        started.join(2)
        yield started


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """A scheduler without workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with DaskCluster(folder) as started:
        yield started


def _with_pool(
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


def _members(pool: ClusterPool) -> membership.Membership:
    assert pool._membership is not None
    return pool._membership


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

        most, hosts, busy = _with_pool(cluster.address, use)  # type: ignore[misc]
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
            return await pool.run(engine_faults.double, 2), _members(pool).lost

        assert _with_pool(cluster.address, use, seconds=1.0) == (4, 0)
        assert all(worker.poll() is None for worker in cluster.workers)

    def test_attachments_travel_once_to_each_worker(self, cluster: DaskCluster) -> None:
        shared = os.urandom(300_000)

        async def use(pool: ClusterPool) -> object:
            own = [os.urandom(5_000) for _ in range(20)]
            sizes = await asyncio.gather(*(pool.run(cluster_faults.size, shared, part) for part in own))
            return sizes, _members(pool).bytes_sent

        sizes, sent = _with_pool(cluster.address, use)  # type: ignore[misc]
        assert sizes == [305_000] * 20
        assert sent == 2 * 300_000 + 20 * 5_000

    def test_attachments_that_a_worker_has_dropped_are_sent_again(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            part = os.urandom(100_000)
            before = await pool.run(cluster_faults.size, part)
            await _members(pool)._client.run(cluster_faults.drop_attachments)
            return before, await pool.run(cluster_faults.size, part), await pool.run(cluster_faults.size, part)

        assert _with_pool(cluster.address, use) == (100_000, 100_000, 100_000)

    def test_large_calls(self, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(member, "CACHE_BYTES", 4_000_000)
        body = os.urandom(5_000_000)
        assert _with_pool(cluster.address, lambda pool: pool.run(bytes.swapcase, body)) == body.swapcase()

    def test_worker_that_has_forgotten_the_crawl_is_greeted_again(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            await pool.run(engine_faults.double, 1)
            await _members(pool)._client.run(cluster_faults.forget_crawls)
            return await asyncio.gather(*(pool.run(engine_faults.double, number) for number in range(4)))

        assert _with_pool(cluster.address, use) == [0, 2, 4, 6]

    def test_end_of_a_crawl_ends_its_processes(self, cluster: DaskCluster, tmp_path: Path) -> None:
        async def use(pool: ClusterPool) -> object:
            hanging = asyncio.ensure_future(pool.run(engine_faults.hang, str(tmp_path / "pid")))
            process = await _pid(tmp_path / "pid")
            began = time.monotonic()
            await pool.stop()
            with pytest.raises(WorkersStoppedError):
                await hanging
            with pytest.raises(WorkersStoppedError):
                await pool.run(engine_faults.double, 1)
            assert time.monotonic() - began < 20
            return await _gone(process)

        assert _with_pool(cluster.address, use)
        assert not any(page_processes(worker.pid) for worker in cluster.workers)

    def test_close_waits_for_accepted_calls(self, cluster: DaskCluster) -> None:
        async def use(pool: ClusterPool) -> object:
            running = [asyncio.ensure_future(pool.run(engine_faults.nap, 0.1)) for _ in range(3)]
            await asyncio.sleep(0)
            await pool.close()
            assert pool.busy == 0
            return [call.result() for call in running]

        assert _with_pool(cluster.address, use) == [0.1] * 3


class TestWorkers:
    def test_join_die_and_leave(self, own_cluster: DaskCluster, tmp_path: Path) -> None:
        async def use(pool: ClusterPool) -> object:
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "first")))
            own_cluster.join(1)
            await _pid(tmp_path / "first")
            [first] = own_cluster.workers
            first.kill()
            own_cluster.join(1)
            assert await waiting == "again"
            leaving = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "second")))
            await _pid(tmp_path / "second")
            own_cluster.workers[1].send_signal(signal.SIGTERM)
            own_cluster.join(1)
            assert await leaving == "again"
            assert pool.phrases() == ["1 cluster worker", "0 in flight", "2 repeated", "2 lost"]
            return pool.summary()

        [line] = _with_pool(own_cluster.address, use)  # type: ignore[misc]
        assert line.startswith("Cluster: 1 worker, 2 lost, 0 refused; 2 calls, 2 repeated, 0.0 MB of attachments sent")

    def test_call_is_blamed_for_the_third_worker(self, own_cluster: DaskCluster, tmp_path: Path) -> None:
        own_cluster.join(4)

        async def use(pool: ClusterPool) -> object:
            with pytest.raises(EngineCrashedError, match="3 workers of the cluster were lost during the conversion"):
                await pool.run(cluster_faults.end_dask_worker, str(tmp_path / "calls"))
            return await asyncio.gather(*(pool.run(engine_faults.double, number) for number in range(5)))

        assert _with_pool(own_cluster.address, use) == [0, 2, 4, 6, 8]
        assert len(set((tmp_path / "calls").read_text().split())) == 3

    def test_worker_that_freezes(
        self, own_cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seconds = 4.0
        limit = 2 * (2 * seconds + WorkerLimits(seconds).start_seconds)
        monkeypatch.setattr(cluster_pool, "TRANSFER_SECONDS", 5.0 - limit)
        monkeypatch.setattr(member, "ALIVE_SECONDS", 1.0)

        async def use(pool: ClusterPool) -> object:
            [worker] = own_cluster.join(1)
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
            await _pid(tmp_path / "pid")
            worker.send_signal(signal.SIGSTOP)
            own_cluster.join(1)
            return await waiting

        assert _with_pool(own_cluster.address, use, seconds=seconds) == "again"

    def test_worker_that_is_busy_is_not_lost(
        self, cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seconds = 5.0
        limit = 2 * (2 * seconds + WorkerLimits(seconds).start_seconds)
        monkeypatch.setattr(cluster_pool, "TRANSFER_SECONDS", 0.2 - limit)

        async def use(pool: ClusterPool) -> object:
            return await pool.run(engine_faults.nap, 1.5), pool.phrases()[2:]

        assert _with_pool(cluster.address, use, seconds=seconds) == (1.5, ["0 repeated", "0 lost"])

    def test_refused_workers_get_no_call(
        self, own_cluster: DaskCluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
        (tmp_path / "preload.py").write_text("import sys\nsys.modules['wcspider'] = None\n")
        own_cluster.join(1, environment={"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")})
        own_cluster.join(1, "--preload", str(tmp_path / "preload.py"))

        async def use(pool: ClusterPool) -> object:
            waiting = asyncio.ensure_future(pool.run(cluster_faults.dask_worker))
            while pool._membership is None or pool._membership.refused < 2:
                await asyncio.sleep(0.05)
            assert not waiting.done()
            [right] = own_cluster.join(1)
            return await waiting == right.pid

        assert _with_pool(own_cluster.address, use, system_fonts=True)
        lines = sorted(record.getMessage() for record in caplog.records if "refused" in record.getMessage())
        assert len(lines) == 2
        assert "its pages would differ (fonts: " in lines[0] + lines[1]
        assert "; install the same on all machines" in lines[0] + lines[1]
        assert "it cannot run wcspider (" in lines[0] + lines[1]
        assert "ModuleNotFoundError" in lines[0] + lines[1]


class TestLoss:
    @pytest.mark.parametrize(("on_loss", "ending"), [(STOP, signal.SIGKILL), (LOCAL, signal.SIGSTOP)])
    def test_scheduler_that_dies_or_freezes(
        self, own_cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_loss: str, ending: int
    ) -> None:
        monkeypatch.setattr(membership, "SILENCE_SECONDS", 2.0)

        async def use(pool: ClusterPool) -> object:
            own_cluster.join(1)
            waiting = [asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / name))) for name in "abc"]
            while not list(tmp_path.glob("[abc]")):
                await asyncio.sleep(0.02)
            for name in "abc":
                (tmp_path / name).write_text("1")
            began = time.monotonic()
            own_cluster.scheduler.send_signal(ending)
            results = await asyncio.gather(*waiting, return_exceptions=True)
            assert time.monotonic() - began < 20
            results.append(await asyncio.gather(pool.run(engine_faults.double, 1), return_exceptions=True))
            return results, pool.phrases()

        results, phrases = _with_pool(own_cluster.address, use, on_loss=on_loss)  # type: ignore[misc]
        assert phrases == ["cluster lost"]
        if on_loss == LOCAL:
            assert results == ["again", "again", "again", [2]]
        else:
            assert [type(error) for error in [*results[:3], *results[3]]] == [WorkersFailedError] * 4
            assert "the cluster is lost: " in str(results[0])
            assert "then repeat the command to go on" in str(results[0])

    @pytest.mark.parametrize("on_loss", [LOCAL, STOP])
    def test_no_scheduler(self, on_loss: str, caplog: pytest.LogCaptureFixture) -> None:
        async def use(pool: ClusterPool) -> object:
            calls = (pool.run(engine_faults.double, number) for number in range(3))
            return await asyncio.gather(*calls, return_exceptions=True), pool.summary()

        results, summary = _with_pool("tcp://127.0.0.1:9", use, on_loss=on_loss, wait=0.3)  # type: ignore[misc]
        assert summary[0].startswith("Cluster: not used (no connection to the scheduler (")
        if on_loss == LOCAL:
            assert results == [0, 2, 4]
            [line] = [record.getMessage() for record in caplog.records if "lost" in record.getMessage()]
            assert line.endswith("The crawl continues with processes of this machine")
        else:
            assert [type(error) for error in results] == [WorkersFailedError] * 3

    def test_end_of_a_crawl_while_a_lost_connection_is_closed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Dask ignores a cancellation while it closes a connection."""
        closing = asyncio.Event()

        async def close(_: SchedulerLink, *, is_lost: bool) -> None:
            if is_lost and not closing.is_set():
                closing.set()
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(60)

        monkeypatch.setattr(SchedulerLink, "close", close)

        async def use(pool: ClusterPool) -> object:
            result = await pool.run(engine_faults.double, 1)
            await closing.wait()
            async with asyncio.timeout(4):
                await pool.stop()
            return result

        assert _with_pool("tcp://127.0.0.1:9", use, on_loss=LOCAL, wait=0.5) == 2

    def test_cluster_that_comes_back_is_used_again(
        self, own_cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster_pool, "RETURN_PAUSES", [0.2] * 100)

        async def use(pool: ClusterPool) -> object:
            own_cluster.join(1)
            assert await pool.run(cluster_faults.dask_worker) in {worker.pid for worker in own_cluster.workers}
            own_cluster.end_scheduler()
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
            process = await _pid(tmp_path / "pid")
            assert await pool.run(cluster_faults.dask_worker) == os.getpid()
            assert pool.phrases() == ["cluster lost"]
            own_cluster.start_scheduler()
            [worker] = own_cluster.join(1)
            while pool.phrases() == ["cluster lost"]:
                await asyncio.sleep(0.05)
            assert await pool.run(cluster_faults.dask_worker) == worker.pid
            assert not waiting.done(), "a call that was begun on this machine ends there"
            os.kill(process, signal.SIGKILL)
            assert await waiting == "again"
            while page_processes(os.getpid()):
                await asyncio.sleep(0.05)
            return pool.phrases()[0], pool.summary()

        phrase, summary = _with_pool(  # type: ignore[misc]
            own_cluster.address, use, on_loss=LOCAL, wait=30.0, workers=2
        )
        assert phrase == "1 cluster worker"
        assert summary[0].startswith("Cluster: 1 worker, ")
        assert "; 2 calls, " in summary[0]
        assert "; dashboard: http://" in summary[0]
        assert summary[1].startswith(
            "Cluster: lost and used again during the crawl (the connection to the scheduler ended"
        )

    def test_cluster_that_does_not_come_back(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(cluster_pool, "RETURN_PAUSES", (0.0, 0.1))

        async def use(pool: ClusterPool) -> object:
            assert await pool.run(engine_faults.double, 1) == 2
            while "not reached again" not in caplog.text:
                await asyncio.sleep(0.05)
            return await pool.run(engine_faults.double, 2), pool.phrases()

        caplog.set_level("INFO")
        assert _with_pool("tcp://127.0.0.1:9", use, on_loss=LOCAL, wait=0.3) == (4, ["cluster lost"])
        assert caplog.text.count("still lost") == 2

    def test_no_worker(self, own_cluster: DaskCluster) -> None:
        with pytest.raises(WorkersFailedError, match="no worker that can be used for 1 seconds"):
            _with_pool(own_cluster.address, lambda pool: pool.run(engine_faults.double, 1), wait=1.0)


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
            second = _pool(cluster.address)
            try:
                calls = [pool.run(convert, page) for pages in zip(*crawls, strict=True)
                         for pool, page in zip((first, second), pages, strict=True)]  # fmt: skip
                made = await asyncio.gather(*calls)
            finally:
                await second.stop()
            return [made[::2], made[1::2]]

        assert _with_pool(cluster.address, use) == expected
        assert expected[0] != expected[1]

    def test_end_of_one_crawl_leaves_the_other_unharmed(self, cluster: DaskCluster, tmp_path: Path) -> None:
        async def use(pool: ClusterPool) -> object:
            other = _pool(cluster.address)
            hanging = [asyncio.ensure_future(other.run(engine_faults.hang, str(tmp_path / "pid"))) for _ in range(4)]
            process = await _pid(tmp_path / "pid")
            waiting = [asyncio.ensure_future(pool.run(engine_faults.nap, 0.1)) for _ in range(8)]
            while pool._membership is None or len(pool._membership.members) < 2:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0)
            most = _members(pool).in_flight
            await other.stop()
            results = await asyncio.gather(*hanging, return_exceptions=True)
            assert await _gone(process)
            return most, [type(error) for error in results], await asyncio.gather(*waiting), pool.phrases()

        most, errors, naps, phrases = _with_pool(cluster.address, use)  # type: ignore[misc]
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
        double = _double
        with DaskCluster(tmp_path, "--tls-ca-file", ca, "--tls-cert", certificate, "--tls-key", key) as started:
            assert started.address.startswith("tls://")
            started.join(1)
            assert _with_pool(started.address, double, files=tuple(files)) == 42  # type: ignore[arg-type]
            plain = started.address.replace("tls://", "tcp://")
            for address, wrong in (
                (started.address, others),
                (started.address, (others[0], certificate, key)),
                (started.address, (ca, *others[1:])),
                (plain, ("", "", "")),
            ):
                with pytest.raises(WorkersFailedError, match="no connection to the scheduler"):
                    _with_pool(address, double, files=tuple(wrong), wait=2.0)  # type: ignore[arg-type]

    def test_local_cluster_leaves_nothing_behind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert _with_pool(LOCAL, _double) == 42
        assert list(tmp_path.iterdir()) == []


def _pool(address: str) -> ClusterPool:
    """A pool of a second crawl, to be stopped."""
    limits = WorkerLimits(60.0)
    return ClusterPool(
        ClusterSettings(address, on_loss=STOP), limits, os.getpid, lambda: WorkerPool(1, limits), system_fonts=False
    )


def _conversion(number: int, style: bytes, geometry: PageGeometry) -> Conversion:
    """A page with a style sheet that travels apart from it."""
    body = b"<link rel=stylesheet href=/style.css><h1>Page %d</h1><p>word" % number
    sheet = Asset(style + b"/* filler */" * 300, "text/css")
    task = RenderTask(
        f"http://a.example/{number}", body, assets={"http://a.example/style.css": sheet}, geometry=geometry,
        system_fonts=False,
    )  # fmt: skip
    return Conversion(task, "plutobook")


async def _double(pool: ClusterPool) -> object:
    return await pool.run(engine_faults.double, 21)


async def _pid(path: Path) -> int:
    async with asyncio.timeout(60):
        while not path.exists() or not path.read_text():
            await asyncio.sleep(0.02)
    return int(path.read_text())


async def _gone(process: int) -> bool:
    async with asyncio.timeout(10):
        while state(process) not in ("Z", ""):
            await asyncio.sleep(0.02)
    return True
