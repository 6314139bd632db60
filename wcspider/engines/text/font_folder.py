"""The private folder that PlutoBook's fonts and their configuration are in, shared by the processes of a capture."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

PRIVATE = "wcspider-fonts-"
"""How the name of the folder begins."""

VARIABLE = "WCSPIDER_FONT_FOLDER"
"""The environment variable that tells worker processes which folder they share."""


@cache
def share() -> Path:
    """Return the private folder of this process, which the processes that it starts use as well.

    The folder is removed when the process that made it ends. Call this before workers are started: a worker may be
    killed, and would then leave its own folder behind.
    """
    given = os.environ.get(VARIABLE)
    if given is not None and Path(given).is_dir():
        return Path(given)
    folder = Path(tempfile.mkdtemp(prefix=PRIVATE))
    os.environ[VARIABLE] = str(folder)
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, owner: int) -> None:
    # A forked child inherits the call, but the folder belongs to its parent.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
