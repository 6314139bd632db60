"""Rewrites a file with a fault: ``python -m tests.archive.optimize.faulty FILE STEP TIMES``.

See `tests.support.faulty_runs` for the faults.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support import faulty_runs
from wcspider.archive.optimize import rewrite as module
from wcspider.pdf.file.revision import RevisionFile

STEPS = {
    "write": (module._Rewrite, "_write"),
    "commit": (RevisionFile, "commit"),
    "sync": (os, "fsync"),
    "rename": (Path, "replace"),
}

if __name__ == "__main__":
    if sys.argv[2] != faulty_runs.FULL:
        module.BATCH_OBJECTS = 64
    faulty_runs.run(lambda: module.optimize(Path(sys.argv[1])), STEPS, sys.argv[2], int(sys.argv[3]))
