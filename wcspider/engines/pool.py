"""The worker pool: conversions in processes that may hang, crash or be killed, without loss of other conversions."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
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
        self._ahead: list[WorkerProcess] = []
        """The processes that were started before they were needed."""

        self._idle: list[WorkerProcess] = []
        self._starts = _Starts()
        self._stopping = asyncio.Event()

    def start_ahead(self, workers: int) -> None:
        """Start some workers before they are needed, without waiting for them."""
        with suppress(OSError):  # the first call reports the problem if it remains
            for _ in range(workers):
                self._ahead.append(self._launched())

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
        for worker in (*self._idle, *self._ahead):
            await self._end(worker)
        self._idle, self._ahead = [], []
        if self._own_server is not None:
            self._own_server.close()

    async def _called(self, request: memoryview, patience: float) -> object:
        """Have a worker make a call; repeat the call if the worker dies."""
        death: WorkerDiedError | None = None
        for _ in range(ATTEMPTS):
            try:
                async with self._borrowed_worker() as worker:
                    reply = await worker.call(request, patience)
            except WorkerDiedError as error:
                self._check()
                logger.info("A worker process died (%s)", error)
                death = error
                continue
            if reply.error is not None:
                raise reply.error
            return reply.value
        raise EngineCrashedError(f"the worker process died twice ({death})")

    @asynccontextmanager
    async def _borrowed_worker(self) -> AsyncIterator[WorkerProcess]:
        """Lend a worker for one call. A worker that cannot make another call afterwards is killed."""
        worker = await self._available_worker()
        try:
            yield worker
        finally:
            if worker.is_reusable:
                self._idle.append(worker)
            else:
                await self._end(worker)

    async def _available_worker(self) -> WorkerProcess:
        """Return an idle worker, or a new one."""
        self._check()
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            await self._end(worker)
        return await self._new_worker()

    async def _new_worker(self) -> WorkerProcess:
        """Start workers until one is ready."""
        while True:
            self._check()
            began = time.monotonic()
            try:
                return await self._started()
            except WorkerDiedError as error:
                self._check()
                self._starts.failed(error, began)
            await self._pause()

    async def _started(self) -> WorkerProcess:
        """Start a worker. Raise `WorkerDiedError` if that fails."""
        try:
            worker = self._ahead.pop(0) if self._ahead else self._launched()
        except OSError as error:  # the system may have room for another process later
            raise WorkerDiedError(one_line(error), is_killed=True) from error
        try:
            await worker.ready()
        finally:
            if not worker.is_reusable:
                await self._end(worker)
        self._starts.succeeded()
        return worker

    def _launched(self) -> WorkerProcess:
        """Start a process, without waiting for it."""
        worker = WorkerProcess.launch(self._server, self._limits, self._first_call)
        self._processes.add(worker)
        return worker

    async def _pause(self) -> None:
        """Wait before the next start, but not if the pool is stopped."""
        try:
            async with asyncio.timeout(self._starts.pause):
                await self._stopping.wait()
        except TimeoutError:
            return

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

        self._failures = self._faults = 0
        self._first = 0.0

    @property
    def pause(self) -> float:
        """The seconds until the next start."""
        return min(_FIRST_PAUSE * 2.0 ** min(self._failures - 1, 10), _LONGEST_PAUSE)

    def succeeded(self) -> None:
        """Forget all failures."""
        self._failures = self._faults = 0

    def failed(self, error: WorkerDiedError, began: float) -> None:
        """Note a failed start that began at a time of the monotonic clock."""
        if not self._failures:
            self._first = began
        self._failures += 1
        self._faults += not error.is_killed
        logger.info("A worker process could not start (%s)", error)
        if self._faults >= FAULTY_STARTS or time.monotonic() - self._first > START_SECONDS:
            self.error = WorkersFailedError(f"the worker processes cannot start ({error})")


def _request(function: Callable[..., object], args: Sequence[object], kwargs: object) -> memoryview:
    """Return an encoded call. Raise `EngineError` if it cannot be pickled."""
    try:
        return encoded((function, args, kwargs))
    except Exception as error:
        raise EngineError(f"the conversion cannot be sent to a worker process: {one_line(error)}") from error
