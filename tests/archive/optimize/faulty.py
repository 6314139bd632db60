"""Rewrites a file with a fault: ``python -m tests.archive.optimize.faulty FILE STEP TIMES``.

The process kills itself when it comes to a step for so many times. With the step ``full``, no file may grow beyond so
many bytes, as on a disk that is full, and the error is printed.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

from wcspider.archive.optimize import rewrite as module
from wcspider.exceptions import TargetNotWritableError
from wcspider.pdf.file.revision import RevisionFile

STEPS = {
    "write": (module._Rewrite, "_write"),
    "commit": (RevisionFile, "commit"),
    "sync": (os, "fsync"),
    "rename": (Path, "replace"),
}


def die_at(step: str, times: int) -> None:
    """Let the process kill itself at a step."""
    owner, name = STEPS[step]
    original, left = getattr(owner, name), times

    def dying(*args: object) -> object:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args)

    module.BATCH_OBJECTS = 64
    setattr(owner, name, dying)


def main(path: Path, step: str, times: int) -> None:
    """Rewrite a file."""
    if step == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (times, times))
    else:
        die_at(step, times)
    try:
        module.optimize(path)
    except TargetNotWritableError as error:
        print(error)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
