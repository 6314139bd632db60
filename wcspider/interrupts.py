"""Ctrl-C while a program loads its modules."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_quietly() -> Iterator[None]:
    """Let Ctrl-C end the process at once, without a traceback.

    For the loading of modules, when there is nothing to clean up: libraries report the exception of Ctrl-C as an error
    of their own. A process that ignores the signal, such as a command in the background of a shell, still ignores it.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
