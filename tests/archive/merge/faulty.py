"""Merges ``a.pdf`` and ``b.pdf`` of a folder into its ``out.pdf`` with a fault: ``python -m ... FOLDER STEP TIMES``.

See `tests.support.faulty_runs` for the faults.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.support import faulty_runs
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.merge import merging
from wcspider.pdf.file.revision import RevisionFile

STEPS = {
    "copy": (merging, "copied"),
    "add": (ContentDatabase, "add_grafted"),
    "commit": (RevisionFile, "_append"),
    "sync": (os, "fsync"),
    "rename": (Path, "replace"),
}


def merge(folder: Path) -> None:
    """Merge the files."""
    options = merging.MergeOptions(lambda: datetime(2026, 3, 1, tzinfo=UTC), batch_pages=2)
    merging.merge(folder / "out.pdf", [folder / "a.pdf", folder / "b.pdf"], options)


if __name__ == "__main__":
    faulty_runs.run(lambda: merge(Path(sys.argv[1])), STEPS, sys.argv[2], int(sys.argv[3]))
