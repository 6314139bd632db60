"""Long work in steps: a generator yields where the work may pause, and returns its result.

The process that writes the file has an event loop. Work that takes long, such as storing a page with thousands of PDF
pages, would block it; between two steps it can do other things. Where there is no event loop, all steps are done at
once.

A large page is hundreds of thousands of small objects. A full pass of Python's garbage collector over them takes longer
than a slice, so full passes are postponed until the work is done. The collector still looks for cycles among new
objects.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeAlias, TypeVar

Entry = TypeVar("Entry")
Result = TypeVar("Result")

Steps: TypeAlias = Generator[None, None, Result]
"""Work with a result."""

SLICE_SECONDS = 0.005
"""How long steps are done before the event loop gets a turn: workers wait for their next pages meanwhile."""

AT_ONCE = 64
"""The number of small pieces of work in a step: a yield passes through all generators that wait for its work."""

_BETWEEN_FULL_PASSES = gc.get_threshold()[2]
_NEVER = 1_000_000
"""How many passes of the garbage collector over newer objects come before a full pass: usually, and in long work."""

Later = Callable[[Callable[[], None]], object]
"""A function that makes the event loop call another one soon."""


def completed(steps: Steps[Result]) -> Result:
    """Do all steps of some work at once, and return its result."""
    try:
        while True:
            next(steps)
    except StopIteration as done:
        result: Result = done.value
        return result


async def interleaved(steps: Steps[Result]) -> Result:
    """Do all steps of some work, with turns of the event loop between them, and return its result."""
    until = time.monotonic() + SLICE_SECONDS
    try:
        while True:
            next(steps)
            if time.monotonic() >= until:
                _allow_full_pass_after(_NEVER)
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE_SECONDS
    except StopIteration as done:
        result: Result = done.value
        return result
    finally:
        _allow_full_pass_after(_BETWEEN_FULL_PASSES)


def _allow_full_pass_after(passes: int) -> None:
    """Set the number of the garbage collector's passes over newer objects that come before a full pass.

    A program that uses another number keeps it.
    """
    newest, newer, full = gc.get_threshold()
    if full in (_BETWEEN_FULL_PASSES, _NEVER):
        gc.set_threshold(newest, newer, passes)


def portions(entries: Iterable[Entry], count: int = AT_ONCE) -> Iterator[list[Entry]]:
    """Yield entries in lists of up to `count`."""
    portion: list[Entry] = []
    for entry in entries:
        portion.append(entry)
        if len(portion) >= count:
            yield portion
            portion = []
    if portion:
        yield portion


class Slices:
    """Does the steps of one piece of work after the other: the first slice at once, the rest from the event loop.

    Without an event loop (`later` is None), all steps are done at once.
    """

    def __init__(
        self,
        later: Later | None = None,
        failed: Callable[[Exception], None] | None = None,
        done: Callable[[], None] | None = None,
    ) -> None:
        """`done` is called after work that took several slices, or `failed` with the error that ended it.

        An error of the first slice goes to the caller of `begin`.
        """
        self._later = later
        self._failed = failed
        self._done = done
        self._steps: Steps[None] | None = None
        self._ended: asyncio.Event | None = None

    @property
    def is_busy(self) -> bool:
        """True while work is in progress, also during its first slice."""
        return self._steps is not None

    def begin(self, steps: Steps[None]) -> None:
        """Begin work. No other work may be in progress."""
        assert self._steps is None
        self._steps = steps
        if self._later is None:
            self.complete()
        elif not self._slice():
            self._later(self._go_on)

    def complete(self) -> None:
        """Do the rest of the work at once."""
        while self._steps is not None:
            self._slice(is_last=True)

    async def ended(self) -> None:
        """Wait for the end of the work in progress."""
        if self._steps is not None:
            self._ended = self._ended or asyncio.Event()
            await self._ended.wait()

    def close(self) -> None:
        """Give up the work in progress."""
        if self._steps is not None:
            self._steps.close()
            self._end()

    def _go_on(self) -> None:
        try:
            is_done = self._slice()
        except Exception as error:
            if self._failed is None:
                raise
            self._failed(error)
            return
        if not is_done and self._later is not None:
            self._later(self._go_on)
        elif self._done is not None:
            self._done()

    def _slice(self, *, is_last: bool = False) -> bool:
        """Do the next steps, or all of them; return whether the work is at its end."""
        if self._steps is None:
            return True
        until = time.monotonic() + SLICE_SECONDS
        try:
            next(self._steps)
            while is_last or time.monotonic() < until:
                next(self._steps)
            _allow_full_pass_after(_NEVER)
        except StopIteration:
            self._end()
        except BaseException:
            self._end()
            raise
        return self._steps is None

    def _end(self) -> None:
        self._steps = None
        _allow_full_pass_after(_BETWEEN_FULL_PASSES)
        if self._ended is not None:
            self._ended.set()
            self._ended = None
