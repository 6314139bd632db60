"""Functions that do in a worker process what a conversion must never do to a crawl."""

from __future__ import annotations

import os
import re
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


def crash() -> None:
    os._exit(7)


def hog() -> int:
    return len(bytearray(8 << 30))


def refuse() -> None:
    raise SourceUnreadableError("http://a.example/: broken", "nothing can be done")


def fail() -> None:
    raise ZeroDivisionError("one line\nand another")


def nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def pid() -> int:
    return os.getpid()
