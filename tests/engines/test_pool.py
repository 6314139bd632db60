"""Worker processes that hang, crash, are killed or use too much memory, and the calls that are not lost."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support import engine_faults
from tests.support.paths import ROOT
from tests.support.worker_kills import WorkerKiller, fork_servers, worker_processes
from tests.support.worker_pools import ENVIRONMENT, is_gone, read_pid, with_worker_pool
from wcspider.archive.pages.loading import warm_up
from wcspider.engines import pool as pool_module
from wcspider.engines.base import RenderTask
from wcspider.engines.pool import WorkerPool
from wcspider.engines.registry import render
from wcspider.engines.workers.fork_server import ForkServer
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

KILLS = int(os.environ.get("WCSPIDER_KILLS", "12"))
"""How many workers are killed at random moments."""


def test_garbage_collection_passes_over_what_the_first_call_has_loaded() -> None:
    frozen = with_worker_pool(lambda pool: pool.run(gc.get_freeze_count))
    assert isinstance(frozen, int)
    assert frozen > 1_000


def test_result() -> None:
    assert with_worker_pool(lambda pool: pool.run(engine_faults.double, 21)) == 42


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (engine_faults.hang, EngineTimeoutError, "longer than 1 seconds"),
        (engine_faults.crash, EngineCrashedError, r"the worker process died twice \(exit status 7\)"),
        (engine_faults.hog, EngineCrashedError, "memory"),
        (engine_faults.refuse, SourceUnreadableError, "broken; nothing can be done"),
        (engine_faults.fail, EngineError, r"ZeroDivisionError: one line$"),
        (engine_faults.fail_to_pickle, EngineError, "the conversion failed: .*pickle"),
        (lambda: None, EngineError, "cannot be sent to a worker process: .*pickle"),
    ],
)
def test_faults_affect_one_call(function: Callable[[], object], error: type[EngineError], message: str) -> None:
    async def use(pool: WorkerPool) -> object:
        await pool.run(engine_faults.double, 1)
        with pytest.raises(error, match=message) as caught:
            await pool.run(function)
        assert type(caught.value) is error
        return await pool.run(engine_faults.double, 2)

    assert with_worker_pool(use, seconds=1.0, memory=4 << 30) == 4


async def _started_ahead(pool: WorkerPool, count: int) -> list[int]:
    """The processes that a pool starts ahead. The system may list them a little later."""
    pool.start_ahead(count)
    while len(found := worker_processes(os.getpid())) < count:
        await asyncio.sleep(0.01)
    return found


def test_workers_that_are_started_ahead_make_the_first_calls() -> None:
    async def use(pool: WorkerPool) -> object:
        ahead = await _started_ahead(pool, 2)
        used = await asyncio.gather(*(pool.run(os.getpid) for _ in range(4)))
        assert set(used) <= set(ahead)
        assert worker_processes(os.getpid()) == ahead
        return None

    with_worker_pool(use, workers=2)


def test_a_worker_that_is_killed_before_its_first_call_is_replaced() -> None:
    async def use(pool: WorkerPool) -> object:
        [ahead] = await _started_ahead(pool, 1)
        os.kill(ahead, signal.SIGKILL)
        return await pool.run(engine_faults.double, 21)

    assert with_worker_pool(use) == 42


def test_unused_workers_end_with_the_pool() -> None:
    async def use(pool: WorkerPool) -> object:
        return await _started_ahead(pool, 2)

    with_worker_pool(use, workers=2)  # no process is left


def test_large_messages() -> None:
    body = os.urandom(20_000_000)
    assert with_worker_pool(lambda pool: pool.run(bytes.swapcase, body)) == body.swapcase()


def test_time_limit_does_not_include_the_wait_for_a_worker() -> None:
    async def use(pool: WorkerPool) -> object:
        await pool.run(engine_faults.nap, 0)
        return await asyncio.gather(*(pool.run(engine_faults.nap, 0.8) for _ in range(4)))

    assert with_worker_pool(use, seconds=1.5) == [0.8] * 4


class TestDeaths:
    def test_call_is_blamed_for_the_second_death_of_a_worker(self, tmp_path: Path) -> None:
        calls = tmp_path / "calls"

        async def use(pool: WorkerPool) -> object:
            with pytest.raises(EngineCrashedError):
                await pool.run(engine_faults.crash, str(calls))
            return None

        with_worker_pool(use)
        assert len(set(calls.read_text().split())) == 2

    @pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
    def test_call_whose_worker_is_killed_once_is_repeated(self, tmp_path: Path, ending: int) -> None:
        async def use(pool: WorkerPool) -> object:
            running = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
            os.kill(await read_pid(tmp_path / "pid"), ending)
            return await running

        assert with_worker_pool(use) == "again"

    def test_other_calls_keep_their_workers(self, tmp_path: Path) -> None:
        calls = [tmp_path / str(number) for number in range(30)]

        async def use(pool: WorkerPool) -> object:
            crashes = [pool.run(engine_faults.crash) for _ in range(5)]
            others = [pool.run(engine_faults.note_call, str(path)) for path in calls]
            mixed = [*others[:10], *crashes, *others[10:]]
            return await asyncio.gather(*mixed, return_exceptions=True)

        results = with_worker_pool(use, workers=3)
        assert isinstance(results, list)
        assert [type(result) for result in results] == [int] * 10 + [EngineCrashedError] * 5 + [int] * 20
        assert all(len(path.read_text().split()) == 1 for path in calls)

    def test_call_that_takes_too_long_is_not_repeated(self, tmp_path: Path) -> None:
        async def use(pool: WorkerPool) -> object:
            with pytest.raises(EngineTimeoutError):
                await pool.run(engine_faults.hang, str(tmp_path / "pid"))
            return await is_gone(int((tmp_path / "pid").read_text()))

        assert with_worker_pool(use, seconds=1.0)

    @pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
    def test_idle_workers_that_die_are_replaced(self, ending: int) -> None:
        async def use(pool: WorkerPool) -> object:
            for _ in range(2):
                await asyncio.gather(*(pool.run(engine_faults.nap, 0.05) for _ in range(4)))
                found = worker_processes(os.getpid())
                assert len(found) == 2
                for worker in found:
                    os.kill(worker, ending)
                for worker in found:
                    assert await is_gone(worker)
            return await asyncio.gather(*(pool.run(engine_faults.double, number) for number in range(5)))

        assert with_worker_pool(use, workers=2) == [0, 2, 4, 6, 8]

    @pytest.mark.timeout(300 + 10 * KILLS)
    def test_random_kills(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each call loses at most one worker, at any moment, and starting workers are killed as well."""
        monkeypatch.setenv("WCSPIDER_MARKS", str(tmp_path))
        killer = WorkerKiller(os.getpid(), tmp_path, KILLS)

        async def use(pool: WorkerPool) -> object:
            calls = []
            while killer.kills < KILLS or killer.kills_at_start < KILLS // 3:
                for _ in range(4 - pool.busy):
                    calls.append(asyncio.ensure_future(pool.run(engine_faults.work, str(tmp_path), len(calls))))
                await asyncio.to_thread(killer.kill_one)
                await asyncio.sleep(0.005)
                assert not any(call.exception() for call in calls if call.done())
            return await asyncio.gather(*calls)

        server = ForkServer(os.getpid)
        results = with_worker_pool(use, workers=2, warm_up=engine_faults.slow_start, shared_server=server)
        assert isinstance(results, list)
        assert results == list(range(len(results)))


