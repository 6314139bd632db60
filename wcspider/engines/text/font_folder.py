"""The private folder that PlutoBook's fonts and their configuration are in, shared by the processes of a capture."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Final

PRIVATE: Final = "wcspider-fonts-"
"""How the name of the folder begins."""

VARIABLE: Final = "WCSPIDER_FONT_FOLDER"
"""The environment variable that tells worker processes which folder they share."""

_LOCK: Final = "owner.lock"
"""The file that the owner of a folder keeps locked; the lock ends with the process, however it ends."""

_locks: Final[list[IO[bytes]]] = []


@cache
def share() -> Path:
    """Return the private folder of this process, which the processes that it starts use as well.

    The folder is removed when the process that made it ends. Call this before workers are started: a worker may be
    killed, and would then leave its own folder behind. Folders of processes that were killed are removed here.
    """
    given = given_folder()
    if given is not None:
        return given
    _remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=PRIVATE))
    _lock(folder)
    os.environ[VARIABLE] = str(folder)
    atexit.register(_remove, folder, os.getpid())
    return folder


def given_folder() -> Path | None:
    """Return the private folder that this process and its parent share; None if there is none."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given is not None and Path(given).is_dir() else None


def write_whole(file: Path, content: bytes) -> None:
    """Write a file that another process may be reading or writing as well: it appears complete."""
    handle, name = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
    Path(name).replace(file)


def _lock(folder: Path) -> None:
    """Lock a folder. The file gets its name when it is locked, so that no other process locks it first."""
    file = (folder / "new.lock").open("wb")
    with suppress(OSError):  # a file system without locks: the folder is never taken for abandoned
        fcntl.flock(file, fcntl.LOCK_EX)
        (folder / "new.lock").rename(folder / _LOCK)
    _locks.append(file)


def _remove_abandoned() -> None:
    for file in Path(tempfile.gettempdir()).glob(f"{PRIVATE}*/{_LOCK}"):
        if _is_abandoned(file):
            shutil.rmtree(file.parent, ignore_errors=True)


def _is_abandoned(file: Path) -> bool:
    """Tell whether a folder of this user has an owner that has ended."""
    with suppress(OSError), file.open("rb") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(opened.fileno()).st_uid == os.getuid()
    return False


def _remove(folder: Path, owner: int) -> None:
    # A forked child inherits the call, but the folder belongs to its parent.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
