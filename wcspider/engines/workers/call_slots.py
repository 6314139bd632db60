"""The slots of a pool: calls wait for one of them, and calls with large inputs wait less."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count

STEP_BYTES = 16 * 1024
"""A call overtakes one other call for each step of the size of its input."""

MOST_OVERTAKEN = 200
"""How many calls that asked before it a call overtakes at most, so that none waits forever."""


class Slots:
    """A number of slots. Each is held during one call.

    A large page that is laid out last keeps one worker busy while all others have nothing to do, and the pages behind
    it wait in memory. So calls with large inputs overtake others.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._taken = 0
        self._error: Callable[[], Exception] | None = None
        self._asked = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        """A heap of the calls that wait: the place of each in the order, its number, and its turn."""

    @asynccontextmanager
    async def one(self, size: int) -> AsyncIterator[None]:
        """Hold a slot for a call whose input has a size in bytes."""
        if self._error is not None:
            raise self._error()
        number = next(self._asked)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (number - min(size // STEP_BYTES, MOST_OVERTAKEN), number, turn))
        self._grant()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._taken -= 1
                self._grant()

    def resize(self, number: int) -> None:
        """Change the number of slots. Calls that hold a slot keep it."""
        self._number = number
        self._grant()

    def close(self, error: Callable[[], Exception]) -> None:
        """Give no more slots: all calls that wait raise the error that a function makes."""
        self._error = error
        for _, _, turn in self._waiting:
            if not turn.done():
                turn.set_exception(error())
        self._waiting.clear()

    def _grant(self) -> None:
        """Give the free slots to the calls that wait."""
        while self._waiting and self._taken < self._number:
            _, _, turn = heappop(self._waiting)
            if not turn.done():
                self._taken += 1
                turn.set_result(None)
