"""The calls that a pool has accepted, and whether it accepts more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from wcspider.exceptions import WorkersStoppedError


class OpenCalls:
    """The calls of a pool that have not ended."""

    def __init__(self) -> None:
        self.count = 0
        self._is_closed = False
        self._none_open = asyncio.Event()
        self._none_open.set()

    @contextmanager
    def accepted(self) -> Iterator[None]:
        """Count a call until it ends. Raise `WorkersStoppedError` if the pool accepts no more calls."""
        if self._is_closed:
            raise WorkersStoppedError
        self.count += 1
        self._none_open.clear()
        try:
            yield
        finally:
            self.count -= 1
            if not self.count:
                self._none_open.set()

    def close(self) -> None:
        """Accept no more calls."""
        self._is_closed = True

    async def ended(self) -> None:
        """Wait until no call is open."""
        await self._none_open.wait()