class TestStarts:
    def test_too_little_memory(self) -> None:
        async def use(pool: WorkerPool) -> object:
            calls = (pool.run(engine_faults.double, number) for number in range(5))
            return await asyncio.gather(*calls, return_exceptions=True)

        errors = with_worker_pool(use, workers=2, memory=80 << 20, warm_up=partial(warm_up, "xhtml2pdf"))
        assert isinstance(errors, list)
        assert [type(error) for error in errors] == [WorkersFailedError] * 5
        assert "the worker processes cannot start (" in str(errors[0])
        assert "increase WEBCAPTURE_RENDER_MEMORY" in str(errors[0])

    def test_warm_up_that_fails(self) -> None:
        async def use(pool: WorkerPool) -> object:
            for _ in range(2):
                with pytest.raises(WorkersFailedError, match=r"cannot start .*ZeroDivisionError: one line"):
                    await pool.run(engine_faults.double, 1)
            return None

        with_worker_pool(use, warm_up=engine_faults.fail)

    def test_starts_that_are_always_killed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pool_module, "START_SECONDS", 1.0)

        async def use(pool: WorkerPool) -> object:
            with pytest.raises(WorkersFailedError, match=r"cannot start .killed by SIGKILL"):
                await pool.run(engine_faults.double, 1)
            return None

        with_worker_pool(use, warm_up=engine_faults.killed_start)

    def test_no_room_for_copies(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pool_module, "START_SECONDS", 0.5)

        async def use(pool: WorkerPool) -> object:
            with pytest.raises(WorkersFailedError, match=r"cannot start .*Resource temporarily unavailable"):
                await pool.run(engine_faults.double, 1)
            return None

        with_worker_pool(use, warm_up=engine_faults.forbid_forks)

    def test_no_room_for_processes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "executable", str(ROOT / "no-such-python"))
        monkeypatch.setattr(pool_module, "START_SECONDS", 0.5)

        async def use(pool: WorkerPool) -> object:
            with pytest.raises(WorkersFailedError, match=r"cannot start .FileNotFoundError"):
                await pool.run(engine_faults.double, 1)
            return None

        with_worker_pool(use)

    def test_start_has_a_time_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("WCSPIDER_MARKS", str(tmp_path))
        monkeypatch.setattr(pool_module, "START_SECONDS", 0.01)

        async def run() -> None:
            pool = WorkerPool(1, WorkerLimits(60.0, start_seconds=0.02), engine_faults.slow_start)
            with pytest.raises(WorkersFailedError, match=r"not ready after 0\.02 seconds"):
                await pool.run(engine_faults.double, 1)
            await pool.stop()

        asyncio.run(run())

    def test_event_loop_is_not_blocked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("WCSPIDER_MARKS", str(tmp_path))

        async def use(pool: WorkerPool) -> object:
            call = asyncio.ensure_future(pool.run(engine_faults.double, 4))
            turns = 0
            while not call.done():
                await asyncio.sleep(0)
                turns += 1
            assert turns > 100
            return await call

        assert with_worker_pool(use, warm_up=engine_faults.slow_start) == 8

    def test_main_module_is_not_run_again(self, tmp_path: Path) -> None:
        script = tmp_path / "unguarded.py"
        script.write_text(
            "import asyncio\n"
            "from tests.support import engine_faults\n"
            "from wcspider.engines.pool import WorkerPool\n"
            "from wcspider.engines.workers.process import WorkerLimits\n"
            "print('main')\n"
            "async def main():\n"
            "    pool = WorkerPool(1, WorkerLimits(60.0))\n"
            "    print(await pool.run(engine_faults.double, 2))\n"
            "    await pool.close()\n"
            "asyncio.run(main())\n"
        )
        done = subprocess.run([sys.executable, str(script)], env=ENVIRONMENT, capture_output=True, timeout=60)
        assert (done.stdout.decode(), done.stderr.decode()) == ("main\n4\n", "")


