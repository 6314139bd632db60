"""Workers and schedulers of a cluster that die, leave, join, freeze and come back during a crawl."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support import cluster_faults, engine_faults
from tests.support.cluster_pools import members_of, with_pool
from tests.support.dask_cluster import DaskCluster, page_processes
from tests.support.worker_pools import read_pid
from wcspider.engines.cluster import cluster_pool, membership
from wcspider.engines.cluster.cluster_pool import ClusterPool
from wcspider.engines.cluster.cluster_settings import LOCAL, STOP
from wcspider.engines.cluster.scheduler_link import SchedulerLink
from wcspider.exceptions import EngineCrashedError, WorkersFailedError

pytestmark = [pytest.mark.crash, pytest.mark.slow]


class TestWorkers:
    def test_join_die_and_leave(self, own_cluster: DaskCluster, tmp_path: Path) -> None:
        async def use(pool: ClusterPool) -> object:
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "first")))
            own_cluster.join(1)
            await read_pid(tmp_path / "first")
            [first] = own_cluster.workers
            first.kill()
            own_cluster.join(1)
            assert await waiting == "again"
            leaving = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "second")))
            await read_pid(tmp_path / "second")
            own_cluster.workers[1].send_signal(signal.SIGTERM)
            own_cluster.join(1)
            assert await leaving == "again"
            assert pool.phrases() == ["1 cluster worker", "0 in flight", "2 repeated", "2 lost"]
            return pool.summary()

        [line] = with_pool(own_cluster.address, use)  # type: ignore[misc]
        assert line.startswith("Cluster: 1 worker, 2 lost, 0 refused; 2 calls, 2 repeated, 0 bytes of attachments sent")

    def test_call_is_blamed_for_the_third_worker(self, own_cluster: DaskCluster, tmp_path: Path) -> None:
        own_cluster.join(4)

        async def use(pool: ClusterPool) -> object:
            with pytest.raises(EngineCrashedError, match="3 workers of the cluster were lost during the conversion"):
                await pool.run(cluster_faults.end_dask_worker, str(tmp_path / "calls"))
            return await asyncio.gather(*(pool.run(engine_faults.double, number) for number in range(5)))

        assert with_pool(own_cluster.address, use) == [0, 2, 4, 6, 8]
        assert len(set((tmp_path / "calls").read_text().split())) == 3

    def test_worker_that_freezes(self, own_cluster: DaskCluster, tmp_path: Path) -> None:
        """The scheduler removes it because there is no heartbeat. A worker that is only busy has one."""

        async def use(pool: ClusterPool) -> object:
            [frozen] = own_cluster.join(1)
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
            await read_pid(tmp_path / "pid")
            frozen.send_signal(signal.SIGSTOP)
            own_cluster.join(1)
            while len(members_of(pool).members) < 2:
                await asyncio.sleep(0.02)
            busy = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "busy")))
            await read_pid(tmp_path / "busy")
            while not pool._counts.lost:
                await members_of(pool)._client.run_on_scheduler(cluster_faults.look_for_silent_workers)
                await asyncio.sleep(0.2)
            assert not busy.done()
            os.kill(int((tmp_path / "busy").read_text()), signal.SIGKILL)
            assert await asyncio.gather(waiting, busy) == ["again", "again"]
            return pool.phrases()

        assert with_pool(own_cluster.address, use) == ["1 cluster worker", "0 in flight", "1 repeated", "1 lost"]

    def test_refused_workers_get_no_call(
        self, own_cluster: DaskCluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
        (tmp_path / "preload.py").write_text("import sys\nsys.modules['wcspider'] = None\n")
        own_cluster.end_scheduler()
        own_cluster.start_scheduler("--preload", str(tmp_path / "preload.py"))  # the scheduler needs Dask only
        own_cluster.join(1, environment={"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")})
        own_cluster.join(1, "--preload", str(tmp_path / "preload.py"))

        async def use(pool: ClusterPool) -> object:
            waiting = asyncio.ensure_future(pool.run(cluster_faults.dask_worker))
            while pool._counts.refused < 2:
                await asyncio.sleep(0.05)
            assert not waiting.done()
            [right] = own_cluster.join(1)
            return await waiting == right.pid

        assert with_pool(own_cluster.address, use, system_fonts=True)
        messages = [record.getMessage() for record in caplog.records]
        lines = [message for message in messages if message.startswith("Cluster: refused the worker ")]
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
            own_cluster.scheduler.send_signal(ending)
            results = await asyncio.gather(*waiting, return_exceptions=True)
            results.append(await asyncio.gather(pool.run(engine_faults.double, 1), return_exceptions=True))
            return results, pool.phrases()

        results, phrases = with_pool(own_cluster.address, use, on_loss=on_loss)  # type: ignore[misc]
        assert phrases == ["cluster lost"]
        if on_loss == LOCAL:
            assert results == ["again", "again", "again", [2]]
        else:
            assert [type(error) for error in [*results[:3], *results[3]]] == [WorkersFailedError] * 4
            assert "the cluster is lost: " in str(results[0])
            assert "then repeat the command to continue" in str(results[0])

    def test_scheduler_that_dies_before_it_is_asked(self, own_cluster: DaskCluster) -> None:
        """Dask would try for half a minute to connect to it."""

        async def use(pool: ClusterPool) -> object:
            own_cluster.join(1)
            await pool.run(engine_faults.double, 1)
            own_cluster.scheduler.kill()
            own_cluster.scheduler.wait()  # before Dask's client can notice it
            async with asyncio.timeout(15):
                await asyncio.gather(*(members_of(pool).look() for _ in range(3)))
            return await asyncio.gather(pool.run(engine_faults.double, 1), return_exceptions=True)

        [error] = with_pool(own_cluster.address, use)  # type: ignore[misc]
        assert "the cluster is lost: the connection to the scheduler ended" in str(error)

    @pytest.mark.parametrize("on_loss", [LOCAL, STOP])
    def test_no_scheduler(self, on_loss: str, caplog: pytest.LogCaptureFixture) -> None:
        async def use(pool: ClusterPool) -> object:
            calls = (pool.run(engine_faults.double, number) for number in range(3))
            return await asyncio.gather(*calls, return_exceptions=True), pool.summary()

        results, summary = with_pool("tcp://127.0.0.1:9", use, on_loss=on_loss, wait=0.3)  # type: ignore[misc]
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
                    await asyncio.sleep(3600)

        monkeypatch.setattr(SchedulerLink, "close", close)

        async def use(pool: ClusterPool) -> object:
            result = await pool.run(engine_faults.double, 1)
            await closing.wait()
            await pool.stop()
            return result

        assert with_pool("tcp://127.0.0.1:9", use, on_loss=LOCAL, wait=0.5) == 2

    def test_cluster_that_comes_back_is_used_again(
        self, own_cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster_pool, "RETURN_PAUSES", [0.2] * 100)

        async def use(pool: ClusterPool) -> object:
            own_cluster.join(1)
            assert await pool.run(cluster_faults.dask_worker) in {worker.pid for worker in own_cluster.workers}
            own_cluster.end_scheduler()
            waiting = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
            process = await read_pid(tmp_path / "pid")
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

        phrase, summary = with_pool(  # type: ignore[misc]
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
        assert with_pool("tcp://127.0.0.1:9", use, on_loss=LOCAL, wait=0.3) == (4, ["cluster lost"])
        assert caplog.text.count("still lost") == 2

    def test_no_worker(self, own_cluster: DaskCluster) -> None:
        with pytest.raises(WorkersFailedError, match="no worker that can be used for 1 seconds"):
            with_pool(own_cluster.address, lambda pool: pool.run(engine_faults.double, 1), wait=1.0)
