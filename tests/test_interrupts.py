"""Ctrl-C while modules are loaded."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from wcspider.interrupts import ending_quietly

INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
from wcspider import interrupts
signal.signal(signal.SIGINT, signal.{handler})
with interrupts.ending_quietly():
    os.kill(os.getpid(), signal.SIGINT)
sys.exit(3)
"""


@pytest.mark.parametrize(("handler", "status"), [("default_int_handler", -signal.SIGINT), ("SIG_IGN", 3)])
def test_a_process_ends_without_a_traceback_unless_it_ignores_the_signal(handler: str, status: int) -> None:
    code = INTERRUPTED_WHILE_LOADING.format(handler=handler)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")


def test_the_handler_returns_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ending_quietly():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_a_thread_may_load_modules() -> None:
    done = []

    def load() -> None:
        with ending_quietly():  # only the main thread can set handlers
            done.append(True)

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert done == [True]
