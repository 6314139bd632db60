"""The process that workers are forked from: what its workers have, and what happens if it dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import engine_faults
from tests.support.worker_kills import fork_servers, worker_processes
from tests.support.worker_pools import ENVIRONMENT, is_gone, read_pid, with_worker_pool
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers import fork_server
from wcspider.engines.workers.fork_server import ForkServer
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import EngineCrashedError, WorkersFailedError

pytestmark = [pytest.mark.crash, pytest.mark.slow]


def test_workers_have_what_the_server_has_loaded() -> None:
    async def use(pool: WorkerPool) -> object:
        calls = (pool.run(engine_faults.process_of_start) for _ in range(4))
        return set(await asyncio.gather(*calls)), fork_servers(os.getpid())

    loaded, servers = with_worker_pool(use, workers=2, warm_up=engine_faults.note_start)  # type: ignore[misc]
    assert loaded == set(servers)


def test_shared_server_outlives_a_pool() -> None:
    server = ForkServer(engine_faults.note_start)

    async def use(pool: WorkerPool) -> object:
        other = WorkerPool(1, WorkerLimits(60.0), shared_server=server)
        assert await other.run(engine_faults.double, 1) == 2
        await other.stop()
        [running] = fork_servers(os.getpid())
        return await pool.run(engine_faults.process_of_start) == running

    assert with_worker_pool(use, shared_server=server)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_server_that_is_killed_is_replaced(tmp_path: Path, ending: int) -> None:
    async def use(pool: WorkerPool) -> object:
        running = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
        worker = await read_pid(tmp_path / "pid")
        [server] = fork_servers(os.getpid())
        os.kill(server, ending)
        assert await running == "again"
        assert await is_gone(worker)
        return fork_servers(os.getpid()) != [server]

    assert with_worker_pool(use)


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("server._server.control.close()", 0),
        ("server.close()", -signal.SIGKILL),
        ("os._exit(0)", None),
        ("", None),
    ],
)
def test_server_that_is_loading_ends_without_a_word(tmp_path: Path, end: str, status: int | None) -> None:
    script = (
        "import os; from tests.support import engine_faults\n"
        "from wcspider.engines.workers.fork_server import ForkServer\n"
        "server = ForkServer(engine_faults.slow_start); server.start(); process = server._server.process\n"
        f"{end}\nprint(process.wait() if {status is not None} else None)"
    )
    environment = {**ENVIRONMENT, "WCSPIDER_MARKS": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, timeout=60)
    assert (done.stdout.decode(), done.stderr.decode()) == ("" if "_exit" in end else f"{status}\n", "")


def test_workers_have_no_connection_but_their_own() -> None:
    async def use(pool: WorkerPool) -> object:
        calls = [pool.run(engine_faults.open_sockets, 0.2) for _ in range(6)]
        return await asyncio.gather(*calls)

    assert with_worker_pool(use, workers=3) == [1] * 6


def test_workers_without_forks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "FORKS", False)

    async def use(pool: WorkerPool) -> object:
        with pytest.raises(EngineCrashedError, match=r"died twice \(exit status 7\)"):
            await pool.run(engine_faults.crash)
        running = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
        worker = await read_pid(tmp_path / "pid")
        assert worker_processes(os.getpid()) == [worker]
        os.kill(worker, signal.SIGKILL)
        assert await running == "again"
        return await pool.run(engine_faults.process_of_start) == await pool.run(os.getpid)

    assert with_worker_pool(use, warm_up=engine_faults.note_start)


def test_load_that_fails_without_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "FORKS", False)

    async def use(pool: WorkerPool) -> None:
        with pytest.raises(WorkersFailedError, match=r"cannot start .*ZeroDivisionError: one line"):
            await pool.run(engine_faults.double, 1)

    with_worker_pool(use, warm_up=engine_faults.fail)
