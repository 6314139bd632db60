"""Worker processes that hang, die or eat all memory, and the crawl that goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support import engine_faults
from tests.support.paths import ROOT
from wcspider.engines.base import RenderTask
from wcspider.engines.pool import WorkerPool
from wcspider.engines.registry import render
from wcspider.exceptions import EngineCrashedError, EngineError, EngineTimeoutError, SourceUnreadableError

pytestmark = pytest.mark.crash


def _with_pool(use: Callable[[WorkerPool], Awaitable[object]], **options: object) -> object:
    async def run() -> object:
        pool = WorkerPool(**{"workers": 1, "timeout": 60.0, **options})  # type: ignore[arg-type]
        try:
            return await use(pool)
        finally:
            await pool.stop()

    return asyncio.run(run())


def test_result() -> None:
    assert _with_pool(lambda pool: pool.run(engine_faults.double, 21)) == 42


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (engine_faults.hang, EngineTimeoutError, "longer than 1 seconds"),
        (engine_faults.crash, EngineCrashedError, "the worker process died"),
        (engine_faults.hog, EngineCrashedError, "memory"),
        (engine_faults.refuse, SourceUnreadableError, "broken; nothing can be done"),
        (engine_faults.fail, EngineError, r"ZeroDivisionError: one line$"),
    ],
)
def test_faults_cost_one_task(function: Callable[[], object], error: type[EngineError], message: str) -> None:
    async def use(pool: WorkerPool) -> object:
        await pool.run(engine_faults.double, 1)
        with pytest.raises(error, match=message) as caught:
            await pool.run(function)
        assert type(caught.value) is error
        return await pool.run(engine_faults.double, 2)

    assert _with_pool(use, timeout=1.0, memory=4 << 30) == 4


def test_waiting_for_a_worker_does_not_count() -> None:
    async def use(pool: WorkerPool) -> object:
        await pool.run(engine_faults.nap, 0)
        return await asyncio.gather(*(pool.run(engine_faults.nap, 0.8) for _ in range(4)))

    assert _with_pool(use, timeout=1.5) == [0.8] * 4


def test_stop_kills_what_hangs(tmp_path: Path) -> None:
    async def use(pool: WorkerPool) -> None:
        hanging = asyncio.ensure_future(pool.run(engine_faults.hang, str(tmp_path / "pid")))
        process = await _pid(tmp_path / "pid")
        await pool.stop()
        with pytest.raises(EngineCrashedError, match="stopped"):
            await hanging
        assert await _gone(process)

    _with_pool(use)


def test_cancelled_like_any_other_task() -> None:
    async def use(pool: WorkerPool) -> None:
        running = asyncio.ensure_future(pool.run(engine_faults.nap, 30))
        await asyncio.sleep(0.2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    _with_pool(use)


def test_close_waits_for_what_runs() -> None:
    async def use(pool: WorkerPool) -> object:
        running = asyncio.ensure_future(pool.run(engine_faults.nap, 0.5))
        await asyncio.sleep(0)
        await pool.close()
        return await running

    assert _with_pool(use) == 0.5


def test_ctrl_c_is_for_the_parent_to_handle() -> None:
    async def use(pool: WorkerPool) -> object:
        os.kill(await pool.run(engine_faults.pid), signal.SIGINT)
        return await pool.run(engine_faults.double, 3)

    assert _with_pool(use) == 6


def test_a_worker_that_was_ended_from_outside_is_replaced(tmp_path: Path) -> None:
    async def use(pool: WorkerPool) -> object:
        running = asyncio.ensure_future(pool.run(engine_faults.hang_once, str(tmp_path / "pid")))
        os.kill(await _pid(tmp_path / "pid"), signal.SIGTERM)
        return await running

    assert _with_pool(use) == "again"


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_workers_that_die_with_nothing_to_do_are_replaced(ending: int) -> None:
    async def use(pool: WorkerPool) -> object:
        for _ in range(2):
            workers = {await pool.run(engine_faults.pid) for _ in range(20)}
            for worker in workers:
                with suppress(ProcessLookupError):  # where the pool has missed the first, it has ended the others
                    os.kill(worker, ending)
            for worker in workers:
                assert await _gone(worker)
        return await asyncio.gather(*(pool.run(engine_faults.double, number) for number in range(5)))

    assert _with_pool(use, workers=2) == [0, 2, 4, 6, 8]


PARENT = """
import asyncio, sys
from tests.support import engine_faults
from wcspider.engines.pool import WorkerPool

async def main():
    await WorkerPool(1, 60.0).run(engine_faults.hang, sys.argv[1])

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_workers_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "pid")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        process = asyncio.run(_pid(tmp_path / "pid"))
        parent.kill()
    assert asyncio.run(_gone(process))


def test_engines_run_in_workers() -> None:
    async def use(pool: WorkerPool) -> object:
        return await pool.run(render, "xhtml2pdf", RenderTask("http://a.example/", b"<title>T</title><p>x"))

    assert _with_pool(use).title == "T"  # type: ignore[attr-defined]


async def _pid(path: Path) -> int:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if path.exists() and path.read_text():
            return int(path.read_text())
        await asyncio.sleep(0.05)
    raise AssertionError("the worker has not begun")


async def _gone(process: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        await asyncio.sleep(0.05)
    return False
