"""Kills of worker processes at random moments, such that no call loses more than one worker."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from wcspider.engines.workers import main

STARTING = "starting"


class WorkerKiller:
    """A killer of the worker processes of a process, and of fork servers that start.

    A process names in a file, whose name is its process number, the call that it makes, or says that it is starting.
    """

    def __init__(self, parent: int, marks: Path, seed: int) -> None:
        self.kills = self.kills_at_start = 0
        self._parent = parent
        self._marks = marks
        self._random = random.Random(seed)
        self._hit: set[str] = set()

    def kill_one(self) -> bool:
        """Kill a process, if there is one that starts, or that makes a call which has not lost a worker yet."""
        found = worker_processes(self._parent) + fork_servers(self._parent)
        self._random.shuffle(found)
        return any(self._killed(worker) for worker in found)

    def _killed(self, worker: int) -> bool:
        with suppress(ProcessLookupError):
            # Stopped first, so that it cannot begin another call between the look at its file and the kill.
            os.kill(worker, signal.SIGSTOP)
            if not is_stopped(worker):
                return False
            call = self._call_of(worker)
            # Not every start, so that workers get ready between kills.
            is_victim = self._random.random() < 0.5 if call == STARTING else bool(call) and call not in self._hit
            os.kill(worker, signal.SIGKILL if is_victim else signal.SIGCONT)
            if is_victim and call == STARTING:
                self.kills_at_start += 1
            elif is_victim:
                self._hit.add(call)
            self.kills += is_victim
            return is_victim
        return False

    def _call_of(self, worker: int) -> str:
        try:
            return (self._marks / str(worker)).read_text()
        except FileNotFoundError:
            return ""


def worker_processes(parent: int) -> list[int]:
    """Return the worker processes of a process."""
    return [worker for server in fork_servers(parent) for worker in _children(server)]


def fork_servers(parent: int) -> list[int]:
    """Return the fork servers of a process."""
    return [child for child in _children(parent) if main.__name__ in "".join(_read(Path(f"/proc/{child}/cmdline")))]


def _children(parent: int) -> list[int]:
    try:
        return [int(pid) for task in Path(f"/proc/{parent}/task").iterdir() for pid in _read(task / "children")]
    except FileNotFoundError:
        return []


def _read(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def state(process: int) -> str:
    """Return the state of a process as one letter, empty if there is no such process."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_stopped(process: int) -> bool:
    """Wait until a process that got SIGSTOP has stopped; tell whether it has, and not died."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (found := state(process)) in ("T", "Z", ""):
            return found == "T"
        time.sleep(0.001)
    raise AssertionError(f"process {process} does not stop")
