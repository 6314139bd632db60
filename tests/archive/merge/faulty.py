"""Merges ``a.pdf`` and ``b.pdf`` of a folder into its ``out.pdf`` with a fault: ``python -m ... FOLDER STEP TIMES``.

The process kills itself when it comes to a step for so many times. With the step ``full``, no file may grow beyond so
many bytes, as on a disk that is full, and the error is printed.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.merge import merging
from wcspider.exceptions import TargetNotWritableError
from wcspider.pdf.file.revision import RevisionFile

STEPS = {
    "copy": (merging, "copied"),
    "add": (ContentDatabase, "add_grafted"),
    "commit": (RevisionFile, "_append"),
    "sync": (os, "fsync"),
    "rename": (Path, "replace"),
}


def die_at(step: str, times: int) -> None:
    """Let the process kill itself at a step."""
    owner, name = STEPS[step]
    original, left = getattr(owner, name), times

    def dying(*args: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **named)

    setattr(owner, name, dying)


def main(folder: Path, step: str, times: int) -> None:
    """Merge the files."""
    if step == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (times, times))
    else:
        die_at(step, times)
    options = merging.MergeOptions(lambda: datetime(2026, 3, 1, tzinfo=UTC), batch_pages=2)
    try:
        merging.merge(folder / "out.pdf", [folder / "a.pdf", folder / "b.pdf"], options)
    except TargetNotWritableError as error:
        print(error)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