class TestMemory:
    def test_worker_whose_memory_has_grown_is_replaced(self) -> None:
        async def use(pool: WorkerPool) -> object:
            return [await pool.run(engine_faults.leak, 100) for _ in range(6)]

        pids = with_worker_pool(use, memory=1 << 30)  # a quarter is 256 megabytes
        assert isinstance(pids, list)
        assert pids == [*[pids[0]] * 3, *[pids[3]] * 3]
        assert pids[0] != pids[3]

    def test_worker_that_ran_out_of_memory_is_replaced(self) -> None:
        async def use(pool: WorkerPool) -> object:
            before = await pool.run(engine_faults.pid)
            with pytest.raises(EngineCrashedError, match="exceeded the memory limit"):
                await pool.run(engine_faults.hog)
            return before, await pool.run(engine_faults.pid)

        before, after = with_worker_pool(use, memory=1 << 30)  # type: ignore[misc]
        assert before != after


class TestEnd:
    @pytest.mark.parametrize("warm_up", [os.getpid, engine_faults.slow_start])
    @pytest.mark.parametrize("turns", [0, 1, 3, 10, 1000])
    def test_stop_ends_calls_at_any_moment(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_up: Callable[[], object], turns: int
    ) -> None:
        monkeypatch.setenv("WCSPIDER_MARKS", str(tmp_path))

        async def use(pool: WorkerPool) -> object:
            calls = [asyncio.ensure_future(pool.run(engine_faults.hang)) for _ in range(5)]
            for _ in range(turns):
                await asyncio.sleep(0)
            await pool.stop()
            calls.append(asyncio.ensure_future(pool.run(engine_faults.hang)))
            return await asyncio.gather(*calls, return_exceptions=True)

        errors = with_worker_pool(use, workers=2, seconds=3600, warm_up=warm_up)
        assert isinstance(errors, list)
        assert [type(error) for error in errors] == [WorkersStoppedError] * 6

    def test_stop_kills_workers_that_hang(self, tmp_path: Path) -> None:
        async def use(pool: WorkerPool) -> None:
            hanging = asyncio.ensure_future(pool.run(engine_faults.hang, str(tmp_path / "pid")))
            process = await read_pid(tmp_path / "pid")
            await pool.stop()
            with pytest.raises(WorkersStoppedError, match="stopped"):
                await hanging
            assert await is_gone(process)

        with_worker_pool(use)

    def test_stop_ends_the_pause_between_starts(self) -> None:
        async def use(pool: WorkerPool) -> None:
            starting = asyncio.ensure_future(pool.run(engine_faults.double, 1))
            await asyncio.sleep(0.5)
            await pool.stop()
            with pytest.raises(WorkersStoppedError):
                await starting

        with_worker_pool(use, warm_up=engine_faults.killed_start)

    def test_cancelled_call_ends_its_worker(self, tmp_path: Path) -> None:
        async def use(pool: WorkerPool) -> object:
            running = asyncio.ensure_future(pool.run(engine_faults.hang, str(tmp_path / "pid")))
            process = await read_pid(tmp_path / "pid")
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert await is_gone(process)
            return await pool.run(engine_faults.double, 2)

        assert with_worker_pool(use) == 4

    def test_close_waits_for_accepted_calls(self) -> None:
        async def use(pool: WorkerPool) -> object:
            running = [asyncio.ensure_future(pool.run(engine_faults.nap, 0.2)) for _ in range(3)]
            await asyncio.sleep(0)
            assert pool.busy == 3
            await pool.close()
            assert pool.busy == 0
            with pytest.raises(WorkersStoppedError):
                await pool.run(engine_faults.nap, 0)
            return await asyncio.gather(*running)

        assert with_worker_pool(use) == [0.2] * 3

    def test_stop_ends_a_close_that_waits(self) -> None:
        async def use(pool: WorkerPool) -> None:
            hanging = asyncio.ensure_future(pool.run(engine_faults.hang))
            closing = asyncio.ensure_future(pool.close())
            await asyncio.sleep(0.3)
            await pool.stop()
            await closing
            with pytest.raises(WorkersStoppedError):
                await hanging

        with_worker_pool(use)


