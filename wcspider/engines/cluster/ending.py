"""The end of a machine or of a whole cluster, for which all that is under way must not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class MemberLostError(Exception):
    """A Dask worker died, left, or does not answer."""


class CrawlUnknownError(MemberLostError):
    """A Dask worker does not know the crawl, because it was started again."""


class ClusterLostError(Exception):
    """The scheduler is gone, or no worker can be used."""


class Ending:
    """The moment from which something can no longer be used, and the error that says why."""

    def __init__(self) -> None:
        self._error: Callable[[], Exception] | None = None
        self._came = asyncio.Event()

    @property
    def has_come(self) -> bool:
        """Whether the moment has come."""
        return self._came.is_set()

    def come(self, error: Callable[[], Exception]) -> None:
        """Let the moment come, with a function that makes the error; the first call counts."""
        if self._error is None:
            self._error = error
            self._came.set()

    def check(self) -> None:
        """Raise the error if the moment has come."""
        if self._error is not None:
            raise self._error()

    async def before(self, operation: Awaitable[T]) -> T:
        """Return the result of an operation. Break it off and raise the error if the moment comes first."""
        running = asyncio.ensure_future(operation)
        waiting = asyncio.ensure_future(self._came.wait())
        try:
            await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                self.check()
            return running.result()
        finally:
            running.cancel()
            waiting.cancel()
