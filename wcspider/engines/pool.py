"""The worker pool: conversions in processes that may hang, crash or be killed, without loss of other conversions."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from wcspider.engines.workers.call_slots import Slots
from wcspider.engines.workers.fork_server import ForkServer
from wcspider.engines.workers.messages import encoded
from wcspider.engines.workers.pool_interface import Effort, P, Pool, T
from wcspider.engines.workers.process import WorkerDiedError, WorkerLimits, WorkerProcess
from wcspider.exceptions import (
    EngineCrashedError,
    EngineError,
    WorkersFailedError,
    WorkersStoppedError,
    one_line,
)

logger = logging.getLogger(__name__)

ATTEMPTS = 2
"""How many workers may die during a call before the call is blamed for it."""

FAULTY_STARTS = 3
"""How many workers in a row may fail to start through a fault of their own, such as too little memory."""

START_SECONDS = 60.0
"""For how long all starts may fail, for whatever reason, before the pool gives up."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
"""The seconds between a failed start and the next start; the pause doubles with each failure."""


class WorkerPool(Pool):
    """A fixed number of worker processes, started when they are needed, or some of them ahead.

    A call is repeated once if its worker dies.

    `warm_up` loads the libraries that all calls need. Its time belongs to the start of a worker, and its memory is not
    counted as growth. The fork server of the pool calls it once. If the pool shares a fork server with other pools,
    each worker calls it.
    """

    def __init__(
        self,
        workers: int,
        limits: WorkerLimits,
        warm_up: Callable[[], object] = os.getpid,
        shared_server: ForkServer | None = None,
    ) -> None:
        super().__init__()
        self._limits = limits
        self._server = shared_server or ForkServer(warm_up, limits.memory)
        self._own_server = None if shared_server else self._server
        self._first_call = _request(warm_up if shared_server else os.getpid, (), {})
        self._slots = Slots(workers)
        self._processes: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []
        """The processes that make no call; those that were started ahead may still be starting."""

        self._starts = _Starts()
        self._stopping = asyncio.Event()

    def start_ahead(self, workers: int) -> None:
        """Start some workers before they are needed, without waiting for them."""
        with suppress(WorkerDiedError):  # the first call reports the problem if it remains
            self._idle += [self._launched() for _ in range(workers)]

    async def run_sized(self, effort: Effort, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function as `run` does, with the time limit and the place among other calls that its effort needs."""
        with self._accepted():
            async with self._slots.one(effort.size):
                return cast(T, await self._called(_request(function, args, kwargs), effort.patience))

    async def stop(self) -> None:
        """Kill the workers at once. All calls raise `WorkersStoppedError`."""
        self._accept_no_more()
        self._stopping.set()
        for worker in self._processes:
            worker.kill()
        await self._ended()
        while self._idle:
            await self._end(self._idle.pop())
        if self._own_server is not None:
            self._own_server.close()

    async def _called(self, request: memoryview, patience: float) -> object:
        """Have a worker make a call; repeat the call if the worker dies."""
        death: WorkerDiedError | None = None
        for _ in range(ATTEMPTS):
            worker = await self._ready_worker()
            try:
                reply = await worker.call(request, patience)
            except WorkerDiedError as error:
                self._check()
                logger.info("A worker process died (%s)", error)
                death = error
                continue
            finally:
                await self._give_back(worker)
            if reply.error is not None:
                raise reply.error
            return reply.value
        raise EngineCrashedError(f"the worker process died twice ({death})")

    async def _ready_worker(self) -> WorkerProcess:
        """Return a worker for a call: start workers until one is ready, unless one is idle."""
        while True:
            self._check()
            began = time.monotonic()
            try:
                worker = await self._idle_worker() or self._launched()
                if not worker.is_ready:
                    await self._wait_for_start(worker)
            except WorkerDiedError as error:
                self._check()
                self._starts.failed(error, began)
                await self._pause()
            else:
                return worker

    async def _idle_worker(self) -> WorkerProcess | None:
        """Return a worker that is idle or starting, None if there is none."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            await self._end(worker)
        return None

    async def _wait_for_start(self, worker: WorkerProcess) -> None:
        """Wait until a worker is ready. Raise `WorkerDiedError` if its start fails."""
        try:
            await worker.ready()
        except BaseException:
            await self._end(worker)
            raise
        self._starts.succeeded()

    async def _give_back(self, worker: WorkerProcess) -> None:
        """Keep a worker for the next call, or kill it if it cannot make another call."""
        if worker.is_ready:
            self._idle.append(worker)
        else:
            await self._end(worker)

    def _launched(self) -> WorkerProcess:
        """Start a process, without waiting for it. Raise `WorkerDiedError` if the system has no room for it."""
        worker = WorkerProcess(self._server, self._limits, self._first_call)
        self._processes.add(worker)
        return worker

    async def _pause(self) -> None:
        """Wait before the next start, but not if the pool is stopped."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._starts.pause):
                await self._stopping.wait()

    async def _end(self, worker: WorkerProcess) -> None:
        """Kill a worker, which is of no more use."""
        self._processes.discard(worker)
        await worker.end()

    def _check(self) -> None:
        """Raise the error that ends all calls, if there is one."""
        if self._stopping.is_set():
            raise WorkersStoppedError
        if self._starts.error is not None:
            raise self._starts.error


class _Starts:
    """The failed starts since a worker was last ready."""

    def __init__(self) -> None:
        self.error: WorkersFailedError | None = None
        """The reason why no more starts are tried."""

        self.succeeded()

    def succeeded(self) -> None:
        """Forget all failures."""
        self.pause = _FIRST_PAUSE / 2
        """The seconds until the next start."""

        self._faults = 0
        self._since: float | None = None

    def failed(self, error: WorkerDiedError, began: float) -> None:
        """Note a failed start that began at a time of the monotonic clock."""
        logger.info("A worker process could not start (%s)", error)
        self.pause = min(2 * self.pause, _LONGEST_PAUSE)
        self._faults += not error.is_killed
        self._since = began if self._since is None else self._since
        if self._faults >= FAULTY_STARTS or time.monotonic() - self._since > START_SECONDS:
            self.error = WorkersFailedError(f"the worker processes cannot start ({error})")


def _request(function: Callable[..., object], args: Sequence[object], kwargs: object) -> memoryview:
    """Return an encoded call. Raise `EngineError` if it cannot be pickled."""
    try:
        return encoded((function, args, kwargs))
    except Exception as error:
        raise EngineError(f"the conversion cannot be sent to a worker process: {one_line(error)}") from error
