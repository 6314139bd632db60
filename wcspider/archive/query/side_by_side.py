"""The results of independent pieces of work, computed by several processes side by side and returned in order."""

from __future__ import annotations

import os
import pickle
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MOST_PROCESSES = 4
PROCESS_MEMORY = 512 * 1024 * 1024
"""What a process may need, in bytes. There are no more processes than the machine has memory for."""

_MEMORY = Path("/proc/meminfo")
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)

_ENDING = (signal.SIGINT, signal.SIGTERM)
"""The signals for which the parent may have handlers."""


def side_by_side(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
    """Yield the result of each piece of work, in order; the first exception is raised in its place.

    The processes are copies of this one, so that nothing has to be loaded again. Each has every n-th piece, and is at
    most one result ahead of the caller, because it waits until its pipe is read. They end with this process, even if it
    is killed, which those of `concurrent.futures` would not. On other systems than Linux, whose libraries may crash
    after a fork, beside other threads, and if this process ignores the end of others (SIGCHLD), the work is done here.
    So is the work of a process that was killed, could not be started, or ended with an exception, which is then raised
    again here: some exceptions cannot be passed from process to process.
    """
    count = min(len(pieces), MOST_PROCESSES, _usable_cores(), _available_memory() // PROCESS_MEMORY)
    if count < 2:
        yield from map(work, pieces)
        return
    with ExitStack() as stack:
        pipes: list[BinaryIO] = []
        for first in range(count):
            pipes.append(stack.enter_context(_Process(work, pieces[first::count], pipes)))
        for at, piece in enumerate(pieces):
            try:
                result = pickle.load(pipes[at % count])
            except (EOFError, pickle.UnpicklingError):
                result = work(piece)
            yield result


def _usable_cores() -> int:
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    is_safe = is_safe and signal.getsignal(signal.SIGCHLD) is not signal.SIG_IGN
    return len(os.sched_getaffinity(0)) if is_safe else 1


def _available_memory() -> int:
    """Return how many bytes of memory new processes can have; 0 if the system does not tell."""
    match = _AVAILABLE.search(_MEMORY.read_text()) if _MEMORY.exists() else None
    return int(match[1]) * 1024 if match else 0


class _Process:
    """A process that writes its results to a pipe. It ends with the context at the latest."""

    def __init__(self, work: Callable[[Piece], Result], pieces: Sequence[Piece], inherited: Sequence[BinaryIO]) -> None:
        reading, writing = os.pipe()
        held = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)  # a handler of the parent must not run in the process
        try:
            self._process = os.fork()
        except OSError:  # too many processes: the empty pipe shows that this one does nothing
            self._process = -1
        if not self._process:
            _work_and_exit(work, pieces, writing, [reading, *(other.fileno() for other in inherited)], held)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        os.close(writing)
        self._pipe = os.fdopen(reading, "rb")

    def __enter__(self) -> BinaryIO:
        return self._pipe

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        if self._process > 0:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def _work_and_exit(
    work: Callable[[Piece], Result],
    pieces: Sequence[Piece],
    writing: int,
    inherited: Iterable[int],
    signals: Iterable[int],
) -> NoReturn:
    """Do the work of a process, and end it without the exit handlers of the process that it is a copy of.

    The `inherited` descriptors are closed, so that the other processes notice the end of this one's parent. `signals`
    is the set of signals that the parent blocks.
    """
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which then ends
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent is no longer there
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        for descriptor in inherited:
            os.close(descriptor)
        with os.fdopen(writing, "wb") as pipe:
            for piece in pieces:
                pipe.write(pickle.dumps(work(piece)))
                pipe.flush()
    finally:
        os._exit(0)  # whatever happens: the code behind the fork is that of the parent
