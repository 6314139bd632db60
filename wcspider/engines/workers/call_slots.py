"""The slots of a pool: calls wait for one of them, and calls with large inputs wait less."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count

STEP_BYTES = 16 * 1024
"""A call overtakes one other call for each step of the size of its input."""

MOST_OVERTAKEN = 200
"""How many calls that asked before it a call overtakes at most, so that none waits forever."""


class Slots:
    """A fixed number of slots. Each is held during one call.

    A large page that is laid out last keeps one worker busy while all others have nothing to do, and the pages behind
    it wait in memory. So calls with large inputs overtake others.
    """

    def __init__(self, number: int) -> None:
        self._free = number
        self._numbers = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        """A heap of the calls that wait: the place of each in the order, its number, and its turn."""

    @asynccontextmanager
    async def one(self, size: int) -> AsyncIterator[None]:
        """Hold a slot for a call whose input has a size in bytes."""
        await self._wait(size)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, size: int) -> None:
        number = next(self._numbers)
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (number - min(size // STEP_BYTES, MOST_OVERTAKEN), number, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a slot to the next call that waits, or keep it free."""
        while self._waiting:
            _, _, turn = heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