class TestSignals:
    def test_ctrl_c_does_not_reach_workers(self) -> None:
        async def use(pool: WorkerPool) -> object:
            worker = await pool.run(engine_faults.pid)
            os.kill(worker, signal.SIGINT)
            assert await pool.run(engine_faults.pid) == worker
            return await pool.run(engine_faults.double, 3)

        assert with_worker_pool(use) == 6

    def test_ctrl_c_at_the_start_of_workers(self, tmp_path: Path) -> None:
        """Ctrl-C goes to all processes of the terminal, from the first instruction of a worker on."""
        script = tmp_path / "starting.py"
        script.write_text(
            "import asyncio, os, signal\n"
            "from tests.support import engine_faults\n"
            "from tests.support.worker_kills import fork_servers\n"
            "from wcspider.engines.pool import WorkerPool\n"
            "from wcspider.engines.workers.process import WorkerLimits\n"
            "signal.signal(signal.SIGINT, lambda *_: None)\n"
            "async def main():\n"
            "    pool = WorkerPool(2, WorkerLimits(60.0))\n"
            "    calls = asyncio.gather(*(pool.run(engine_faults.double, n) for n in range(2)))\n"
            "    signals = 0\n"
            "    while not calls.done():\n"
            "        if fork_servers(os.getpid()):\n"
            "            os.killpg(0, signal.SIGINT)\n"
            "            signals += 1\n"
            "        await asyncio.sleep(0.001)\n"
            "    print(await calls, signals > 5)\n"
            "    await pool.close()\n"
            "asyncio.run(main())\n"
        )
        done = subprocess.run(
            [sys.executable, str(script)], env=ENVIRONMENT, capture_output=True, timeout=60, start_new_session=True
        )
        assert (done.stdout.decode(), done.stderr.decode()) == ("[0, 2] True\n", "")

    def test_workers_die_with_a_parent_that_is_killed(self, tmp_path: Path) -> None:
        script = tmp_path / "parent.py"
        script.write_text(
            "import asyncio, sys\n"
            "from tests.support import engine_faults\n"
            "from wcspider.engines.pool import WorkerPool\n"
            "from wcspider.engines.workers.process import WorkerLimits\n"
            "async def main():\n"
            "    await WorkerPool(1, WorkerLimits(60.0)).run(engine_faults.hang, sys.argv[1])\n"
            "asyncio.run(main())\n"
        )
        with subprocess.Popen([sys.executable, str(script), str(tmp_path / "pid")], env=ENVIRONMENT) as parent:
            process = asyncio.run(read_pid(tmp_path / "pid"))
            [server] = fork_servers(parent.pid)
            parent.kill()
        assert asyncio.run(is_gone(process))
        assert asyncio.run(is_gone(server))


def test_engines_run_in_workers() -> None:
    async def use(pool: WorkerPool) -> object:
        return await pool.run(render, "xhtml2pdf", RenderTask("http://a.example/", b"<title>T</title><p>x"))

    assert with_worker_pool(use).structure.title == "T"  # type: ignore[attr-defined]
