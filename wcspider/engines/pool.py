"""Worker processes that can be killed: a conversion that hangs or dies costs its own page, nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as PoolTimeoutError
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from wcspider.exceptions import EngineCrashedError, EngineError, EngineTimeoutError, WebCaptureError, one_line

P = ParamSpec("P")
T = TypeVar("T")

MAX_TASKS = 500
"""After how many tasks a worker is replaced, so that what its libraries leak is given back."""

_PR_SET_PDEATHSIG = 1
_ENDED = (signal.SIGTERM, -signal.SIGTERM)
"""The statuses of a worker that got SIGTERM: Pebble's workers end with its number, a stuck one by the signal."""

_STOPPED = "the workers were stopped before the conversion was done"


class WorkerPool:
    """A fixed number of worker processes with a wall clock and a limit on memory.

    `timeout` is in seconds and counts from when a worker begins a task, `memory` is in bytes of address space
    of one worker.
    """

    def __init__(
        self, workers: int, timeout: float, memory: int | None = None, initializer: Callable[[], None] | None = None
    ) -> None:
        self.timeout = timeout
        self._waiting: set[asyncio.Future[Any]] = set()
        self._is_ending = False
        self._make = partial(
            ProcessPool,
            max_workers=workers,
            max_tasks=MAX_TASKS,
            initializer=_start_worker,
            initargs=(os.getpid(), memory, initializer),
            context=multiprocessing.get_context("spawn"),
        )
        self._pool = self._make()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function of a module's top level in a worker.

        Raises `EngineTimeoutError`, `EngineCrashedError` if the worker died or had no memory left, the
        `WebCaptureError` that the function raised, and `EngineError` for anything else that it raised.
        """
        try:
            return await self._run(function, args, kwargs)
        except WebCaptureError:
            raise
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            raise EngineCrashedError(_STOPPED) from None
        except BrokenProcessPool as error:
            raise EngineCrashedError(_STOPPED) from error
        except PoolTimeoutError as error:
            raise EngineTimeoutError(f"the conversion took longer than {self.timeout:g} seconds") from error
        except ProcessExpired as error:
            raise EngineCrashedError(f"the worker process died (status {error.exitcode})") from error
        except MemoryError as error:
            raise EngineCrashedError("the conversion ran out of the memory it may use") from error
        except Exception as error:
            raise EngineError(f"the conversion failed: {one_line(error)}") from error

    async def _run(self, function: Callable[..., T], args: Sequence[Any], kwargs: Mapping[str, Any]) -> T:
        """Have a worker call a function, and another if it was ended from outside: that is no fault of the page.

        Who stops a service sends SIGTERM to all of its processes, and the crawl stores the pages that it is at.
        """
        for is_last in (False, True):
            future: asyncio.Future[T] = asyncio.wrap_future(
                self._unbroken().schedule(function, args=list(args), kwargs=dict(kwargs), timeout=self.timeout)
            )
            self._waiting.add(future)
            try:
                return await future
            except (BrokenProcessPool, ProcessExpired) as error:
                if is_last or self._is_ending or getattr(error, "exitcode", signal.SIGTERM) not in _ENDED:
                    raise
            finally:
                self._waiting.discard(future)
        raise AssertionError("the second time is the last")

    def _unbroken(self) -> ProcessPool:
        """Return the pool, or a new one: Pebble gives up a pool when a worker dies that has nothing to do."""
        if not self._is_ending and not self._pool.active:
            broken, self._pool = self._pool, self._make()
            broken.stop()  # type: ignore[no-untyped-call]
            broken.join()
        return self._pool

    @property
    def busy(self) -> int:
        """How many calls are being made, or wait for a worker."""
        return len(self._waiting)

    async def close(self) -> None:
        """Let the workers finish what they have, then end them."""
        self._is_ending = True
        self._pool.close()  # type: ignore[no-untyped-call]
        await asyncio.get_running_loop().run_in_executor(None, self._pool.join)

    async def stop(self) -> None:
        """Kill the workers at once; what they were at raises `EngineCrashedError`."""
        self._is_ending = True
        self._pool.stop()  # type: ignore[no-untyped-call]
        await asyncio.get_running_loop().run_in_executor(None, self._pool.join)
        # Pebble forgets a task that it is just handing to a worker.
        for future in list(self._waiting):
            future.cancel()


def _is_cancelled() -> bool:
    """Whether it is the running asyncio task that is cancelled, and not what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _start_worker(parent: int, memory: int | None, initializer: Callable[[], None] | None) -> None:
    # Ctrl-C goes to all processes of the terminal; what it means is for the parent to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(parent)
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if initializer is not None:
        initializer()


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when the parent dies, also where the parent cannot tell it to."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it died before
