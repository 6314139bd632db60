"""Runs with a fault: the process kills itself at a step, or no file may grow beyond a size, as on a full disk."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from wcspider.exceptions import TargetNotWritableError

FULL = "full"
"""The step of a run in which files may not grow beyond a number of bytes."""


def run(work: Callable[[], object], steps: Mapping[str, tuple[object, str]], step: str, times: int) -> None:
    """Work until a step was reached so many times, or with so many bytes for each file if the step is `FULL`.

    `steps` are the functions at which the process can die, each with the object that has it. The error of a full disk
    is printed.
    """
    if step == FULL:
        resource.setrlimit(resource.RLIMIT_FSIZE, (times, times))
    else:
        _die_at(*steps[step], times)
    try:
        work()
    except TargetNotWritableError as error:
        print(error)


def _die_at(owner: object, name: str, times: int) -> None:
    original, left = getattr(owner, name), times

    def dying(*args: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **named)

    setattr(owner, name, dying)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let every write beyond a size fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
