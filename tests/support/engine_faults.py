"""Functions that hang, crash or misbehave in a worker process."""

from __future__ import annotations

import errno
import os
import re
import signal
import time
from pathlib import Path

from wcspider.exceptions import SourceUnreadableError


def double(number: int) -> int:
    return 2 * number


def hang(path: str | None = None) -> None:
    """In C, with signals waiting: as a selector of 200 parts does to xhtml2pdf."""
    if path:
        Path(path).write_text(str(os.getpid()))
    re.match(r"(a+)+$", "a" * 60 + "b")


def hang_once(path: str) -> str:
    if Path(path).exists():
        return "again"
    Path(path).write_text(str(os.getpid()))
    while True:
        time.sleep(60)


def crash(path: str | None = None) -> None:
    if path:
        note_call(path)
    os._exit(7)


def note_call(path: str) -> int:
    with Path(path).open("a") as calls:
        calls.write(f"{os.getpid()}\n")
    return os.getpid()


def hog() -> int:
    return len(bytearray(8 << 30))


def refuse() -> None:
    raise SourceUnreadableError("http://a.example/: broken", "nothing can be done")


def fail() -> None:
    raise ZeroDivisionError("one line\nand another")


_kept: list[bytearray] = []


def leak(megabytes: int) -> int:
    _kept.append(bytearray(os.urandom(1 << 20)) * megabytes)
    return os.getpid()


def fail_to_pickle() -> object:
    return lambda: None


def work(folder: str, number: int) -> int:
    """Say in a file named by the process which call is being made."""
    mark = Path(folder) / str(os.getpid())
    mark.write_text(str(number))
    time.sleep(0.02)
    mark.unlink()
    return number


def slow_start() -> None:
    """Say in a file named by the process, in the folder of an environment variable, that it is starting."""
    mark = Path(os.environ["WCSPIDER_MARKS"]) / str(os.getpid())
    mark.write_text("starting")
    time.sleep(0.05)
    mark.unlink()


def killed_start() -> None:
    """End as if the system had no memory left."""
    os.kill(os.getpid(), signal.SIGKILL)


def nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def pid() -> int:
    return os.getpid()


def forbid_forks() -> None:
    """Let the process have no room for another one."""

    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    os.fork = refuse


_started: list[int] = []


def note_start() -> None:
    """Note the process that calls this function."""
    _started.append(os.getpid())


def process_of_start() -> int:
    """Return the process in which `note_start` was called."""
    [process] = _started
    return process


def open_sockets(seconds: float) -> int:
    """Return the number of open sockets of the process after some time."""
    time.sleep(seconds)
    return sum(file.is_socket() for file in Path("/proc/self/fd").iterdir())
