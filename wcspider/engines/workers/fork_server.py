"""The fork server of a pool, as its parent sees it: it starts worker processes that have loaded their libraries."""

from __future__ import annotations

import atexit
import base64
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from wcspider.engines.workers.forking import ENDING, FORK, READY
from wcspider.engines.workers.main import COMMAND

FORKS = sys.platform != "darwin"
"""Whether workers are forked. The system libraries of macOS may crash in a process that was forked."""


class Process(Protocol):
    """A process, with those methods of `subprocess.Popen` that a worker needs."""

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit status. Raise `subprocess.TimeoutExpired`.

        Raise `OSError` if the process could not be started.
        """

    def kill(self) -> None:
        """Kill the process, whatever it does."""


@contextmanager
def connected_sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield a socket for this process, and the socket at its other end for another process.

    The other end is closed afterwards, because the other process has its own descriptor by then. After an error, both
    sockets are closed.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            yield ours, theirs
        except BaseException:
            ours.close()
            raise


class ForkServer:
    """A process that loads the libraries of workers once, and makes the workers as copies of itself.

    It starts with the first worker, and again if it has died. If `load` fails, the first call of each worker fails.
    Use it in the thread of the event loop: on Linux, a process is killed when the thread that started it ends.
    """

    def __init__(self, load: Callable[[], object], memory: int | None = None) -> None:
        """Call `load`, a function that is found by name, in each new server.

        `memory` is the largest address space of a process in bytes.
        """
        self._load = base64.b64encode(pickle.dumps((load, (), {}))).decode()
        self._memory = memory
        self._server: _Server | None = None

    def worker(self, connection: socket.socket) -> Process:
        """Start a worker that answers on a connected socket, without waiting for it.

        Raise `OSError` if the system has no room for another process.
        """
        if not FORKS:
            return self._started(connection)
        return self._running().forked(connection)

    def start(self) -> None:
        """Start the server before the first worker is needed, without waiting for it."""
        if FORKS:
            with suppress(OSError):  # the first worker reports the problem if it remains
                self._running()

    def is_like(self, other: ForkServer) -> bool:
        """Tell whether both servers start the same workers."""
        return self._load == other._load and self._memory == other._memory

    def close(self) -> None:
        """End the server, and with it all workers."""
        atexit.unregister(self.close)
        if self._server is not None:
            self._server.end()
            self._server = None

    def _running(self) -> _Server:
        """Return the server, a new one if there is none."""
        if self._server is None or self._server.process.poll() is not None:
            self.close()
            with connected_sockets() as (ours, theirs):
                self._server = _Server(self._started(theirs), ours)
            atexit.register(self.close)  # before the folder of the fonts is removed
        return self._server

    def _started(self, connection: socket.socket) -> subprocess.Popen[bytes]:
        """Start a process of its own."""
        setup = {
            "path": [str(folder) for folder in sys.path],
            "descriptor": connection.fileno(),
            "parent": os.getpid(),
            "memory": self._memory,
            "load": self._load,
            "forks": FORKS,
        }
        command = [sys.executable, "-c", COMMAND, json.dumps(setup)]
        # Ctrl-C reaches all processes of a terminal. A worker inherits the mask, so that only the parent reacts.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[connection.fileno()])
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Server:
    """A fork server that was started."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self.process = process
        self._control = control
        self._is_ready = False

    def forked(self, connection: socket.socket) -> Process:
        with connected_sockets() as (ours, theirs):
            socket.send_fds(self._control, [FORK], [connection.fileno(), theirs.fileno()])
            return _ForkedProcess(self, ours)

    def end_loading(self) -> None:
        """End the server if it is still loading: it takes no requests until then."""
        if not self._is_ready:
            with suppress(OSError):
                self._is_ready = self._control.recv(len(READY), socket.MSG_DONTWAIT) == READY
        if not self._is_ready:
            self.process.kill()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._control.close()


class _ForkedProcess:
    """A worker process that was forked, which only the server can wait for; see `serve_forks` about its line."""

    def __init__(self, server: _Server, line: socket.socket) -> None:
        self._server = server
        self._line = line
        self._status: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit status."""
        with self._lock:
            if self._status is not None:
                return self._status
            self._line.settimeout(timeout)
            try:
                ending = self._line.recv(ENDING.size)
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("worker", timeout or 0) from None
            except OSError:
                ending = b""
            # Without a last message, the server has died, and the worker with it.
            self._status, error = ENDING.unpack(ending) if ending else (self._server.process.wait(), 0)
            self._line.close()
        if error:
            raise OSError(error, os.strerror(error))
        return self._status

    def kill(self) -> None:
        """Have the server kill the process."""
        with suppress(OSError):  # the process has ended
            self._line.shutdown(socket.SHUT_WR)
        self._server.end_loading()
