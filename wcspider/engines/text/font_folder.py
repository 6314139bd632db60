"""The private folder of a capture, which its processes share.

It contains the configuration of PlutoBook's fonts, and results that take long to compute and are equal in all workers.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Final, TypeVar

PRIVATE: Final = "wcspider-fonts-"
"""The beginning of the name of the folder."""

VARIABLE: Final = "WCSPIDER_FONT_FOLDER"
"""The environment variable with the path of the folder, for worker processes."""

_LOCK: Final = "owner.lock"
"""The file that the owner of the folder keeps locked. The system removes the lock when the process ends."""

_DISCARDED: Final = ".discarded"
"""The end of the name of a folder that is being removed. The rename ends all work of other processes in the folder."""

_Result = TypeVar("_Result")
_locks: Final[list[IO[bytes]]] = []


@cache
def share() -> Path:
    """Return the private folder of this process and of the processes that it starts; create it if necessary.

    The process that created the folder removes it when it ends. Call this function before workers are started, because
    a worker may be killed, and would not remove its own folder. Folders of killed processes are removed here.
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
    """Return the private folder that this process shares with its parent; None if there is none."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given is not None and Path(given).is_dir() else None


def write_whole(file: Path, content: bytes) -> None:
    """Write a file in such a way that other processes see the complete file or none."""
    handle, name = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
    Path(name).replace(file)


def shared(name: str, make: Callable[[], _Result]) -> _Result:
    """Return the result of `make`, which is called by the first worker only and then read from the private folder.

    `name` is a file name that identifies the result. Without a private folder, `make` is always called.
    """
    folder = given_folder()
    if folder is None:
        return make()
    file = folder / f"{name}.result"
    with suppress(OSError, pickle.UnpicklingError, EOFError):
        result: _Result = pickle.loads(file.read_bytes())
        return result
    result = make()
    with suppress(OSError):  # if the disk is full, each worker calls `make`
        write_whole(file, pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL))
    return result


def _lock(folder: Path) -> None:
    """Lock a folder. The file gets its name after it was locked, so that no other process can lock it before."""
    file = (folder / "new.lock").open("wb")
    with suppress(OSError):  # a file system without locks: other processes never remove the folder
        fcntl.flock(file, fcntl.LOCK_EX)
        (folder / "new.lock").rename(folder / _LOCK)
    _locks.append(file)


def _remove_abandoned() -> None:
    """Remove the folders of killed processes, and those whose removal was interrupted."""
    temporary = Path(tempfile.gettempdir())
    for file in temporary.glob(f"{PRIVATE}*/{_LOCK}"):
        if _is_abandoned(file):
            _discard(file.parent)
    for folder in temporary.glob(f"{PRIVATE}*{_DISCARDED}"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)


def _discard(folder: Path) -> None:
    """Remove a folder, even if a worker that has not ended yet still writes into it."""
    with suppress(OSError):
        discarded = folder.rename(folder.with_name(folder.name + _DISCARDED))
        for _ in range(2):  # during the first time, a file may appear whose creation began before the rename
            shutil.rmtree(discarded, ignore_errors=True)


def _is_abandoned(file: Path) -> bool:
    """Tell whether a folder belongs to a process of this user that has ended."""
    with suppress(OSError), file.open("rb") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(opened.fileno()).st_uid == os.getuid()
    return False


def _remove(folder: Path, owner: int) -> None:
    # A forked child inherits the call, but the folder belongs to its parent.
    if os.getpid() == owner:
        _discard(folder)
