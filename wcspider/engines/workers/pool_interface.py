"""The interface of a pool of workers, on this machine or on others."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ParamSpec, Self, TypeVar

from wcspider.exceptions import WorkersStoppedError

P = ParamSpec("P")
T = TypeVar("T")

PATIENT_BYTES = 4 * 1024 * 1024
"""The size of an input from which a call that takes a time in proportion to it gets more time, in bytes."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a call. Calls with large inputs overtake others, so that they are not the last ones."""

    size: int = 0
    """The size of its input in bytes."""

    patience: float = 1.0
    """The factor for its time limit."""

    @classmethod
    def in_proportion(cls, size: int) -> Self:
        """Return the effort of a call that takes a time in proportion to the size of its input."""
        return cls(size, max(1.0, size / PATIENT_BYTES))


class Pool(ABC):
    """A pool: calls and results are pickled, functions are found by name, calls may be repeated."""

    def __init__(self) -> None:
        self.busy = 0
        """The number of calls that are being made or wait for a worker."""

        self._is_closed = False
        self._none_open = asyncio.Event()
        self._none_open.set()

    def start_ahead(self, workers: int) -> None:  # noqa: B027
        """Start some workers before they are needed, without waiting for them, if the pool starts its workers."""

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function of a module's top level in a worker, and return its result.

        Raise

        - `EngineCrashedError` if several workers died during the call, or if the call used too much memory,
        - `EngineTimeoutError` if the call took too long,
        - the `WebCaptureError` that the function raised, or `EngineError` for any other exception,
        - `WorkersFailedError` if no worker can be started,
        - `WorkersStoppedError` if the pool was stopped or closed.
        """
        return await self.run_sized(Effort(), function, *args, **kwargs)

    @abstractmethod
    async def run_sized(self, effort: Effort, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function as `run` does, with the time limit and the place among other calls that its effort needs."""

    async def close(self) -> None:
        """Accept no more calls, wait for those that were accepted, and end the workers."""
        self._accept_no_more()
        await self._ended()
        await self.stop()

    @abstractmethod
    async def stop(self) -> None:
        """Break off all calls at once: they raise `WorkersStoppedError`."""

    def phrases(self) -> list[str]:
        """Return the phrases of the progress about the workers, besides the number of calls."""
        return []

    def summary(self) -> list[str]:
        """Return the lines about the workers for the summary."""
        return []

    @contextmanager
    def _accepted(self) -> Iterator[None]:
        """Count a call until it ends. Raise `WorkersStoppedError` if the pool accepts no more calls."""
        if self._is_closed:
            raise WorkersStoppedError
        self.busy += 1
        self._none_open.clear()
        try:
            yield
        finally:
            self.busy -= 1
            if not self.busy:
                self._none_open.set()

    def _accept_no_more(self) -> None:
        self._is_closed = True

    async def _ended(self) -> None:
        """Wait until no call is open."""
        await self._none_open.wait()
